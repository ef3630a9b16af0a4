"""Plans that are frozen: each is written into the folder of its project before the first machine of it runs.

They are only ever added: `experiments/NAME.plan-1` is the first plan of an experiment, and each that differs from the
one before gets the next number. A checksum covers the plan, its name and number, and the checksum of the plan before.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intemi.experiments.plan import Plan, changes, digest_of, plan_of
from intemi.kernel import encoding
from intemi.kernel.errors import IntemiError
from intemi.kernel.plain_files import check_folder, create_file, read_file

if TYPE_CHECKING:
    from intemi.experiments.experiment import Experiment

EXPERIMENTS = "experiments"
"""The folder in a project where the experiments that were run in it are kept, as plain data."""
MAX_PLAN_BYTES = 2**24


@dataclass(frozen=True)
class Frozen:
    """A plan as it was when it was first run."""

    number: int
    time: float
    """Seconds since 1970."""
    plan: Plan
    before: str
    """The checksum of the plan before; empty for the first one."""
    checksum: str

    @property
    def digest(self) -> str:
        """The identity of the plan."""
        return digest_of(self.plan)

    @property
    def when(self) -> str:
        """Date and time, in words."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))


@dataclass(frozen=True)
class History:
    """The plans of an experiment in a folder, the first one first."""

    plans: Sequence[Frozen] = ()
    problems: Sequence[str] = ()
    """Plans that are damaged or gone."""

    def changes_until(self, experiment: Experiment) -> list[str]:
        """What was changed since the first run, a sentence for each plan, up to an experiment as it is now."""
        found = list(self.problems)
        for before, after in pairwise(self.plans):
            found.append(f"the plan was changed on {after.when}: {'; '.join(changes(before.plan, after.plan))}")
        if self.plans and (now := changes(self.plans[-1].plan, plan_of(experiment))):
            found.append(f"the plan was changed after the last run: {'; '.join(now)}")
        return found


def freeze(experiment: Experiment, folder: str | os.PathLike[str]) -> Frozen:
    """Write the plan of an experiment into the folder of its project, unless the last one there is the same."""
    plan = json.loads(json.dumps(plan_of(experiment)))
    while True:
        known = history(folder, experiment.file_name).plans
        if known and known[-1].digest == digest_of(plan):
            return known[-1]
        number = 1 + max(_numbered(folder, experiment.file_name), default=0)
        written = {
            "name": experiment.file_name,
            "number": number,
            "time": time.time(),
            "digest": digest_of(plan),
            "before": known[-1].checksum if known else "",
            "plan": plan,
        }
        if _is_added(folder, f"{experiment.file_name}.plan-{number}", {**written, "checksum": _checksum(written)}):
            return Frozen(number, written["time"], plan, written["before"], _checksum(written))


def history(folder: str | os.PathLike[str] | None, name: str) -> History:
    """The plans of an experiment that were run in a folder; `name` is that of its files."""
    plans: list[Frozen] = []
    problems: list[str] = []
    numbered = {} if folder is None else _numbered(folder, name)
    for number in range(1, max(numbered, default=0) + 1):
        try:
            if number not in numbered:
                raise IntemiError("it is gone")
            found = _read(numbered[number], name, number)
            if plans and plans[-1].number == number - 1 and plans[-1].checksum != found.before:
                problems.append(f"plan {number - 1} of {name} is not the one that was there when plan {number} was run")
            plans.append(found)
        except (IntemiError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            problems.append(f"plan {number} of {name} is lost, what it changed is not known: {error}")
    return History(tuple(plans), tuple(problems))


def problems_in(folder: str | os.PathLike[str]) -> list[str]:
    """What is wrong with the plans of all experiments in a folder."""
    place = Path(folder) / EXPERIMENTS
    check_folder(place)
    files = sorted(os.listdir(place)) if place.is_dir() else []
    names = dict.fromkeys(found[1] for each in files if (found := re.fullmatch(r"(.+)\.plan-[1-9]\d*", each)))
    return [problem for name in names for problem in history(folder, name).problems]


def _numbered(folder: str | os.PathLike[str], name: str) -> dict[int, Path]:
    place = Path(folder) / EXPERIMENTS
    check_folder(place)
    if not place.is_dir():
        return {}
    pattern = re.compile(rf"{re.escape(name)}\.plan-([1-9]\d{{0,5}})")
    return {int(found[1]): place / each for each in os.listdir(place) if (found := pattern.fullmatch(each))}


def _is_added(folder: str | os.PathLike[str], name: str, content: dict[str, Any]) -> bool:
    """Write a new file as a whole, or not at all if there is one of this name already."""
    file = Path(folder) / EXPERIMENTS / name
    temporary = file.with_name(f"{name}.{os.getpid()}.new")
    try:
        check_folder(file.parent)
        file.parent.mkdir(parents=True, exist_ok=True)
        create_file(temporary, json.dumps(content, indent=1, ensure_ascii=False).encode())
        try:
            os.link(temporary, file)
        except FileExistsError:
            return False
        finally:
            temporary.unlink()
    except OSError as error:
        raise IntemiError(f"{file}: the plan of the experiment cannot be written: {error.strerror}") from error
    return True


def _read(file: Path, name: str, number: int) -> Frozen:
    found = json.loads(read_file(file, MAX_PLAN_BYTES))
    checksum = found.pop("checksum")
    if checksum != _checksum(found) or (found["name"], found["number"]) != (name, number):
        raise IntemiError("its checksum does not fit")
    return Frozen(number, float(found["time"]), dict(found["plan"]), str(found["before"]), checksum)


def _checksum(written: dict[str, Any]) -> str:
    return encoding.digest(json.dumps(written, sort_keys=True).encode()).hex()
