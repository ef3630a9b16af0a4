"""Watching: whether a name that a fingerprint went through was rebound since."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from intemi.kernel.source.holdings import attributes_of

_Scope = Mapping[str, Any]
_BY_IDENTITY: Any = object.__eq__
_Held = tuple[_Scope, Callable[[_Scope], tuple[object, ...]], tuple[object, ...]]


class Watch:
    """The names that a fingerprint went through, and what they stood for: are they rebound, it may be another one."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[_Scope, set[str]]] = {}
        self._classes: list[tuple[type, int, frozenset[str], frozenset[str]]] = []
        self._code: list[_Held] = []
        self._constants: list[_Held] = []

    def __reduce__(self) -> Any:
        return Watch, ()  # a worker process gets the class as it is now

    def add_names(self, scope: _Scope, names: Iterable[str]) -> None:
        """Note what global names stand for."""
        self._names.setdefault(id(scope), (scope, set()))[1].update(names)

    def add_class(self, cls: type, names: Iterable[str], without: Iterable[str]) -> None:
        """Note what a class holds, without what its code sets."""
        self._classes.append((cls, len(vars(cls)), frozenset(names), frozenset(without)))
        self._names[id(cls)] = vars(cls), set(names)

    def start(self) -> None:
        """Hold on to what all names stand for; they are read in a few calls, because each request asks."""
        for scope, names in self._names.values():
            code = {name for name in names if type(scope[name]).__eq__ is _BY_IDENTITY}
            for held, chosen in (self._code, code), (self._constants, names - code):
                if chosen:
                    getter: Any = operator.itemgetter(min(chosen), *chosen)  # of one name, it would give no tuple
                    held.append((scope, getter, getter(scope)))

    @property
    def is_over(self) -> bool:
        """Whether a name was rebound: a helper or a constant defined anew, an attribute of a class set."""
        try:
            for scope, getter, values in self._code:
                if getter(scope) != values:  # much quicker than `is` for each
                    return True
            for scope, getter, values in self._constants:
                if not all(map(operator.is_, getter(scope), values)):  # 1 == 1.0 == True
                    return True
        except (KeyError, ValueError):  # a name is gone, or stands for an array
            return True
        for cls, size, names, without in self._classes:
            # Python adds attributes of its own, such as __slotnames__ when an instance is first pickled.
            if len(vars(cls)) != size and attributes_of(cls).keys() - without != names:
                return True
        return False
