"""Everything that is a machine or a component.

`structure` holds machines that hold machines, `loading` brings data in, `distributors` split them, `transformations`
change them, `rankings` order and select features, `classifiers` and `trees` learn, alone or in `committees`, and are
tested by `measures`. `tuning` chooses parameters inside a learner. `interfaces` are the types of what they give to
each other, `fairness` looks where these came from. `meta_learning` searches for machines by what was found on other
data.
"""

from intemi.machines import classifiers, committees, measures, rankings, search, transformations
from intemi.machines.classifiers import *  # noqa: F403
from intemi.machines.committees import *  # noqa: F403
from intemi.machines.distributors import (
    BootstrapDistributor,
    CVDistributor,
    FirstFold,
    GivenFolds,
    GivenSplit,
    GroupCVDistributor,
    HoldOutDistributor,
    LeaveOneOutDistributor,
    TimeOrderedDistributor,
)
from intemi.machines.fairness import LeakageError, Reads, TransductiveWarning
from intemi.machines.interfaces import Classifier, FeatureRanking, Transformation
from intemi.machines.loading import DataLoader, JoinedFiles, OpenMLDataset, SklearnDataset
from intemi.machines.measures import *  # noqa: F403
from intemi.machines.rankings import *  # noqa: F403
from intemi.machines.roles import (
    ClassifierTest,
    Distributor,
    Learner,
    Loader,
    Ranker,
    Role,
    Transformer,
    placeholder,
    sequence,
)
from intemi.machines.search import *  # noqa: F403
from intemi.machines.structure.chain import Chain
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme
from intemi.machines.transformations import *  # noqa: F403
from intemi.machines.trees import (
    C45,
    CART,
    CRUISE1D,
    CRUISE2D,
    FACT,
    ID3,
    J48,
    QUEST,
    AUCTree,
    BestFirstTree,
    Cal5,
    CTree,
    DecisionStump,
    DecisionTree,
    LTree,
    Refiltering,
    RefinedTree,
    RPart,
    SSVTree,
)
from intemi.machines.tuning import tune
from intemi.machines.two_samples import TwoSamples

__all__ = [
    "Role",
    "Learner",
    "Transformer",
    "Ranker",
    "Distributor",
    "ClassifierTest",
    "Loader",
    "placeholder",
    "sequence",
    "Scheme",
    "Repeater",
    "Chain",
    "DataLoader",
    "SklearnDataset",
    "OpenMLDataset",
    "JoinedFiles",
    "CVDistributor",
    "BootstrapDistributor",
    "HoldOutDistributor",
    "FirstFold",
    "LeaveOneOutDistributor",
    "GivenFolds",
    "GivenSplit",
    "GroupCVDistributor",
    "TimeOrderedDistributor",
    "TwoSamples",
    *transformations.__all__,
    *rankings.__all__,
    *classifiers.__all__,
    *measures.__all__,
    *committees.__all__,
    "DecisionTree",
    "DecisionStump",
    "ID3",
    "CART",
    "C45",
    "J48",
    "RPart",
    "SSVTree",
    "AUCTree",
    "LTree",
    "Cal5",
    "FACT",
    "QUEST",
    "CRUISE1D",
    "CRUISE2D",
    "CTree",
    "BestFirstTree",
    "RefinedTree",
    "Refiltering",
    *search.__all__,
    "tune",
    "Classifier",
    "Transformation",
    "FeatureRanking",
    "Reads",
    "LeakageError",
    "TransductiveWarning",
]
