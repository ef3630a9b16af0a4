"""Everything that is a machine or a component.

`structure` holds machines that hold machines, `loading` brings data in, `distributors` split them, `transformations`
change them, `rankings` order and select features, `classifiers` and `trees` learn, and are tested. `interfaces` are the
types of what they give to each other.
"""

from intemi.machines import classifiers, rankings, search, transformations
from intemi.machines.classifiers import *  # noqa: F403
from intemi.machines.distributors import (
    BootstrapDistributor,
    CVDistributor,
    GivenFolds,
    HoldOutDistributor,
    LeaveOneOutDistributor,
)
from intemi.machines.interfaces import Classifier, FeatureRanking, Transformation
from intemi.machines.loading import DataLoader, SklearnDataset
from intemi.machines.rankings import *  # noqa: F403
from intemi.machines.search import *  # noqa: F403
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme
from intemi.machines.transformations import *  # noqa: F403
from intemi.machines.trees import (
    C45,
    CART,
    ID3,
    AUCTree,
    DecisionTree,
    SSVTree,
    best_first,
    cal5,
    cruise_1d,
    cruise_2d,
    ctree,
    fact,
    quest,
)

__all__ = [
    "Scheme",
    "Repeater",
    "DataLoader",
    "SklearnDataset",
    "CVDistributor",
    "BootstrapDistributor",
    "HoldOutDistributor",
    "LeaveOneOutDistributor",
    "GivenFolds",
    *transformations.__all__,
    *rankings.__all__,
    *classifiers.__all__,
    "DecisionTree",
    "ID3",
    "CART",
    "C45",
    "SSVTree",
    "AUCTree",
    "cal5",
    "fact",
    "quest",
    "cruise_1d",
    "cruise_2d",
    "ctree",
    "best_first",
    *search.__all__,
    "Classifier",
    "Transformation",
    "FeatureRanking",
]
