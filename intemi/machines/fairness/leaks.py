"""Leaks: a test is fair if no target of a row that it tests was learned from in making what it tests.

This one rule covers supervised preprocessing above a split, copies of rows on both sides of one, and learners that look
at test targets. Features of tested rows that were learned from are worth a warning. A test on the training data is not
refused: its result is of another kind, and is stamped. How a learner validates inside is its own business: what it has
learned is tested outside. Where it chooses by spoilt data, its own results are stamped.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

from intemi.data import Data
from intemi.kernel import IntemiError, Machine, Source
from intemi.kernel.lineage import INVALIDATING, SAMPLE, Examination, Lineage, Place
from intemi.kernel.privacy import keep_private
from intemi.kernel.record import SINGLE
from intemi.kernel.task import Sources
from intemi.machines.fairness.reads import Reads
from intemi.machines.fairness.samples import NONE, Samples, Trace, name_of, overlapping, together, trace

LEAK, ORACLE, UNVERIFIED = INVALIDATING
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
HELD_OUT = """
  Fair are members that have learned from their samples alone, before backfitting, on rows of which nothing was learned
  from targets above the samples. A machine whose members have never seen the rows beside them says so by `holds_out`
  in its class."""
NOT_CERTAIN = "which rows were learned from is not known for certain: a scheme is bound to a machine outside"
OVERRIDE = "\n  allow_leak=True in the test runs it as it is, and stamps every result."


class LeakageError(IntemiError):
    """A test would claim what it cannot: targets of rows that it tests were learned from."""


class TransductiveWarning(UserWarning):
    """Features of test rows were learned from before the split; rows to come will not be there to learn from."""


def stamps_of_test(examination: Examination, allow_leak: bool, oracle: bool) -> dict[str, str]:
    """What must be said of a test of a classifier on data; LeakageError if it is unfair and not declared to be."""
    lineage = examination.lineage
    tested = trace(lineage, *examination.sources["data"])
    outside = _entering(examination)
    learned = _on_the_way(lineage, examination.sources) if outside is None else outside
    leaked = overlapping(lineage, learned.targets, tested)
    is_certain = learned.is_certain and tested.is_certain
    if is_certain and leaked == learned.targets != NONE and _are_tested(lineage, leaked, tested):
        return {RESUBSTITUTION: "tested on rows that it was trained on"}
    return _stamps(examination, learned, tested, allow_leak, oracle, _refusal)


def stamps_of_held_out_test(examination: Examination, allow_leak: bool, oracle: bool) -> dict[str, str]:
    """What must be said of a test of each of some members on rows of its own; LeakageError if one has learned from the
    targets of its rows, and that is not declared.
    """
    lineage = examination.lineage
    outside = _entering(examination)
    left = _each(examination.sources["left"])
    if outside is not None:
        tested = together([trace(lineage, each) for each in left])
        return _stamps(examination, outside, tested, allow_leak, oracle, _refusal_of_held_out)
    given = [trace(lineage, each) for each in examination.sources.get("data", ())]
    pairs: list[tuple[Trace, Trace]] = []
    for member, rows in zip(_each(examination.sources["members"]), left, strict=False):  # `run` refuses other numbers
        tested = trace(lineage, rows)
        pairs.append((together([*_learned_by(lineage, member, rows), *given]), tested))
    if not pairs:
        return {}
    learned, tested = min(pairs, key=lambda pair: _rank(lineage, *pair))
    return _stamps(examination, learned, tested, allow_leak, oracle, _refusal_of_held_out)


def _rank(lineage: Lineage, learned: Trace, tested: Trace) -> int:
    """The gravest first: a leak, an uncertain way, features of tested rows that were learned from, a fair test."""
    if not (learned.is_certain and tested.is_certain):
        return 1
    if overlapping(lineage, learned.targets, tested):
        return 0
    return 2 if overlapping(lineage, learned.features, tested) else 3


def _each(bound: Sequence[Source]) -> list[Source]:
    """Sources of single values."""
    return [one for source in bound for one in ([source] if source.is_single else source)]


def _learned_by(lineage: Lineage, member: Source, rows: Source) -> list[Trace]:
    """What was learned from on the way to a member and to rows that it never saw. Where a machine gives both, and says
    that it holds the rows out, that is what was learned from on the way into this machine.
    """
    maker = rows.context
    holds_out: Mapping[str, str] = getattr(maker.config, "holds_out", {})
    if rows.port.name not in holds_out.values():
        return [trace(lineage, member), trace(lineage, rows)]
    way = _on_the_way(lineage, lineage.sources_of(maker))
    way = way._replace(is_certain=way.is_certain and lineage.is_certain(maker))
    is_pair = member.context.key == maker.key and member.index == rows.index
    return [way] if is_pair and holds_out.get(member.port.name) == rows.port.name else [trace(lineage, member), way]


def _stamps(
    examination: Examination,
    learned: Trace,
    tested: Trace,
    allow_leak: bool,
    oracle: bool,
    refusal: Callable[[str, Samples, Trace], str],
) -> dict[str, str]:
    """What must be said of a test of what has learned on rows; LeakageError if it is unfair and not declared to be."""
    lineage = examination.lineage
    outside = _entering(examination)
    if not (learned.is_certain and tested.is_certain):
        return {UNVERIFIED: NOT_CERTAIN, **({ORACLE: "declared"} if oracle else {})}
    leaked = overlapping(lineage, learned.targets, tested)
    if leaked:
        readers = _readers(learned, leaked, Reads.TARGETS)
        if outside is None and not (allow_leak or oracle):
            raise LeakageError(f"{examination.path}: {refusal(readers, leaked, tested)}{OVERRIDE}")
        return {ORACLE if oracle else LEAK: f"{readers} learned from targets of the tested rows"}
    stamps = {ORACLE: "declared"} if oracle else {}
    if outside is None:
        if not _is_of_a_split(tested):
            stamps[SAMPLE] = name_of(lineage, tested.samples)
        if features := overlapping(lineage, learned.features - learned.targets, tested):
            stamps[TRANSDUCTIVE] = _readers(learned, features, Reads.FEATURES)
            _warn_of(stamps[TRANSDUCTIVE])
    return stamps


def sample_of(examination: Examination) -> str:
    """What the sample is called that a test looks at."""
    lineage = examination.lineage
    return name_of(lineage, trace(lineage, *examination.sources["data"]).samples)


def stamps_of_search(examination: Examination) -> dict[str, str]:
    """What must be said of a choice among learners: it is no fairer than the data that it chooses by."""
    if not _on_the_way(examination.lineage, examination.sources).is_certain:
        return {UNVERIFIED: NOT_CERTAIN}
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
    for sources in examination.sources.values():
        for source in sources:
            way = trace(lineage, source)
            if way.is_certain and way.targets and (spoilt := overlapping(lineage, way.targets, way)):
                return _readers(way, spoilt, Reads.TARGETS)
    return ""


def _on_the_way(lineage: Lineage, sources: Sources) -> Trace:
    """What was learned from on the way to what some inputs are bound to."""
    return together([trace(lineage, one) for bound in sources.values() for one in bound])


def _entering(examination: Examination) -> Trace | None:
    """What was learned from on the way into the learner that this is a part of; None if it is a part of none."""
    sources = examination.enclosing()
    return None if sources is None else _on_the_way(examination.lineage, sources)


def _is_learner_or_ranker(config: Machine) -> bool:
    from intemi.machines.roles import Learner, Ranker

    outputs = config.outputs
    return ("classifier" in outputs and Learner.fits(config)) or ("ranking" in outputs and Ranker.fits(config))


keep_private(_is_learner_or_ranker)


def _is_of_a_split(way: Trace) -> bool:
    return any(index != SINGLE for _, _, index in (*way.samples, *way.above))


def _are_tested(lineage: Lineage, samples: Samples, tested: Trace) -> bool:
    """Whether samples are tested ones, or given with them, rather than the other side of a split or what was split."""
    return not samples & tested.above and all(
        each in tested.samples or (not _is_of_a_split(tested) and _is_part(lineage, tested.samples, each))
        for each in samples
    )


def _is_part(lineage: Lineage, parts: Samples, whole: Place) -> bool:
    """Whether samples have only rows of another one."""
    rows, values = lineage.value(whole), map(lineage.value, parts)
    return all(isinstance(each, Data) and isinstance(rows, Data) and each.has_only_rows_of(rows) for each in values)


def _readers(way: Trace, samples: Samples, reads: Reads) -> str:
    """The kinds of machines that have learned from samples."""
    return ", ".join(sorted({kind for kind, how, rows in way.readers if how is reads and rows & samples}))


def _refusal(readers: str, leaked: Samples, tested: Trace) -> str:
    said = f"{readers} learned from targets of rows that are tested here, so the result would claim too much."
    if leaked & tested.samples:
        return said + PEEKING
    if leaked <= tested.above:
        return said + FAIR_FORM.format(reader=readers)
    return said + COPIES


def _refusal_of_held_out(readers: str, leaked: Samples, tested: Trace) -> str:
    return f"{readers} learned from targets of rows that a member is said to have never seen.{HELD_OUT}"


def _warn_of(readers: str) -> None:
    warnings.warn(
        TransductiveWarning(
            f"transductive: {readers} learned from features of test rows, above the split. Rows to come will not be "
            "there to learn from; put it inside the test, as in TransformAndClassify, to see what is to be expected"
        ),
        stacklevel=2,
    )
