"""Data with other weights: a view that shares everything else."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Project
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import content_digest, encode_parts
from intemi.machines import DecisionTree

TABLE = Table(
    [Column("x"), Column("y")], [[3, 1, 2, 5], [0, 0, 1, 1]], Column("class", ("a", "b")), [0, 1, 1, 0], name="four"
)


def test_everything_but_the_weights_is_shared() -> None:
    weighted = Data(TABLE).with_weights([1, 2, 0.5, 1])
    assert weighted.weights.tolist() == [1, 2, 0.5, 1]
    assert np.shares_memory(weighted.table.features, TABLE.features)
    assert weighted.table.order is TABLE.order


def test_weights_belong_to_the_content() -> None:
    one, same, other = (Data(TABLE).with_weights(weights) for weights in ([1, 2, 1, 1], [1, 2, 1, 1], [2, 1, 1, 1]))
    assert one == same
    assert one not in (other, Data(TABLE))


def test_weights_replace_those_that_were_there() -> None:
    twice = Data(TABLE).with_weights([1, 2, 1, 1]).with_weights([3, 1, 1, 1])
    assert twice == Data(TABLE).with_weights([3, 1, 1, 1])


def test_a_view_keeps_its_rows_and_columns() -> None:
    part = Data(TABLE).select_rows([1, 2, 3]).select_columns(["y"]).with_weights([1, 0, 3])
    assert part.rows.tolist() == [1, 3]
    assert part.weights.tolist() == [1, 3]
    assert part.features.tolist() == [[0, 1]]
    assert part.select_rows([1]).weights.tolist() == [3]


def test_copies_of_a_row_may_have_different_weights() -> None:
    copies = Data(TABLE).select_rows([0, 0, 2])
    weighted = copies.with_weights([1, 2, 4])
    assert weighted.weights.tolist() == [1, 2, 4]
    assert weighted.origins.tolist() == [0, 0, 2]
    assert weighted.has_copies


def test_what_is_kept_refers_to_the_table() -> None:
    part = Data(TABLE).select_rows([1, 2, 3]).with_weights([1, 0.25, 3])
    shared: dict[bytes, object] = {}
    encoded = b"".join(encode_parts(part, shared))
    assert list(shared.values()) == [TABLE]
    read = decode(encoded, shared.__getitem__)
    assert read == part
    assert content_digest(read) == content_digest(part)
    assert read.weights.tolist() == [1, 0.25, 3]


def test_a_weight_is_as_good_as_copies() -> None:
    weights = [1, 3, 2, 1]
    heavy = DecisionTree().run(Data(TABLE).with_weights(weights)).outputs["tree"]
    copied = DecisionTree().run(Data(TABLE).select_rows(np.repeat(np.arange(4), weights))).outputs["tree"]
    assert str(heavy) == str(copied)


def test_it_is_a_value_like_any_other() -> None:
    weighted = Data(TABLE).with_weights([1, 2, 1, 1])
    with Project() as project:
        tree = project.run(DecisionTree(), data=project.given(weighted))
    assert tree.outputs["tree"].weights[0] == 5


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1, 2], "weights for 4 rows are needed"), ([1, 1, 1, -1], "weights must be finite and at least 0")],
)
def test_wrong_weights_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Data(TABLE).with_weights(weights)
