"""Series to draw."""

from __future__ import annotations

import numpy as np

from intemi.series import Series


def many(learners: int = 30, data: int = 12, folds: int = 3, seed: int = 0) -> Series:
    """Accuracies of many learners with long names; the later ones tend to be better."""
    rng = np.random.default_rng(seed)
    rows = [
        (0.7 + 0.005 * learner + 0.1 * float(rng.random()), f"learner number {learner} of many", f"data set {d}", fold)
        for d in range(data)
        for learner in range(learners)
        for fold in range(folds)
    ]
    return Series(dict(zip(("Accuracy", "machine", "data", "Fold"), map(list, zip(*rows, strict=True)), strict=True)))


def tried(failed: bool = False) -> Series:
    """A grid of eight times seven, as in the book's Table 4.5; the best is at sigma 0.0625 and C 8."""
    sigmas, costs = [2.0**e for e in range(-12, 4, 2)], [2.0**e for e in range(-1, 13, 2)]
    rows = [(s, c) for s in sigmas for c in costs]
    objective = [0.97 - 0.001 * abs(np.log2(s) + 4) - 0.002 * abs(np.log2(c) - 3) for s, c in rows]
    values = [None if failed and s == 4 else float(value) for (s, _), value in zip(rows, objective, strict=True)]
    return Series(
        {"Objective": values, "test/svm.kernel.sigma": [s for s, _ in rows], "test/svm.C": [c for _, c in rows]}
    )


def answers(learners: int = 2, classes: int = 3, rows: int = 90, folds: int = 3, seed: int = 0) -> Series:
    """Predictions of learners, the later ones the better, with the labels of `outcome.predictions()`."""
    rng = np.random.default_rng(seed)
    names = [f"class {number}" for number in range(classes)]
    true = rng.integers(0, classes, rows)
    parts = []
    for learner in range(learners):
        told = rng.random((rows, classes)) + (0.3 + 0.1 * learner) * np.eye(classes)[true]
        told /= told.sum(axis=1, keepdims=True)
        columns = {
            "Row": list(range(1, rows + 1)),
            "Class": [names[each] for each in true],
            "Predicted": [names[each] for each in told.argmax(axis=1)],
            **{f"P({name})": told[:, number].round(2).tolist() for number, name in enumerate(names)},
            "machine": [f"learner number {learner}"] * rows,
            "data": ["given"] * rows,
            "Repetition": [1] * rows,
            "Fold": [1 + row % folds for row in range(rows)],
        }
        parts.append(Series(columns, main="Predicted"))
    return Series.concat(*parts)
