"""Nodes of few rows for the tests of selectors, whole-feature splitters and transformations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table
from intemi.machines.trees.node_data import NodeData

C9 = [1.0, 2, 3, 4, 5, 6, 7, 9, 11]
C9_CLASSES = [0, 0, 0, 1, 1, 1, 2, 2, 2]
L10 = [4, 4.5, 5, 5.5, 6, -1, 0, 5, 10, 11]
L10_CLASSES = [0] * 5 + [1] * 5
K20 = list(range(1, 21))
K20_CLASSES = [0] * 8 + [1, 0, 1, 0, 0, 1] + [1] * 6


def node(
    *features: Sequence[float], classes: Sequence[int], nominal: Sequence[int] = (), weights: Any = None, seed: int = 0
) -> NodeData:
    """A node with these features, of which some are nominal; missing values are NaN."""
    columns = [
        Column(f"x{index}", tuple("abcdefghijkl"[: int(np.nanmax(values)) + 1]) if index in nominal else None)
        for index, values in enumerate(features)
    ]
    labels = tuple("ABCDEFGH"[: max(2, max(classes) + 1)])
    table = Table(columns, np.array(features, float), Column("class", labels), classes, weights)
    return NodeData.of(Data(table), seed)


def golf() -> NodeData:
    """The fourteen days: outlook (sunny, overcast, rainy), temperature, humidity, windy."""
    outlook = [0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2]
    temperature = [0, 0, 0, 1, 2, 2, 2, 1, 2, 1, 1, 1, 0, 1]
    humidity = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0]
    windy = [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]
    play = [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0]
    return node(outlook, temperature, humidity, windy, classes=play, nominal=range(4))


def random_node(rng: np.random.Generator, rows: int = 40, classes: int = 3) -> NodeData:
    """Two numeric and two nominal features, some values missing, some repeated; the first and third tell the class."""
    target = rng.permutation(np.arange(rows) % classes)
    features = [
        target + 0.7 * rng.normal(size=rows),
        rng.integers(6, size=rows).astype(float),
        np.where(rng.random(rows) < 0.6, target, rng.integers(4, size=rows)).astype(float),
        rng.integers(3, size=rows).astype(float),
    ]
    for values in features[1:3]:
        values[rng.random(rows) < 0.1] = np.nan
    return node(*features, classes=target.tolist(), nominal=(2, 3))


def repeated(data: NodeData, counts: np.ndarray) -> tuple[NodeData, NodeData]:
    """The rows with weights, and the rows repeated as often as the weights say."""
    rows = np.arange(len(data))
    times = np.repeat(rows, counts)
    return data.select(rows, weights=counts.astype(float)), data.select(times, weights=np.ones(len(times)))
