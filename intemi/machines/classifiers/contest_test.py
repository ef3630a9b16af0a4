"""The contest test: a sample whose targets are revealed once, to one classifier."""

from __future__ import annotations

from collections.abc import Mapping

from intemi.kernel.errors import IntemiError
from intemi.kernel.lineage import Examination
from intemi.machines.classifiers.classification_test import ClassificationTest
from intemi.machines.fairness.leaks import sample_of


class AlreadyRevealed(IntemiError):
    """A contest sample was revealed before, to another classifier."""


class ContestTest(ClassificationTest):
    """Test the one classifier that is sent to a contest, on a sample that is revealed once.

    The first classifier that is tested on the sample is the only one, in this project: any other one is refused. So the
    sample stays what it was meant to be, data on which nothing was chosen.

    >>> ContestTest().kind
    'ContestTest'
    """

    def examine(self, examination: Examination) -> Mapping[str, str]:
        stamps = super().examine(examination)
        sample = sample_of(examination)
        (source,) = examination.sources["classifier"]
        record = source.context.record
        first = examination.lineage.first_user_of(f"contest {sample}".encode(), source.context.key)
        if first is not None and record is not None and first.machine != record.machine:
            other = f"the classifier of {first.kind}"
            raise AlreadyRevealed(
                f"{examination.path}: the sample {sample} was revealed before, to {other}; "
                "a contest sample is revealed once"
            )
        return stamps
