"""Harvest: the finished tests of a search, as entries of a knowledge folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from intemi.data import Data
from intemi.kernel import Capsule, ConfigurationError, Machine, Project, State
from intemi.kernel.lineage import INVALIDATING
from intemi.kernel.shipped import VERSION
from intemi.machines.meta_learning.knowledge_entries import Entry, protocol_of, text_of
from intemi.machines.meta_learning.meta_features import meta_features
from intemi.machines.meta_learning.meta_learner import MetaLearner
from intemi.machines.meta_learning.universal import universal_power
from intemi.machines.meta_learning.validation import RESULT, candidate_of
from intemi.machines.meta_learning.whole_cost import cpu_of_leaves


def entries_of_search(project: Project, found: Capsule) -> Iterator[Entry]:
    """An entry for each candidate that a search has tested to the end.

    None that is stamped as unfair, and none whose measure is not defined on all splits.
    """
    search = found.config
    if not isinstance(search, MetaLearner):
        raise ConfigurationError(f"a knowledge folder takes the tests of a MetaLearner, got {search.kind}")
    if _stamps_of(found):
        return
    when, protocol = datetime.now(UTC).isoformat(timespec="seconds"), protocol_of(search.validation)
    for test in _finished_tests(found):
        answered = project.query(test, path=RESULT, labels=search.measure)
        results = np.array(answered.values, dtype=np.float64)
        if set(answered.labels) & set(INVALIDATING) or not np.isfinite(results).all():
            continue
        candidate = candidate_of(test.config)
        data: Data = test.inputs["data"]
        yield Entry(
            data_set=data.name or data.content_digest().hex()[:12],
            configuration=_text_of(candidate),
            protocol=protocol,
            results=tuple(results),
            seconds=cpu_of_leaves(project.query(test, labels=["cpu", "kind"])) * universal_power(),
            data_digest=data.content_digest().hex(),
            measure=search.measure,
            splits=_splits_of(test),
            origin=data.table.origin_digest.hex(),
            configuration_digest=candidate.digest.hex(),
            version=VERSION,
            source=f"{found.path} {found.key.hex()}",
            when=when,
        )


def description_of_search(found: Capsule) -> dict[str, float]:
    """The meta-features of the data that a search has tested candidates on."""
    return meta_features(_finished_tests(found)[0].inputs["data"])


def _finished_tests(found: Capsule) -> list[Capsule]:
    """One test of each candidate that was tested to the end, maybe after attempts that were stopped."""
    finished = [child for child in found.children if child.name == "test" and child.state is State.FINISHED]
    return list({child.config: child for child in finished}.values())


def _stamps_of(found: Capsule) -> set[str]:
    """Why the results of a search do not mean what they say."""
    return set(found.results) & set(INVALIDATING) if found.state is State.FINISHED else set()


def _text_of(candidate: Machine) -> str:
    """The candidate as JSON; what cannot be written as plain data goes by its looks and its digest."""
    try:
        return text_of(candidate)
    except ConfigurationError:
        return f"{candidate} {candidate.digest.hex()}"


def _splits_of(test: Capsule) -> str:
    """The seed that the splits are drawn with; nothing if chance has no part in them."""
    seed = test.context.seed
    return "" if seed is None else "/".join(map(str, (seed.entropy, *seed.path)))
