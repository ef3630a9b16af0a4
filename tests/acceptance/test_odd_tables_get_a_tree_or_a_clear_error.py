"""Odd tables: whatever the algorithm, the right tree or one clear error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.data.arff import read_arff
from intemi.kernel import ConfigurationError, MachineFailed, Project
from intemi.machines import DataLoader
from intemi.machines.trees import (
    C45,
    CART,
    CRUISE1D,
    CRUISE2D,
    FACT,
    ID3,
    QUEST,
    AUCTree,
    BestFirstTree,
    Cal5,
    CTree,
    DecisionTree,
    ExhaustiveSearch,
    Fractional,
    ImputeNode,
    MajorityBranch,
    MaxDepth,
    MaxErrors,
    MissingPolicy,
    SSVTree,
    Surrogates,
)
from tests.trees.examples import N8, learned, leaves_of, table_of, tree_of

EVERY = {
    "ID3": ID3(),
    "CART": CART(refinement=None),
    "C4.5": C45(refinement=None),
    "C4.5, binary": C45(binary=True, refinement=None),
    "SSV": SSVTree(),
    "AUC": AUCTree(),
    "Cal5": Cal5(),
    "FACT": FACT(),
    "QUEST": QUEST(),
    "CRUISE 1D": CRUISE1D(),
    "CRUISE 2D": CRUISE2D(),
    "CTree": CTree(),
    "best-first": BestFirstTree(),
}
NAN = float("nan")

every_algorithm = pytest.mark.parametrize("machine", EVERY.values(), ids=EVERY)


def accuracy(machine: DecisionTree, data: Data) -> float:
    """The share of the rows that a tree gets right which was grown on them."""
    classifier = learned(machine, data).outputs["classifier"]
    probabilities = classifier.probabilities(data)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    return float((classifier.classify(data) == data.classes).mean())


def separated(size: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Values that tell two classes apart, and the classes."""
    rng = np.random.default_rng(seed)
    classes = np.arange(size) % 2
    return 10.0 * classes + rng.normal(size=size), classes


def numeric(values: np.ndarray, classes: np.ndarray, labels: tuple[str, ...] = ("A", "B")) -> Data:
    """Data of numeric features, a row of values for each."""
    columns = [Column(f"x{index}") for index in range(len(values))]
    return Data(Table(columns, values, Column("class", labels), classes))


# Missing values


@every_algorithm
def test_missing_values_do_not_keep_a_tree_from_growing(machine: DecisionTree) -> None:
    values, classes = separated()
    values[::7] = NAN
    data = numeric(np.stack([values, values[::-1].copy()]), classes)
    assert accuracy(machine, data) >= 0.9


@every_algorithm
def test_a_feature_without_a_known_value_is_not_used(machine: DecisionTree) -> None:
    values, classes = separated()
    data = numeric(np.stack([np.full(60, NAN), values]), classes)
    assert set(tree_of(machine, data).feature) <= {1}
    assert accuracy(machine, data) >= 0.9


@every_algorithm
def test_rows_of_nothing_but_missing_values_are_answered(machine: DecisionTree) -> None:
    values, classes = separated()
    data = numeric(values[None], classes)
    classifier = learned(machine, data).outputs["classifier"]
    nothing = numeric(np.full((1, 3), NAN), np.zeros(3, dtype=int))
    assert classifier.probabilities(nothing).sum(axis=1) == pytest.approx(1.0)
    assert set(classifier.classify(nothing)) <= {0, 1}


@every_algorithm
def test_if_all_values_are_missing_the_tree_is_a_leaf(machine: DecisionTree) -> None:
    data = Data(
        Table([Column("x"), Column("c", ("u", "v"))], np.full((2, 4), NAN), Column("class", ("A", "B")), [0, 0, 0, 1])
    )
    assert leaves_of(tree_of(machine, data)) == [[3, 1]]


