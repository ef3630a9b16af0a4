"""The plan of an experiment: all that must be settled before results are seen, its digest, and what changes in it.

A plan is plain data: data sets, learners, requests, protocol, measures and comparison. A data set counts by the digest
of its content where that is known without loading it (files, given data), else by its name and source.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from intemi.kernel import encoding
from intemi.kernel.differences import differences, listed
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine

if TYPE_CHECKING:
    from intemi.experiments.experiment import Experiment

Plan = dict[str, Any]

_NAMED = {"data": "data set", "learners": "learner", "requests": "request"}
_SETTLED = ("distributor", "repetitions", "seed", "test", "comparison")


def plan_of(experiment: Experiment) -> Plan:
    """What is settled by an experiment."""
    named = {what: {name: _plain(each) for name, each in getattr(experiment, what).items()} for what in _NAMED}
    return {
        **named,
        "data": {name: _told_by_content(source) for name, source in named["data"].items()},
        "distributor": _plain(experiment.distributor),
        "repetitions": experiment.repetitions,
        "seed": experiment.seed,
        "test": _plain(experiment.test),
        "measures": list(experiment.measures),
        "comparison": experiment.comparison.to_plain(),
    }


def digest_of(plan: Plan) -> str:
    """The identity of a plan. The order of data sets and of learners makes no difference.

    >>> digest_of({"data": {"a": 1, "b": 2}}) == digest_of({"data": {"b": 2, "a": 1}})
    True
    """
    return encoding.digest(encoding.encode(_hashable(plan))).hex()


def changes(before: Plan, after: Plan) -> list[str]:
    """What was added, removed and changed from one plan to another, a sentence each.

    >>> changes({"data": {"iris": 1, "wine": 2}, "seed": 1}, {"data": {"iris": 1}, "seed": 2})
    ['data set wine was removed', 'seed: 1 ≠ 2']
    """
    found = []
    for what, word in _NAMED.items():
        old, new = before.get(what, {}), after.get(what, {})
        found += [f"{word} {name} was removed" for name in old if name not in new]
        found += [f"{word} {name} was added" for name in new if name not in old]
        for name in old:
            if name in new and (differing := differences(old[name], new[name])):
                found.append(f"{word} {name} was changed: {listed(differing)}")
    measured = [plan.get("measures", []) for plan in (before, after)]
    found += [f"measure {name} was removed" for name in measured[0] if name not in measured[1]]
    found += [f"measure {name} was added" for name in measured[1] if name not in measured[0]]
    if sorted(measured[0]) == sorted(measured[1]) and measured[0] != measured[1]:
        found.append(f"measures were put in another order: {', '.join(measured[1])}")
    for what in _SETTLED:
        found += map(repr, differences({what: before.get(what)}, {what: after.get(what)}))
    return found


def _plain(machine: Machine) -> dict[str, Any]:
    """A machine as plain data; one that cannot be written as such, by its digest."""
    try:
        return machine.to_plain()
    except ConfigurationError:
        return {"type": type(machine).registered_name, "digest": machine.digest.hex()}


def _told_by_content(source: dict[str, Any]) -> dict[str, Any]:
    """A file counts by its content and by the kind of file it is; where it is makes no difference."""
    if isinstance(source.get("path"), str) and source.get("content"):
        return {**source, "path": PurePath(source["path"]).suffix}
    return source


def _hashable(value: Any) -> Any:
    """Plain data with lists as tuples and mappings as tuples of pairs."""
    if isinstance(value, Mapping):
        return tuple((key, _hashable(value[key])) for key in sorted(value))
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
