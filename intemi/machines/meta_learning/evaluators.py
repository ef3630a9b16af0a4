"""What each kind of machine takes: exactly, where it is made of others, and by measurement where it is not."""

from __future__ import annotations

from typing import Any

from intemi.kernel import Machine
from intemi.machines.classifiers.expected_class import ExpectedClass
from intemi.machines.classifiers.lvq import LVQ
from intemi.machines.classifiers.transform_and_classify import TransformAndClassify
from intemi.machines.committees.bagging import Bagging
from intemi.machines.committees.boosting import Boosting
from intemi.machines.committees.combiner import Combiner, CrossCombiner
from intemi.machines.committees.wagging import Wagging
from intemi.machines.distributors import (
    BootstrapDistributor,
    CVDistributor,
    FirstFold,
    HoldOutDistributor,
    LeaveOneOutDistributor,
)
from intemi.machines.meta_learning.calibration import inputs_of, signature
from intemi.machines.meta_learning.descriptions import (
    ClassifierDescription,
    Collection,
    DataDescription,
    TransformationDescription,
    Unknown,
)
from intemi.machines.meta_learning.evaluation import Estimation, Evaluated, Inputs, evaluate, evaluates
from intemi.machines.meta_learning.meta_learner import MetaLearner
from intemi.machines.rankings.selection import Count, FeatureSelection, Share
from intemi.machines.roles import ClassifierTest, Distributor, Learner, Ranker, Transformer
from intemi.machines.search.parameter_search import ParameterSearch
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme
from intemi.machines.transformations.chain import TransformationChain
from intemi.machines.transformations.external import ExternalTransformation
from intemi.machines.transformations.indicators import NominalToIndicators

SECONDS_A_TEST = 6e-5
"""What a test takes, without the answers."""
BYTES_A_VALUE = 8
SECONDS_A_ROW = 1e-7
"""What it takes to divide rows, or to compare an answer."""
MANY_CANDIDATES = 20
"""A search that does not say how many candidates it tries is taken to try that many."""


