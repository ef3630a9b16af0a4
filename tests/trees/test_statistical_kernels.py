"""The compiled statistics against plain formulas, on random tables with missing values and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from intemi.data import Column, Data, Table
from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature
from intemi.machines.trees.kernels import sums
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import InformationGain
from intemi.machines.trees.splits import SymbolSplit, ThresholdSplit
from intemi.machines.trees.statistics import analysis_of_variance, class_moments, crimcoord, pearson_of_parts
from intemi.machines.trees.statistics.rounding import merged
from intemi.machines.trees.whole_feature import ConfidentIntervals

SEEDS = range(25)


def random_node(seed: int) -> NodeData:
    """Rows with numeric and nominal features, some of whose values are missing."""
    rng = np.random.default_rng(seed)
    size, k = int(rng.choice([2, 7, 40, 300])), int(rng.choice([2, 3, 12]))
    classes = rng.integers(0, k, size)
    numeric = [np.round(rng.normal(size=size) + classes * scale, digits) for scale, digits in ((0, 9), (1, 1), (3, 0))]
    nominal = [(rng.integers(0, count, size) + classes) % count for count in (2, 3, 17)]
    features = np.array([*numeric, *nominal], dtype=float)
    features[rng.random(features.shape) < rng.choice([0.0, 0.2])] = np.nan
    columns = [Column(name, None if name < "d" else tuple(map(str, range(17)))) for name in "abcdef"]
    weights = None if seed % 2 else rng.random(size) + 0.1
    return NodeData.of(Data(Table(columns, features, Column("class", tuple(map(str, range(k)))), classes, weights)))


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 127, 128, 129, 1000, 8000])
def test_sums_are_those_of_numpy_to_the_last_digit(size: int) -> None:
    numbers = np.random.default_rng(size).normal(size=size)
    assert sums.sum_of(numbers, 0, size) == numbers.sum()


@pytest.mark.parametrize(("m", "n", "k"), [(1, 5, 2), (2, 700, 3), (30, 2000, 26), (300, 300, 5)])
def test_products_in_parts_are_products(m: int, n: int, k: int) -> None:
    rng = np.random.default_rng(m)
    one, other = rng.normal(size=(m, n)), rng.normal(size=(n, k))
    assert sums.product(one, other) == pytest.approx(one @ other, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_moments_and_f_are_those_of_their_definitions(seed: int) -> None:
    node = random_node(seed)
    moments = class_moments(node.features[:3], node.classes, node.weights, node.class_count)
    tested = analysis_of_variance(moments)
    for feature in range(3):
        known = ~np.isnan(node.feature(feature))
        values, classes, weights = node.feature(feature)[known], node.classes[known], node.weights[known]
        present = np.unique(classes)
        parts = [(values[classes == c], weights[classes == c]) for c in present]
        means = [np.average(part, weights=weighing) for part, weighing in parts]
        within = sum((weighing * (part - mean) ** 2).sum() for (part, weighing), mean in zip(parts, means, strict=True))
        if not len(values):
            continue
        mean = np.average(values, weights=weights)
        between = sum(weighing.sum() * (each - mean) ** 2 for (_, weighing), each in zip(parts, means, strict=True))
        assert moments.weights[feature, present] == pytest.approx([weighing.sum() for _, weighing in parts])
        assert moments.means[feature, present] == pytest.approx(means, abs=1e-12)
        assert moments.within[feature] == pytest.approx(within, rel=1e-9, abs=1e-12)
        assert moments.between[feature] == pytest.approx(between, rel=1e-9, abs=1e-12)
        free = weights.sum() - len(present)
        if len(present) > 1 and free > 0 and within > 1e-9:
            expected = between / (len(present) - 1) / (within / free)
            assert tested.statistic[feature] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_of_a_node_and_their_chi_squared(seed: int) -> None:
    node = random_node(seed)
    varying = node.varying
    starts, counts = varying.starts[varying.nominal], node.symbols[varying.nominal]
    chi2, df = pearson_of_parts(varying.tables, starts, counts)
    for at, feature in enumerate(varying.nominal):
        table = np.zeros((17, node.class_count))
        for value, c, weight in zip(node.feature(feature), node.classes, node.weights, strict=True):
            if not np.isnan(value):
                table[int(value), c] += weight
        assert node.table(feature) == pytest.approx(table)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        assert chi2[at] == pytest.approx(((table - expected) ** 2 / expected).sum(), rel=1e-9, abs=1e-9)
        assert df[at] == (len(table) - 1) * (table.shape[1] - 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_have_the_largest_correlation_with_classes_that_there_is(seed: int) -> None:
    node = random_node(seed)
    for feature in node.varying.nominal:
        table, scores = node.table(feature), crimcoord(node.table(feature))
        if scores is None:
            continue
        there = table.sum(axis=1) > 0
        table, scores = table[there][:, table.sum(axis=0) > 0], scores[there]
        shares = table / table.sum()
        of_rows, of_columns = shares.sum(axis=1), shares.sum(axis=0)
        assert (of_rows @ scores, of_rows @ scores**2) == pytest.approx((0, 1), abs=1e-7)
        scaled = (shares - np.outer(of_rows, of_columns)) / np.sqrt(np.outer(of_rows, of_columns))
        reached = np.linalg.norm((scores * np.sqrt(of_rows)) @ scaled)
        assert reached == pytest.approx(np.linalg.svd(scaled, compute_uv=False)[0], rel=1e-6)


def bounds(counts: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    total = counts.sum()
    root = np.sqrt(4 * alpha * counts * (1 - counts / total) + 1)
    return (2 * alpha * counts + 1 - root) / (2 * alpha * total + 2), (2 * alpha * counts + 1 + root) / (
        2 * alpha * total + 2
    )


def plain_intervals(splitter: ConfidentIntervals, runs: list[np.ndarray], one_by_one: bool) -> list[Any]:
    """The intervals of Cal5 as lists of runs: those of equal values, or of symbols, which are judged one by one."""
    found: list[Any] = []
    since: list[int] = []
    for place, _ in enumerate(runs):
        since.append(place)
        counts = sum(runs[each] for each in since)
        lower, upper = bounds(counts, splitter.alpha)
        sure = bool((lower >= splitter.threshold - 1e-12).any())
        mixed = bool((upper < splitter.threshold - 1e-12).all())
        if sure or mixed or one_by_one or place == len(runs) - 1:
            found.append((since, counts, sure or not mixed))
            since = []

    def says(interval: Any) -> Any:
        _, counts, closed = interval
        dominant = (counts > 0) & (bounds(counts, splitter.alpha)[1] >= 1 / (counts > 0).sum() - 1e-12)
        return closed, int(np.argmax(counts)) if closed else dominant.tolist()

    while True:
        joined: list[Any] = []
        for interval in found:
            if joined and says(joined[-1]) == says(interval):
                last = joined.pop()
                interval = (last[0] + interval[0], last[1] + interval[1], interval[2])
            joined.append(interval)
        if len(joined) == len(found):
            return found
        found = joined


@pytest.mark.parametrize("seed", SEEDS)
def test_intervals_of_cal5_are_those_of_a_plain_scan(seed: int) -> None:
    node = random_node(seed)
    splitter = ConfidentIntervals(threshold=(0.6, 0.8)[seed % 2], alpha=(0.1, 0.5)[seed // 2 % 2])
    qualities = splitter.qualities(node, InformationGain())
    for feature in range(len(node.columns)):
        values, is_nominal = node.feature(feature), node.columns[feature].is_nominal
        distinct = np.unique(values[~np.isnan(values)])
        runs = [node.table_of(np.where(values == each, 0, -1), 1)[0] for each in distinct]
        if is_nominal:
            shares = [run[int(np.argmax(node.class_weights))] / run.sum() for run in runs]
            order = np.argsort(shares, kind="stable")
            distinct, runs = distinct[order], [runs[each] for each in order]
        expected = plain_intervals(splitter, runs, is_nominal)
        split = splitter.split(node, RankedFeature(feature, 0.0))
        if len(expected) < 2:
            assert split is None
            assert np.isnan(qualities[feature])
            continue
        assert isinstance(split, ThresholdSplit | SymbolSplit)
        assert split.closed == tuple(closed for *_, closed in expected)
        for branch, (places, counts, _) in enumerate(expected):
            assert set(split.branches(distinct[places]).tolist()) == {branch}
            assert split.branch_weights[branch] == pytest.approx(counts.sum())
        assert qualities[feature] == pytest.approx(InformationGain().multi(split.table(node)))


def test_values_that_are_close_become_the_greatest_of_them() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.integers(0, 30, 12) / 10.0
        values[rng.random(12) < 0.1] = np.nan
        expected = values.copy()
        for _ in values:  # a chain of close values moves up link by link
            expected = np.array(
                [
                    max([each, *expected[(values >= each) & (values - each <= 0.11)]]) if each == each else np.nan
                    for each in values
                ]
            )
        assert np.array_equal(merged(values, 0.11), expected, equal_nan=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_power_of_box_and_cox_is_the_one_that_scipy_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes, weights = rng.integers(0, 3, 50).astype(np.int32), rng.random(50) + 0.1
    values = np.round(rng.gamma(2.0, size=50) + classes * rng.random(), 1)
    distinct, which = kernels.box_cox.distinct_of(values)
    logarithms = kernels.box_cox.centered(np.log1p(distinct), which, weights)

    def squares(power: float) -> float:
        return kernels.box_cox.squares_within(logarithms, which, power, classes, weights)

    expected = minimize_scalar(squares, bounds=(-3.0, 3.0), method="bounded", options={"xatol": 1e-9}).x
    assert kernels.box_cox.best_power(logarithms, which, classes, weights) == expected
