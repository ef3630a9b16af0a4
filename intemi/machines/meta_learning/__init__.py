"""Meta-learning: searches for learning machines that use what was found on other data.

`knowledge_base` is what is known of other data sets, `knowledge_folder` where its `knowledge_entries` are kept;
`knowledge_arrays`, `knowledge_csv` and `aslib` are files of it, and `knowledge_checks` tell what is wrong; `knowledge`
is what of it a search gets, and `harvest` what it adds. `meta_features` and `landmarks` describe data. `scores`,
`similarities`, `orders` and `description_orders` are what can be exchanged. `generators` and `flow` produce candidates,
`refining` those near the best; the `default_space` is one of them. `profile_search` (with a `deadlock_guard`),
`landmark_search`, `complexity_search`, `passive_search` and `active_testing` are strategies. `loop` runs any of them; a
`meta_learner` is the machine that does it, with a `search_log` and reports of its `progress`; `replay` does it on
results that are on record, and `curves` say how good they were. `evaluation` says what tests will take, by
`descriptions` of data and a `calibration`, which `measuring` makes; `corrections` learn while a search runs, and
`attractiveness` says what is promising, by generators, by components (`component_credit`) or by profiles
(`profile_attractiveness`).
"""

from intemi.machines.meta_learning.active_testing import ActiveTesting
from intemi.machines.meta_learning.aslib import read_aslib, write_aslib
from intemi.machines.meta_learning.attractiveness import Attractiveness, GeneratorCredit, Neutral
from intemi.machines.meta_learning.combinations import Combination, EveryPair, InParallel, OfTheBest, Sampled
from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.complexity_search import ComplexitySearch
from intemi.machines.meta_learning.component_credit import ComponentCredit, DiversityGuard
from intemi.machines.meta_learning.curves import Curves, differences_of, rank_correlation
from intemi.machines.meta_learning.default_space import default_space, default_validation
from intemi.machines.meta_learning.description_orders import (
    ClusteringTree,
    NearestDescriptions,
    PairwiseWins,
    PredictedOrder,
    Regressed,
)
from intemi.machines.meta_learning.descriptions import DataDescription, describe
from intemi.machines.meta_learning.flow import Flow
from intemi.machines.meta_learning.generators import Cycle, Filled, Generator, Item, Loop, Set, Tuned, Union
from intemi.machines.meta_learning.knowledge import Knowledge
from intemi.machines.meta_learning.knowledge_arrays import read_arrays, write_arrays
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.knowledge_checks import KnowledgeReport, check_knowledge, without_problems
from intemi.machines.meta_learning.knowledge_csv import read_csv_base, write_csv_base
from intemi.machines.meta_learning.knowledge_entries import Entry
from intemi.machines.meta_learning.knowledge_folder import KnowledgeFolder, own_knowledge_folder
from intemi.machines.meta_learning.landmark_search import LandmarkSearch
from intemi.machines.meta_learning.landmarks import Landmarks, relative_landmarks
from intemi.machines.meta_learning.loop import Reason, Runner, search
from intemi.machines.meta_learning.meta_features import MetaFeatures, meta_features
from intemi.machines.meta_learning.meta_learner import MetaLearner, ranked_candidates
from intemi.machines.meta_learning.names import name_of
from intemi.machines.meta_learning.orders import BestOnAverage, GivenOrder, Order, RandomOrder
from intemi.machines.meta_learning.passive_search import PassiveSearch
from intemi.machines.meta_learning.profile import Eviction, KeepDiverse
from intemi.machines.meta_learning.profile_attractiveness import ProfileAttractiveness
from intemi.machines.meta_learning.profile_search import ProfileSearch
from intemi.machines.meta_learning.progress import Progress
from intemi.machines.meta_learning.refining import CommitteesOfTheBest, Neighbours
from intemi.machines.meta_learning.replay import ReplayRunner, replay
from intemi.machines.meta_learning.scores import (
    AccuracyRatioScore,
    AccuracyScore,
    AdjustedRatioScore,
    DifferenceScore,
    PairwiseScore,
    PValueScore,
    RankScore,
    Score,
    SignificantWinsScore,
)
from intemi.machines.meta_learning.similarities import (
    Concordance,
    InverseDistance,
    Nearest,
    Pearson,
    Similarity,
    Spearman,
)
from intemi.machines.meta_learning.stop_rules import MaxSeconds, MaxTests, NoImprovement, StopRule, TargetQuality
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Outcome, Task
from intemi.machines.meta_learning.validation import cross_validation

__all__ = [
    "MetaLearner",
    "ranked_candidates",
    "name_of",
    "Progress",
    "cross_validation",
    "default_space",
    "default_validation",
    "DataDescription",
    "describe",
    "Knowledge",
    "KnowledgeBase",
    "KnowledgeFolder",
    "own_knowledge_folder",
    "check_knowledge",
    "without_problems",
    "KnowledgeReport",
    "read_arrays",
    "write_arrays",
    "read_csv_base",
    "write_csv_base",
    "read_aslib",
    "write_aslib",
    "Entry",
    "Strategy",
    "Course",
    "Setting",
    "Task",
    "Outcome",
    "ProfileSearch",
    "PassiveSearch",
    "LandmarkSearch",
    "ActiveTesting",
    "ComplexitySearch",
    "Complexity",
    "Attractiveness",
    "Neutral",
    "GeneratorCredit",
    "ComponentCredit",
    "DiversityGuard",
    "ProfileAttractiveness",
    "Flow",
    "Generator",
    "Item",
    "Set",
    "Filled",
    "Tuned",
    "Neighbours",
    "CommitteesOfTheBest",
    "Union",
    "Cycle",
    "Loop",
    "Combination",
    "EveryPair",
    "InParallel",
    "Sampled",
    "OfTheBest",
    "Order",
    "BestOnAverage",
    "RandomOrder",
    "GivenOrder",
    "NearestDescriptions",
    "PredictedOrder",
    "Regressed",
    "PairwiseWins",
    "ClusteringTree",
    "MetaFeatures",
    "meta_features",
    "Landmarks",
    "relative_landmarks",
    "Score",
    "AccuracyScore",
    "DifferenceScore",
    "RankScore",
    "PValueScore",
    "PairwiseScore",
    "AccuracyRatioScore",
    "AdjustedRatioScore",
    "SignificantWinsScore",
    "Similarity",
    "Pearson",
    "Spearman",
    "Concordance",
    "Nearest",
    "InverseDistance",
    "Eviction",
    "KeepDiverse",
    "StopRule",
    "MaxTests",
    "TargetQuality",
    "NoImprovement",
    "MaxSeconds",
    "search",
    "Runner",
    "Reason",
    "replay",
    "ReplayRunner",
    "Curves",
    "differences_of",
    "rank_correlation",
]
