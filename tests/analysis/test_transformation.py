from __future__ import annotations

import dataclasses
import inspect

import pytest

import intemi.analysis
from intemi.analysis import CorrectedTTest, CriticalDifference, Friedman, McNemar, PairedTTest, Transformation, Wilcoxon
from intemi.kernel import ConfigurationError, IntemiError


def test_a_transformation_shows_the_options_that_were_chosen() -> None:
    assert repr(PairedTTest()) == "PairedTTest()"
    assert repr(Wilcoxon(zeros="split", on="Fold")) == "Wilcoxon(on='Fold', zeros='split')"
    assert repr(CorrectedTTest(folds=10)) == "CorrectedTTest(folds=10)"


def test_transformations_are_values() -> None:
    assert Friedman(of="machine") == Friedman()
    assert len({Friedman(), Friedman(), Friedman(ties="ignored")}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Friedman().ties = "ignored"  # type: ignore[misc]


def test_every_public_transformation_is_one() -> None:
    public = [getattr(intemi.analysis, name) for name in intemi.analysis.__all__]
    for each in filter(inspect.isclass, public):
        assert issubclass(each, Transformation | IntemiError)
        assert each.__doc__


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (lambda: Friedman(ties="halved"), "Friedman: ties must be one of 'corrected', 'ignored', got 'halved'"),  # type: ignore[arg-type]
        (lambda: Friedman(best="largest"), "Friedman: best must be one of 'highest', 'lowest', got 'largest'"),  # type: ignore[arg-type]
        (lambda: Friedman(over="machine"), "Friedman: of and over must be different labels, got 'machine'"),
        (lambda: McNemar(continuity=2), "McNemar: continuity must be one of 0, 0.5, 1, got 2"),
        (lambda: CriticalDifference(alpha=5), "CriticalDifference: alpha must be between 0 and 1, got 5"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{message}$"):
        options()  # type: ignore[operator]
