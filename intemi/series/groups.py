"""Groups: series in order, each with the cells of the labels by which it was told from the others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from intemi.series.cells import Cell, cell, identity, same
from intemi.series.columns import settled
from intemi.series.display import groups_html, groups_text
from intemi.series.errors import SeriesError, listed, shown

if TYPE_CHECKING:
    from intemi.series.series import Series

Key = tuple[Cell, ...]


class Groups:
    """Series by the cells of their group labels, in order.

    Going through groups gives the series, so that they can be unpacked.

    >>> from intemi.series import Series
    >>> s = Series({"Accuracy": [0.9, 0.8, 0.7, 0.6], "machine": ["knn", "svm", "knn", "svm"], "Fold": [0, 0, 1, 1]})
    >>> groups = s.group_by("machine")
    >>> groups
    Groups by machine
      knn: 2 rows
      svm: 2 rows
    >>> knn, svm = groups
    >>> groups["knn"] == knn
    True
    """

    __slots__ = ("_keys", "_labels", "_members")

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, labels: Sequence[str], members: Iterable[tuple[Sequence[Any], Series]]) -> None:
        """`members` are pairs of the cells of the group labels and the series of that group."""
        self._labels = tuple(labels)
        self._keys: dict[Hashable, Key] = {}
        self._members: dict[Hashable, Series] = {}
        for given, series in members:
            key = tuple(map(cell, given))
            if len(key) != len(self._labels):
                raise SeriesError(
                    f"Groups: a key must have a cell for each of {listed(self._labels)}, got {shown(key)}"
                )
            found = tuple(map(identity, key))
            if found in self._keys:
                raise SeriesError(f"Groups: the keys of groups must differ, got {shown(key)} twice")
            self._keys[found] = key
            self._members[found] = series
        self._check()

    def _check(self) -> None:
        series = tuple(self)
        for each, key in zip(series, self.keys(), strict=True):
            clash = [label for label in self._labels if label in each.labels]
            if clash:
                raise SeriesError(f"Groups: the series of a group must not have the group's label {clash[0]}")
            if each.labels != series[0].labels or each.main != series[0].main:
                raise SeriesError(
                    f"Groups: all groups must have the same labels, "
                    f"got {listed(series[0].labels)} (main {series[0].main}) "
                    f"and for {shown(key)} {listed(each.labels)} (main {each.main})"
                )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels by which the groups were made.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9], "machine": ["knn"]}).group_by("machine").labels
        ('machine',)
        """
        return self._labels

    def keys(self) -> tuple[Key, ...]:
        """The cells of the group labels, for each group.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "machine": ["knn", "svm"]}).group_by("machine").keys()
        (('knn',), ('svm',))
        """
        return tuple(self._keys.values())

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Series]:
        return iter(self._members.values())

    def __contains__(self, key: object) -> bool:
        """Whether there is a group of this key."""
        return self._found(key) in self._keys

    def __getitem__(self, key: Any) -> Series:
        """The series of a key; with one group label, its cell will do."""
        found = self._found(key)
        if found not in self._keys:
            raise SeriesError(f"Groups: a key must be one of {listed(map(str, self.keys()))}, got {shown(key)}")
        return self._members[found]

    def select(self, chosen: Callable[[Series], Any] | Iterable[Any]) -> Self:
        """The groups whose series satisfy a predicate; or those of some keys, in the order of these.

        >>> from intemi.series import Series
        >>> groups = Series({"Accuracy": [0.9, 0.8], "machine": ["knn", "svm"]}).group_by("machine")
        >>> groups.select(["svm"]).keys(), groups.select(lambda series: series.mean() > 0.85).keys()
        ((('svm',),), (('knn',),))
        """
        if callable(chosen):
            kept = [found for found, series in self._members.items() if chosen(series)]
        else:
            kept = []
            for key in chosen:
                self[key]
                kept.append(self._found(key))
        return type(self)(self._labels, [(self._keys[found], self._members[found]) for found in kept])

    def map(self, transformation: Callable[[Series], Any]) -> Self:
        """The same groups, each transformed as `Series.map` does it.

        >>> from intemi.series import Series
        >>> s = Series({"Accuracy": [0.9, 0.8, 0.7], "machine": ["knn", "svm", "knn"]})
        >>> s.group_by("machine").map(Series.mean).ungroup()
        machine  Accuracy*
        knn            0.8
        svm            0.8
        2 rows
        """
        return type(self)(self._labels, zip(self.keys(), [each.map(transformation) for each in self], strict=True))

    def ungroup(self) -> Series:
        """One series of all groups, one after the other; the group labels come first.

        >>> from intemi.series import Series
        >>> s = Series({"Accuracy": [0.9, 0.8, 0.7], "machine": ["knn", "svm", "knn"]})
        >>> s.group_by("machine").ungroup()
        machine  Accuracy*
        knn            0.9
        knn            0.7
        svm            0.8
        3 rows
        """
        series = tuple(self)
        if not series:
            raise SeriesError("ungroup: there must be at least one group, got none")
        rest = series[0].concat(*series)
        columns = {}
        for index, label in enumerate(self._labels):
            cells = [[key[index]] * len(each) for key, each in zip(self.keys(), series, strict=True)]
            columns[label] = settled([each for repeated in cells for each in repeated])
        return rest._of({**columns, **{label: rest[label] for label in rest.labels}}, rest.main)

    def __eq__(self, other: object) -> bool:
        """Whether group labels, keys, their order and all series are the same."""
        if not isinstance(other, Groups):
            return NotImplemented
        return (
            self._labels == other._labels
            and len(self) == len(other)
            and all(all(map(same, one, two)) for one, two in zip(self.keys(), other.keys(), strict=True))
            and all(one == two for one, two in zip(self, other, strict=True))
        )

    def __repr__(self) -> str:
        return groups_text(self._labels, [(key, len(each)) for key, each in zip(self.keys(), self, strict=True)])

    def _repr_html_(self) -> str:
        return groups_html(self._labels, [(key, len(each)) for key, each in zip(self.keys(), self, strict=True)])

    def _found(self, key: Any) -> Hashable:
        cells = key if isinstance(key, tuple) else (key,)
        return tuple(identity(cell(each)) for each in cells)
