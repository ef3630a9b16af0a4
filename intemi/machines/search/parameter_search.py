"""Parameter search: try a test with one set of parameters after another, and stand for the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from intemi.kernel import (
    BindingError,
    ConfigurationError,
    InfeasibleError,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    Output,
    Seed,
    parameter,
)
from intemi.kernel.lineage import Examination
from intemi.kernel.ports import misfit
from intemi.kernel.repository import Objective
from intemi.machines.fairness.leaks import stamps_of_search
from intemi.machines.fairness.reads import Reads
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.defaults import parts_of
from intemi.machines.search.fitting import fitted, fitted_alternatives, refuse
from intemi.machines.search.scenario import Scenario
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme
from intemi.series import Series

_SPENT = ("wall", "cpu", "queue", "memory")
"""What is known of every machine."""


class ParameterSearch(Machine):
    """Run a test with the parameters that a scenario proposes, and find those for which the objective is best.

    Candidates that do not depend on each other run at the same time, and share what they have in common. One that
    fails, or whose parameters a machine refuses, is the worst. One with a machine that does not fit its place is no
    candidate: it is refused before anything is run.

    A search has the outputs of what it finds, as far as all that it may find have them. Without `winner` these are the
    outputs of the best test; with it, the part of the best test at that path is requested for the inputs of the search
    itself: `winner="test/learner"` makes a search for the best learner a learner. If its scenario changes nothing,
    there is nothing to choose, and that part is requested without any test.

    Results: "Best" (paths and values), "Objective", "Tried" (a series of all candidates and their objectives).
    """

    reads = Reads.TARGETS

    test: Machine
    scenario: Scenario
    objective: Objective
    winner: str | None = parameter(default=None)

    @property
    def inputs(self) -> Mapping[str, Input]:
        return self.test.inputs

    @property
    def outputs(self) -> Mapping[str, Output]:
        known: Mapping[str, Output] | None = self.__dict__.get("_common_outputs")
        if known is None:
            found = fitted_alternatives(self.test, self.scenario).values()
            others = [self._winner_in(each).outputs for each in found if isinstance(each, Machine)]
            known = {
                name: port
                for name, port in self._winner_in(self.test).outputs.items()
                if not any(misfit({}, {name: port}, {}, each) for each in others)
            }
            self.__dict__["_common_outputs"] = known
        return known

    def check(self) -> None:
        self.best  # noqa: B018 - refuses machines that differ
        chosen: list[str] = []
        for path in self.scenario.paths:
            if not any(path.replace("/", ".").startswith(f"{each}.") for each in chosen):
                self.test.get(path)  # says what is there, if this is not; what is inside of a choice depends on it
            chosen.append(path.replace("/", "."))
        if self.winner is not None:
            missing = [name for name in self._winner_in(self.test).inputs if name not in self.test.inputs]
            if missing:
                raise ConfigurationError(
                    f"ParameterSearch: the winner at {self.winner!r} takes {', '.join(missing)}, "
                    f"but the search has only {', '.join(self.test.inputs) or 'no inputs'}"
                )
        self._check_objective()
        refuse(self.kind, fitted_alternatives(self.test, self.scenario))

    def _check_objective(self) -> None:
        """Refuse an objective where the test runs nothing, or of a result that the machine there does not declare.

        Schemes and repeaters run their parts under the names of these; other machines may run anything.
        """
        path, machine, passed = self.objective.query.path, self.test, ""
        chosen = [each.replace("/", ".") for each in self.scenario.paths]
        for step in path.split("/") if path else ():
            parts = _run_by(machine)
            if parts is None or any(sign in step for sign in "*?["):
                return
            if step not in parts:
                there = ", ".join(parts) or "nothing"
                raise ConfigurationError(
                    f"ParameterSearch: nothing is at {path!r} of the test: {machine.kind} runs {there}, not {step!r}"
                )
            machine, passed = parts[step], f"{passed}.{step}".lstrip(".")
            if passed in chosen:
                return  # what is there depends on the candidate
        label, declared = self.objective.query.label, machine.reports
        known = {*declared, *machine.parameter_names(), *_SPENT}
        if declared and label not in known and not any(each.startswith(f"{passed}.") for each in chosen):
            raise ConfigurationError(
                f"ParameterSearch: the objective must be a result of {machine.kind} at {path!r}, "
                f"which reports {', '.join(declared)}; got {label!r}"
            )

    @property
    def best(self) -> Literal["highest", "lowest"]:
        """Which objectives are best: what it says itself, what machines in the test declare, else the highest."""
        if self.objective.best is not None:
            return self.objective.best
        label = self.objective.query.label
        machines = [part for _, part in parts_of(self.test) if isinstance(part, Machine)]
        declared = {best for machine in machines if (best := machine.reports.get(label)) is not None}
        if len(declared) > 1:
            raise ConfigurationError(
                f"ParameterSearch: machines in the test differ in which {label!r} is best; say best= of the objective"
            )
        return declared.pop() if declared else "highest"

    @property
    def is_decided(self) -> bool:
        """Whether there is nothing to choose, so that the winner is known without a test."""
        return self.winner is not None and not self.scenario.paths

    @property
    def _sign(self) -> int:
        return 1 if self.best == "highest" else -1

    def _winner_in(self, test: Machine) -> Machine:
        found = test if self.winner is None else test.get(self.winner)
        if not isinstance(found, Machine):
            raise ConfigurationError(f"ParameterSearch: the winner at {self.winner!r} must be a machine, got {found!r}")
        return found

    def examine(self, examination: Examination) -> Mapping[str, str]:
        """Say of its results that they are of spoilt data, if they are."""
        return stamps_of_search(examination)

    async def run(self, job: Job, **inputs: Any) -> Model:
        if self.is_decided:
            return self._found(self._won(job, Candidate(), inputs), {"Best": {}})
        search = self.scenario.begin(self.generator(job.seed or Seed(0)))
        tested: dict[Candidate, Any] = {}
        """The capsule of each candidate, or why it was refused."""
        while batch := search.ask():
            configs = {candidate: self._config(candidate) for candidate in batch}
            if not tested:
                unbound = [each for each in configs if isinstance(configs[each], BindingError | InfeasibleError)]
                refuse(self.kind, {each: configs[each] for each in unbound})
            for candidate, config in configs.items():
                tested[candidate] = self._request(job, candidate, config, inputs, len(tested))
            await job.settled(*(tested[each] for each in batch if not isinstance(tested[each], ConfigurationError)))
            for candidate in batch:
                search.tell(candidate, self._objective(job, tested[candidate]))
        best = search.best
        if best is None or search.told[best] is None:
            why = next((said for each in search.told if (said := _failure(tested[each]))), "")
            text = f"{self.kind}: no candidate of {len(search.told)} could be tested"
            raise MachineFailed(f"{text}; the first: {why}" if why else text, self.kind, b"")
        found = search.told[best]
        assert found is not None
        results = {
            "Best": dict(best),
            "Objective": self._sign * found,
            "Tried": self._table(search.told, tested),
        }
        return self._found(tested[best] if self.winner is None else self._won(job, best, inputs), results)

    def _won(self, job: Job, best: Candidate, inputs: Mapping[str, Any]) -> Any:
        """The winner with the best values, requested for the inputs of the search."""
        machine = self._winner_in(best.applied_to(self.test))
        return job.request(machine, name="winner", **{name: inputs[name] for name in machine.inputs})

    def _found(self, exhibited: Any, results: Mapping[str, Any]) -> Model:
        return Model(results=results, **{name: getattr(exhibited, name) for name in self.outputs})

    def _config(self, candidate: Candidate) -> Machine | ConfigurationError:
        """What is run for a candidate, or why it is refused."""
        try:
            return fitted(self.test, candidate)
        except ConfigurationError as refused:
            return refused

    def _request(self, job: Job, candidate: Candidate, config: Any, inputs: Mapping[str, Any], number: int) -> Any:
        if isinstance(config, ConfigurationError):
            return config
        comments = {"Candidate": number + 1, **{path: _plain(value) for path, value in candidate.items()}}
        return job.request(config, name="test", comments=comments, **inputs)

    def _objective(self, job: Job, capsule: Any) -> float | None:
        if _failure(capsule) is not None:
            return None
        series = job.query(self.objective.query, capsule)
        if not len(series):
            raise ConfigurationError(f"ParameterSearch: nothing is at {self.objective.query.path!r} of the test")
        return self._sign * self.objective.of(series)

    def _table(self, told: Mapping[Candidate, float | None], tested: Mapping[Candidate, Any]) -> Series:
        columns: dict[str, list[Any]] = {
            "Objective": [None if value is None else self._sign * value for value in told.values()]
        }
        for path in self.scenario.paths:
            columns[path] = [_plain(candidate.get(path)) for candidate in told]
        failures = [_failure(tested[candidate]) for candidate in told]
        return Series({**columns, "Failure": failures} if any(failures) else columns)


def _run_by(machine: Machine) -> Mapping[str, Machine] | None:
    """The machines that a scheme or repeater runs, by name; None where that cannot be told beforehand."""
    if not isinstance(machine, Scheme | Repeater) or machine.missing():
        return None
    return {name: part for name in machine.part_names() if isinstance(part := machine.part(name), Machine)}


def _failure(tested: Any) -> str | None:
    """Why a candidate could not be tested."""
    error = tested if isinstance(tested, ConfigurationError) else tested.error
    return None if error is None else str(error).partition("\n")[0]


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
