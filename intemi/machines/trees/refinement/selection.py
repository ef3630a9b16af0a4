"""Which pruning is taken: the smallest one whose error is not more than some standard errors above the least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.refinement.refinement import Validator
from intemi.machines.trees.refinement.tables import CLOSE, ErrorTable, Validation


@dataclass(frozen=True)
class Chosen:
    """Where a tree is cut, and what else was decided."""

    nodes: Codes
    results: Mapping[str, Any] = field(default_factory=dict)
    decision: DecisionModule | None = None
    """What the leaves have to answer, if the choice counts on it."""


@dataclass(frozen=True)
class Estimates:
    """The errors of candidates."""

    errors: Floats
    of_passes: Floats
    """Passes × candidates; NaN where a pass has nothing to say."""
    rows: float
    """The weight of the validated rows, each counted once."""


@dataclass(frozen=True, eq=False)
class Tally:
    """What the passes say of candidates, passes × candidates: the same whatever is allowed in selection."""

    is_known: NDArray[np.bool_]
    validation: Floats
    """The errors on validation rows; of any number where nothing is known."""
    training: Floats
    validated: Floats
    """The weight of the rows in which there are as many errors, 0 where nothing is known."""
    trained: Floats
    rows: float

    @classmethod
    def of(cls, tables: Sequence[ErrorTable], places: Sequence[Codes]) -> Tally:
        """Of candidates that are at some place in the table of each pass; -1: it is not there."""
        at = np.array(places)
        is_known = at >= 0
        return cls(
            is_known,
            validation=np.array([table.validation[place] for table, place in zip(tables, at, strict=True)]),
            training=np.array([table.training[place] for table, place in zip(tables, at, strict=True)]),
            validated=np.array([[table.validated] for table in tables]) * is_known,
            trained=np.array([[table.trained] for table in tables]) * is_known,
            rows=rows_validated(tables),
        )


def estimates(validator: Validator, tally: Tally) -> Estimates:
    """The errors of candidates, training errors counted as the validator wants it."""
    rates = _combined(
        validator,
        _rate(validator, tally.validation, tally.validated),
        _rate(validator, tally.training, tally.trained),
    )
    of_passes = np.where(tally.is_known, rates, np.nan)
    if validator.averages == "folds":
        errors = of_passes.mean(axis=0) if tally.is_known.all() else np.nanmean(of_passes, axis=0)
    else:
        sums = [(each * tally.is_known).sum(axis=0) for each in (tally.validation, tally.training)]
        errors = _combined(
            validator,
            _rate(validator, sums[0], tally.validated.sum(axis=0)),
            _rate(validator, sums[1], tally.trained.sum(axis=0)),
        )
    return Estimates(errors, of_passes, tally.rows)


def _rate(validator: Validator, errors: Floats, weights: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return validator.rate(errors / weights)


def _combined(validator: Validator, validation: Floats, training: Floats) -> Floats:
    if validator.tef == 0:
        return validation
    return np.asarray((validation + validator.tef * training) / (1 + validator.tef))


def passes_with_rows(validator: Validator, tables: Sequence[Validation]) -> tuple[Validation, ...]:
    """The passes that validated anything."""
    useful = tuple(table for table in tables if table.validated > 0)
    if not useful:
        raise ConfigurationError(f"{validator.kind}: none of {len(tables)} passes has rows to validate on")
    return useful


def rows_validated(tables: Sequence[Validation]) -> float:
    """The weight of the rows that were validated, counted once: several passes may go over the same ones."""
    return sum(table.validated / table.repeats for table in tables)


def margin(validator: Validator, found: Estimates, best: int) -> float:
    """By how much a smaller tree may be worse than the best candidate."""
    return validator.se * standard_error(validator, found, best) if validator.se else 0.0


def standard_error(validator: Validator, found: Estimates, best: int) -> float:
    """The standard error of the error of a candidate."""
    if validator.se_of == "theory":
        return error_of_a_share(float(found.errors[best]), found.rows)
    known = found.of_passes[:, best]
    known = known[~np.isnan(known)]
    if len(known) < 2:
        raise ConfigurationError(
            f"{validator.kind}: se_of={validator.se_of!r} needs at least 2 passes, got {len(known)}"
        )
    deviation = float(known.std(ddof=1))
    return deviation if validator.se_of == "sd" else deviation / float(np.sqrt(len(known)))


def error_of_a_share(share: float, rows: float) -> float:
    """The standard error of a share of so many rows."""
    return float(np.sqrt(max(share * (1 - share), 0.0) / rows))


def selected(validator: Validator, found: Estimates, leaves: Codes, keys: Floats) -> int:
    """The candidate with the fewest leaves among the good ones; then that with the least error, then the strongest."""
    errors = found.errors
    best = smallest(errors <= errors.min() + CLOSE, leaves, errors, keys)
    good = errors <= errors[best] + margin(validator, found, best) + CLOSE
    return smallest(good, leaves, errors, keys)


def smallest(good: NDArray[np.bool_], leaves: Codes, errors: Floats, keys: Floats) -> int:
    """The best of those that are good."""
    places = np.flatnonzero(good)
    places = places[leaves[places] == leaves[places].min()]
    places = places[errors[places] <= errors[places].min() + CLOSE]
    return int(places[keys[places].argmax()])
