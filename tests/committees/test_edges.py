"""What is rare in data and common in committees: one class, few rows, many classes, failures, vanishing weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Machine, MachineFailed, Model, Project
from intemi.kernel.seeds import Seed
from intemi.machines import (
    KNN,
    SAMME,
    AdaBoost,
    AdaBoostM2,
    ArcX4,
    Average,
    Bagging,
    Boosting,
    BoostUpdate,
    BootstrapEstimates,
    BootstrapSampler,
    BootstrapSamples,
    ClassificationTest,
    CostBoosting,
    CVDistributor,
    DecisionStump,
    DecisionTree,
    Learner,
    Majority,
    NaiveBayes,
    OutOfBag,
    PermutationImportance,
    Repeater,
    Reweighted,
    Scheme,
    UpdateRule,
    Vote,
    Wagging,
    WeightedLearn,
    Weights,
    default_scenarios,
)
from intemi.machines.committees.boosting import High
from intemi.machines.committees.weights import reweighted
from tests.learning.test_classifiers import blobs


def table(features: Any, classes: Any, labels: tuple[str, ...] = ("a", "b")) -> Data:
    """Data of numeric features, a list for each."""
    columns = [Column(f"x{index}") for index in range(len(features))]
    return Data(Table(columns, features, Column("class", labels), classes))


ONE_OF_TEN = table([range(10)], [1] + [0] * 9)


class Strict(Learner):
    """A majority that refuses data of one class, as some learners do."""

    def run(self, data: Data) -> Model:
        if len(np.unique(data.classes)) < 2:
            raise ValueError("two classes are needed")
        return Majority().run(data)


class Broken(Learner):
    """A learner that fails."""

    def run(self, data: Data) -> Model:
        raise ValueError("out of order")


def run(machine: Machine, data: Data) -> Any:
    with Project() as project:
        done = project.run(machine, data=project.given(data))
        return done.outputs, done.results


def test_a_sample_of_one_class_gives_a_member_of_all_classes() -> None:
    outputs, _ = run(Bagging(DecisionTree(), size=10, seed=1), ONE_OF_TEN)
    constant = [each for each in outputs["members"] if (each.classify(ONE_OF_TEN) == 0).all()]
    assert constant, "with ten rows a third of the samples have one class"
    assert constant[0].probabilities(ONE_OF_TEN).shape == (10, 2)


def test_a_sample_of_one_class_that_a_learner_refuses_is_drawn_again() -> None:
    with Project() as project:
        bagging = project.run(Bagging(Strict(), size=10, seed=1), data=project.given(ONE_OF_TEN))
        assert len(bagging.outputs["members"]) == 10
        counts = project.counts().physical
        assert counts["BootstrapSamples"] == 1
        assert counts["BootstrapSampler"] > 0


def test_samples_that_are_drawn_at_once_are_those_of_the_members() -> None:
    data, committee = blobs(40), Seed(1).branch(2)
    at_once = BootstrapSamples(share=0.5, first=10)
    several = at_once.run(data, at_once.generator(committee)).outputs
    for number in range(10):
        sampler = BootstrapSampler(share=0.5)
        alone = sampler.run(data, (), sampler.generator(committee.branch(10 + number))).outputs
        assert several["samples"][number] == alone["sample"]
        assert several["left"][number] == alone["left"]


def test_where_there_is_one_class_only_the_answer_is_that_class() -> None:
    one = table([range(5)], [0] * 5)
    outputs, _ = run(Bagging(Strict(), size=2, seed=1), one)
    assert outputs["classifier"].classify(one).tolist() == [0] * 5
    outputs, results = run(Boosting(DecisionStump(), seed=1), one)
    assert outputs["classifier"].probabilities(one).tolist() == [[1, 0]] * 5
    assert results["Members"] == 1


@pytest.mark.parametrize("committee", [Bagging, Boosting])
def test_a_member_that_fails_is_named(committee: Any) -> None:
    with pytest.raises(MachineFailed, match="out of order"):
        run(committee(Broken(), size=3, seed=1), ONE_OF_TEN)


def test_rows_whose_weights_vanish_are_left_out() -> None:
    data = table([range(4)], [0, 0, 1, 1])
    kept = reweighted(data, [Weights(np.array([0.5, 0, 0, 0.5]))])
    assert kept.rows.tolist() == [0, 3]
    assert kept.weights.tolist() == [2, 2]
    tiny = reweighted(data, [Weights(np.array([1 - 3e-300, 1e-300, 1e-300, 1e-300]))])
    assert len(DecisionTree().run(tiny).outputs["tree"]) >= 1


def test_the_noise_of_wagging_leaves_some_row() -> None:
    outputs, _ = run(Wagging(DecisionTree(), size=5, seed=1).replace("noise.sd", 50.0), table([[1]], [0]))
    assert outputs["classifier"].classify(table([[1]], [0])).tolist() == [0]


def test_a_class_that_a_fold_lacks_has_no_probability() -> None:
    data = table([range(12)], [0, 1] * 5 + [2, 2], ("a", "b", "c"))
    training = data.select_rows(range(10))
    for committee in (Bagging(NaiveBayes(), 3, Average(), seed=1), Boosting(DecisionStump(), 3, SAMME())):
        outputs, _ = run(committee, training)
        assert (outputs["classifier"].probabilities(data)[:, 2] < 1e-6).all()


@pytest.mark.parametrize("variant", [SAMME(), ArcX4(), AdaBoostM2()], ids=repr)
def test_twenty_six_classes(variant: Any) -> None:
    rng = np.random.default_rng(1)
    classes = np.arange(26).repeat(8)
    letters = table(rng.normal(size=(2, 208)) + classes, classes, tuple("abcdefghijklmnopqrstuvwxyz"))
    outputs, _ = run(Boosting(DecisionTree(), 3, variant, mode="resample", seed=1), letters)
    assert (outputs["classifier"].classify(letters) == classes).mean() > 0.8
    outputs, _ = run(Bagging(DecisionTree(), 5, seed=1), letters)
    assert (outputs["classifier"].classify(letters) == classes).mean() > 0.8


def test_a_bagging_of_one_is_the_learner_on_one_sample_and_not_on_all_data() -> None:
    data = blobs(60)
    with Project() as project:
        given = project.given(data)
        bagged = project.run(Bagging(DecisionTree(), size=1, seed=3), data=given)
        sample = bagged.child("samples").outputs["samples"][0]
        alone = DecisionTree().run(sample).outputs["classifier"]
    np.testing.assert_array_equal(bagged.outputs["classifier"].classify(data), alone.classify(data))
    assert sample.has_copies


def test_members_may_be_committees() -> None:
    data = blobs(60)
    for committee in (
        Bagging(Boosting(DecisionStump(), size=3), size=3, seed=1),
        Boosting(Bagging(DecisionStump(), size=3), size=3, seed=1),
        Boosting(Boosting(DecisionStump(), size=2), size=2),
    ):
        outputs, _ = run(committee, data)
        assert (outputs["classifier"].classify(data) == data.classes).mean() > 0.5


def test_rows_without_a_class_count_for_nothing() -> None:
    data = table([[*range(10), 0, 9]], [*[0] * 5, *[1] * 5, -1, -1])
    outputs, _ = run(Boosting(DecisionStump(), 3, ArcX4()), data)
    assert outputs["classifier"].classify(data)[:10].tolist() == [0] * 5 + [1] * 5
    _, results = run(Bagging(DecisionTree(), out_of_bag=True, seed=1), data)
    assert results["Out-of-bag rows"] <= 10


@pytest.mark.parametrize("variant", [AdaBoost(), SAMME(), ArcX4(), AdaBoostM2(), CostBoosting(cost=((0, 2), (1, 0)))])
@pytest.mark.parametrize("high", ["stop", "reset"])
def test_boosting_is_that_of_the_rows_with_a_class(variant: UpdateRule, high: High) -> None:
    classes = np.where(np.arange(40) % 4 == 3, -1, np.random.default_rng(3).integers(0, 2, 40))
    data = table(np.random.default_rng(5).normal(size=(2, 40)), classes)
    boosting = Boosting(DecisionStump(), 6, variant, high=high)
    (one, told), (other, expected) = (run(boosting, each) for each in (data, data.select_rows(classes >= 0)))
    assert len(other["votes"]) > 1
    assert one["votes"] == pytest.approx(other["votes"], rel=1e-9)
    assert told == expected
    np.testing.assert_array_equal(one["classifier"].classify(data), other["classifier"].classify(data))


def test_boosting_draws_no_rows_without_a_class() -> None:
    data = table(np.random.default_rng(5).normal(size=(2, 40)), np.where(np.arange(40) % 4 == 3, -1, np.arange(40) % 2))
    boosting = Boosting(DecisionStump(), 4, mode="resample", seed=1)
    one, other = (run(boosting, each)[0] for each in (data, data.select_rows(data.classes >= 0)))
    assert len(other["votes"]) > 1
    assert one["votes"] == other["votes"]


def test_weights_after_a_reset_leave_out_rows_without_a_class() -> None:
    data = table([[0, 0, 1, 1, 0, 0]], [0, 1, 0, 1, -1, -1])
    member = Majority().run(data).outputs["classifier"]
    found = BoostUpdate(high="reset").run(data, [], member)
    assert found.results["Error"] == pytest.approx(0.5)
    assert found.outputs["updated"].shares.tolist() == [0.25] * 4 + [0.0] * 2
    assert found.outputs["weighted"].weights.tolist() == [1.0] * 4


def test_boosting_needs_a_row_with_a_class() -> None:
    member = Majority().run(ONE_OF_TEN).outputs["classifier"]
    with pytest.raises(ConfigurationError, match="BoostUpdate: at least one row with a class is needed, got none"):
        BoostUpdate().run(table([range(2)], [-1, -1]), [], member)


def test_boosting_begins_with_the_weights_of_the_data() -> None:
    data = table([range(6)], [0, 0, 1, 1, 0, 1])
    weighted = data.with_weights([1, 2, 1, 1, 3, 1])
    copies = data.select_rows(np.repeat(np.arange(6), [1, 2, 1, 1, 3, 1]))
    one, other = (run(Boosting(DecisionStump(), size=4), each)[0] for each in (weighted, copies))
    assert one["votes"] == pytest.approx(other["votes"])


def test_the_order_of_rows_does_not_matter_to_reweighting() -> None:
    rng = np.random.default_rng(2)
    features, classes = rng.normal(size=(3, 50)), rng.integers(0, 2, 50)
    order = rng.permutation(50)
    one = run(Boosting(DecisionStump(), size=6), table(features, classes))[0]
    other = run(Boosting(DecisionStump(), size=6), table(features[:, order], classes[order]))[0]
    assert one["votes"] == pytest.approx(other["votes"])


@pytest.mark.parametrize("high", ["stop", "reset", "reset_keep"])
def test_members_that_are_all_too_bad_leave_the_first_alone(high: High) -> None:
    data = table([[0, 0, 1, 1]], [1, 0, 0, 1])  # every member errs on half
    outputs, results = run(Boosting(DecisionStump(), size=4, high=high), data)
    assert results == {"Members": 1, "Status": "no boosting possible"}
    assert not outputs["votes"]
    answers = outputs["members"][0].classify(data)
    np.testing.assert_array_equal(outputs["classifier"].probabilities(data), np.eye(2)[answers])


@pytest.mark.parametrize(
    ("zero", "votes"), [("clip_stop", [np.log(7)]), ("reset", [np.log(7)] * 3), ("weka", []), ("sklearn", [1.0])]
)
def test_policies_for_members_without_errors(zero: str, votes: list[float]) -> None:
    outputs, _ = run(Boosting(DecisionStump(), size=3, zero=zero), table([range(4)], [0, 0, 1, 1]))
    assert outputs["votes"] == pytest.approx(votes)


def test_a_learner_that_cannot_use_weights_gets_a_sample() -> None:
    data = blobs(30)
    weights = Weights(np.full(len(data), 1 / len(data)))
    with Project() as project:
        bound = {"data": project.given(data), "weights": project.given(weights)}
        project.run(WeightedLearn(Strict(), seed=1), **bound)
        assert project.counts().physical["BootstrapSampler"] == 1
        project.run(WeightedLearn(KNN(), seed=1), **bound)
        assert project.counts().physical["BootstrapSampler"] == 1
        project.run(WeightedLearn(KNN(), mode="resample", seed=1), **bound)
        assert project.counts().physical["BootstrapSampler"] == 1  # the same sample
    with pytest.raises(ConfigurationError, match="Wagging: learner must be able to use weights, got Strict"):
        Wagging(Strict())


def test_equal_weights_leave_data_as_they_are() -> None:
    data = blobs(30)
    same = Reweighted().run(data, [Weights(np.full(len(data), 1 / len(data)))]).outputs["weighted"]
    assert same is data


def test_samples_by_weight_have_no_weights() -> None:
    data = table([range(4)], [0, 0, 1, 1]).with_weights([1, 2, 3, 4])
    shares = Weights(np.array([0, 0, 0.5, 0.5]))
    sample = BootstrapSampler().run(data, [shares], np.random.default_rng(0)).outputs["sample"]
    assert set(sample.origins.tolist()) <= {2, 3}
    assert sample.weights.tolist() == [1] * 4
    some = BootstrapSampler(0.5, replace_rows=False).run(data, [], np.random.default_rng(0)).outputs["sample"]
    assert len(set(some.rows.tolist())) == 2


def test_out_of_bag_answers_come_from_members_that_never_saw_the_row() -> None:
    data = blobs(40)
    left = [data.select_rows([0, 1]), data.select_rows([1, 2])]
    members = [
        KNN(k=1).run(data.select_rows(range(4, 40))).outputs["classifier"],
        Majority().run(data).outputs["classifier"],
    ]
    found = OutOfBag(Vote()).run(data, members, left)
    answers = found.outputs["predictions"].answers
    assert answers[0] == members[0].classify(data)[0]
    assert answers[2] == members[1].classify(data)[2]
    assert (answers[3:] == -1).all()
    assert found.results["Out-of-bag rows"] == 3


def test_estimates_and_importances_need_rows_that_were_left_out() -> None:
    data = blobs(20)
    member = Majority().run(data).outputs["classifier"]
    none = data.select_rows(np.zeros(len(data), dtype=bool))
    with pytest.raises(ConfigurationError, match="BootstrapEstimates: there is no row that a member never saw"):
        BootstrapEstimates().run(data, member, [member], [none])
    ranking = PermutationImportance().run([member], [none], np.random.default_rng(0)).outputs["ranking"]
    assert ranking.values == (0.0, 0.0)


def test_a_feature_that_matters_is_important() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(3, 120))
    data = table(features, (features[1] > 0).astype(int))
    with Project() as project:
        given = project.given(data)
        bagging = project.request(Bagging(DecisionTree(), size=5, seed=1), data=given)
        parts = {"members": bagging.members, "left": bagging.left}
        ranking = project.run(PermutationImportance(repetitions=3, seed=1), **parts).outputs["ranking"]
        whole = project.request(DecisionTree(), data=given)
        estimates = project.run(BootstrapEstimates(), data=given, classifier=whole.classifier, **parts).results
    assert ranking.order[0] == 1
    assert ranking.values[1] > 0.3 > ranking.values[0]
    assert estimates["Resubstitution error"] <= estimates[".632 error"] <= estimates["Out-of-bag error of members"]


def test_a_committee_stands_in_a_cross_validation_and_its_test_is_fair() -> None:
    test = Scheme(training=Data, test=Data)
    learner = test.add(Bagging(DecisionTree(), size=3, out_of_bag=True), data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learner.classifier, name="test")
    cv = Repeater(CVDistributor(folds=3), test, seed=1)
    with Project() as project:
        done = project.run(cv, data=project.given(blobs(60)))
        found = project.query(done, type=ClassificationTest, labels=["Accuracy"])
        assert len(found) == 3
        assert "Leak" not in found.labels
    assert "test/learner" in default_scenarios(cv)


def test_a_test_on_out_of_bag_rows_is_fair_and_one_on_the_sample_is_not() -> None:
    scheme = Scheme(data=Data)
    drawn = scheme.add(BootstrapSampler(), data=scheme.data, weights=(), name="sampler")
    tree = scheme.add(DecisionTree(), data=drawn.sample, name="tree")
    scheme.add(ClassificationTest(), data=drawn.left, classifier=tree.classifier, name="left")
    scheme.add(ClassificationTest(), data=drawn.sample, classifier=tree.classifier, name="seen")
    with Project() as project:
        done = project.run(scheme.replace("seed", 1), data=project.given(blobs(60)))
        assert not {"Leak", "Resubstitution"} & set(done.child("left").results)
        assert "Resubstitution" in done.child("seen").results


def test_what_each_step_found_can_be_asked_for() -> None:
    with Project() as project:
        done = project.run(Boosting(DecisionStump(), size=3), data=project.given(blobs(60)))
        found = project.query(done, type=BoostUpdate, labels=["Error", "Vote weight", "Status"])
    assert len(found) == 3
