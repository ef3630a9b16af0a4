"""Leaks: a test is fair if no target of a row that it tests was learned from in making what it tests.

This one rule covers supervised preprocessing above a split, copies of rows on both sides of one, and learners that look
at test targets. Features of tested rows that were learned from are worth a warning. A test on the training data is not
refused: its result is of another kind, and is stamped. How a learner validates inside is its own business: what it has
learned is tested outside. Where it chooses by spoilt data, its own results are stamped.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from intemi.data import Data
from intemi.kernel import IntemiError, Machine
from intemi.kernel.lineage import INVALIDATING, SAMPLE, Examination, Lineage, Made, Origin
from intemi.kernel.record import SINGLE
from intemi.machines.fairness.reads import Reads
from intemi.machines.fairness.samples import (
    NONE,
    Samples,
    Trace,
    data_inputs,
    learned_from,
    name_of,
    overlapping,
    reads_of,
    trace,
    union,
)

LEAK, ORACLE = INVALIDATING
RESUBSTITUTION, TRANSDUCTIVE = "Resubstitution", "Transductive"
FAIR_FORM = """
  Fair is to learn it after the split, from the training data of each test:
    data -> split -> training -> {reader} -> learner ---------> test
                  -> test -----> ExternalTransformation ------> test
  as in TransformAndClassify(transformation=..., learner=...), inside the test.
  A machine that does not learn from targets says so by `reads = Reads.FEATURES` in its class."""
PEEKING = """
  The sample is the one that is tested. If that is meant, as for an upper bound, declare it: oracle=True in the test."""
COPIES = """
  Rows that are tested, or copies of them, are in the training data. A distributor must keep copies of a row together;
  rows are given more weight by weights, or by copies made after the split."""
OVERRIDE = "\n  allow_leak=True in the test runs it as it is, and stamps every result."


class LeakageError(IntemiError):
    """A test would claim what it cannot: targets of rows that it tests were learned from."""


class TransductiveWarning(UserWarning):
    """Features of test rows were learned from before the split; rows to come will not be there to learn from."""


def stamps_of_test(examination: Examination, allow_leak: bool, oracle: bool) -> dict[str, str]:
    """What must be said of a test of a classifier on data; LeakageError if it is unfair and not declared to be."""
    lineage = examination.lineage
    tested = trace(lineage, *examination.inputs["data"])
    outside = _entering(examination)
    learned = _learned(examination) if outside is None else outside
    leaked = overlapping(lineage, learned.targets, tested.samples)
    if leaked == learned.targets != NONE and _are_tested(lineage, leaked, tested.samples):
        return {RESUBSTITUTION: "tested on rows that it was trained on"}
    if leaked:
        readers = ", ".join(_readers(examination, leaked, Reads.TARGETS))
        if outside is None and not (allow_leak or oracle):
            raise LeakageError(f"{examination.path}: {_refusal(lineage, readers, leaked, tested.samples)}{OVERRIDE}")
        return {ORACLE if oracle else LEAK: f"{readers} learned from targets of the tested rows"}
    stamps = {ORACLE: "declared"} if oracle else {}
    if outside is None and not any(_is_of_a_split(lineage, each) for each in tested.samples):
        stamps[SAMPLE] = name_of(lineage, tested.samples)
    features = overlapping(lineage, learned.features, tested.samples)
    if features and outside is None:
        stamps[TRANSDUCTIVE] = ", ".join(_readers(examination, features, Reads.FEATURES))
        _warn_of(stamps[TRANSDUCTIVE])
    return stamps


def stamps_of_search(examination: Examination) -> dict[str, str]:
    """What must be said of a choice among learners: it is no fairer than the data that it chooses by."""
    readers = _spoilt_by(examination)
    return {LEAK: f"{readers} learned from targets of the rows that the choice is made by"} if readers else {}


def refuse_spoilt_data(examination: Examination) -> None:
    """Refuse to split data whose targets were learned from in making their features.

    Inside a learner nothing is refused: it claims nothing, and what it has learned is tested outside.
    """
    readers = _spoilt_by(examination)
    if readers and _entering(examination) is None:
        raise LeakageError(
            f"{examination.path}: {readers} learned from targets of rows that are to be split and tested."
            f"{FAIR_FORM.format(reader=readers)}{OVERRIDE}"
        )


def _spoilt_by(examination: Examination) -> str:
    """What has learned from targets of given rows in making their features; empty if nothing has."""
    lineage = examination.lineage
    leaked = NONE
    for origins in examination.inputs.values():
        for one in origins:
            way = trace(lineage, one)
            leaked |= overlapping(lineage, way.targets, way.samples)
    return ", ".join(_readers(examination, leaked, Reads.TARGETS)) if leaked else ""


def _learned(examination: Examination) -> Trace:
    """What was learned from in making what is tested."""
    lineage = examination.lineage
    ways = [trace(lineage, one) for origins in examination.inputs.values() for one in origins]
    ways += [learned_from(lineage, made) for made in _choosing(examination)]
    return _together(ways)


def _choosing(examination: Examination) -> Iterator[Made]:
    """Composites that may choose what they give: it was made by a leaf that has seen less than they have."""
    return (made for made in examination.exhibiting() if hasattr(type(made.config), "reads"))


def _entering(examination: Examination) -> Trace | None:
    """What was learned from on the way into the learner that this is a part of; None if it is a part of none."""
    inputs = examination.enclosing(_is_learner)
    if inputs is None:
        return None
    return _together([trace(examination.lineage, one) for origins in inputs.values() for one in origins])


@lru_cache(maxsize=1024)
def _is_learner(config: Machine) -> bool:
    from intemi.machines.roles import Learner

    return Learner.fits(config)


def _is_of_a_split(lineage: Lineage, sample: Origin) -> bool:
    return any(each[2] != SINGLE for each in (sample, *trace(lineage, sample).above))


def _together(ways: Iterable[Trace]) -> Trace:
    return Trace(*map(union, zip(*ways, strict=True)))


def _are_tested(lineage: Lineage, samples: Samples, tested: Samples) -> bool:
    """Whether samples are tested ones, or parts of them, rather than the other side of a split."""
    return all(
        each == one or one in trace(lineage, each).above or _is_given_part(lineage, one, each)
        for each in samples
        for one in tested
    )


def _is_given_part(lineage: Lineage, one: Origin, other: Origin) -> bool:
    """Whether one sample has only rows of another that it was not split off from by a machine."""
    if _is_of_a_split(lineage, one) or trace(lineage, one).above:
        return False
    part, whole = lineage.value(one), lineage.value(other)
    return isinstance(part, Data) and isinstance(whole, Data) and part.has_only_rows_of(whole)


def _readers(examination: Examination, samples: Samples, reads: Reads) -> list[str]:
    """The kinds of machines that have learned from samples."""
    found = set()
    for made in _makers(examination):
        rows = union([trace(examination.lineage, one).samples for one in data_inputs(made)])
        if rows & samples and (reads_of(made.config) is reads):
            found.add(made.kind)
    return sorted(found)


def _makers(examination: Examination) -> Iterator[Made]:
    """Everything on the way to the inputs, once."""
    yield from _choosing(examination)
    pending = [one for origins in examination.inputs.values() for one in origins]
    met = {one[0] for one in pending}
    while pending:
        made = examination.lineage.maker(pending.pop())
        if made is None:
            continue
        yield made
        for origins in made.inputs.values():
            for one in origins:
                if one[0] not in met:
                    met.add(one[0])
                    pending.append(one)


def _refusal(lineage: Lineage, readers: str, leaked: Samples, tested: Samples) -> str:
    said = f"{readers} learned from targets of rows that are tested here, so the result would claim too much."
    if leaked & tested:
        return said + PEEKING
    if all(each in trace(lineage, one).above for each in leaked for one in tested):
        return said + FAIR_FORM.format(reader=readers)
    return said + COPIES


def _warn_of(readers: str) -> None:
    warnings.warn(
        TransductiveWarning(
            f"transductive: {readers} learned from features of test rows, above the split. Rows to come will not be "
            "there to learn from; put it inside the test, as in TransformAndClassify, to see what is to be expected"
        ),
        stacklevel=2,
    )
