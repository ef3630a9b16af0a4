"""What the members of a committee answer for the same rows: the arrays that decision rules and tie rules work on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Classifier, Codes, Floats

LABELS, PROBABILITIES, SUPPORTS = "labels", "probabilities", "supports"
"""What a rule may need to know of members: the names of fields of `Answers`."""
ABSTAINS = -1
"""The label of a member that does not take part in the decision about a row; its probabilities are all 0."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of members, in the order of the members. What no rule needs may be None.

    A member that abstains on a row has the label -1 and no probability there: so members that may not answer for some
    rows, such as those that were trained on them, are left out of the decision about these rows.
    """

    weights: Floats
    """The vote weight of each member."""
    priors: Floats
    """The shares of the classes in the training data; as many as there are classes."""
    rows: Codes
    """What the rows are known by, wherever they stand: `Data.origins`."""
    labels: Codes | None = None
    """Members × rows: the index of a class."""
    probabilities: Floats | None = None
    """Members × rows × classes."""
    supports: Floats | None = None
    """Members × rows × classes: the weight of the training rows behind an answer, as in the leaf of a tree."""

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self.weights)

    def first(self, size: int) -> Answers:
        """The answers of the first members."""
        return self._with_each(lambda each: each[:size], weights=self.weights[:size])

    def at(self, rows: Any) -> Answers:
        """The answers for some of the rows, by position or by truth values."""
        return self._with_each(lambda each: each[:, rows], rows=self.rows[rows])

    def without(self, left_out: Any) -> Answers:
        """The same with some answers left out: truth values, members × rows.

        >>> answers = Answers(np.ones(2), np.ones(2) / 2, np.arange(2), labels=np.array([[0, 1], [1, 1]]))
        >>> answers.without(np.array([[True, False], [False, False]])).labels
        array([[-1,  1],
               [ 1,  1]])
        """
        return replace(
            self,
            labels=None if self.labels is None else np.where(left_out, ABSTAINS, self.labels),
            probabilities=None if self.probabilities is None else _emptied(self.probabilities, left_out),
            supports=None if self.supports is None else _emptied(self.supports, left_out),
        )

    def _with_each(self, change: Callable[[Any], Any], **further: Any) -> Answers:
        told: dict[str, Any] = {name: getattr(self, name) for name in (LABELS, PROBABILITIES, SUPPORTS)}
        changed: dict[str, Any] = {name: None if each is None else change(each) for name, each in told.items()}
        return replace(self, **further, **changed)


def answers_of(
    members: Sequence[Classifier],
    data: Data,
    labels: tuple[str, ...],
    weights: Floats,
    priors: Floats,
    needs: Collection[str],
) -> Answers:
    """What members answer for data, aligned to the classes of a committee: what a member does not know has 0.

    `needs` are the names of what is asked: "labels", "probabilities", "supports".
    """
    told = [_told(each, data, labels, needs) for each in members]
    return Answers(weights, priors, data.origins, **{name: np.array([each[name] for each in told]) for name in needs})


def needed_by(*rules: Any) -> frozenset[str]:
    """What some decision rules and tie rules need together."""
    return frozenset[str]().union(*(each.needs for each in rules))


def places_of(member: Classifier, labels: Iterable[str]) -> Codes:
    """Where the classes of a member stand among those of its committee."""
    places = {label: index for index, label in enumerate(labels)}
    if unknown := [label for label in member.labels if label not in places]:
        raise ConfigurationError(
            f"Committee: a member knows the class {unknown[0]!r}, but the data have {', '.join(places)}"
        )
    return np.array([places[label] for label in member.labels], dtype=np.int32)


def _told(member: Classifier, data: Data, labels: tuple[str, ...], needs: Collection[str]) -> dict[str, Any]:
    """What one member answers."""
    told: dict[str, Any] = {}
    if LABELS in needs and PROBABILITIES in needs:
        told[LABELS], told[PROBABILITIES] = member.answers(data)
    elif LABELS in needs:
        told[LABELS] = member.classify(data)
    elif PROBABILITIES in needs:
        told[PROBABILITIES] = member.probabilities(data)
    if SUPPORTS in needs:
        told[SUPPORTS] = _supports(member, data)
    return told if member.labels == labels else {name: _aligned(member, each, labels) for name, each in told.items()}


def _supports(member: Classifier, data: Data) -> Floats:
    supports = member.supports(data)
    if supports is None:
        raise ConfigurationError(
            f"Support: members must tell how many rows are behind an answer, as trees do, got {type(member).__name__}"
        )
    return supports


def _aligned(member: Classifier, values: Any, labels: tuple[str, ...]) -> Any:
    """Labels, or values of the classes, of a member in terms of the classes of the committee."""
    places = places_of(member, labels)
    if values.ndim == 1:
        return np.append(places, np.int32(ABSTAINS))[values]
    aligned = np.zeros((len(values), len(labels)))
    aligned[:, places] = values
    return aligned


def _emptied(values: Floats, left_out: Any) -> Floats:
    return np.asarray(np.where(left_out[:, :, None], 0.0, values))
