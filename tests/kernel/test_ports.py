"""Ports: declared with a type, single or multi; two of them fit or the error says why not."""

from __future__ import annotations

from typing import Any, Literal, Optional

import numpy as np
import pytest

from intemi.kernel import BindingError, Input, MultiInput, MultiOutput, Output
from intemi.kernel.ports import check_fit


class Data:
    pass


class Table(Data):
    pass


def test_a_port_is_named_after_the_attribute() -> None:
    class Owner:
        data = Input(Data)
        tables = MultiOutput(Table)

    assert str(Owner.data) == "data (Data)"
    assert str(Owner.tables) == "tables (many Table)"
    assert repr(Owner.data) == "<Input data (Data)>"
    assert Owner.tables.declared == "MultiOutput(Table)"


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        (Data, Data),
        (Any, object),
        (list[int], list),
        (dict[str, int], dict),
        (np.ndarray, np.ndarray),
        (type[Data], type),
    ],
)
def test_a_port_takes_a_type_without_its_arguments(given: Any, accepted: type) -> None:
    assert Input(given).accepted is accepted


@pytest.mark.parametrize(
    "given",
    ["Data", 5, None, int | str, Optional[int], Literal["a"], Data()],  # noqa: UP045
    ids=lambda given: type(given).__name__,
)
def test_a_port_is_declared_with_one_type(given: Any) -> None:
    for declare, name in ((Input, "Input"), (Output, "Output"), (MultiInput, "Input"), (MultiOutput, "Output")):
        with pytest.raises(BindingError, match=f"^{name}: a port is declared with one type, got "):
            declare(given)


def test_a_port_is_assigned_and_not_annotated() -> None:
    with pytest.raises(BindingError, match=r"a port is declared by assigning it, as in `data = Input\(Data\)`"):
        Input[Data]  # type: ignore[misc]


def fit(source: Output, target: Input, single: bool = True) -> None:
    check_fit(source, "loader", target, "Learner", single)


def fits(source: Output, target: Input, single: bool = True) -> bool:
    try:
        fit(source, target, single)
    except BindingError:
        return False
    return True


def test_an_output_fits_an_input_of_its_type_or_of_one_above() -> None:
    for accepted in (Table, Data, object):
        assert fits(Output(Table, name="table"), Input(accepted, name="data"))
        assert fits(Output(Table, name="table"), MultiInput(accepted))
    assert fits(MultiOutput(Table), MultiInput(Data), single=False)
    assert not fits(MultiOutput(Table), Input(Data), single=False)


def test_a_type_that_does_not_fit_is_told_with_both_ports_and_types() -> None:
    with pytest.raises(BindingError, match=r"^Learner\.data takes Table, but loader\.table gives Data$"):
        fit(Output(Data, name="table"), Input(Table, name="data"))


def test_a_collection_does_not_fit_where_one_is_taken() -> None:
    source = Output(Data, multi=True, name="folds")
    with pytest.raises(
        BindingError,
        match=r"^Learner\.data takes one Data, but loader\.folds gives many; bind one of its items, folds\[i\]$",
    ):
        fit(source, Input(Data, name="data"), single=False)
    fit(source, Input(Data, name="data"), single=True)
