"""What must be read with the answer of a test: that samples are dependent, or that a machine was not fair."""

from __future__ import annotations

from intemi.analysis.samples import column
from intemi.analysis.stamps import stamps_in
from intemi.series import Series

SPLIT = ("Repetition", "Fold")
"""Labels that tell on which training and test data an item was measured."""
DESCRIPTIVE = "descriptive (dependent samples)"
"""The stamp of a test of pooled items: its p is too small, and describes rather than proves."""


def is_pooled(series: Series, *by: str) -> bool:
    """Whether several items of each kind (told by the labels `by`) are of one split: results of several configurations.

    >>> is_pooled(Series({"Accuracy": [0.9, 0.8], "pruning": ["a", "b"], "Fold": [1, 1]}))
    True
    >>> is_pooled(Series({"Accuracy": [0.9, 0.8], "machine": ["knn", "svm"], "Fold": [1, 1]}), "machine")
    False
    """
    splits = [label for label in SPLIT if label in series.labels]
    labels = [*splits, *(label for label in by if label in series.labels)]
    keys = list(zip(*(column(series, label) for label in labels), strict=True))
    return bool(splits) and len(set(keys)) < len(keys)


def described(variant: str, *series: Series, by: tuple[str, ...] = ()) -> str:
    """The variant of a test with its caveats: pooled items, stamps of machines.

    >>> described("t-test", Series({"Accuracy": [0.9], "Fold": [1], "Leak": ["a ranking read all targets"]}))
    't-test, not fair (leak)'
    """
    stamps = ", ".join(dict.fromkeys(stamp for each in series for stamp in stamps_in(each)))
    caveats = [f"not fair ({stamps})"] if stamps else []
    if any(is_pooled(each, *by) for each in series):
        caveats.append(DESCRIPTIVE)
    return ", ".join([variant, *caveats])
