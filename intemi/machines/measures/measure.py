"""Measures: numbers that say how good the answers of a classifier are. A measure is one small class.

Its method `of` says by the names of its arguments what it needs, so that nothing is computed in vain and nothing twice.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from intemi.data import Data
from intemi.kernel import Component, ConfigurationError
from intemi.kernel.machine import Best
from intemi.kernel.repository.query import Objective, Query, Statistic
from intemi.machines.interfaces import Classifier, Codes, Floats, translated_codes

EVIDENCE = ("true", "answers", "probabilities", "weights", "labels", "confusion")
"""What a measure can ask for: the attributes of `Evidence`."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a classifier answered for rows whose class is known: all that measures are computed from."""

    true: Codes
    """For each row the index of its class."""
    answers: Codes
    """For each row the index of the class that was answered."""
    probabilities: Floats | None
    """A row of probabilities for each case, a column for each class; None if no measure needs them."""
    weights: Floats
    labels: tuple[str, ...]
    """The names of the classes."""

    @cached_property
    def confusion(self) -> Floats:
        """The weight of the cases of each class (a row) that were answered with each class (a column)."""
        count = len(self.labels)
        sums = np.bincount(self.true * count + self.answers, self.weights, minlength=count * count)
        return np.asarray(sums.reshape(count, count), dtype=np.float64)


class Measure(Component):
    """A number (or a vector, or a matrix) computed from the answers of a classifier. Write `of`, and no more.

    The arguments of `of` are what it needs, by name: `true` and `answers` (indices of classes), `probabilities` (rows ×
    classes), `weights` (of rows), `labels` (names of classes), `confusion` (weights; rows are the true classes).

    `name` is the label of the result: that of the class in words, with the parameters that differ from their defaults,
    if it is not given. `best` says which values are best, "highest" (the default), "lowest", or None of what cannot be
    ordered.

    >>> class GeometricMean(Measure):
    ...     '''The geometric mean of the shares of right answers within each class.'''
    ...     def of(self, confusion):
    ...         sizes = confusion.sum(axis=1)
    ...         shares = confusion.diagonal()[sizes > 0] / sizes[sizes > 0]
    ...         return shares.prod() ** (1 / len(shares))
    >>> GeometricMean().name, GeometricMean().best, GeometricMean().needs
    ('Geometric mean', 'highest', ('confusion',))
    """

    needs: ClassVar[tuple[str, ...]] = ()
    """The names of the arguments of `of`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        best = vars(cls).get("best")
        if not isinstance(best, property) and best not in ("highest", "lowest", None):
            raise ConfigurationError(f"{cls.__qualname__}: best must be 'highest', 'lowest' or None, got {best!r}")
        if "of" in vars(cls):
            cls.needs = tuple(inspect.signature(cls.of).parameters)[1:]
            for name in cls.needs:
                if name not in EVIDENCE:
                    raise ConfigurationError(
                        f"{cls.__qualname__}: of can ask for {', '.join(EVIDENCE)}, but it asks for {name!r}"
                    )

    @abstractmethod
    def of(self, *args: Any, **evidence: Any) -> Any:
        """The value; subclasses name what they need."""

    @property
    def name(self) -> str:
        """The label of the result."""
        known: str | None = self.__dict__.get("_name")
        if known is None:
            usual = {field.name: field.default for field in dataclasses.fields(self)}
            told = [f"{name}={value}" for name, value in self.parameters().items() if value != usual[name]]
            known = self.__dict__["_name"] = in_words(self.kind) + (f" ({', '.join(told)})" if told else "")
        return known

    @property
    def best(self) -> Best:
        """Which values are best."""
        return "highest"

    def measured(self, evidence: Evidence) -> Any:
        """The value for some evidence: a float, or an array."""
        value = self.of(**{name: getattr(evidence, name) for name in self.needs})
        if isinstance(value, np.ndarray) and value.ndim:
            return value
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ConfigurationError(f"{self.kind}.of must return a number or an array, got {value!r}") from None

    def objective(self, path: str, statistic: Statistic = "mean") -> Objective:
        """The objective of a search: a statistic of this measure over all tests at a path, the best of its values.

        >>> from intemi.machines.measures import LogLoss
        >>> LogLoss().objective("test/svm test").best
        'lowest'
        """
        if self.best is None:
            raise ConfigurationError(f"{self.kind}: its values cannot be ordered, so it cannot be an objective")
        return Objective(Query(path, self.name), statistic, self.best)


def measure(measures: Iterable[Measure], data: Data, classifier: Classifier, who: str) -> dict[str, Any]:
    """The values of measures by their names, for data and a classifier; rows whose class is not known do not count.

    `who` is the machine that complains if there is nothing to measure.
    """
    chosen = list(measures)
    data, true = rows_to_test(data, classifier.labels, who)
    if any("probabilities" in each.needs for each in chosen):
        answers, probabilities = classifier.answers(data)
        evidence = Evidence(true, answers, probabilities, data.weights, classifier.labels)
    else:
        evidence = Evidence(true, classifier.classify(data), None, data.weights, classifier.labels)
    return {each.name: each.measured(evidence) for each in chosen}


def rows_to_test(data: Data, labels: tuple[str, ...], who: str) -> tuple[Data, Codes]:
    """The rows whose class is known, and their classes as a classifier counts them that knows these labels."""
    known = data.classes >= 0
    data = data if known.all() else data.select_rows(known)
    if not len(data):
        raise ConfigurationError(f"{who}: there is no row whose class is known")
    if data.labels == labels:
        return data, data.classes
    classes = translated_codes(
        labels,
        data.labels,
        data.classes.astype(np.float64),
        lambda unknown: ConfigurationError(
            f"{who}: the classifier knows the classes {', '.join(labels)}, but the data have {', '.join(data.labels)}"
        ),
    )
    return data, classes.astype(np.int32)


def check_names(kind: str, measures: Iterable[Measure]) -> None:
    """Refuse measures that cannot be told apart by their names."""
    seen: dict[str, Measure] = {}
    for each in measures:
        if each.name in seen:
            raise ConfigurationError(
                f"{kind}: measures must have different names, got {seen[each.name]!r} and {each!r}, "
                f"both called {each.name!r}"
            )
        seen[each.name] = each


def in_words(name: str) -> str:
    """The name of a class as a label.

    >>> in_words("LogLoss"), in_words("PRAUC"), in_words("F1")
    ('Log loss', 'PRAUC', 'F1')
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).split()
    rest = [word if word.isupper() else word.lower() for word in words[1:]]
    return " ".join([*words[:1], *rest])
