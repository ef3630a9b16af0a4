"""What single answers of learners say of each class: tables, ROC curves, and how far probabilities can be trusted.

All of it is computed from predictions, a row for each tested case, as `outcome.predictions()` gives them: the labels
"Class" and "Predicted", "P(x)" for each class x, and `machine`, `Repetition` and `Fold`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.analysis.samples import Floats, column, require
from intemi.analysis.transformation import Transformation
from intemi.series import Series

CLASS, PREDICTED = "Class", "Predicted"
TESTS = ("Repetition", "Fold")


def classes_of(predictions: Series) -> list[str]:
    """The classes that predictions have probabilities of, in their order.

    >>> classes_of(Series({"Predicted": ["yes"], "P(no)": [0.2], "P(yes)": [0.8]}))
    ['no', 'yes']
    """
    return [label[2:-1] for label in predictions.labels if label.startswith("P(") and label.endswith(")")]


@dataclass(frozen=True, repr=False, kw_only=True)
class OfAnswers(Transformation):
    """What transformations of predictions have in common: the label `of` of learners, and rows whose class is known."""

    of: str = "machine"

    def _known(self, predictions: Series) -> Series:
        for label in (CLASS, PREDICTED, self.of):
            require(predictions, label, self._refuse)
        known = predictions[[value is not None for value in column(predictions, CLASS)]]
        if not len(known):
            self._refuse("there is no row whose class is known")
        return known

    def _probabilities(self, predictions: Series, name: str) -> tuple[Floats, Any]:
        """The probabilities of a class, and which rows are of it."""
        return np.asarray(predictions[f"P({name})"], dtype=np.float64), np.array(column(predictions, CLASS)) == name

    def _learners(self, predictions: Series) -> Iterator[tuple[Any, Series]]:
        names = np.array(column(predictions, self.of), dtype=object)
        for name in dict.fromkeys(names):
            yield name, predictions[names == name]


@dataclass(frozen=True, repr=False, kw_only=True)
class PerClass(OfAnswers):
    """Precision, recall, F1 and number of cases of each class, for each learner, over all tests together.

    Precision of a class that is never answered is not defined (NaN), as is recall of one that does not occur.

    >>> answers = {"Class": ["no", "no", "yes"], "Predicted": ["no", "yes", "yes"], "machine": ["knn"] * 3}
    >>> found = PerClass()(Series({**answers, "P(no)": [0.9, 0.4, 0.3], "P(yes)": [0.1, 0.6, 0.7]}, main="Predicted"))
    >>> [(row["class"], row["precision"], row["recall"]) for row in found]
    [('no', 1.0, 0.5), ('yes', 0.5, 1.0)]
    """

    def __call__(self, predictions: Series) -> Series:
        known = self._known(predictions)
        rows = []
        for learner, answers in self._learners(known):
            true, answered = np.array(column(answers, CLASS)), np.array(column(answers, PREDICTED))
            for name in classes_of(predictions) or sorted({*true, *answered}):
                right = int(((true == name) & (answered == name)).sum())
                cases, named = int((true == name).sum()), int((answered == name).sum())
                rows.append(
                    {
                        self.of: learner,
                        "class": name,
                        "precision": _share(right, named),
                        "recall": _share(right, cases),
                        "F1": _share(2 * right, cases + named),
                        "cases": cases,
                        "answered": named,
                    }
                )
        return Series({label: [row[label] for row in rows] for label in rows[0]}, main="F1")


@dataclass(frozen=True, repr=False, kw_only=True)
class ROC(OfAnswers):
    """The ROC curve of each learner for each class against all others, the mean over tests (folds).

    Curves of single tests are averaged vertically, at `points` + 1 rates of false alarms; "AUC" is the mean of the
    areas of single tests, and "sd" their deviation. Tests without a case of the class, or with no other, do not count.
    """

    points: int = 100

    def __call__(self, predictions: Series) -> Series:
        known = self._known(predictions)
        grid = np.arange(self.points + 1) / self.points
        rows: list[dict[str, Any]] = []
        for learner, answers in self._learners(known):
            for name in classes_of(predictions):
                curves = list(self._curves(answers, name))
                if not curves:
                    continue
                areas = [float(np.trapezoid(hits, alarms)) for alarms, hits in curves]
                heights = np.mean([_height(alarms, hits, grid) for alarms, hits in curves], axis=0)
                sd = float(np.std(areas, ddof=1)) if len(areas) > 1 else math.nan
                area = {"AUC": float(np.mean(areas)), "sd": sd}
                rows += [
                    {"hits": float(hit), "false alarms": float(alarm), self.of: learner, "class": name, **area}
                    for alarm, hit in zip(grid, heights, strict=True)
                ]
        if not rows:
            self._refuse("there is no test with cases of a class and of others")
        return Series({label: [row[label] for row in rows] for label in rows[0]}, main="hits")

    def _curves(self, answers: Series, name: str) -> Iterator[tuple[Floats, Floats]]:
        scores, inside = self._probabilities(answers, name)
        places = [column(answers, label) for label in TESTS if label in answers.labels]
        tests = np.unique(np.array(list(zip(*places, strict=True))), axis=0, return_inverse=True)[1] if places else 0
        for test in np.unique(tests):
            rows = np.broadcast_to(tests == test, inside.shape)
            if 0 < inside[rows].sum() < rows.sum():
                yield roc_points(inside[rows], scores[rows])


def roc_points(inside: Any, scores: Floats) -> tuple[Floats, Floats]:
    """The rates of false alarms and of hits, as the threshold falls from above all scores to the lowest one.

    >>> alarms, hits = roc_points(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]))
    >>> alarms.tolist(), hits.tolist()
    ([0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0])
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)  # the last of each run of equal scores
    hits, alarms = np.cumsum(inside[order])[ends], np.cumsum(~inside[order])[ends]
    return np.append(0.0, alarms / alarms[-1]), np.append(0.0, hits / hits[-1])


def _height(alarms: Floats, hits: Floats, grid: Floats) -> Floats:
    """How high a curve is at rates of false alarms: linear between its points, the top of vertical parts."""
    last = np.append(np.flatnonzero(np.diff(alarms)), len(alarms) - 1)
    found: Floats = np.interp(grid, alarms[last], hits[last])
    return found


@dataclass(frozen=True, repr=False, kw_only=True)
class Reliability(OfAnswers):
    """How often a class is right where a learner gives it some probability: in `bins` of equal width, over all tests.

    A reliable learner that says 0.8 is right in 8 of 10 cases. Bins without a case are left out.
    """

    bins: int = 10

    def __call__(self, predictions: Series) -> Series:
        known = self._known(predictions)
        rows: list[dict[str, Any]] = []
        for learner, answers in self._learners(known):
            for name in classes_of(predictions):
                scores, inside = self._probabilities(answers, name)
                place = np.clip((scores * self.bins).astype(int), 0, self.bins - 1)
                for each in np.unique(place):
                    chosen = place == each
                    share, said = float(inside[chosen].mean()), float(scores[chosen].mean())
                    cases = int(chosen.sum())
                    rows.append({"share": share, "probability": said, "cases": cases, self.of: learner, "class": name})
        return Series({label: [row[label] for row in rows] for label in rows[0]}, main="share")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
