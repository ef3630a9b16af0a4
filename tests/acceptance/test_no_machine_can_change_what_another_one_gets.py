"""Values stay what they were: no reader can write into them, and their maker cannot either, whatever it hands out."""

from __future__ import annotations

import array
import copy
import pickle
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from intemi.data import Column, Data, Table
from intemi.kernel import (
    ConfigurationError,
    Input,
    Machine,
    Model,
    MultiOutput,
    Output,
    Project,
    Threads,
    storable,
)
from intemi.kernel.protection import is_sealed
from intemi.kernel.workers.processes import Processes
from intemi.machines import C45, CART, KNN, QUEST, SVM, Majority, NaiveBayes, PrincipalComponents, Standardization
from intemi.workers import TaskManager
from tests.learning.tables import mixed
from tests.learning.test_classifiers import blobs

MANAGERS: dict[str, Callable[[], TaskManager]] = {"threads": lambda: Threads(1), "processes": lambda: Processes(1)}


@storable
@dataclass(frozen=True, eq=False)
class Frozen:
    """A value that cannot be changed itself, of parts that could."""

    numbers: Any
    more: Any = ()


@storable
@dataclass
class Loose:
    """A value whose attributes can be set."""

    numbers: Any
    more: list[Any] = field(default_factory=list)


