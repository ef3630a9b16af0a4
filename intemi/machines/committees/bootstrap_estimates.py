"""Bootstrap estimates of an error: resubstitution, out-of-bag, .632 and .632+."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Model
from intemi.machines.committees.answers import LABELS, answers_of
from intemi.machines.committees.out_of_bag import answers_out_of_bag, has_left
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import HeldOutTest

DRAWN = 0.632
"""The share of rows that a bootstrap sample has in the limit, 1 - 1/e."""


class BootstrapEstimates(HeldOutTest):
    """Estimate the error of a classifier from members that learned from bootstrap samples of the same data.

    `classifier` is what was learned from all of the data. Results: "Resubstitution error" (its share of wrong answers
    there), "Out-of-bag error of members" (the mean over rows of the share of wrong answers of members that never saw
    the row), and the two weighted against each other, ".632 error" and ".632+ error". Members that have learned from
    the targets of their out-of-bag rows, as after `Backfit`, are refused.

    >>> BootstrapEstimates().reports[".632+ error"]
    'lowest'
    """

    reads = Reads.TARGETS

    data = Input(Data)
    classifier = Input(Classifier)

    reports = dict.fromkeys(
        ("Resubstitution error", "Out-of-bag error of members", ".632 error", ".632+ error"), "lowest"
    )

    def run(self, data: Data, classifier: Classifier, members: Sequence[Classifier], left: Sequence[Data]) -> Model:
        known = data.classes >= 0
        if not known.all():
            data = data.select_rows(known)
        true, count = data.classes, len(data.labels)
        everywhere = answers_of([classifier], data, data.labels, np.ones(1), np.ones(count), (LABELS,))
        assert everywhere.labels is not None
        answered = everywhere.labels[0]
        unseen = has_left(self.kind, data, members, left)
        told = unseen.any(axis=0)
        if not told.any():
            raise ConfigurationError(f"{self.kind}: there is no row that a member never saw")
        by_members = answers_out_of_bag(data, members, unseen, (LABELS,)).labels
        assert by_members is not None
        wrong = ((by_members != true) & unseen).sum(axis=0)[told] / unseen.sum(axis=0)[told]
        resubstitution, left_out = float(np.mean(answered != true)), float(np.mean(wrong))
        right_shares, answered_shares = (np.bincount(each, minlength=count) / len(data) for each in (true, answered))
        by_chance = float(right_shares @ (1 - answered_shares))
        values = (resubstitution, left_out, err632(resubstitution, left_out))
        corrected = err632_plus(resubstitution, left_out, by_chance)
        return Model(results=dict(zip(self.reports, (*values, corrected), strict=True)))


def share_drawn(rows: int) -> float:
    """The probability that a row is in a bootstrap sample of as many rows: 1 - (1 - 1/n)^n.

    >>> round(share_drawn(10), 6)
    0.651322
    """
    return 1 - (1 - 1 / rows) ** rows


def err632(resubstitution: float, left_out: float) -> float:
    """The .632 estimate, from the error on the training rows and that on rows left out of samples.

    >>> round(err632(0.05, 0.30), 6)
    0.208
    """
    return (1 - DRAWN) * resubstitution + DRAWN * left_out


def err632_plus(resubstitution: float, left_out: float, by_chance: float) -> float:
    """The .632+ estimate, which trusts the training rows the less the more they were learned by heart.

    `by_chance` is the error there would be if answers had nothing to do with rows.

    >>> round(err632_plus(0.05, 0.30, 0.5), 6)
    0.248603
    """
    left_out = min(left_out, by_chance)
    overfitting = 0.0
    if left_out > resubstitution and by_chance > resubstitution:
        overfitting = (left_out - resubstitution) / (by_chance - resubstitution)
    weight = DRAWN / (1 - (1 - DRAWN) * overfitting)
    return (1 - weight) * resubstitution + weight * left_out
