"""Split quality measures give the numbers of the specification, and what their formulas say on any table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from intemi.kernel import ConfigurationError, from_plain
from intemi.machines.trees.quality import (
    AUC,
    SSV,
    Accuracy,
    GainRatio,
    Gini,
    InformationGain,
    MaxMinority,
    PermutationStatistic,
    SplitQuality,
    SSVAlpha,
    SSVLexicographic,
    SumMinority,
    SumOfImpurity,
    Twoing,
)

LEFT = np.array([[1, 0], [2, 0], [3, 0], [3, 1]], dtype=float)
RIGHT = 4 - LEFT
THREE_WAY = [[3, 1, 0], [1, 3, 1], [0, 1, 2]]
EVERY = [
    Accuracy(),
    InformationGain(),
    GainRatio(),
    Gini(),
    Twoing(),
    AUC(),
    AUC(pairs="maximum"),
    SSV(),
    SSVLexicographic(),
    SSVAlpha(),
    PermutationStatistic(),
    PermutationStatistic(form="maximum"),
    SumMinority(),
    MaxMinority(),
    SumOfImpurity(),
]


@pytest.mark.parametrize(
    ("quality", "expected"),
    [
        (Accuracy(), [0.625, 0.75, 0.875, 0.75]),
        (InformationGain(), [0.137925, 0.311278, 0.548795, 0.188722]),
        (GainRatio(), [0.253742, 0.383689, 0.574995, 0.188722]),
        (Gini(), [0.071429, 0.166667, 0.3, 0.125]),
        (Twoing(), [0.035714, 0.083333, 0.15, 0.0625]),
        (AUC(), [0.625, 0.75, 0.875, 0.75]),
        (SSV(), [7, 14, 23, 18]),
        (SSVLexicographic(), [4, 8, 12, 10]),
        (SSVAlpha(), [4, 8, 12, 9.25]),
        (SumMinority(), [-3, -2, -1, -2]),
        (MaxMinority(), [-3, -2, -1, -1]),
        (SumOfImpurity(), [-1.714286, -1.333333, -0.8, -1.5]),
        (PermutationStatistic(), [1, 2.333333, 4.2, 1.75]),
    ],
    ids=lambda value: value.kind if isinstance(value, SplitQuality) else "",
)
def test_the_cuts_of_eight_rows_have_the_numbers_of_the_specification(
    quality: SplitQuality, expected: list[float]
) -> None:
    assert quality.binary(LEFT, RIGHT) == pytest.approx(expected, abs=5e-7)
    assert quality.binary(RIGHT, LEFT) == pytest.approx(expected, abs=5e-7)


def test_three_branches_have_the_numbers_of_the_specification() -> None:
    assert SSV().multi(THREE_WAY) == 66
    assert SSVLexicographic().multi(THREE_WAY) == 35
    assert SSVAlpha(alpha=0.5).multi(THREE_WAY) == 27
    assert AUC().multi([[1, 4], [5, 1], [3, 3]]) == pytest.approx(0.777778, abs=5e-7)
    assert PermutationStatistic(form="maximum").multi([[3, 0], [1, 4]]) == pytest.approx(2.049390, abs=5e-7)


def test_twoing_of_three_classes_is_that_of_the_best_two_groups() -> None:
    table = np.array([[3, 1, 0], [1, 3, 4]])
    groups = [np.column_stack((table[:, c], table.sum(axis=1) - table[:, c])) for c in range(3)]
    assert Twoing().multi(table) == pytest.approx(0.0868056, abs=5e-7)
    assert Twoing().multi(table) == pytest.approx(max(Twoing().multi(group) for group in groups))


def test_twoing_is_for_two_branches() -> None:
    assert Twoing().multi(THREE_WAY) == -np.inf


tables = (
    st.integers(2, 4)
    .flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any), min_size=2, max_size=4)
    )
    .filter(lambda table: sum(any(row[c] for row in table) for c in range(len(table[0]))) > 1)
)


@given(tables)
def test_measures_are_what_their_definitions_say(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=float)
    weights, totals, weight = table.sum(axis=1), table.sum(axis=0), table.sum()

    def entropy(counts: np.ndarray) -> float:
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log2(shares)).sum())

    def gini(counts: np.ndarray) -> float:
        return float(1 - ((counts / counts.sum()) ** 2).sum())

    gain = entropy(totals) - sum(w / weight * entropy(row) for w, row in zip(weights, table, strict=True))
    assert InformationGain().multi(table) == pytest.approx(gain, abs=1e-9)
    assert GainRatio().multi(table) == pytest.approx(gain / entropy(weights), abs=1e-9)
    decrease = gini(totals) - sum(w / weight * gini(row) for w, row in zip(weights, table, strict=True))
    assert Gini().multi(table) == pytest.approx(decrease, abs=1e-9)
    pairs = [(i, j) for i in range(len(table)) for j in range(i)]
    separated = sum(weights[i] * weights[j] - table[i] @ table[j] for i, j in pairs)
    assert SSVLexicographic().multi(table) == pytest.approx(separated)
    assert SSV().multi(table) == pytest.approx(2 * separated - (totals - table.max(axis=0)).sum())
    expected = np.outer(weights, totals)[:, totals > 0] / weight
    chi_squared = ((table[:, totals > 0] - expected) ** 2 / expected).sum()
    assert PermutationStatistic().multi(table) == pytest.approx((weight - 1) / weight * chi_squared, abs=1e-9)


@given(tables)
def test_the_area_is_that_of_the_branches_as_a_ranking(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=float)[:, :2]
    table = table[table.sum(axis=1) > 0]
    if len(table) < 2 or (table.sum(axis=0) == 0).any():
        return
    share = np.repeat(table[:, 1] / table.sum(axis=1), table.sum(axis=1).astype(int))
    classes = np.concatenate([np.repeat([0, 1], row.astype(int)) for row in table])
    assert AUC().multi(table) == pytest.approx(roc_auc_score(classes, share))


@given(tables, st.integers(2, 5))
def test_most_measures_do_not_depend_on_the_scale_of_weights(rows: list[list[int]], factor: int) -> None:
    table = np.array(rows, dtype=float)
    for quality in (Accuracy(), InformationGain(), GainRatio(), Gini(), Twoing(), AUC()):
        assert quality.multi(table * factor) == pytest.approx(quality.multi(table), abs=1e-9)


@given(tables, st.randoms())
def test_measures_do_not_depend_on_the_order_of_branches_and_classes(rows: list[list[int]], random: object) -> None:
    table = np.array(rows, dtype=float)
    turned = table[::-1, ::-1]
    for quality in EVERY:
        if not isinstance(quality, SSVAlpha):  # whose majorities may be tied
            assert quality.multi(turned) == pytest.approx(quality.multi(table), abs=1e-9)


@given(tables)
def test_gains_are_not_negative(rows: list[list[int]]) -> None:
    for quality in (InformationGain(), Gini(), PermutationStatistic()):
        assert quality.multi(rows) >= -1e-12


@pytest.mark.parametrize("quality", EVERY, ids=repr)
def test_a_measure_survives_plain_data(quality: SplitQuality) -> None:
    assert from_plain(quality.to_plain()) == quality


def test_a_measure_that_cannot_be_compiled_gets_one_line_that_says_why() -> None:
    class Wordy(SplitQuality):
        @staticmethod
        def measure(table: Any, branches: int, classes: int, context: Any) -> float:
            return float(open("measure.txt").read())

    with pytest.raises(ConfigurationError) as caught:
        Wordy().multi([[1, 2], [3, 4]])
    message = str(caught.value)
    assert message.startswith("DecisionTree: the measure of Wordy cannot be compiled, numba says: ")
    assert "open" in message
    assert "\n" not in message