@evaluates(Machine)
def measured_machine(machine: Machine, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """A machine of which only its kind is known."""
    data = _data(inputs)
    seconds = estimation.seconds(signature(machine), "run", inputs_of(machine, data))
    return Evaluated(seconds, 0.0, {name: Unknown() for name in machine.outputs})


@evaluates(Learner)
def learner(machine: Learner, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Learning and classifying were measured."""
    data, kind = _data(inputs), signature(machine)
    seconds = estimation.seconds(kind, "run", inputs_of(machine, data))

    def classify(rows: DataDescription) -> float:
        """What it takes for all rows: as measured, it depends on the training data as well."""
        one = estimation.seconds(kind, "use", inputs_of(machine, data))
        return one * rows.rows

    outputs = {name: Unknown() for name in machine.outputs} | {"classifier": ClassifierDescription(classify)}
    return Evaluated(seconds, BYTES_A_VALUE * data.rows, outputs)


@evaluates(Transformer)
def transformer(machine: Transformer, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Learning and transforming were measured; what comes out has the same size, unless its kind says otherwise."""
    data, kind = _data(inputs), signature(machine)
    seconds = estimation.seconds(kind, "run", inputs_of(machine, data))

    def transform(rows: DataDescription) -> float:
        return estimation.seconds(kind, "use", inputs_of(machine, data)) * rows.rows

    return _transforming(seconds, data, TransformationDescription(transform, _changed_by(machine)))


def _changed_by(machine: Machine) -> Any:
    if isinstance(machine, NominalToIndicators):
        return _with_indicators
    return lambda data: data


def _with_indicators(data: DataDescription) -> DataDescription:
    if not data.nominal:
        return data
    numeric = data.numeric + data.nominal * data.symbols
    return DataDescription(data.rows, numeric, 0.0, 2.0, data.classes, data.missing)


def _transforming(seconds: float, data: DataDescription, transformation: TransformationDescription) -> Evaluated:
    outputs = {"transformed": transformation.transformed(data), "transformation": transformation}
    return Evaluated(seconds, BYTES_A_VALUE * data.rows * data.features, outputs)


@evaluates(Ranker)
def ranker(machine: Ranker, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Ranking was measured; a learner that ranks as well is a learner here."""
    if isinstance(machine, Learner):
        return learner(machine, inputs, estimation)
    return measured_machine(machine, inputs, estimation)


@evaluates(FeatureSelection)
def feature_selection(machine: FeatureSelection, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Fewer features: as many as are chosen, or half of them if that depends on their values."""
    data: DataDescription = _data(inputs)

    def selected(rows: DataDescription) -> DataDescription:
        choice = machine.choice
        share = choice.share if isinstance(choice, Share) else 0.5
        count = float(choice.features) if isinstance(choice, Count) else share * rows.features
        return rows if count >= rows.features else rows.scaled(features=max(1.0, count))

    seconds = SECONDS_A_ROW * data.features
    transformation = TransformationDescription(lambda rows: SECONDS_A_ROW * rows.features, selected)
    return _transforming(seconds, data, transformation)


@evaluates(ExpectedClass, LVQ)
def prototypes(machine: ExpectedClass | LVQ, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Making them was measured; there is one for each class, or several."""
    data = _data(inputs)
    seconds = estimation.seconds(signature(machine), "run", inputs_of(machine, data))
    rows = data.classes * (machine.per_class if isinstance(machine, LVQ) else 1)
    found = data.scaled(rows=min(rows, data.rows))
    return Evaluated(seconds, BYTES_A_VALUE * found.rows * found.features, {"prototypes": found})


@evaluates(Scheme)
def scheme(machine: Scheme, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """What its machines take, one after the other."""
    made: dict[str, Evaluated] = {}

    def at(wire: Any) -> Any:
        found = (
            inputs.get(wire.port, Unknown()) if not wire.child else made[wire.child].outputs.get(wire.port, Unknown())
        )
        return found.item if isinstance(found, Collection) and hasattr(wire, "item") else found

    for child in machine.in_order():
        bound = {name: at(wires[0]) for name, wires in child.wires.items() if wires}
        made[child.name] = evaluate(child.machine, bound, estimation)
    outputs = {name: at(wire) for name, wire in machine.exposed.items()}
    return _sum(made.values(), outputs)


@evaluates(Repeater)
def repeater(machine: Repeater, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """The distributor and all its tests, as often as they are repeated."""
    given = evaluate(machine.distributor, inputs, estimation)
    suit = {name: each.item if isinstance(each, Collection) else each for name, each in given.outputs.items()}
    count = max((each.count for each in given.outputs.values() if isinstance(each, Collection)), default=1)
    test = evaluate(machine.test, suit, estimation)
    return Evaluated(
        machine.repetitions * (given.seconds + count * test.seconds),
        machine.repetitions * (given.memory + count * test.memory),
    )


@evaluates(Distributor)
def distributor(machine: Distributor, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Rows are divided into training and test rows."""
    data = _data(inputs)
    count, training, test = _parts(machine, data)
    outputs = {
        "training": Collection(data.scaled(rows=training), count),
        "test": Collection(data.scaled(rows=test), count),
    }
    return Evaluated(SECONDS_A_ROW * data.rows * count, 4 * data.rows * count, outputs)


def _parts(machine: Distributor, data: DataDescription) -> tuple[int, float, float]:
    """How many pairs of training and test data there are, and how many rows each has."""
    rows = data.rows
    if isinstance(machine, CVDistributor):
        return machine.folds, rows * (1 - 1 / machine.folds), rows / machine.folds
    if isinstance(machine, BootstrapDistributor):
        return machine.samples, rows, 0.368 * rows
    if isinstance(machine, HoldOutDistributor):
        return 1, machine.share * rows, (1 - machine.share) * rows
    if isinstance(machine, LeaveOneOutDistributor):
        return int(rows), rows - 1, 1.0
    if isinstance(machine, FirstFold) and isinstance(machine.distributor, Distributor):
        _, training, test = _parts(machine.distributor, data)
        return 1, training, test
    return 10, 0.9 * rows, 0.1 * rows


@evaluates(TransformAndClassify)
def transform_and_classify(machine: TransformAndClassify, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Transforming, then learning from what was transformed; and the same when it classifies."""
    first = evaluate(machine.transformation, inputs, estimation)
    second = evaluate(machine.learner, {"data": first.outputs["transformed"]}, estimation)
    transformation, classifier = first.outputs["transformation"], second.outputs["classifier"]

    def classify(rows: DataDescription) -> float:
        return float(transformation.seconds(rows) + classifier.seconds(transformation.transformed(rows)))

    return _sum((first, second), {"classifier": ClassifierDescription(classify)})


@evaluates(TransformationChain)
def transformation_chain(machine: TransformationChain, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """One transformation after the other."""
    made, data = [], _data(inputs)
    for step in machine.steps:
        made.append(evaluate(step, {"data": data}, estimation))
        data = made[-1].outputs["transformed"]
    steps = [each.outputs["transformation"] for each in made]

    def transformed(rows: DataDescription) -> DataDescription:
        for step in steps:
            rows = step.transformed(rows)
        return rows

    def transform(rows: DataDescription) -> float:
        total = 0.0
        for step in steps:
            total, rows = total + step.seconds(rows), step.transformed(rows)
        return total

    return _sum(made, {"transformed": data, "transformation": TransformationDescription(transform, transformed)})


@evaluates(ExternalTransformation)
def external_transformation(machine: Machine, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Transforming alone."""
    data, transformation = _data(inputs), inputs["transformation"]
    if not isinstance(transformation, TransformationDescription):
        return Evaluated(SECONDS_A_ROW * data.rows * data.features, 0.0, {"transformed": data})
    return Evaluated(transformation.seconds(data), 0.0, {"transformed": transformation.transformed(data)})


@evaluates(ClassifierTest)
def classifier_test(machine: ClassifierTest, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Classifying, and the comparison of answers."""
    data, classifier = _data(inputs), inputs.get("classifier")
    seconds = classifier.seconds(data) if isinstance(classifier, ClassifierDescription) else 0.0
    return Evaluated(seconds + SECONDS_A_TEST + SECONDS_A_ROW * data.rows)


@evaluates(Bagging, Wagging, Boosting)
def committee(machine: Bagging, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Its members; boosting has each of them classify the training data as well."""
    data = _data(inputs)
    member = evaluate(machine.learner, {"data": data}, estimation)
    classify = member.outputs["classifier"].seconds
    seconds = machine.size * (member.seconds + SECONDS_A_ROW * data.rows * data.features)
    if isinstance(machine, Boosting):
        seconds += machine.size * classify(data)

    def decide(rows: DataDescription) -> float:
        return float(machine.size * (classify(rows) + SECONDS_A_ROW * rows.rows * rows.classes))

    return Evaluated(seconds, machine.size * member.memory, {"classifier": ClassifierDescription(decide)})


@evaluates(Combiner)
def combiner(machine: Combiner, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """Each of its learners on all data and, where it learns from answers, on inner folds."""
    data = _data(inputs)
    members = [evaluate(each, {"data": data}, estimation) for each in machine.learners]
    seconds = sum(each.seconds for each in members)
    if isinstance(machine, CrossCombiner):
        folds = evaluate(machine.distributor, {"data": data}, estimation).outputs
        for each in machine.learners:
            learned = evaluate(each, {"data": folds["training"].item}, estimation)
            used = learned.outputs["classifier"].seconds(folds["test"].item)
            seconds += folds["training"].count * (learned.seconds + used)

    def answer(rows: DataDescription) -> float:
        return float(sum(each.outputs["classifier"].seconds(rows) for each in members))

    outputs = {"classifier": ClassifierDescription(answer)}
    return Evaluated(seconds, sum(each.memory for each in members), outputs)


@evaluates(ParameterSearch)
def parameter_search(machine: ParameterSearch, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """A test for each candidate that its scenario tries without feedback, and the winner on all data."""
    if machine.is_decided:
        assert machine.winner is not None
        return evaluate(machine.test.get(machine.winner), inputs, estimation)
    candidates = _candidates(machine)
    tested = [evaluate(each, inputs, estimation) for each in candidates or [machine.test]]
    seconds = sum(each.seconds for each in tested) * (1 if candidates else MANY_CANDIDATES)
    memory = max(each.memory for each in tested)
    if machine.winner is None:
        return Evaluated(seconds, memory, tested[0].outputs)
    winner = evaluate(machine.test.get(machine.winner), inputs, estimation)
    return Evaluated(seconds + winner.seconds, memory + winner.memory, winner.outputs)


def _candidates(machine: ParameterSearch) -> list[Machine]:
    """The tests that a search begins with; none if its scenario draws."""
    if machine.scenario.is_random:
        return []
    return [candidate.applied_to(machine.test) for candidate in machine.scenario.begin().ask()]


@evaluates(MetaLearner)
def meta_learner(machine: MetaLearner, inputs: Inputs, estimation: Estimation) -> Evaluated:
    """All its tests, but no more than its time; its winner is taken to be like the first candidate."""
    candidates = [item.configuration for item in machine.candidates.begin().poll()]
    tests = [evaluate(machine.test_of(each), inputs, estimation) for each in candidates]
    seconds = sum(each.seconds for each in tests)
    winner = evaluate(candidates[0], inputs, estimation)
    limit = seconds if machine.seconds is None else machine.seconds
    return Evaluated(min(seconds, limit) + winner.seconds, winner.memory, winner.outputs)


def _data(inputs: Inputs) -> DataDescription:
    """The data among the inputs of a machine."""
    found = next((each for each in inputs.values() if isinstance(each, DataDescription)), None)
    return found or DataDescription(rows=100, numeric=10)


def _sum(parts: Any, outputs: Any) -> Evaluated:
    made = list(parts)
    return Evaluated(sum(each.seconds for each in made), sum(each.memory for each in made), outputs)
