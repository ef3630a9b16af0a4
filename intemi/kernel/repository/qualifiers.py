"""Qualifiers: which items a question is about. They are combined with `&`, `|` and `~`.

>>> (OfType("ClassificationTest") & ~At("**/baseline")) | Named("svm test")
Or(first=And(first=OfType(machine='ClassificationTest'), second=Not(inner=At(pattern='**/baseline'))), \
second=Named(name='svm test'))
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

from intemi.kernel import registry
from intemi.kernel.component import Component
from intemi.kernel.machine import Machine
from intemi.kernel.parameters import parameter
from intemi.kernel.repository.item import MISSING, Item

_COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Qualifier(Component):
    """Tells which items a question is about."""

    def qualifies(self, item: Item) -> bool:
        """Whether this item is one of them."""
        raise NotImplementedError(f"{self.kind}: write its method qualifies")

    def kinds(self) -> set[str] | None:
        """The kinds of machines that can qualify; None if it may be any."""
        return None

    def __and__(self, other: Qualifier) -> Qualifier:
        return And(self, other)

    def __or__(self, other: Qualifier) -> Qualifier:
        return Or(self, other)

    def __invert__(self) -> Qualifier:
        return Not(self)


class And(Qualifier):
    """Both."""

    first: Qualifier
    second: Qualifier

    def qualifies(self, item: Item) -> bool:
        return self.first.qualifies(item) and self.second.qualifies(item)

    def kinds(self) -> set[str] | None:
        first, second = self.first.kinds(), self.second.kinds()
        return second if first is None else first if second is None else first & second


class Or(Qualifier):
    """One of them, or both."""

    first: Qualifier
    second: Qualifier

    def qualifies(self, item: Item) -> bool:
        return self.first.qualifies(item) or self.second.qualifies(item)

    def kinds(self) -> set[str] | None:
        first, second = self.first.kinds(), self.second.kinds()
        return None if first is None or second is None else first | second


class Not(Qualifier):
    """Not those."""

    inner: Qualifier

    def qualifies(self, item: Item) -> bool:
        return not self.inner.qualifies(item)


class OfType(Qualifier):
    """Machines of a class, or of one that inherits from it; the class or its registered name."""

    machine: str

    def __init__(self, machine: str | type[Machine]) -> None:
        object.__setattr__(self, "machine", machine if isinstance(machine, str) else machine.registered_name)
        self.__post_init__()

    def qualifies(self, item: Item) -> bool:
        config = item.config
        return item.kind in self.kinds() if config is None else isinstance(config, registry.component(self.machine))

    def kinds(self) -> set[str]:
        cls = registry.component(self.machine)
        return {each.__name__ for each in registry.components().values() if issubclass(each, cls)}


class Named(Qualifier):
    """Items with a name among their siblings; `*` stands for anything."""

    name: str

    def qualifies(self, item: Item) -> bool:
        return fnmatchcase(item.name, self.name)


class At(Qualifier):
    """Items whose path below the root fits a pattern: `"test/*"`; `**` stands for any number of steps.

    The names on a path are those of the parts of a configuration, so `"test/svm test"` means the part of that path in
    every repetition and fold.
    """

    pattern: str

    def qualifies(self, item: Item) -> bool:
        return fits(tuple(self.pattern.split("/")), item.names)


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
    of: Literal["result", "comment", "parameter"] = parameter(default="result")

    def qualifies(self, item: Item) -> bool:
        found = self._found(item)
        try:
            return found is not MISSING and bool(_COMPARISONS[self.by](found, self.value))
        except TypeError:
            return False  # they cannot be compared

    def _found(self, item: Item) -> Any:
        if self.of == "parameter":
            return item.parameter(self.label)
        if self.of == "result":
            return item.results.get(self.label, MISSING)
        while self.label not in item.comments and item.above is not None:
            item = item.above
        return item.comments.get(self.label, MISSING)


class _Compared:
    """What a comparison is about: `Result("Accuracy") > 0.9`."""

    _of: Literal["result", "comment", "parameter"]

    def __init__(self, label: str) -> None:
        self._label = label

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
        found: Qualifier = Comparison(self._label, "==", values[0], of=self._of)
        for value in values[1:]:
            found |= Comparison(self._label, "==", value, of=self._of)
        return found

    __hash__ = None  # type: ignore[assignment]


class Result(_Compared):
    """A result of the machine itself: `Result("Accuracy") > 0.9`."""

    _of = "result"


class Comment(_Compared):
    """A comment on the item, or on the nearest above it: `Comment("Fold") == 3`."""

    _of = "comment"


class Parameter(_Compared):
    """A parameter of its configuration, or of the nearest above it: `Parameter("kernel.sigma") < 1`."""

    _of = "parameter"
