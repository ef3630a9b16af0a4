"""Nine combiners of five learners train 55 models for a training set; a tenth, asked for later, trains none."""

from __future__ import annotations

from pathlib import Path

from intemi.data import Data
from intemi.kernel import Machine, Project
from intemi.machines import (
    C45,
    CN2,
    KNN,
    SCANN,
    AccuracyGrowth,
    Arbiters,
    AttributeUnion,
    Average,
    ClassificationTest,
    CVDistributor,
    DistributionProperties,
    Logistic,
    MetaDecisionTree,
    NaiveBayes,
    OneR,
    OriginalFeatures,
    Repeater,
    Scheme,
    SelectBest,
    Stacking,
    StackingAC45,
    StackingC45,
    Voting,
)
from scripts.reference_data import HOME

LEARNERS: tuple[Machine, ...] = (OneR(), CN2(), KNN(k=3), NaiveBayes(), C45(mdl=False))
KINDS = tuple(each.kind for each in LEARNERS)
ORIGINAL = OriginalFeatures()
NINE: dict[str, Machine] = {
    "P-VOTE": Voting(LEARNERS),
    "CD-VOTE": Voting(LEARNERS, Average()),
    "Select-Best": SelectBest(LEARNERS),
    "SCANN": SCANN(LEARNERS),
    "C-C4.5": StackingC45(LEARNERS),
    "C-AC4.5": StackingAC45(LEARNERS),
    "MDT-CDP": MetaDecisionTree(LEARNERS),
    "MDT-BLA": MetaDecisionTree(LEARNERS, ORIGINAL),
    "MDT-CDP+BLA": MetaDecisionTree(LEARNERS, AttributeUnion((DistributionProperties(), ORIGINAL))),
}
TENTH = Stacking(LEARNERS, Logistic())


def scheme_of(learners: dict[str, Machine]) -> Scheme:
    test = Scheme(training=Data, test=Data)
    for name, learner in learners.items():
        learned = test.add(learner, data=test.training, name=name)
        test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name=f"{name} test")
    return test


def trained(project: Project) -> int:
    """How many models of the learners were trained; meta-level trees are others, pruned or on other columns."""
    physical = project.counts().physical
    return sum(physical.get(kind, 0) for kind in KINDS)


def test_nine_combiners_train_55_models_and_a_tenth_none() -> None:
    with Project() as project:
        data = project.given(HOME.load("iris"))
        for learner in NINE.values():
            project.run(learner, data=data)
        pruned = 1  # the meta-level tree of C-C4.5 is one more tree
        assert trained(project) - pruned == 55
        project.run(TENTH, data=data)
        project.run(MetaDecisionTree(LEARNERS, growth=AccuracyGrowth(criterion="gain")), data=data)
        assert trained(project) - pruned == 55


def test_select_best_alone_trains_the_winner_only_on_all_data() -> None:
    with Project() as project:
        project.run(SelectBest(LEARNERS), data=project.given(HOME.load("iris")))
        assert trained(project) == 51


def test_a_meta_decision_tree_trains_on_all_data_what_it_uses() -> None:
    with Project() as project:
        done = project.run(MetaDecisionTree(LEARNERS), data=project.given(HOME.load("iris")))
        assert trained(project) == 50 + len(done.results["Members"])


def test_in_cross_validation_each_outer_fold_trains_55_models_and_another_process_none(tmp_path: Path) -> None:
    outer = CVDistributor(folds=3)
    with Project(tmp_path / "project") as project:
        data = project.given(HOME.load("iris"))
        for name, learner in NINE.items():
            project.run(Repeater(outer, scheme_of({name: learner}), seed=1), data=data)
        assert trained(project) - 3 == 3 * 55
    with Project(tmp_path / "project") as project:
        data = project.given(HOME.load("iris"))
        project.run(
            Repeater(outer, scheme_of({"arbiters": Arbiters(LEARNERS, StackingC45(LEARNERS).meta)}), seed=1), data=data
        )
        trees = project.counts().physical.get("DecisionTree", 0)
        assert trained(project) - trees == 0
        assert trees <= 3 * 5  # an arbiter for each learner