@pytest.mark.parametrize(
    ("policy", "answer"),
    [
        (MajorityBranch(), [1.0, 0.0]),
        (Fractional(), [0.6, 0.4]),
        (ImputeNode(), [0.0, 1.0]),
        (Surrogates(), [0.0, 1.0]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, MissingPolicy) else "",
)
def test_each_policy_sends_a_missing_value_where_it_says(policy: MissingPolicy, answer: list[float]) -> None:
    # Three of five are not above 4 and go left; their mean, 22.2, goes right; the other feature says right.
    data = table_of({"x": [1, 2, 3, 5, 100], "y": [1, 1, 2, 7, 8]}, "AAABB")
    classifier = learned(DecisionTree(missing_values=policy), data).outputs["classifier"]
    asked = Data(Table(data.columns, [[NAN], [9.0]], data.target, [0]))
    assert classifier.probabilities(asked)[0] == pytest.approx(answer)


# Symbols


@every_algorithm
@pytest.mark.parametrize("classes", [2, 3])
def test_eighty_symbols_are_split(machine: DecisionTree, classes: int) -> None:
    symbols = np.arange(480) % 80
    labels = tuple("ABC"[:classes])
    column = Column("c", tuple(f"s{index}" for index in range(80)))
    data = Data(Table([column], [symbols], Column("class", labels), symbols % classes))
    assert accuracy(machine, data) == 1.0


@every_algorithm
def test_a_symbol_for_each_row_is_no_reason_to_fail(machine: DecisionTree) -> None:
    column = Column("name", tuple(f"row {index}" for index in range(300)))
    data = Data(Table([column], [np.arange(300)], Column("class", ("A", "B")), np.arange(300) % 2))
    assert accuracy(machine, data) >= 0.5


def test_more_symbols_than_a_kernel_counts_in_16_bits_are_split() -> None:
    size = 2**15 + 100
    column = Column("name", tuple(map(str, range(size))))
    data = Data(Table([column], [np.arange(size)], Column("class", ("A", "B")), np.arange(size) % 2))
    assert tree_of(CART(surrogates=0, refinement=None), data).leaf_count == 2
    assert tree_of(ID3(), data).leaf_count == size


@every_algorithm
def test_symbols_that_nobody_saw_are_answered(machine: DecisionTree) -> None:
    symbols = np.arange(60) % 3
    column = Column("c", ("u", "v", "w", "unseen"))
    data = Data(Table([column], [symbols], Column("class", ("A", "B")), symbols == 1))
    classifier = learned(machine, data).outputs["classifier"]
    asked = Data(Table([column], [[3]], data.target, [0]))
    assert classifier.probabilities(asked).sum() == pytest.approx(1.0)
    assert classifier.tree.leaf_count >= 2


@every_algorithm
def test_a_column_of_one_symbol_or_of_none_is_not_used(machine: DecisionTree) -> None:
    values, classes = separated()
    columns = [Column("one", ("only",)), Column("none", ()), Column("x")]
    data = Data(Table(columns, [np.zeros(60), np.full(60, NAN), values], Column("class", ("A", "B")), classes))
    assert set(tree_of(machine, data).feature) <= {2}
    assert accuracy(machine, data) >= 0.9


# Nothing to find


@every_algorithm
def test_constant_features_are_not_used(machine: DecisionTree) -> None:
    values, classes = separated()
    data = numeric(np.stack([np.zeros(60), values, np.full(60, 1e300)]), classes)
    assert set(tree_of(machine, data).feature) <= {1}
    assert accuracy(machine, data) >= 0.9


@every_algorithm
def test_of_constant_features_alone_the_tree_is_a_leaf(machine: DecisionTree) -> None:
    data = table_of({"x": [3] * 6, "c": ["u"] * 6}, "AABABA")
    assert leaves_of(tree_of(machine, data)) == [[4, 2]]


@every_algorithm
def test_one_class_is_a_leaf(machine: DecisionTree) -> None:
    data = table_of({"x": [1, 2, 3, 4], "c": "uvuv"}, "AAAA", labels="ABC")
    assert leaves_of(tree_of(machine, data)) == [[4, 0, 0]]
    assert accuracy(machine, data) == 1.0


@every_algorithm
def test_a_problem_of_one_class_is_a_leaf(machine: DecisionTree) -> None:
    assert leaves_of(tree_of(machine, table_of({"x": [1, 2]}, "AA"))) == [[2]]


@every_algorithm
def test_one_row_is_a_leaf(machine: DecisionTree) -> None:
    data = table_of({"x": [1], "c": ["u"]}, "B", labels="AB")
    assert leaves_of(tree_of(machine, data)) == [[0, 1]]
    assert accuracy(machine, data) == 1.0


@every_algorithm
def test_two_rows_get_a_tree(machine: DecisionTree) -> None:
    assert accuracy(machine, table_of({"x": [1, 2]}, "AB")) >= 0.5


@every_algorithm
def test_no_rows_are_an_error_that_says_so(machine: DecisionTree) -> None:
    with pytest.raises(ConfigurationError, match=r"^DecisionTree: there is no row whose class is known"):
        learned(machine, N8.select_rows([]))


@every_algorithm
def test_rows_without_a_class_are_an_error_if_there_are_no_others(machine: DecisionTree) -> None:
    data = Data(Table([Column("x")], [[1.0, 2.0]], Column("class", ("A", "B")), [-1, -1]))
    with pytest.raises(ConfigurationError, match=r"^DecisionTree: there is no row whose class is known"):
        learned(machine, data)


@every_algorithm
def test_no_features_are_a_leaf(machine: DecisionTree) -> None:
    assert leaves_of(tree_of(machine, N8.select_columns([]))) == [[4, 4]]


@every_algorithm
def test_equal_rows_of_different_classes_share_a_leaf(machine: DecisionTree) -> None:
    data = table_of({"x": [1.0, 9.0] * 40, "c": ["u", "v"] * 40}, (["A", "B"] * 30) + ["B", "A"] * 10)
    tree = tree_of(machine, data)
    assert sorted(leaves_of(tree)) == [[10, 30], [30, 10]]
    assert accuracy(machine, data) == 0.75


@every_algorithm
def test_nothing_but_equal_rows_is_a_leaf(machine: DecisionTree) -> None:
    assert leaves_of(tree_of(machine, table_of({"x": [1.0] * 9}, "ABCABCABA"))) == [[4, 3, 2]]


# Numbers


@pytest.mark.parametrize("name", [name for name, machine in EVERY.items() if machine != CRUISE2D()])
def test_ten_thousand_features_are_searched_but_not_their_fifty_million_pairs(name: str) -> None:
    machine = EVERY[name]
    rng = np.random.default_rng(0)
    features = rng.normal(size=(10_000, 40))
    classes = np.arange(40) % 2
    features[7_777] = 100.0 * classes + features[7_777]
    data = numeric(features, classes)
    model = learned(machine.replace("stop", MaxDepth(depth=2)), data)
    assert model.outputs["tree"].feature[0] == 7_777
    assert model.results["Training error"] <= 0.1


@every_algorithm
@pytest.mark.parametrize("infinity", ["inf", "-inf"])
def test_infinities_are_an_error_that_names_the_column(machine: DecisionTree, infinity: str) -> None:
    data = table_of({"y": [1, 2, 3, 4], "x": [1, 2, 3, float(infinity)]}, "AABB")
    with pytest.raises(
        ConfigurationError, match=r"^DecisionTree: values must be finite, but some of 'x' are infinite$"
    ):
        learned(machine, data)


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinities_in_a_file_are_an_error_at_the_latest_when_a_tree_is_grown(cell: str, tmp_path: Path) -> None:
    file = tmp_path / "infinite.arff"
    file.write_text(f"@relation r\n@attribute x numeric\n@attribute class {{A,B}}\n@data\n1,A\n{cell},B\n")
    with Project() as project, pytest.raises((MachineFailed, ConfigurationError), match=r"(?i)inf|finite|number"):
        project.run(CART(refinement=None), data=project.request(DataLoader(str(file))).data)


def test_infinities_of_other_columns_and_rows_do_not_matter() -> None:
    data = table_of({"x": [1, 2, 8, 9, float("inf")], "y": [float("inf")] * 5}, "AABBB")
    view = data.select_rows([0, 1, 2, 3]).select_columns([0])
    for machine in (CART(refinement=None), SSVTree()):
        assert sorted(leaves_of(tree_of(machine, view))) == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    "machine", [CART(refinement=None), CART(surrogates=0, refinement=None), SSVTree(), AUCTree()], ids=repr
)
@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.nextafter(1.0, 2.0)],
        [-1.7e308, 1.7e308],
        [0.0, 5e-324],
        [-5e-324, 0.0],
        [1e300, np.nextafter(1e300, np.inf)],
    ],
    ids=repr,
)
def test_neighbouring_and_extreme_numbers_are_told_apart(machine: DecisionTree, values: list[float]) -> None:
    data = table_of({"x": values * 3}, "AB" * 3)
    assert accuracy(machine, data) == 1.0


