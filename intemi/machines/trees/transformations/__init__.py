"""Node transformations: other features to look for splits in; the splits themselves are made of the original ones."""

from intemi.machines.trees.transformations.best_features import BestFeatures
from intemi.machines.trees.transformations.crim_coord import CrimCoord
from intemi.machines.trees.transformations.discretize import Discretize
from intemi.machines.trees.transformations.discriminant_axes import DiscriminantAxes
from intemi.machines.trees.transformations.indicators import Indicators
from intemi.machines.trees.transformations.powers import Powers
from intemi.machines.trees.transformations.principal_axes import PrincipalAxes

__all__ = ["CrimCoord", "Indicators", "Discretize", "Powers", "PrincipalAxes", "DiscriminantAxes", "BestFeatures"]
