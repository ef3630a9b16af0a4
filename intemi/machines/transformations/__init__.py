"""Transformations: machines that make other data of data, and give the way to do the same to any other data."""

from intemi.machines.transformations.chain import TransformationChain
from intemi.machines.transformations.discretization import (
    Discretization,
    DiscretizationStrategy,
    EqualFrequency,
    EqualWidth,
)
from intemi.machines.transformations.external import ExternalTransformation
from intemi.machines.transformations.imputation import Imputation, Mean, Median, MostFrequent, Typical
from intemi.machines.transformations.indicators import NominalToIndicators
from intemi.machines.transformations.mdl import MDL
from intemi.machines.transformations.normalization import Normalization
from intemi.machines.transformations.principal_components import PrincipalComponents
from intemi.machines.transformations.standardization import Standardization

__all__ = [
    "Standardization",
    "Normalization",
    "Discretization",
    "DiscretizationStrategy",
    "EqualWidth",
    "EqualFrequency",
    "MDL",
    "Imputation",
    "Typical",
    "Mean",
    "Median",
    "MostFrequent",
    "NominalToIndicators",
    "PrincipalComponents",
    "TransformationChain",
    "ExternalTransformation",
]
