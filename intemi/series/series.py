"""The series: what a query returns, an ordered table of labels and values with one main label."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from intemi.series.arithmetic import Arithmetic
from intemi.series.cells import cell, identity
from intemi.series.columns import cells_of, chained, taken
from intemi.series.errors import SeriesError, listed, shown
from intemi.series.exchange import Exchange
from intemi.series.groups import Groups
from intemi.series.ordering import ordered
from intemi.series.pairing import identities, partners, shared_labels

Predicate = Callable[[dict[str, Any]], Any]
"""What a row, as a dict, must satisfy."""


class Series(Arithmetic, Exchange):
    """An immutable, ordered table of labels and cells, with one main label.

    >>> s = Series({"Accuracy": [0.9, 0.85, 0.8], "Fold": [0, 1, 2]})
    >>> s
    Accuracy*  Fold
         0.90     0
         0.85     1
         0.80     2
    3 rows
    >>> s["Fold"]
    array([0, 1, 2])
    >>> s[s["Fold"] > 0].mean()
    0.825
    """

    __slots__ = ()

    def with_main(self, label: str) -> Self:
        """The same rows, with another main label.

        >>> Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}).with_main("Fold").max()
        1
        """
        self._known([label], "the main label")
        return self._of(self._columns, label)

    def with_column(self, label: str, values: Any) -> Self:
        """A column more, or another one in its place; one number, text or None is meant for every row.

        >>> Series({"Accuracy": [0.9, 0.8]}).with_column("machine", "knn")
        Accuracy*  machine
              0.9  knn
              0.8  knn
        2 rows
        """
        if values is None or isinstance(values, bool | int | float | str | np.generic):
            values = [values] * len(self)
        return type(self)({**self._columns, label: values}, self._main)

    def without(self, *labels: str) -> Self:
        """All columns but some; the main one must stay.

        >>> Series({"Accuracy": [0.9], "Fold": [0], "seed": [1]}).without("Fold", "seed").labels
        ('Accuracy',)
        """
        self._known(labels)
        if self._main in labels:
            raise SeriesError(f"without: the main label {self._main} must stay; with_main names another one")
        return self._of({label: values for label, values in self._columns.items() if label not in labels}, self._main)

    def renamed(self, names: Mapping[str, str] | None = None, /, **more: str) -> Self:
        """Other names for labels, by the old ones.

        >>> Series({"Accuracy": [0.9], "Fold": [0]}).renamed(Fold="fold").labels
        ('Accuracy', 'fold')
        """
        changes = {**(names or {}), **more}
        self._known(changes)
        labels = [changes.get(label, label) for label in self._columns]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise SeriesError(f"renamed: labels must differ, got {shown(twice)} twice")
        columns: dict[str, Iterable[Any]] = dict(zip(labels, self._columns.values(), strict=True))
        return type(self)(columns, changes.get(self._main, self._main))

    def where(self, condition: Predicate | Mapping[str, Any] | None = None, /, **cells: Any) -> Self:
        """The rows that satisfy a predicate, and whose labels have the cells given, or one of a list of them.

        >>> s = Series({"Accuracy": [0.9, 0.8, 0.7], "machine": ["knn", "svm", "knn"], "Fold": [0, 0, 1]})
        >>> len(s.where(machine="knn", Fold=[0, 1])), len(s.where(lambda row: row["Accuracy"] > 0.75))
        (2, 2)
        """
        kept = np.ones(len(self), dtype=bool)
        if callable(condition):
            kept &= np.array([bool(condition(row)) for row in self], dtype=bool)
        elif condition is not None:
            cells = {**condition, **cells}
        self._known(cells)
        for label, wanted in cells.items():
            several = isinstance(wanted, list | tuple | set | frozenset | range | np.ndarray)
            found = {identity(cell(each)) for each in (wanted if several else [wanted])}
            kept &= np.array([identity(each) in found for each in cells_of(self._columns[label])], dtype=bool)
        return self._taken(np.flatnonzero(kept))

    def sort_by(self, *labels: str, descending: bool = False) -> Self:
        """The rows in the order of labels; equals stay as they are, None and NaN come last.

        >>> Series({"Accuracy": [0.9, 0.7, 0.8]}).sort_by("Accuracy").values
        array([0.7, 0.8, 0.9])
        """
        self._known(labels)
        positions = np.arange(len(self))
        for label in reversed(labels):
            positions = positions[ordered(taken(self._columns[label], positions), descending)]
        return self._taken(positions)

    def unpack(self, *labels: str, position: str = "Position") -> Self:
        """One long series of what vectors hold: a row for each of their values, all other cells repeated.

        `labels` are those whose cells are vectors, by default the main one; in each row they must be equally long. The
        new label `position` counts from 0 in each vector. Of a matrix, rows are unpacked; None gives no row.

        >>> Series({"Correct": [[1, 0], [1, 1, 1]], "Fold": [1, 2]}).unpack()
        Correct*  Fold  Position
               1     1         0
               0     1         1
               1     2         0
               1     2         1
               1     2         2
        5 rows
        """
        wanted = labels or (self._main,)
        self._known(wanted)
        if position in self._columns:
            raise SeriesError(f"unpack: there is a label {position} already; position= names another one")
        vectors = {label: [_vector(label, each) for each in cells_of(self._columns[label])] for label in wanted}
        sizes = [len(each) for each in vectors[wanted[0]]]
        for label in wanted:
            for row, (size, vector) in enumerate(zip(sizes, vectors[label], strict=True)):
                if len(vector) != size:
                    raise SeriesError(
                        f"unpack: vectors of a row must be equally long, got {size} values of {wanted[0]} "
                        f"and {len(vector)} of {label} in row {row}"
                    )
        repeated = self._taken(np.repeat(np.arange(len(self)), sizes))._columns
        columns: dict[str, Iterable[Any]] = {
            label: [each for vector in vectors[label] for each in vector] if label in vectors else values
            for label, values in repeated.items()
        }
        return type(self)({**columns, position: [place for size in sizes for place in range(size)]}, self._main)

    def group_by(self, *labels: str) -> Groups:
        """Groups of the rows that have the same cells of some labels, in the order of first appearance.

        The series of a group do not have these labels: they are the group's.

        >>> s = Series({"Accuracy": [0.9, 0.8, 0.7], "machine": ["knn", "svm", "knn"]})
        >>> [series.mean() for series in s.group_by("machine")]
        [0.8, 0.8]
        """
        self._known(labels)
        if not labels or len(set(labels)) < len(labels):
            raise SeriesError(f"group_by: takes one or more different labels, got {listed(labels)}")
        rest = self.without(*labels)
        places: dict[Hashable, list[int]] = {}
        for position, key in enumerate(identities(self, labels)):
            places.setdefault(key, []).append(position)
        members = []
        for positions in places.values():
            first = self.row(positions[0])
            members.append(([first[label] for label in labels], rest._taken(np.array(positions, dtype=np.int64))))
        return Groups(labels, members)

    def group_modulo(self, n: int, label: str = "group") -> Groups:
        """n groups: row i goes to group i modulo n; the group's number is its label.

        >>> Series({"Accuracy": [0.9, 0.8, 0.7]}).group_modulo(2)[0].values
        array([0.9, 0.7])
        """
        if n < 1:
            raise SeriesError(f"group_modulo: n must be at least 1, got {n}")
        return Groups([label], [([number], self[number::n]) for number in range(n)])

    def split(self, *sizes: int, label: str = "group") -> Groups:
        """Groups of consecutive rows, of the sizes given; the group's number is its label.

        >>> [len(series) for series in Series({"Accuracy": [0.9, 0.8, 0.7]}).split(1, 2)]
        [1, 2]
        """
        if any(size < 0 for size in sizes) or sum(sizes) != len(self):
            raise SeriesError(f"split: sizes must sum up to {len(self)}, the number of rows, got {shown(sizes)}")
        ends = np.cumsum(sizes).tolist()
        pairs = zip(ends, sizes, strict=True)
        return Groups([label], [([number], self[end - size : end]) for number, (end, size) in enumerate(pairs)])

    def join(
        self,
        other: Series,
        on: str | Sequence[str] | None = None,
        suffixes: tuple[str, str] = (" (left)", " (right)"),
    ) -> Self:
        """The columns of both, in the order of the rows of this one; each row must have exactly one partner.

        Rows are partners if they have the same cells of `on`: by default, of all labels that both have except the main
        ones. Other labels that both have get the suffixes.

        >>> knn = Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]})
        >>> svm = Series({"Accuracy": [0.7, 0.6], "Fold": [1, 0]})
        >>> knn.join(svm, suffixes=(" of knn", " of svm"))
        Accuracy of knn*  Fold  Accuracy of svm
                     0.9     0              0.6
                     0.8     1              0.7
        2 rows
        """
        labels = shared_labels(self, other) if on is None else (on,) if isinstance(on, str) else tuple(on)
        if not labels:
            raise SeriesError(
                "join: on must name at least one label that both series have, "
                f"got series of {listed(self.labels)} and of {listed(other.labels)}"
            )
        self._known(labels, "join: on")
        other._known(labels, "join: on")
        positions = partners(self, other, labels, "join", "on= names other labels")
        clashing = [label for label in self.labels if label in other.labels and label not in labels]
        left = self.renamed({label: label + suffixes[0] for label in clashing})
        right = other.renamed({label: label + suffixes[1] for label in clashing})
        more = {label: taken(right[label], positions) for label in right.labels if label not in labels}
        clash = next((label for label in more if label in left.labels), None)
        if clash is not None:
            raise SeriesError(f"join: labels must differ, got {shown(clash)} twice")
        return self._of({**left._columns, **more}, left.main)

    def map(self, transformation: Callable[[Self], Any]) -> Series:
        """What a transformation makes of this series: a series, a number, or a mapping of labels to cells (one row).

        >>> Series({"Accuracy": [0.9, 0.8]}).map(lambda s: {"Best": s.max(), "Rows": len(s)})
        Best*  Rows
          0.9     2
        1 row
        """
        result = transformation(self)
        if isinstance(result, Series):
            return result
        if isinstance(result, Mapping):
            return Series({label: [value] for label, value in result.items()})
        return Series({self._main: [result]})

    @classmethod
    def concat(cls, *series: Series) -> Self:
        """The rows of several series of the same labels, one after the other.

        >>> len(Series.concat(Series({"Accuracy": [0.9]}), Series({"Accuracy": [0.8, 0.7]})))
        3
        """
        if not series:
            raise SeriesError("concat: takes at least one series, got none")
        first = series[0]
        for each in series:
            if each.labels != first.labels or each.main != first.main:
                raise SeriesError(
                    f"concat: series must have the same labels, got {listed(first.labels)} (main {first.main}) "
                    f"and {listed(each.labels)} (main {each.main})"
                )
        return cls._of({label: chained([each[label] for each in series]) for label in first.labels}, first.main)


def _vector(label: str, each: Any) -> Sequence[Any]:
    """What a cell is unpacked into."""
    if each is None:
        return ()
    if not isinstance(each, np.ndarray):
        raise SeriesError(f"unpack: cells of {label} must be vectors, got {shown(each)}")
    return each if each.ndim > 1 else each.tolist()  # type: ignore[return-value]