@every_algorithm
def test_extreme_numbers_do_no_harm(machine: DecisionTree) -> None:
    values, classes = separated()
    data = numeric(np.stack([values, values * 1e150, values * 1e-150, values - 1e9]), classes)
    assert accuracy(machine, data) >= 0.9


def test_zero_and_minus_zero_are_one_value() -> None:
    assert len(tree_of(CART(refinement=None), table_of({"x": [0.0, -0.0, 0.0, -0.0]}, "ABAB"))) == 1


@every_algorithm
def test_rows_of_tiny_or_huge_weight_get_a_tree(machine: DecisionTree) -> None:
    values, classes = separated()
    for factor in (1e-3, 1e6):
        weights = np.where(np.arange(60) < 30, 1.0, factor)
        data = Data(Table([Column("x")], values[None], Column("class", ("A", "B")), classes, weights))
        assert accuracy(machine, data) >= 0.5


def test_a_chain_of_three_thousand_splits_is_grown_answers_and_is_exported() -> None:
    # Classes alternate and weights fall, so that each split cuts off one value: a tree as deep as it can be.
    size = 3_000
    weights = 2.0 ** (-0.02 * np.arange(size))
    data = Data(Table([Column("x")], [np.arange(size)], Column("class", ("A", "B")), np.arange(size) % 2, weights))
    machine = DecisionTree(splitter=ExhaustiveSearch(min_branch=0.0), stop=MaxErrors())
    tree = tree_of(machine, data)
    assert tree.depth == size
    assert accuracy(machine, data) == 1.0
    assert len(tree.rules()) == tree.leaf_count == size
    assert type(tree).from_plain(tree.plain()) == tree
    assert tree.dot().count("->") == len(tree) - 1
    assert tree.svg().count("<title>node ") == len(tree)
    assert str(tree).count("\n") == 200


def test_a_file_with_everything_at_once_gets_a_tree(tmp_path: Path) -> None:
    file = tmp_path / "odd.arff"
    symbols = ",".join(f"s{index}" for index in range(60))
    rows = "\n".join(f"{index},?,s{index % 60},7,{'AB'[index % 2]}" for index in range(120))
    file.write_text(
        f"@relation odd\n@attribute x numeric\n@attribute m numeric\n@attribute s {{{symbols}}}\n"
        f"@attribute k numeric\n@attribute class {{A,B,C}}\n@data\n{rows}\n?,?,?,?,A\n?,?,?,?,?\n"
    )
    data = read_arff(file)
    for name, machine in EVERY.items():
        assert accuracy(machine, data.select_rows(range(121))) >= 0.5, name
