"""A candidate: values for some parameters of a configuration, by their paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from intemi.kernel import Component, ConfigurationError
from intemi.kernel.encoding import encode
from intemi.kernel.parameters import Refused, freeze

_C = TypeVar("_C", bound=Component)


class Candidate(Mapping[str, Any]):
    """An immutable mapping of paths to values, in the order in which they are to be put in.

    Candidates are equal if they have the same values, of the same types, at the same paths.

    >>> candidate = Candidate({"svm.C": 2.0}) | {"svm.tolerance": 0.01}
    >>> candidate
    Candidate({'svm.C': 2.0, 'svm.tolerance': 0.01})
    >>> Candidate({"knn.k": 1}) == Candidate({"knn.k": 1.0})
    False
    """

    __slots__ = ("_identity", "_values")

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = {path: _frozen(path, value) for path, value in (values or {}).items()}
        self._identity: frozenset[tuple[str, bytes]] | None = None

    def __getitem__(self, path: str) -> Any:
        return self._values[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __or__(self, other: Mapping[str, Any]) -> Candidate:
        return Candidate({**self, **other})

    def __eq__(self, other: object) -> bool:
        return self._encoded() == other._encoded() if isinstance(other, Candidate) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._encoded())

    def __repr__(self) -> str:
        return f"Candidate({self._values!r})"

    def _encoded(self) -> frozenset[tuple[str, bytes]]:
        if self._identity is None:  # to Python, 1, 1.0 and True are equal
            self._identity = frozenset((path, encode(value)) for path, value in self._values.items())
        return self._identity

    def applied_to(self, configuration: _C) -> _C:
        """The configuration with these values put in, in order.

        >>> from intemi.machines.classifiers import SVM
        >>> Candidate({"C": 4, "kernel.sigma": 0.5}).applied_to(SVM())
        SVM(C=4.0, kernel=GaussianKernel(sigma=0.5), tolerance=0.001)
        """
        for path, value in self._values.items():
            configuration = configuration.replace(path, value)
        return configuration


def _frozen(path: str, value: Any) -> Any:
    try:
        return freeze(value)
    except Refused as allowed:
        raise ConfigurationError(f"Candidate: the value at {path} must be {allowed}, got {value!r}") from None


def check_paths(kind: str, paths: Sequence[str]) -> None:
    """Refuse paths that lead nowhere, that meet, or of which a later one replaces what holds an earlier one.

    >>> check_paths("Grid", ["svm.kernel.sigma", "svm/kernel"])
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: Grid: 'svm/kernel' would replace what holds 'svm.kernel.sigma'; \
put it before that
    """
    earlier: dict[tuple[str, ...], str] = {}
    for path in paths:
        steps = tuple(path.replace("/", ".").split("."))
        if not all(steps):
            raise ConfigurationError(f"{kind}: a path must be written like 'test/svm.kernel.sigma', got {path!r}")
        for known, known_path in earlier.items():
            if known == steps:
                raise ConfigurationError(f"{kind}: its paths must differ, got {known_path!r} and {path!r}")
            if known[: len(steps)] == steps:
                raise ConfigurationError(
                    f"{kind}: {path!r} would replace what holds {known_path!r}; put it before that"
                )
        earlier[steps] = path
