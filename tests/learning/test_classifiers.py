"""What all classifiers have in common: the checks of machines, answers for any data of the same columns, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table, from_numpy
from intemi.kernel import ConfigurationError, Machine, Project
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode_parts
from intemi.machines.classifiers import (
    CN2,
    KNN,
    LVQ,
    SVM,
    ClassificationTest,
    Distance,
    Euclidean,
    ExpectedClass,
    GaussianKernel,
    LinearKernel,
    LinearRegression,
    Logistic,
    Mahalanobis,
    Majority,
    Manhattan,
    Minkowski,
    Mixed,
    NaiveBayes,
    OneR,
    PolynomialKernel,
    SklearnClassifier,
    TransformAndClassify,
    TunedKNN,
)
from intemi.machines.classifiers.knn import nearest_first_rows
from intemi.machines.interfaces import Classifier, ColumnsError
from intemi.machines.roles import Learner, sequence
from intemi.machines.transformations import NominalToIndicators
from intemi.machines.transformations.standardization import Standardization
from intemi.machines.trees import DecisionTree
from intemi.testing import check_machine
from scripts.reference_data import HOME
from tests.learning.tables import CLASSES, classified, duplicated, mixed, numeric, outputs

LEARNERS = {
    "majority": Majority(),
    "bayes": NaiveBayes(),
    "knn": KNN(k=3),
    "knn by distance": KNN(k=3, weights="distance"),
    "knn Manhattan": KNN(k=2, distance=Manhattan()),
    "knn Minkowski": KNN(k=2, distance=Minkowski(1.5)),
    "knn Mahalanobis": KNN(k=2, distance=Mahalanobis()),
    "knn mixed": KNN(k=2, distance=Mixed()),
    "nearest expected class": sequence(Learner, ExpectedClass(), KNN(k=1)),
    "nearest prototype": sequence(Learner, LVQ(epochs=3), KNN(k=1)),
    "knn tuned": TunedKNN(),
    "1R": OneR(),
    "rules": CN2(),
    "linear regression": LinearRegression(),
    "logistic": Logistic(),
    "svm": SVM(),
    "svm linear": SVM(kernel=LinearKernel()),
    "svm polynomial": SVM(C=2, kernel=PolynomialKernel(2)),
    "transformed": TransformAndClassify().fill(transformation=Standardization(), learner=SVM()),
    "tree of scikit-learn": SklearnClassifier("sklearn.tree.DecisionTreeClassifier", {"max_features": 1}),
    "ridge of scikit-learn": SklearnClassifier("sklearn.linear_model.RidgeClassifier"),
}
every_learner = pytest.mark.parametrize("machine", LEARNERS.values(), ids=LEARNERS)


def blobs(rows: int = 45, seed: int = 0) -> Data:
    """Three clouds of points."""
    rng = np.random.default_rng(seed)
    classes = np.arange(rows) % 3
    return numeric(*(rng.normal(size=(2, rows)) + 2 * np.array([classes, classes % 2])), classes=classes)


def learned(machine: Machine, data: Data, **options: Any) -> Classifier:
    """The classifier that a machine gives."""
    with Project(workers=1, **options) as project:
        classifier: Classifier = project.run(machine, data=project.given(data)).outputs["classifier"]
        return classifier


@every_learner
def test_it_passes_the_checks_of_any_machine(machine: Machine) -> None:
    check_machine(machine, data=blobs())


@every_learner
def test_answers_are_classes_and_probabilities_of_all_classes(machine: Machine) -> None:
    data = blobs()
    classifier = learned(machine, data)
    classes, probabilities = classifier.answers(data)
    assert classes.dtype == np.int32
    assert set(classes) <= {0, 1, 2}
    assert probabilities.shape == (45, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities >= 0).all()
    np.testing.assert_array_equal(classifier.classify(data), classes)
    np.testing.assert_array_equal(classifier.probabilities(data), probabilities)


@every_learner
def test_a_row_gets_the_same_answer_in_any_company(machine: Machine) -> None:
    data = blobs()
    classifier = learned(machine, data.select_rows(np.arange(30)))
    together = classifier.probabilities(data)
    for row in (0, 7, 44):
        alone = classifier.probabilities(data.select_rows([row]))
        np.testing.assert_allclose(alone[0], together[row], rtol=0, atol=1e-12)
    assert classifier.answers(data.select_rows([]))[1].shape == (0, 3)


@every_learner
def test_it_learns_something(machine: Machine) -> None:
    data = blobs()
    right = (learned(machine, data).classify(data) == data.classes).mean()
    assert right == pytest.approx(1 / 3) if isinstance(machine, Majority) else right > 0.6


@every_learner
def test_a_classifier_that_was_stored_gives_the_same_answers(machine: Machine) -> None:
    data = blobs()
    classifier = learned(machine, data)
    shared: dict[bytes, Any] = {}
    encoded = b"".join(encode_parts(classifier, shared))
    copies = {name: decode(b"".join(encode_parts(part))) for name, part in shared.items()}
    copy = decode(encoded, copies.__getitem__)
    np.testing.assert_array_equal(copy.classify(data), classifier.classify(data))
    np.testing.assert_array_equal(copy.probabilities(data), classifier.probabilities(data))


@every_learner
def test_other_columns_are_refused_with_what_differs(machine: Machine) -> None:
    data = blobs()
    classifier = learned(machine, data)
    renamed = data.with_features([Column("x0"), Column("y")], data.features)
    turned = data.with_features([Column("x1"), Column("x0")], data.features)
    other = data.with_features([Column("x0"), Column("x1", ("p", "q"))], np.zeros((2, 45)))
    for wrong, message in (
        (data.select_columns(["x0"]), "'x1' is missing"),
        (renamed, "'x1' is missing"),
        (turned, "another order"),
        (other, r"x1 \(numeric\) was expected, got x1 \(2 categories\)"),
    ):
        for ask in (classifier.classify, classifier.probabilities, classifier.answers):
            with pytest.raises(ColumnsError, match=message):
                ask(wrong)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "transformed"])
def test_rows_of_no_weight_or_no_class_are_not_learned_from(name: str) -> None:
    machine, data = LEARNERS[name], blobs()
    useful = data.select_rows(np.arange(30))
    weights = np.where(np.arange(45) < 30, 1.0, 0.0)
    unweighted = Data(Table(data.columns, data.features, CLASSES, data.classes, weights))
    unknown = Data(Table(data.columns, data.features, CLASSES, np.where(weights > 0, data.classes, -1)))
    expected = learned(machine, useful).probabilities(data)
    for same in (unweighted, unknown):
        np.testing.assert_allclose(learned(machine, same).probabilities(data), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["majority", "bayes", "svm", "ridge of scikit-learn"])
def test_a_weight_counts_like_that_many_rows(name: str) -> None:
    data = blobs()
    weights = np.random.default_rng(1).integers(1, 4, size=45).astype(float)
    weighted = Data(Table(data.columns, data.features, CLASSES, data.classes, weights))
    machine = LEARNERS[name] if name != "svm" else SVM(tolerance=1e-9)
    expected = learned(machine, duplicated(weighted)).probabilities(data)
    np.testing.assert_allclose(learned(machine, weighted).probabilities(data), expected, rtol=0, atol=1e-6)


@every_learner
def test_data_without_classes_are_refused(machine: Machine) -> None:
    for data in (numeric([1, 2]), numeric([1, 2], classes=[-1, -1])):
        with pytest.raises(Exception, match=r"no target|class is known"), Project(workers=1) as project:
            project.run(machine, data=project.given(data))


@every_learner
def test_one_class_is_the_only_answer(machine: Machine) -> None:
    if "Ridge" in repr(machine):
        machine = SklearnClassifier("sklearn.tree.DecisionTreeClassifier")
    data = numeric([1, 2, 3], [1, 4, 9], classes=[1, 1, 1])
    classes, probabilities = learned(machine, data).answers(data)
    assert classes.tolist() == [1, 1, 1]
    assert probabilities.tolist() == [[0, 1, 0]] * 3


@pytest.mark.parametrize("machine", [KNN(k=1), SVM()], ids=["knn", "svm"])
def test_what_needs_numbers_says_so(machine: Machine) -> None:
    nominal = Data(Table([Column("colour", ("red", "blue"))], [[0, 1, 0]], CLASSES, [0, 1, 0]))
    for data, message in (
        (nominal, r"colour \(2 categories\); NominalToIndicators"),
        (numeric([1, np.nan, 3], classes=[0, 1, 0]), "some of 'x0' are missing; Imputation"),
        (numeric([1, np.inf, 3], classes=[0, 1, 0]), "some of 'x0' are infinite"),
    ):
        with pytest.raises(Exception, match=message):
            learned(machine, data)
    classifier = learned(machine, numeric([1, 2, 3], classes=[0, 1, 0]))
    with pytest.raises(ConfigurationError, match="some of 'x0' are missing"):
        classifier.classify(numeric([np.nan], classes=[0]))


# Single ones


def test_the_majority_is_the_first_of_several() -> None:
    data = numeric([1, 2, 3, 4], classes=[2, 1, 1, 2])
    assert learned(Majority(), data).classify(data).tolist() == [1, 1, 1, 1]


def test_of_rows_at_the_same_distance_the_first_ones_are_asked() -> None:
    data = numeric([0, 1, -1, 1, -1, 5], classes=[0, 1, 2, 2, 2, 0])
    asked = data.select_rows([0])
    assert learned(KNN(k=2), data).probabilities(asked).tolist() == [[0.5, 0.5, 0]]
    assert learned(KNN(k=5), data).classify(asked).tolist() == [2]


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_nearest_rows_are_the_first_ones_in_the_order_of_their_distances(
    seed: int, k: int, infinite: float
) -> None:
    rng = np.random.default_rng(seed)
    distances = rng.integers(0, 6, size=(5, 25)).astype(float)
    distances[rng.random(distances.shape) < infinite] = np.inf
    expected = np.sort(np.argsort(distances, axis=1, kind="stable")[:, :k], axis=1)
    assert nearest_first_rows(distances, k).tolist() == expected.tolist()


def test_rows_at_no_distance_outvote_all_others() -> None:
    data = numeric([0, 0.1, 0.1], classes=[0, 1, 1])
    assert learned(KNN(k=3, weights="distance"), data).classify(data.select_rows([0])).tolist() == [0]
    assert learned(KNN(k=3), data).classify(data.select_rows([0])).tolist() == [1]


def test_neighbors_vote_with_their_weights() -> None:
    data = numeric([0, 1, 2], classes=[0, 1, 1], weights=[5, 1, 1])
    assert learned(KNN(k=3), data).classify(data).tolist() == [0, 0, 0]


def test_more_neighbors_than_rows_are_refused() -> None:
    with pytest.raises(Exception, match="KNN: k must be at most the number of rows, 3, got 4"):
        learned(KNN(k=4), numeric([1, 2, 3], classes=[0, 1, 0]))


def test_many_rows_are_answered_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    data = blobs()
    classifier = learned(KNN(k=3), data)
    expected = classifier.probabilities(data)
    monkeypatch.setattr("intemi.machines.classifiers.knn.AT_ONCE", 100)
    np.testing.assert_array_equal(classifier.probabilities(data), expected)


def test_a_nearest_neighbor_classifier_is_a_view_of_the_table() -> None:
    data = blobs()
    classifier: Any = learned(KNN(k=1), data)
    assert classifier.known.table is data.table


def test_naive_bayes_ignores_missing_values() -> None:
    data = mixed(rows=90, missing=0.2)
    classifier = learned(NaiveBayes(), data)
    assert (classifier.classify(data) == data.classes).mean() > 0.8
    unknown = data.with_features(data.columns, np.full((5, 90), np.nan)).select_rows([0])
    np.testing.assert_allclose(classifier.probabilities(unknown), [[1 / 3] * 3])


def test_naive_bayes_knows_nothing_of_a_column_without_values() -> None:
    data = numeric([1, 2, 8, 9], [np.nan] * 4, classes=[0, 0, 1, 1])
    alone = learned(NaiveBayes(), data.select_columns(["x0"])).probabilities(data.select_columns(["x0"]))
    np.testing.assert_allclose(learned(NaiveBayes(), data).probabilities(data), alone)


def test_a_class_without_values_of_a_column_has_those_of_all_rows() -> None:
    data = numeric([1, 2, 3, np.nan, np.nan], classes=[0, 0, 0, 1, 1])
    probabilities = learned(NaiveBayes(), data).probabilities(data.select_rows([1]))
    np.testing.assert_allclose(probabilities, [[0.6, 0.4, 0]])


@given(classified(least=5))
def test_naive_bayes_answers_whatever_the_data(data: Data) -> None:
    classes, probabilities = learned(NaiveBayes(), data).answers(data)
    assert np.isfinite(probabilities).all()
    assert set(classes) <= set(data.classes)


def test_support_vectors_are_a_view_of_the_table() -> None:
    data = blobs()
    classifier: Any = learned(SVM(C=100), data)
    assert classifier.vectors.table is data.table
    assert 3 <= len(classifier.vectors) < 45


def test_support_vector_machines_with_the_same_kernel_share_its_table() -> None:
    with Project(workers=1) as project:
        data = project.given(blobs())
        for C in (0.5, 1.0, 2.0):
            for sigma in (0.1, 1.0):
                project.run(SVM(C=C, kernel=GaussianKernel(sigma)), data=data)
        counts = project.counts()
    assert (counts.logical["KernelProvider"], counts.physical["KernelProvider"]) == (6, 2)
    assert (counts.logical["kernel provider scheme"], counts.physical["kernel provider scheme"]) == (6, 2)
    assert (counts.logical["SVM"], counts.physical["SVM"]) == (6, 6)


def test_the_tables_in_memory_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from intemi.machines.classifiers import kernel_provider

    monkeypatch.setattr(kernel_provider, "ROOM", 3 * 45 * 45 * 8)
    monkeypatch.setattr(kernel_provider, "LITTLE_ROOM", 3 * 45 * 45 * 8)
    tables = kernel_provider._Tables()
    held = [tables.compute(GaussianKernel(sigma), blobs()) for sigma in (1.0, 2.0, 3.0)]
    assert tables.get(GaussianKernel(1.0), blobs()) is held[0]
    tables.compute(GaussianKernel(4.0), blobs())
    assert tables.get(GaussianKernel(1.0), blobs()) is held[0]
    assert tables.get(GaussianKernel(2.0), blobs()) is not held[1]


def test_there_is_more_room_for_tables_once_one_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    from intemi.machines.classifiers import kernel_provider

    monkeypatch.setattr(kernel_provider, "LITTLE_ROOM", 45 * 45 * 8)
    tables = kernel_provider._Tables()
    first, second = (tables.compute(GaussianKernel(sigma), blobs()) for sigma in (1.0, 2.0))
    assert tables.compute(GaussianKernel(2.0), blobs()) is second
    again = tables.get(GaussianKernel(1.0), blobs())
    assert again is not first
    assert tables.get(GaussianKernel(2.0), blobs()) is second
    assert tables.get(GaussianKernel(1.0), blobs()) is again


def test_the_memory_of_a_table_is_used_again_if_nobody_looks_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from intemi.machines.classifiers import kernel_provider

    monkeypatch.setattr(kernel_provider, "LITTLE_ROOM", 45 * 45 * 8)
    tables, kernels = kernel_provider._Tables(), [GaussianKernel(sigma) for sigma in (1.0, 2.0, 3.0, 4.0, 5.0)]
    expected = [kernel.table(np.ascontiguousarray(blobs().features.T)) for kernel in kernels]
    looked_at = tables.compute(kernels[0], blobs())
    part = tables.compute(kernels[1], blobs())[3:5]
    tables.compute(kernels[2], blobs())
    place = tables.compute(kernels[2], blobs()).ctypes.data
    tables.compute(kernels[3], blobs())
    again = tables.compute(kernels[4], blobs())
    assert again.ctypes.data == place
    np.testing.assert_array_equal(looked_at, expected[0])
    np.testing.assert_array_equal(part, expected[1][3:5])
    np.testing.assert_array_equal(again, expected[4])


def test_a_table_is_that_of_the_products() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3))
    for kernel in (GaussianKernel(0.3), LinearKernel(), PolynomialKernel(2, 0.5, 1.0)):
        np.testing.assert_allclose(kernel.table(rows), kernel.between(rows, rows), atol=1e-12)


@pytest.mark.parametrize("sigma", [1e-6, 1.0, 50.0, 1e6])
def test_the_table_of_a_gaussian_kernel_is_exact_however_wide_it_is(sigma: float) -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3))
    rows[7] = rows[3]
    table = GaussianKernel(sigma).table(rows)
    expected = np.exp(-sigma * ((rows[:, None] - rows) ** 2).sum(axis=2))
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(table.diagonal(), 1.0)
    assert (table > 0).all()


@pytest.mark.parametrize("value", [1e9, 1e12, 1e200, 1.7e308])
def test_the_gaussian_table_is_exact_with_a_large_value(value: float) -> None:
    rows = np.random.default_rng(0).normal(size=(60, 3))
    rows[0, 0] = value
    table = GaussianKernel(0.5).table(rows)
    expected = GaussianKernel(0.5).table(rows[1:])
    np.testing.assert_allclose(table[1:, 1:], expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(table[0], np.eye(60)[0], rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [1e200, 1.7e308])
def test_products_that_are_too_large_are_refused(value: float) -> None:
    data = numeric([value, value, 3.0, -value], classes=[0, 1, 0, 1])
    with pytest.raises(Exception, match="LinearKernel: the products of some rows are infinite"):
        learned(SVM(kernel=LinearKernel()), data)
    classifier = learned(SVM(kernel=PolynomialKernel(3)), numeric([1, 2, 3, 4], classes=[0, 1, 0, 1]))
    with pytest.raises(ConfigurationError, match="PolynomialKernel: the products of some rows are infinite"):
        classifier.probabilities(data)


# Values at the end of the range


HUGE = numeric([1e200, 2e200, 8e200, 9e200], classes=[0, 0, 1, 1])
SMALL = numeric([0.0, 1, 2, 3], classes=[0, 0, 1, 1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("distance", [Euclidean(), Manhattan(), Minkowski(3)], ids=repr)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbors_are_found_where_squares_are_infinite(distance: Distance, weights: Any) -> None:
    classifier = learned(KNN(k=1, distance=distance, weights=weights), HUGE)
    asked = numeric([2.4e200, 7e200, 0.0, 1e201, -1e308], classes=[0] * 5)
    assert classifier.probabilities(asked)[:, :2].tolist() == [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0]]


@pytest.mark.filterwarnings("error")
def test_distances_are_right_where_their_powers_are_infinite() -> None:
    rows, others = np.array([[3e200, 0.0], [1.0, 1.0]]), np.array([[0.0, 4e200], [1.0, 2.0], [-1.5e308, 0.0]])
    np.testing.assert_allclose(Euclidean().between(rows, others), [[5e200, 3e200, 1.5e308], [4e200, 1, 1.5e308]])
    np.testing.assert_allclose(Minkowski(3).between(rows, others)[0, 0], 91 ** (1 / 3) * 1e200)
    assert Euclidean().between(np.array([[1.5e308]]), np.array([[-1.5e308]])).tolist() == [[np.inf]]


@pytest.mark.filterwarnings("error")
def test_neighbors_that_are_all_infinitely_far_vote_as_one() -> None:
    data = numeric([1.7e308, 1.6e308, 1.5e308], classes=[0, 0, 1])
    asked = numeric([-1.7e308], classes=[0])
    np.testing.assert_allclose(learned(KNN(k=3, weights="distance"), data).probabilities(asked), [[2 / 3, 1 / 3, 0]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [1e160, -1e200, 1.7e308])
def test_naive_bayes_answers_for_values_far_from_all_classes(value: float) -> None:
    wide = numeric([0, 1, 2, 30, 60, 90], [0, 1, 0, 1, 0, 1], classes=[0, 0, 0, 1, 1, 1])
    classifier = learned(NaiveBayes(), wide)
    assert classifier.probabilities(numeric([value, value], [0, value], classes=[0, 0])).tolist() == [[0, 1, 0]] * 2
    same = learned(NaiveBayes(), numeric([0.0, 2, 4, 8, 10, 12], classes=[0, 0, 0, 1, 1, 1]))
    np.testing.assert_allclose(same.probabilities(numeric([value], classes=[0])), [[0.5, 0.5, 0]])
    together = classifier.probabilities(numeric([value, 1], [0, 1], classes=[0, 0]))[1]
    np.testing.assert_array_equal(classifier.probabilities(numeric([1], [1], classes=[0]))[0], together)


@pytest.mark.filterwarnings("error")
def test_naive_bayes_refuses_what_it_cannot_measure() -> None:
    with pytest.raises(Exception, match="NaiveBayes: the column 'x0' has values whose squares are infinite; scale"):
        learned(NaiveBayes(), HUGE)
    with pytest.raises(Exception, match="NaiveBayes: the column 'x0' has infinite values"):
        learned(NaiveBayes(), numeric([1, np.inf, 3], classes=[0, 1, 0]))
    for value in (np.inf, -np.inf):
        with pytest.raises(ConfigurationError, match="NaiveBayes: the column 'x0' has infinite values"):
            learned(NaiveBayes(), SMALL).probabilities(numeric([1, value], classes=[0, 0]))


@every_learner
def test_what_is_not_data_is_refused_with_what_makes_data(machine: Machine) -> None:
    classifier: Any = learned(machine, blobs())
    with pytest.raises(ColumnsError, match="Data are needed, got ndarray; from_numpy and from_pandas"):
        classifier.classify(np.zeros((3, 2)))


COLOURS = Data(Table([Column("c", ("r", "g"))], [[0, 1, 0, 1]], CLASSES, [0, 1, 0, 1]))


@pytest.mark.parametrize("machine", [NaiveBayes(), DecisionTree()], ids=lambda machine: machine.kind)
@pytest.mark.parametrize(
    ("categories", "codes"),
    [
        (("g", "r"), [1, 0, 1]),  # in another order
        (("r", "blue", "g"), [0, 2, 0]),  # one more, which does not occur
    ],
)
def test_categories_are_known_by_name(machine: Machine, categories: tuple[str, ...], codes: list[int]) -> None:
    other = COLOURS.select_rows([0, 1, 2]).with_features([Column("c", categories)], [codes])
    classifier = learned(machine, COLOURS)
    np.testing.assert_array_equal(classifier.probabilities(other), classifier.probabilities(COLOURS)[:3])


def test_a_single_row_has_not_all_categories() -> None:
    classifier = learned(NaiveBayes(), COLOURS)
    row = Data(Table([Column("c", ("g",))], [[0]]))
    np.testing.assert_array_equal(classifier.probabilities(row), classifier.probabilities(COLOURS)[1:2])
    for unknown in (Column("c"), Column("c", ())):  # a reader cannot know the type of a column without a value
        missing = Data(Table([unknown], [[np.nan]]))
        assert classifier.probabilities(missing).shape == (1, len(CLASSES.categories or ()))


def test_transformations_know_categories_by_name_as_well() -> None:
    made = outputs(NominalToIndicators(), data=COLOURS)["transformation"]
    turned = COLOURS.with_features([Column("c", ("g", "r"))], [[1, 0, 1, 0]])
    np.testing.assert_array_equal(made.transform(turned).features, made.transform(COLOURS).features)


def test_an_unknown_category_is_refused_with_what_helps() -> None:
    other = COLOURS.with_features([Column("c", ("r", "blue"))], [[0, 1, 0, 0]])
    message = r"BayesClassifier: the column 'c' was expected with the categories r, g, got blue as well; missing="
    with pytest.raises(ColumnsError, match=message):
        learned(NaiveBayes(), COLOURS).classify(other)


def test_classes_of_test_data_are_known_by_name() -> None:
    data = blobs()
    classifier = learned(NaiveBayes(), data)
    labels = data.labels
    turned = Data(Table(data.columns, data.features, Column("class", labels[::-1]), len(labels) - 1 - data.classes))
    one = data.select_rows(data.classes == 1)
    alone = Data(Table(one.columns, one.features, Column("class", labels[1:2]), np.zeros(len(one), dtype=int)))
    results = [ClassificationTest().run(each, classifier).results for each in (data, turned, one, alone)]
    assert results[0]["Accuracy"] == results[1]["Accuracy"]
    assert results[2]["Accuracy"] == results[3]["Accuracy"]
    other = Data(Table(one.columns, one.features, Column("class", ("none of them",)), np.zeros(len(one), dtype=int)))
    with pytest.raises(ConfigurationError, match="the classifier knows the classes"):
        ClassificationTest().run(other, classifier)


def test_columns_that_hardly_vary_within_a_class_do_not_decide_alone() -> None:
    values = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [0.5, 11.0], [0.0, 12.0], [0.0, 13.0]]
    data = from_numpy(values, list("aaabbb"))
    [answer] = learned(NaiveBayes(), data).classify(from_numpy([[0.1, 12.0]], [1], labels=["a", "b"]))
    assert data.labels[answer] == "b"


def test_wrong_answers_of_naive_bayes_are_about_those_of_weka() -> None:
    full = {row["dataset"]: row for row in HOME.rows("full_trees.csv") if "NaiveBayes" in row["program"]}
    rows = [row for row in HOME.rows("cv10.csv") if row["program"] == "WEKA NaiveBayes"]
    assert len(rows) == len(full) == 18
    for row in rows:
        name = row["dataset"]
        data, fold = HOME.load(name), np.array(HOME.folds(name))
        wrong = [errors(data.select_rows(fold != each), data.select_rows(fold == each)) for each in range(10)]
        theirs = sum(map(int, row["errors_per_fold"].split()))
        assert abs(sum(wrong) - theirs) <= 0.011 * len(data), name  # WEKA rounds values to their mean gap
        assert abs(errors(data, data) - int(full[name]["training_errors"])) <= 0.011 * len(data), name


def errors(training: Data, test: Data) -> int:
    return int((learned(NaiveBayes(), training).classify(test) != test.classes).sum())
