"""Qualifiers: which items a question is about. They are combined with `&`, `|` and `~`.

>>> (OfType("ClassificationTest") & ~At("**/baseline")) | Named("svm test")
Or(first=And(first=OfType(machine='ClassificationTest'), second=Not(inner=At(pattern='**/baseline'))), \
second=Named(name='svm test'))
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Sequence, Set
from fnmatch import fnmatchcase
from functools import lru_cache, reduce
from typing import Any, Literal

import numpy as np

from intemi.kernel.component import Component
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
from intemi.kernel.parameters import parameter
from intemi.kernel.repository.item import MISSING, Item, kinds_of
from intemi.kernel.repository.labels import Labeler
from intemi.kernel.repository.tables import Narrowing, text, to_cell

_COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


Kind = Literal["result", "comment", "parameter"]


class Qualifier(Component):
    """Tells which items a question is about."""

    @abstractmethod
    def qualifies(self, item: Item) -> bool:
        """Whether this item is one of them."""

    def narrowing(self) -> Narrowing | None:
        """A condition that the machines of all items that qualify fulfil, and as few others as may be."""
        return None

    def kinds(self) -> Set[str] | None:
        """The kinds of machines that can qualify; None: any."""
        return None

    def allows(self, label: str, value: Any) -> bool:
        """Whether an item can qualify that has this value among its results: cells of blocks are chosen by it."""
        return True

    def __and__(self, other: Qualifier) -> Qualifier:
        return And(self, other)

    def __or__(self, other: Qualifier) -> Qualifier:
        return Or(self, other)

    def __invert__(self) -> Qualifier:
        return Not(self)

    def __bool__(self) -> bool:
        raise ConfigurationError(  # `a and b`, `not a` and `0.8 < x < 0.9` ask for it, and would drop one part silently
            f"{self!r} is neither true nor false: combine qualifiers with & | ~, in brackets; comparisons cannot be "
            "chained"
        )


class And(Qualifier):
    """Both."""

    first: Qualifier
    second: Qualifier

    def qualifies(self, item: Item) -> bool:
        return self.first.qualifies(item) and self.second.qualifies(item)

    def narrowing(self) -> Narrowing | None:
        first, second = self.first.narrowing(), self.second.narrowing()
        return _combined(first, "AND", second) if first and second else first or second

    def kinds(self) -> Set[str] | None:
        first, second = self.first.kinds(), self.second.kinds()
        return first if second is None else second if first is None else first & second

    def allows(self, label: str, value: Any) -> bool:
        return self.first.allows(label, value) and self.second.allows(label, value)


class Or(Qualifier):
    """One of them, or both."""

    first: Qualifier
    second: Qualifier

    def qualifies(self, item: Item) -> bool:
        return self.first.qualifies(item) or self.second.qualifies(item)

    def narrowing(self) -> Narrowing | None:
        first, second = self.first.narrowing(), self.second.narrowing()
        return _combined(first, "OR", second) if first and second else None

    def kinds(self) -> Set[str] | None:
        first, second = self.first.kinds(), self.second.kinds()
        return None if first is None or second is None else first | second

    def allows(self, label: str, value: Any) -> bool:
        return self.first.allows(label, value) or self.second.allows(label, value)


class Not(Qualifier):
    """Not those."""

    inner: Qualifier

    def qualifies(self, item: Item) -> bool:
        return not self.inner.qualifies(item)


class OfType(Qualifier):
    """Machines of a class, or of one that inherits from it; the class or its registered name."""

    machine: str

    def __init__(self, machine: str | type[Component]) -> None:
        name = getattr(machine, "registered_name", machine)
        if not isinstance(name, str):
            raise ConfigurationError(f"OfType: machine must be a class of machines or its name, got {machine!r}")
        object.__setattr__(self, "machine", name)
        self.__post_init__()

    def qualifies(self, item: Item) -> bool:
        return item.is_a(self.machine)

    def narrowing(self) -> Narrowing:
        kinds = self.kinds()
        return Narrowing(f"kind IN ({','.join('?' * len(kinds))})", tuple(kinds))

    def kinds(self) -> Set[str]:
        return kinds_of(self.machine)[0]


class Named(Qualifier):
    """Items with a name among their siblings; `*` stands for anything."""

    name: str

    def qualifies(self, item: Item) -> bool:
        return fnmatchcase(item.name, self.name)

    def narrowing(self) -> Narrowing | None:
        return _named(self.name)


class At(Qualifier):
    """Items whose path below the root fits a pattern: `"test/*"`; `**` stands for any number of steps.

    The names on a path are those of the parts of a configuration, so `"test/svm test"` means the part of that path in
    every repetition and fold. The path of the root itself is empty.
    """

    pattern: str

    def qualifies(self, item: Item) -> bool:
        return fits(tuple(self.pattern.split("/")) if self.pattern else (), item.names)

    def narrowing(self) -> Narrowing | None:
        return _named(self.pattern.rpartition("/")[2])


def _named(pattern: str) -> Narrowing | None:
    if not pattern or any(sign in pattern for sign in "*?["):
        return None
    name = text(pattern)
    # A root has the name that it was asked for by or, if that is not known, its kind.
    children, roots = "SELECT child FROM edges WHERE name = ?", "SELECT machine FROM roots WHERE name = ?"
    return Narrowing(f"number IN ({children}) OR id IN ({roots}) OR kind = ?", (name, name, name))


def _combined(first: Narrowing, how: str, second: Narrowing) -> Narrowing:
    return Narrowing(f"({first.condition}) {how} ({second.condition})", (*first.parameters, *second.parameters))


@lru_cache(maxsize=2**14)
def fits(pattern: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether names fit a pattern.

    >>> fits(("test", "*"), ("test", "svm")), fits(("**", "svm"), ("a", "b", "svm")), fits(("test",), ("test", "svm"))
    (True, True, False)
    """
    if not pattern:
        return not names
    if pattern[0] == "**":
        return any(fits(pattern[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], pattern[0]) and fits(pattern[1:], names[1:])


class Provides(Qualifier):
    """Machines that have an output port of some name."""

    port: str

    def qualifies(self, item: Item) -> bool:
        config = item.config
        return isinstance(config, Machine) and self.port in config.outputs


class Comparison(Qualifier):
    """Items of which something compares in some way with a value; what is missing never does."""

    label: str
    by: Literal["==", "!=", "<", "<=", ">", ">="]
    value: Any
    of: Kind = parameter(default="result")

    def qualifies(self, item: Item) -> bool:
        found = _found(item, self.of, self.label)
        return found is not MISSING and self._holds(found)

    def allows(self, label: str, value: Any) -> bool:
        return self.of != "result" or label != self.label or self._holds(value)

    def _holds(self, found: Any) -> bool:
        if isinstance(found, np.ndarray):
            return self.by in ("==", "!=") and np.array_equal(found, self.value) is (self.by == "==")
        try:
            return bool(_COMPARISONS[self.by](found, self.value))
        except (TypeError, ValueError):
            return False  # they cannot be compared

    def narrowing(self) -> Narrowing | None:
        # In SQLite numbers compare as in Python, text is greater than they are, and blobs, the greatest, are anything.
        if self.of != "result" or type(self.value) not in (int, float, str) or type(to_cell(self.value)) is bytes:
            return None
        label = text(self.label)
        compared = f"(value {self.by} ? OR value >= x'') AND (label = ? OR label IS NULL)"
        in_blocks = "axes IN (SELECT axes FROM axis_labels WHERE label = ?)"
        return Narrowing(
            f"{in_blocks} OR number IN (SELECT machine FROM results WHERE {compared})", (label, self.value, label)
        )


def _found(item: Item, of: Kind, name: str) -> Any:
    if of == "parameter":
        return item.parameter(name)
    if of == "result":
        return item.result(name)
    return next((said for each in item.ancestors() if (said := each.comment(name)) is not MISSING), MISSING)


class _Fact(Labeler):
    """Something that an item may have: to be compared, as in `Result("Accuracy") > 0.9`, or a label."""

    _of: Kind

    def __init__(self, label: str) -> None:
        self.names = (label,)

    def labels(self, item: Item) -> dict[str, Any]:
        return {self._label: _found(item, self._of, self._label)}

    @property
    def _label(self) -> str:
        return self.names[0]

    def __eq__(self, value: object) -> Comparison:  # type: ignore[override]
        return Comparison(self._label, "==", value, of=self._of)

    def __ne__(self, value: object) -> Comparison:  # type: ignore[override]
        return Comparison(self._label, "!=", value, of=self._of)

    def __lt__(self, value: object) -> Comparison:
        return Comparison(self._label, "<", value, of=self._of)

    def __le__(self, value: object) -> Comparison:
        return Comparison(self._label, "<=", value, of=self._of)

    def __gt__(self, value: object) -> Comparison:
        return Comparison(self._label, ">", value, of=self._of)

    def __ge__(self, value: object) -> Comparison:
        return Comparison(self._label, ">=", value, of=self._of)

    def isin(self, values: Sequence[object]) -> Qualifier:
        """One of several values."""
        if not values:
            raise ConfigurationError(f"{type(self).__name__}({self._label!r}).isin: takes at least one value, got none")
        return reduce(operator.or_, [self == value for value in values])

    __hash__ = None  # type: ignore[assignment]


class Result(_Fact):
    """A result of the machine itself: `Result("Accuracy") > 0.9`."""

    _of = "result"


class Comment(_Fact):
    """A comment on the item, or on the nearest above it: `Comment("Fold") == 3`."""

    _of = "comment"


class Parameter(_Fact):
    """A parameter of its configuration, or of the nearest above it: `Parameter("kernel.sigma") < 1`."""

    _of = "parameter"