@storable
class Stateful:
    """A value that tells its state."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def state(self) -> Any:
        return self.numbers

    @classmethod
    def from_state(cls, state: Any) -> Stateful:
        return cls(state)


class Pair(NamedTuple):
    """A tuple of a class of its own; the store has no encoding for it."""

    numbers: Any
    more: Any


class Numbers(np.ndarray):
    """An array of a class of its own, which has no encoding, either."""


BUFFER = np.zeros(4)
ITEMS: list[Any] = [0]
LOOSE = Loose(0.0)
STATEFUL = Stateful([0])
NESTED: dict[str, Any] = {"a": [0, (BUFFER[:1], ITEMS)]}
BYTES = bytearray(8)
SHARED_MODEL = Model(value=ITEMS, results={"Items": ITEMS})


def refilled(number: float) -> None:
    """Write a number into everything that is handed out again and again."""
    global BUFFER
    if not BUFFER.flags.writeable:
        BUFFER = np.zeros(4)
    BUFFER[:] = number
    ITEMS[0] = number
    LOOSE.numbers = number
    LOOSE.more[:] = [number]
    STATEFUL.numbers[0] = number
    NESTED["a"] = [number, (BUFFER[:1], ITEMS)]
    BYTES[:] = np.float64(number).tobytes()


MADE: dict[str, Callable[[], Any]] = {
    "a view": lambda: BUFFER[:2],
    "a view of a view": lambda: BUFFER[:3][1:],
    "a reshaped view": lambda: BUFFER.reshape(2, 2),
    "an array over bytes": lambda: np.frombuffer(BYTES),
    "a list": lambda: ITEMS,
    "a dictionary": lambda: NESTED,
    "bytes": lambda: BYTES,
    "a tuple of a view and a list": lambda: (BUFFER[:1], ITEMS, "text"),
    "a list of views": lambda: [BUFFER[:1], BUFFER[1:]],
    "a frozen value": lambda: Frozen(BUFFER[1:], (ITEMS, {"a": BUFFER[:1]})),
    "frozen values in each other": lambda: Frozen(Frozen(BUFFER[1:]), (Frozen(ITEMS),)),
    "a value whose attributes can be set": lambda: LOOSE,
    "a value that tells its state": lambda: STATEFUL,
    "a named tuple": lambda: Pair(BUFFER[:1], ITEMS),
    "an ordered dictionary": lambda: OrderedDict(a=ITEMS),
    "a deque": lambda: deque(ITEMS),
    "an array of Python": lambda: array.array("d", BUFFER),
    "an array of a class of its own": lambda: BUFFER[:2].view(Numbers),
    "an array that owns its memory": lambda: BUFFER[:2].copy(),
    "one number": lambda: np.array(BUFFER[0]),
    "an array in the order of Fortran": lambda: np.asfortranarray([[BUFFER[0], 7.0], [8.0, 9.0]]),
    "an empty array": lambda: np.empty((0, 2)),
    "records": lambda: np.array([(BUFFER[0], 1)], dtype=[("number", "f8"), ("count", "i4")]),
    "dates": lambda: np.array([int(BUFFER[0])], dtype="datetime64[D]"),
    "texts": lambda: np.array([str(BUFFER[0])]),
    "a masked array": lambda: np.ma.masked_array([BUFFER[0], 7.0], mask=[False, True]),
    "an array of objects": lambda: np.array([[BUFFER[0]], "text", None], dtype=object),
    "a sparse matrix": lambda: sparse.csr_array([[BUFFER[0], 0.0]]),
    "a frame": lambda: pd.DataFrame({"a": BUFFER[:2]}),
    "a frozen value that keeps several arrays": lambda: Frozen(BUFFER[:1].copy(), (BUFFER[:2].copy(), np.eye(2))),
    "a whole table": lambda: Data(Table([Column("x")], [BUFFER[:3]])),
    "a view of a table": lambda: Data(Table([Column("x")], [BUFFER[:3]])).select_rows([0, 2]),
}
NOT_ENCODED = {
    *("a named tuple", "an ordered dictionary", "a deque", "an array of Python", "an array of a class of its own"),
    *("bytes", "a masked array", "an array of objects", "a sparse matrix", "a frame"),
}


def written(value: Any) -> Any:
    """Everything in a value, as plain data that can be compared."""
    if isinstance(value, Data):
        return [value.features.tolist(), value.rows.tolist(), [column.name for column in value.columns]]
    if isinstance(value, sparse.csr_array):
        return value.toarray().tolist()
    if isinstance(value, pd.DataFrame):
        return value.to_numpy().tolist()
    if isinstance(value, np.ndarray):
        return (value.astype(str) if value.dtype.kind == "M" else value).tolist()
    if isinstance(value, array.array | deque):
        return list(value)
    if isinstance(value, list | tuple):
        return list(map(written, value))
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    if isinstance(value, Frozen | Loose):
        return [written(value.numbers), written(value.more)]
    if isinstance(value, Stateful):
        return written(value.numbers)
    return float(np.frombuffer(value)[0]) if isinstance(value, bytearray) else value


def spoil(value: Any) -> None:
    """Write wherever that is possible, and wherever numpy and Python can be made to allow it."""
    if isinstance(value, np.ndarray):
        spoil(value.base)
        with suppress(ValueError):
            value.flags.writeable = True
        if value.flags.writeable:
            value[...] = np.zeros(1, value.dtype)[0]
        for item in value.flat if value.dtype == object else ():
            spoil(item)
    elif isinstance(value, pd.DataFrame):
        value.iloc[:, :] = 100
    elif isinstance(value, Data | Table):
        for name in ("features", "rows", "classes", "weights", "column_indices", "category_counts", "order", "table"):
            with suppress(ConfigurationError):
                spoil(getattr(value, name, None))
            for change in (lambda name=name: setattr(value, name, 100), lambda name=name: delattr(value, name)):
                with suppress(AttributeError):
                    change()
        getattr(value, "__dict__", {}).clear()
    elif isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            spoil(item)
        if isinstance(value, list):
            value[:] = [100]
        elif isinstance(value, dict):
            value.clear()
    elif isinstance(value, bytearray | array.array | deque):
        value[0] = 100
    elif hasattr(value, "__dict__"):
        for name, part in vars(value).items():
            spoil(part)
            if isinstance(value, Loose | Stateful):
                setattr(value, name, 100)


class Make(Machine):
    """Hands out the same thing, with another content each time."""

    value = Output(object)
    what: str
    number: float = 1.0

    def run(self) -> Model:
        refilled(self.number)
        return Model(value=MADE[self.what](), results={"Items": ITEMS, "Numbers": BUFFER[:2]})


class Same(Machine):
    """Hands out the same model again and again."""

    value = Output(list)
    number: float = 1.0

    def run(self) -> Model:
        refilled(self.number)
        return SHARED_MODEL


class Several(Machine):
    """Hands out parts of one array, and fills it again."""

    parts = MultiOutput(np.ndarray)
    number: float = 1.0

    def run(self) -> Model:
        refilled(self.number)
        parts = [BUFFER[:2], BUFFER[2:]]
        return Model(parts=parts)


class Spoil(Machine):
    """Writes into its input."""

    value = Input(object)
    again: int = 0

    def run(self, value: Any) -> Model:
        spoil(value)
        return Model(results={"Spoilt": True})


class Read(Machine):
    """Says what it got."""

    value = Input(object)

    def run(self, value: Any) -> Model:
        return Model(results={"Read": written(value)})


def expected(what: str, number: float) -> Any:
    refilled(number)
    return written(MADE[what]())


NUMBERS = (1.0, 2.0, 3.0)


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_machine_that_hands_out_the_same_thing_again_does_not_change_what_it_gave(
    manager: str, tmp_path: Path
) -> None:
    right = {what: [expected(what, number) for number in NUMBERS] for what in MADE}
    with Project(tmp_path, workers=MANAGERS[manager]()) as project:
        made = {what: [project.request(Make(what, number)) for number in NUMBERS] for what in MADE}
        for what, capsules in made.items():
            for capsule in capsules:
                capsule.wait()
            assert [written(capsule.outputs["value"]) for capsule in capsules] == right[what], what
            assert [written(capsule.results["Items"]) for capsule in capsules] == [[number] for number in NUMBERS]
            assert [written(each.results["Numbers"]) for each in capsules] == [[number] * 2 for number in NUMBERS]
            read = [project.run(Read(), value=capsule.value).results["Read"] for capsule in capsules]
            assert read == right[what], what
    for what in MADE:
        with Project(tmp_path) as project:
            again = [project.run(Read(), value=project.request(Make(what, number)).value) for number in NUMBERS]
            assert [capsule.results["Read"] for capsule in again] == right[what], what
            if what not in NOT_ENCODED:
                assert project.counts().physical.total() == 0


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_machine_that_writes_into_its_input_spoils_it_for_no_other(manager: str) -> None:
    with Project(workers=MANAGERS[manager]()) as project:
        for what in MADE:
            made = project.run(Make(what, 5.0))
            project.run(Spoil(), value=made.value)
            spoil(made.outputs["value"])
            spoil(made.results)
            project.run(Spoil(again=1), value=made.value)
            read = project.run(Read(), value=made.value)
            assert read.results["Read"] == written(made.outputs["value"]) == expected(what, 5.0), what
            assert made.results["Items"] == [5.0]


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_model_that_is_returned_again_is_another_one(manager: str) -> None:
    with Project(workers=MANAGERS[manager]()) as project:
        first, second = project.run(Same(1.0)), project.run(Same(2.0))
        assert [first.outputs["value"], second.outputs["value"]] == [[1.0], [2.0]]
        assert [first.results["Items"], second.results["Items"]] == [[1.0], [2.0]]
        parts = [project.run(Several(number)).outputs["parts"] for number in (1.0, 2.0)]
        assert written(parts) == [[[1.0] * 2] * 2, [[2.0] * 2] * 2]


@pytest.mark.parametrize("what", [what for what in MADE if what not in NOT_ENCODED])
def test_what_the_user_gives_stays_the_users_own(what: str) -> None:
    refilled(7.0)
    value = MADE[what]()
    with Project() as project:
        given = project.given(value)
        before = written(value)
        project.run(Spoil(), value=given)
        assert written(value) == before
        refilled(8.0)
        assert project.run(Read(), value=given).results["Read"] == before


def test_an_array_that_was_given_can_still_be_written_by_the_user() -> None:
    numbers = np.array([1.0, 2.0])
    with Project() as project:
        given = project.given((numbers, "text"))
        numbers[0] = 5.0
        assert project.run(Read(), value=given).results["Read"] == [[1.0, 2.0], "text"]


def test_an_array_that_owns_its_memory_is_not_copied() -> None:
    made: list[np.ndarray] = []

    class Large(Machine):
        value = Output(tuple)
        version = 1

        def run(self) -> Model:
            made.append(np.zeros(10**5))
            return Model(value=(made[0], Frozen(made[0])))

    with Project(workers=1) as project:
        found = project.run(Large()).outputs["value"]
        assert np.shares_memory(found[0], made[0])
        assert np.shares_memory(found[1].numbers, made[0])
        assert not made[0].flags.writeable


class Reshape(Machine):
    """Gives its input another shape, in place."""

    value = Input(object)

    def run(self, value: Any) -> Model:
        for part in (value,) if isinstance(value, np.ndarray) else (value.features, value.rows, value.column_indices):
            part.shape = (-1, 1)
        return Model()


@pytest.mark.parametrize("manager", MANAGERS)
@pytest.mark.parametrize("what", ["an array that owns its memory", "a view of a table", "a whole table"])
def test_a_machine_that_sets_the_shape_of_its_input_sets_it_for_no_other(manager: str, what: str) -> None:
    with Project(workers=MANAGERS[manager]()) as project:
        made = project.run(Make(what))
        project.run(Reshape(), value=made.value)
        assert project.run(Read(), value=made.value).results["Read"] == expected(what, 1.0)


@pytest.mark.parametrize("change", ["table", "_rows"])
def test_attributes_of_data_can_be_neither_set_nor_deleted(change: str) -> None:
    data = Data(Table([Column("x")], [[1.0, 2.0]]))
    with pytest.raises(AttributeError, match=f"Data: '{change}' cannot be set, the value is immutable"):
        setattr(data, change, None)
    with pytest.raises(AttributeError, match=f"Data: '{change}' cannot be deleted"):
        delattr(data, change)
    assert not hasattr(data, "__dict__")
    assert not hasattr(data.table, "__dict__")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda data: pickle.loads(pickle.dumps(data, 4))])
def test_copies_of_data_are_as_immutable_as_the_data(again: Callable[[Data], Data]) -> None:
    table = Table([Column("x")], [[1.0, 2.0, 3.0]], Column("class", ("a", "b")), [0, 1, 0], [1.0, 2.0, 1.0])
    data = Data(table).with_features([Column("y")], [[4.0, 5.0, 6.0]]).select_rows([0, 2])
    copied = again(data)
    assert copied == data
    arrays = copied.table.features, copied.table.classes, copied.table.weights, copied.rows, copied.table.order
    assert all(is_sealed(array) for array in arrays)


# What is shipped

DATA = blobs(24)


LEARNERS = [
    Majority(),
    NaiveBayes(),
    KNN(),
    SVM(),
    CART(refinement=None),
    C45(refinement=None),
    QUEST(),
    Standardization(),
    PrincipalComponents(),
]


@pytest.mark.parametrize("manager", MANAGERS)
def test_nothing_in_a_shipped_model_can_be_written(manager: str, tmp_path: Path) -> None:
    for _ in range(2):  # made, and read from the store
        with Project(tmp_path, workers=MANAGERS[manager]()) as project:
            for learner in LEARNERS:
                data = DATA if isinstance(learner, KNN | SVM) else mixed(missing=0)
                outputs = dict(project.run(learner, data=project.given(data)).outputs)
                assert [path for name, value in outputs.items() for path in writeable(value, name)] == [], learner


def writeable(value: Any, path: str) -> list[str]:
    """Where arrays in a value can be written to, or made writeable, however deep."""
    if isinstance(value, np.ndarray):
        return [] if is_sealed(value) or not value.size else [path]
    if isinstance(value, tuple | list):
        return [found for place, item in enumerate(value) for found in writeable(item, f"{path}.{place}")]
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in writeable(item, f"{path}.{key}")]
    names = list(getattr(value, "__dict__", ())) + list(getattr(type(value), "__slots__", ()))
    parts = {name: getattr(value, name, None) for name in names if name != "__weakref__"}
    if type(value).__module__.startswith("intemi."):
        return [found for name, part in parts.items() for found in writeable(part, f"{path}.{name}")]
    return []
