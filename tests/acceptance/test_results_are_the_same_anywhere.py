"""Whatever runs a graph of machines, on however many workers, unified or not: it comes to the same.

The graphs are generated, and what they must come to is computed by a plain recursive evaluator that shares no code with
the kernel: values, first causes of failures, and how many machines have to be run at each level of unification.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intemi import Processes
from intemi.kernel import (
    Capsule,
    EventKind,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    State,
)
from intemi.machines import Repeater, Scheme
from tests.machines import Add, Demand, Draw, Fail, Log, Number, Remainder, Scale, Shake, Split, Total, gate
from tests.profiles import examples

# Composites that request what a scheme cannot: as many machines as there are values, or another one after a failure


class Each(Machine):
    """A machine for every number; each is a repetition, with random choices of its own."""

    numbers = MultiInput(int)
    parts = MultiOutput(int)
    machine: Machine

    async def run(self, job: Job, numbers: Any) -> Model:
        singles = [single for source in numbers for single in ([source] if source.is_single else source)]
        capsules = [job.request(self.machine, branch=(i,), number=single) for i, single in enumerate(singles)]
        await job.all(*capsules)
        return Model(parts=[capsule.result for capsule in capsules], results={"Count": len(capsules)})


class Either(Machine):
    """A machine or, if it fails, another one."""

    number = Input(int)
    result = Output(int)
    first: Machine
    second: Machine

    async def run(self, job: Job, number: Any) -> Model:
        try:
            chosen = await job.request(self.first, number=number)
        except MachineFailed:
            chosen = await job.request(self.second, number=number)
        return Model(result=chosen.result, results={"Tries": len(job.children())})


class Guarded(Machine):
    """Fails once a gate is open."""

    result = Output(int)
    version = 1
    gate: str

    def run(self) -> Model:
        gate(self.gate).opened.wait(30)
        raise ValueError(self.gate)


# What is generated: values that describe a graph, equal exactly if the graphs are


class Wire(NamedTuple):
    """An output of an earlier machine of the same level, or (without one) an input of the level."""

    machine: str
    output: str


class Plan:
    """What a machine is to be."""

    seed: int | None = None


@dataclass(frozen=True)
class Given(Plan):
    """A value from outside; only at the top."""

    value: int


@dataclass(frozen=True)
class Leaf(Plan):
    """A machine of one of the classes of `tests.machines`."""

    kind: type[Machine]
    parameter: Any = None
    seed: int | None = None


@dataclass(frozen=True)
class Step:
    """A machine in a level, bound to earlier ones."""

    name: str
    plan: Plan
    wires: tuple[tuple[str, tuple[Wire, ...]], ...] = ()


@dataclass(frozen=True)
class Nest(Plan):
    """A scheme."""

    inputs: tuple[tuple[str, bool], ...]
    steps: tuple[Step, ...]
    exposed: tuple[tuple[str, Wire], ...]
    outputs: tuple[tuple[str, bool], ...]
    seed: int | None = None


@dataclass(frozen=True)
class ForEach(Plan):
    """An `Each`."""

    machine: Plan
    seed: int | None = None


@dataclass(frozen=True)
class Choice(Plan):
    """An `Either`."""

    first: Plan
    second: Plan
    seed: int | None = None


@dataclass(frozen=True)
class Repeat(Plan):
    """A repeater whose distributor splits a number."""

    shaken: bool
    count: int
    test: Plan
    repetitions: int
    seed: int | None = None

    @property
    def distributor(self) -> Nest:
        """The plan of its distributor."""
        shake = (Step("shake", Leaf(Shake, 1000), (("number", (Wire("", "number"),)),)),) if self.shaken else ()
        source = Wire("shake", "result") if self.shaken else Wire("", "number")
        split = Step("split", Leaf(Split, self.count), (("number", (source,)),))
        exposed = (("number", Wire("split", "parts")),)
        return Nest((("number", False),), (*shake, split), exposed, (("number", True),))


Ports = Mapping[str, bool]
"""Port names, and whether each carries a collection."""

NUMBER: Ports = {"number": False}
RESULT: Ports = {"result": False}
LEAVES: dict[type[Machine], tuple[Ports, Ports]] = {
    Number: ({}, RESULT),
    Draw: ({}, RESULT),
    Fail: ({}, RESULT),
    Add: ({"left": False, "right": False}, RESULT),
    Scale: (NUMBER, RESULT),
    Remainder: (NUMBER, RESULT),
    Demand: (NUMBER, RESULT),
    Shake: (NUMBER, RESULT),
    Split: (NUMBER, {"parts": True}),
    Total: ({"numbers": True}, RESULT),
}


def ports_of(plan: Plan) -> tuple[Ports, Ports]:
    match plan:
        case Given():
            return {}, {"value": False}
        case Leaf(kind):
            return LEAVES[kind]
        case Nest():
            return dict(plan.inputs), dict(plan.outputs)
        case ForEach():
            return {"numbers": True}, {"parts": True}
        case Choice():
            return NUMBER, RESULT
        case Repeat():
            return NUMBER, {}
    raise AssertionError(plan)


def machine_of(plan: Plan) -> Machine:
    """The configuration that a plan describes."""
    match plan:
        case Leaf(kind, None, seed):
            return kind(seed=seed)
        case Leaf(kind, parameter, seed):
            return kind(parameter, seed=seed)
        case Nest():
            return scheme_of(plan)
        case ForEach(machine, seed):
            return Each(machine_of(machine), seed=seed)
        case Choice(first, second, seed):
            return Either(machine_of(first), machine_of(second), seed=seed)
        case Repeat(_, _, test, repetitions, seed):
            return Repeater(machine_of(plan.distributor), machine_of(test), repetitions, seed=seed)
    raise AssertionError(plan)


def scheme_of(plan: Nest) -> Scheme:
    scheme = Scheme(seed=plan.seed, **{name: MultiInput(int) if multi else Input(int) for name, multi in plan.inputs})
    handles: dict[str, Any] = {"": scheme}
    for step in plan.steps:
        bindings = {name: [getattr(handles[w.machine], w.output) for w in wires] for name, wires in step.wires}
        handles[step.name] = scheme.add(machine_of(step.plan), name=step.name, **bindings)
    scheme.expose(**{name: getattr(handles[wire.machine], wire.output) for name, wire in plan.exposed})
    return scheme


# How it is generated

small = st.integers(0, 6)
seeds = st.none() | st.none() | st.integers(0, 3)


@st.composite
def leaf_plans(draw: Callable[..., Any], fits_number_to_result: bool = False) -> Leaf:
    to_result = [Remainder, Scale, Shake, Demand]
    kind = draw(st.sampled_from(to_result if fits_number_to_result else [*LEAVES, Add, Total, *to_result]))
    parameters = {
        Number: small,
        Draw: st.sampled_from([3, 1000]),
        Fail: st.sampled_from(["no", "never"]),
        Scale: st.integers(1, 3),
        Remainder: st.integers(1, 4),
        Demand: st.integers(1, 3),
        Shake: st.sampled_from([3, 1000]),
        Split: st.integers(1, 3),
    }
    return Leaf(kind, draw(parameters.get(kind, st.none())), draw(seeds) if kind in (Draw, Shake) else None)


@st.composite
def number_to_result_plans(draw: Callable[..., Any], depth: int) -> Plan:
    if depth == 0 or draw(st.booleans()):
        return draw(leaf_plans(fits_number_to_result=True))
    if draw(st.integers(0, 3)) == 0:
        return Choice(draw(number_to_result_plans(depth - 1)), draw(number_to_result_plans(depth - 1)), draw(seeds))
    return draw(nests(depth, NUMBER, number_to_result=True))


@st.composite
def plans(draw: Callable[..., Any], depth: int) -> Plan:
    kind = draw(st.sampled_from(["leaf"] * 4 + (["nest", "nest", "each", "choice", "repeat"] if depth else [])))
    match kind:
        case "leaf":
            return draw(leaf_plans())
        case "nest":
            names = draw(st.lists(st.sampled_from("abc"), max_size=3, unique=True))
            return draw(nests(depth, {name: draw(st.booleans()) for name in names}))
        case "each":
            return ForEach(draw(number_to_result_plans(depth - 1)), draw(seeds))
        case "choice":
            first, second = (draw(number_to_result_plans(depth - 1)) for _ in range(2))
            return Choice(first, second, draw(seeds))
    test = draw(nests(depth, NUMBER))
    return Repeat(draw(st.booleans()), draw(st.integers(1, 3)), test, draw(st.integers(1, 2)), draw(seeds))


@st.composite
def steps(draw: Callable[..., Any], depth: int, inputs: Ports, given: bool = False) -> tuple[Step, ...]:
    sources = [(Wire("", name), multi) for name, multi in inputs.items()]
    drawn: list[Step] = []
    for index in range(draw(st.integers(4, 10) if given else st.integers(1, 4))):
        plan = draw(st.builds(Given, small) if given and index < 2 else plans(depth))
        takes, gives = ports_of(plan)
        wires = []
        for port, multi in takes.items():
            fitting = [wire for wire, is_multi in sources if multi or not is_multi]
            if not fitting:
                break
            count = draw(st.integers(1, 3)) if multi else 1
            wires.append((port, tuple(draw(st.sampled_from(fitting)) for _ in range(count))))
        if len(wires) < len(takes):  # nothing here that it could be bound to
            plan, wires, gives = Leaf(Number, draw(small)), [], RESULT
        step = Step(f"m{index}", plan, tuple(wires))
        drawn.append(step)
        sources += [(Wire(step.name, output), multi) for output, multi in gives.items()]
    return tuple(drawn)


@st.composite
def nests(draw: Callable[..., Any], depth: int, inputs: Ports, number_to_result: bool = False) -> Nest:
    inside = draw(steps(depth - 1, inputs))
    sources = {Wire("", name): multi for name, multi in inputs.items()}
    sources |= {Wire(step.name, output): multi for step in inside for output, multi in ports_of(step.plan)[1].items()}
    if number_to_result:
        exposed = {"result": draw(st.sampled_from([wire for wire, multi in sources.items() if not multi]))}
    else:
        wires = draw(st.lists(st.sampled_from(list(sources)), max_size=2, unique=True)) if sources else []
        exposed = {f"out{index}": wire for index, wire in enumerate(wires)}
    outputs = tuple((name, sources[wire]) for name, wire in exposed.items())
    return Nest(tuple(inputs.items()), inside, tuple(exposed.items()), outputs, draw(seeds))


Graph = tuple[Step, ...]
graphs = steps(depth=2, inputs={}, given=True)


# What it must come to

Seed = tuple[int, tuple[int, ...]]


class Value(NamedTuple):
    """A number, and which output of which machine it is."""

    content: int
    origin: Any


class Request(NamedTuple):
    """Which output of which request a source is: what keys are made of."""

    key: int
    output: str
    index: int | Literal["all", "single"]


class Source(NamedTuple):
    """What an input is bound to."""

    request: Request
    values: tuple[Value, ...]
    error: str | None


@dataclass
class Outcome:
    """What must come of one context."""

    name: str
    key: int
    error: str | None = None
    """The text of the first cause."""
    ran: bool = True
    """Whether it got so far; a machine whose input failed does not."""
    outputs: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    ports: Ports = field(default_factory=dict)

    def source(self, output: str, index: int | None = None) -> Source:
        which = index if index is not None else "all" if self.ports[output] else "single"
        values = self.outputs.get(output, ())
        return Source(Request(self.key, output, which), values if index is None else (values[index],), self.error)

    def singles(self, output: str) -> list[Source]:
        if not self.ports[output]:
            return [self.source(output)]
        return [self.source(output, index) for index in range(len(self.outputs[output]))]

    def values(self) -> dict[str, Any]:
        plain = {name: tuple(value.content for value in values) for name, values in self.outputs.items()}
        return {name: contents if self.ports[name] else contents[0] for name, contents in plain.items()}


Place = tuple[str | int, ...]


class Oracle:
    """Evaluates a graph, one machine after the other, with nothing but Python and a random generator."""

    def __init__(self, graph: Graph) -> None:
        self.outcomes: dict[Place, Outcome] = {}
        """Every context, by the name of the requested machine and the indices of the children from there."""
        self.causes: dict[str, set[str]] = {}
        """The paths of the machines that fail by themselves, by what they say."""
        self.machines: dict[int, dict[Place, int]] = {0: {}, 1: {}, 2: {}}
        """Which machine answers where, by level of unification."""
        self._numbers: dict[Any, int] = {}
        level: dict[str, Outcome] = {}
        for step in graph:
            sources = {name: [level[w.machine].source(w.output) for w in wires] for name, wires in step.wires}
            level[step.name] = self._evaluate(step.plan, sources, (0, ()), (step.name,), step.name, step.name)

    def count_runs(self, level: int) -> int:
        """How many machines have to be run."""
        return len(set(self.machines[level].values()))

    def count_retries(self, level: int) -> int:
        """How many have to be run again to try everything that failed; what is under a finished machine is not."""
        failed = {place for place, outcome in self.outcomes.items() if outcome.error is not None}
        return len(
            {
                machine
                for place, machine in self.machines[level].items()
                if all(place[:end] in failed for end in range(1, len(place) + 1))
            }
        )

    def _number(self, *structure: Any) -> int:
        """Equal structures, equal numbers."""
        return self._numbers.setdefault(structure, len(self._numbers))

    def _evaluate(
        self, plan: Plan, inputs: Mapping[str, list[Source]], inherited: Seed, place: Place, name: str, path: str
    ) -> Outcome:
        if isinstance(plan, Given):
            value = Value(plan.value, ("given", plan.value))
            return Outcome(name, self._number("given", plan), outputs={"value": (value,)}, ports={"value": False})
        seed = None if not is_random(plan) else inherited if plan.seed is None else (plan.seed, ())
        bound = tuple((port, tuple(source.request for source in sources)) for port, sources in inputs.items())
        outcome = Outcome(name, self._number("key", plan, seed, bound), ports=ports_of(plan)[1])
        self.outcomes[place] = outcome
        flat = [source for sources in inputs.values() for source in sources]
        outcome.error = next((source.error for source in flat if source.error is not None), None)
        if outcome.error is not None:
            outcome.ran = False
            return outcome
        values = {port: [value for source in sources for value in source.values] for port, sources in inputs.items()}
        machine = self._identify(plan, seed, values, place)
        if isinstance(plan, Leaf):
            self._run_leaf(plan, seed, values, outcome, machine, path)
        else:
            self._run_composite(plan, seed, inputs, outcome, place, path)
        return outcome

    def _identify(self, plan: Plan, seed: Seed | None, values: Mapping[str, list[Value]], place: Place) -> int:
        by_origin = tuple((port, tuple(value.origin for value in each)) for port, each in values.items())
        by_content = tuple((port, tuple(value.content for value in each)) for port, each in values.items())
        machine = self._number("origins", plan, seed, by_origin)
        self.machines[0][place] = self._number("place", place)
        self.machines[1][place] = machine
        self.machines[2][place] = self._number("contents", plan, seed, by_content)
        return machine

    def _run_leaf(
        self,
        plan: Leaf,
        seed: Seed | None,
        values: Mapping[str, list[Value]],
        outcome: Outcome,
        machine: int,
        path: str,
    ) -> None:
        numbers = [value.content for each in values.values() for value in each]
        drawn = None
        if seed:
            entropy = [seed[0], *blake3(plan.kind.registered_name.encode()).digest(16)]
            drawn = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=seed[1])))
        try:
            made, outcome.results = compute(plan, numbers, drawn)
        except ValueError as error:
            outcome.error = f"ValueError: {error}"
            self.causes.setdefault(outcome.error, set()).add(path)
            return
        (output,) = outcome.ports
        outcome.outputs[output] = tuple(Value(each, (machine, index)) for index, each in enumerate(made))

    def _run_composite(
        self,
        plan: Plan,
        seed: Seed | None,
        inputs: Mapping[str, list[Source]],
        outcome: Outcome,
        place: Place,
        path: str,
    ) -> None:
        children: list[Outcome] = []

        def request(
            child: Plan, bindings: Mapping[str, list[Source]], name: str = "", branch: tuple[int, ...] = ()
        ) -> Outcome:
            name = name or KINDS.get(type(child)) or child.kind.__name__  # type: ignore[attr-defined]
            branched = (seed[0], seed[1] + branch) if seed else (0, ())
            here = (*place, len(children))
            children.append(self._evaluate(child, bindings, branched, here, name, f"{path}/{name}"))
            return children[-1]

        try:
            outcome.outputs, outcome.results = RUN[type(plan)](plan, inputs, request, children)
        except ChildError as failed:
            outcome.error = failed.text


KINDS: dict[type[Plan], str] = {Nest: "Scheme", ForEach: "Each", Choice: "Either", Repeat: "Repeater"}


class ChildError(Exception):
    """A child that failed."""

    def __init__(self, text: str) -> None:
        self.text = text


def check(children: list[Outcome]) -> None:
    for child in children:
        if child.error is not None:
            raise ChildError(child.error)


def run_nest(plan: Nest, inputs: Mapping[str, list[Source]], request: Any, children: list[Outcome]) -> Any:
    level: dict[str, Outcome] = {}

    def sources(wire: Wire) -> list[Source]:
        return [level[wire.machine].source(wire.output)] if wire.machine else inputs[wire.output]

    for step in plan.steps:
        bindings = {name: [source for wire in wires for source in sources(wire)] for name, wires in step.wires}
        level[step.name] = request(step.plan, bindings, step.name)
    check(children)
    outputs = {name: tuple(v for source in sources(wire) for v in source.values) for name, wire in plan.exposed}
    return outputs, {}


def run_each(plan: ForEach, inputs: Mapping[str, list[Source]], request: Any, children: list[Outcome]) -> Any:
    singles = [
        Source(source.request._replace(index=i) if source.request.index == "all" else source.request, (value,), None)
        for source in inputs["numbers"]
        for i, value in enumerate(source.values)
    ]
    for index, single in enumerate(singles):
        request(plan.machine, {"number": [single]}, branch=(index,))
    check(children)
    return {"parts": tuple(child.outputs["result"][0] for child in children)}, {"Count": len(singles)}


def run_choice(plan: Choice, inputs: Mapping[str, list[Source]], request: Any, children: list[Outcome]) -> Any:
    chosen = request(plan.first, inputs)
    if chosen.error is not None:
        chosen = request(plan.second, inputs)
        check([chosen])
    return {"result": chosen.outputs["result"]}, {"Tries": len(children)}


def run_repeat(plan: Repeat, inputs: Mapping[str, list[Source]], request: Any, children: list[Outcome]) -> Any:
    for repetition in range(plan.repetitions):
        distributor = request(plan.distributor, inputs, "distributor", (repetition,))
        check([distributor])
        for fold, single in enumerate(distributor.singles("number")):
            request(plan.test, {"number": [single]}, "test", (repetition, fold))
    check(children)
    return {}, {}


RUN: dict[type[Plan], Any] = {Nest: run_nest, ForEach: run_each, Choice: run_choice, Repeat: run_repeat}


def is_random(plan: Plan) -> bool:
    match plan:
        case Leaf(kind):
            return kind in (Draw, Shake)
        case Nest():
            return any(is_random(step.plan) for step in plan.steps)
        case ForEach(machine):
            return is_random(machine)
        case Choice(first, second):
            return is_random(first) or is_random(second)
        case Repeat():
            return plan.shaken or is_random(plan.test)
    raise AssertionError(plan)


def compute(plan: Leaf, numbers: list[int], rng: Any) -> tuple[list[int], dict[str, Any]]:
    """The values that a leaf gives out, and its results."""
    parameter = plan.parameter
    match plan.kind.__name__:
        case "Number":
            return [parameter], {}
        case "Draw":
            return [int(rng.integers(parameter))], {}
        case "Fail":
            raise ValueError(parameter)
        case "Add":
            return [sum(numbers)], {"Sum": sum(numbers)}
        case "Scale":
            return [numbers[0] * parameter], {}
        case "Remainder":
            return [numbers[0] % parameter], {}
        case "Demand" if numbers[0] % parameter:
            raise ValueError(f"{numbers[0]} is not a multiple of {parameter}")
        case "Demand":
            return numbers, {}
        case "Shake":
            return [numbers[0] + int(rng.integers(parameter))], {}
        case "Split":
            return [(numbers[0] + index) // parameter for index in range(parameter)], {}
        case "Total":
            return [sum(numbers)], {"Count": len(numbers)}
    raise AssertionError(plan)


# The comparison


def request_all(project: Project, graph: Graph) -> dict[str, Capsule]:
    """Request a graph from its first machine to its last, waiting for nothing."""
    sources: dict[str, Any] = {}
    capsules: dict[str, Capsule] = {}
    for step in graph:
        if isinstance(step.plan, Given):
            value = project.given(step.plan.value)
            sources[step.name] = type("Values", (), {"value": value})
            continue
        bindings = {name: [getattr(sources[w.machine], w.output) for w in wires] for name, wires in step.wires}
        capsule = project.request(machine_of(step.plan), name=step.name, **bindings)
        capsules[step.name] = sources[step.name] = capsule
    return capsules


def wait_for(capsules: Mapping[str, Capsule]) -> None:
    for capsule in capsules.values():
        try:
            capsule.wait(60)
        except MachineFailed:
            assert capsule.state is State.FAILED


def cause_of(error: Exception | None, oracle: Oracle) -> str | None:
    """What the first machine that failed said; it must be one that fails by itself, and says so."""
    if error is None:
        return None
    assert isinstance(error, MachineFailed)
    cause = error.message.removeprefix(f"{error.path} failed: ")
    assert error.path in oracle.causes[cause]
    assert error.traceback.rstrip().endswith(cause)
    return cause


def check_tree(capsule: Capsule, place: Place, oracle: Oracle, keys: dict[Place, bytes]) -> None:
    """Everything that can be seen of a context and of those under it."""
    expected = oracle.outcomes[place]
    keys[place] = capsule.key
    assert capsule.name == expected.name
    assert cause_of(capsule.error, oracle) == expected.error, place
    if expected.error is None:
        assert capsule.results == expected.results, place
        assert dict(capsule.outputs) == expected.values(), place
    for child in capsule.children:
        check_tree(child, (*place, child.context.index), oracle, keys)


def places_of(log: Log) -> dict[int, Place]:
    """The places of all requests, by their numbers."""
    places: dict[int, Place] = {}
    for event in log.of(EventKind.REQUESTED):
        places[event.number] = (event.name,) if event.parent is None else (*places[event.parent], event.index)
    return places


def check_events(log: Log, oracle: Oracle) -> None:
    """Every request has its key, and comes to its end once, the right one."""
    requested = log.of(EventKind.REQUESTED)
    places = places_of(log)
    keys = {(oracle.outcomes[places[event.number]].key, event.key) for event in requested}
    assert len(keys) == len({key for _, key in keys}) == len({number for number, _ in keys})
    answered = log.of(EventKind.FINISHED) + log.of(EventKind.UNIFIED)
    failed = log.of(EventKind.FAILED)
    assert sorted(event.number for event in requested) == sorted(event.number for event in answered + failed)
    for event in answered:
        assert oracle.outcomes[places[event.number]].error is None
    for event in failed:
        assert cause_of(event.error, oracle) == oracle.outcomes[places[event.number]].error


def check_runs(log: Log, level: int, expected: int) -> None:
    """Exactly what is needed was run; unified, nothing twice."""
    assert log.runs.total() == expected
    if level:
        assert set(log.runs.values()) <= {1}


def check_capsules(capsules: Mapping[str, Capsule], oracle: Oracle) -> dict[Place, bytes]:
    """Wait for a graph and compare everything that can be seen of it with what it must come to; all keys."""
    wait_for(capsules)
    keys: dict[Place, bytes] = {}
    for name, capsule in capsules.items():
        check_tree(capsule, (name,), oracle, keys)
    assert set(keys) >= {place for place, outcome in oracle.outcomes.items() if outcome.ran}
    return keys


def check_graph(graph: Graph, oracle: Oracle, project: Project, level: int) -> dict[Place, bytes]:
    """Run a graph in a project that has not seen it yet; the keys of all requests."""
    log = Log(project)
    seen_afterwards = check_capsules(request_all(project, graph), oracle)
    check_events(log, oracle)
    check_runs(log, level, oracle.count_runs(level))
    keys = {place: event.key for event, place in zip(log.of(EventKind.REQUESTED), places_of(log).values(), strict=True)}
    if level == 0:  # otherwise a machine's children may have been requested in another place
        assert seen_afterwards.items() <= keys.items()
    return keys


def check_keys(keys: list[dict[Place, bytes]]) -> None:
    """One place, one key, wherever it ran; without unification every place is requested."""
    everything = max(keys, key=len)
    for some in keys:
        assert some.items() <= everything.items()


LEVELS = (0, 1, 2)


def graphs_times(factor: float) -> settings:
    return settings(examples(factor), suppress_health_check=list(HealthCheck))


@given(graph=graphs)
@graphs_times(1)
def test_a_graph_comes_to_the_same_on_any_number_of_threads_at_any_level(graph: Graph) -> None:
    oracle = Oracle(graph)
    keys = []
    for workers in (1, 2, 8):
        for level in LEVELS:
            with Project(workers=workers, unification=level) as project:
                keys.append(check_graph(graph, oracle, project, level))
    check_keys(keys)


@given(graph=graphs)
@graphs_times(1)
def test_each_level_of_unification_runs_no_more_than_the_one_below(graph: Graph) -> None:
    runs = {}
    for level in LEVELS:
        with Project(workers=2, unification=level) as project:
            wait_for(request_all(project, graph))
            runs[level] = project.counts().physical.total()
    assert runs[2] <= runs[1] <= runs[0]


@given(graph=graphs)
@graphs_times(0.25)
def test_a_graph_comes_to_the_same_in_a_folder_and_again_without_running_what_has_finished(graph: Graph) -> None:
    oracle = Oracle(graph)
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as folder:
            with Project(folder, workers=2, unification=level) as project:
                check_graph(graph, oracle, project, level)
            for failures, runs in (("retry", oracle.count_retries(level)), ("reuse", 0)):
                with Project(folder, workers=2, unification=level, failures=failures) as project:
                    log = Log(project)
                    check_capsules(request_all(project, graph), oracle)
                    check_runs(log, level, runs if level else oracle.count_runs(0))


@given(graph=graphs)
@graphs_times(0.25)
def test_nothing_runs_twice_when_eight_threads_request_the_same_graph_at_once(graph: Graph) -> None:
    oracle = Oracle(graph)
    for level in (1, 2):
        with Project(workers=8, unification=level) as project, ThreadPoolExecutor(8) as callers:
            log = Log(project)
            ready = threading.Barrier(8)

            def call(project: Project = project, ready: threading.Barrier = ready) -> dict[str, Capsule]:
                ready.wait()
                return request_all(project, graph)

            for called in [callers.submit(call) for _ in range(8)]:
                check_capsules(called.result(), oracle)
            check_events(log, oracle)
            check_runs(log, level, oracle.count_runs(level))


@pytest.fixture(scope="module")
def project_on_processes() -> Iterator[Project]:
    with Project(workers=Processes(2), unification=0) as project:
        yield project


@given(graph=graphs)
@graphs_times(0.5)
def test_a_graph_comes_to_the_same_in_processes(project_on_processes: Project, graph: Graph) -> None:
    check_graph(graph, Oracle(graph), project_on_processes, level=0)


@pytest.mark.parametrize("level", [1, 2])
@given(graph=graphs)
@graphs_times(0.1)
def test_a_graph_comes_to_the_same_unified_in_processes(level: Any, graph: Graph) -> None:
    with Project(workers=Processes(2), unification=level) as project:
        check_graph(graph, Oracle(graph), project, level)


@pytest.mark.parametrize(("level", "runs"), [(0, 3), (1, 3), (2, 1)])
def test_level_two_unifies_equal_content_that_came_by_different_ways(level: Any, runs: int) -> None:
    with Project(unification=level) as project:
        drawn = project.request(Number(3))
        left_over = project.request(Remainder(10), number=project.given(13))
        ways = [project.given(3), drawn.result, left_over.result]
        scaled = [project.run(Scale(5), number=way) for way in ways]
        assert [each.outputs["result"] for each in scaled] == [15, 15, 15]
        assert project.counts().logical["Scale"] == 3
        assert project.counts().physical["Scale"] == runs


@pytest.mark.parametrize(("level", "runs"), [(0, 2), (1, 1), (2, 1)])
def test_an_output_that_a_scheme_exhibits_is_that_of_the_machine_inside(level: Any, runs: int) -> None:
    scheme = Scheme()
    scheme.expose(result=scheme.add(Number(3)).result)
    with Project(unification=level) as project:
        through_scheme = project.run(scheme)
        direct = project.run(Number(3))
        project.wait(*(project.request(Scale(5), number=each.result) for each in (through_scheme, direct)))
        assert project.counts().physical["Scale"] == runs


def test_eight_times_nine_feature_subsets_of_which_37_differ_train_37_classifiers() -> None:
    subsets = [(ranking * 9 + length) % 37 for ranking in range(8) for length in range(9)]
    with Project(workers=2) as project:
        chosen = [project.request(Remainder(37), number=project.given(37 * i + n)) for i, n in enumerate(subsets)]
        classifiers = [project.request(Scale(5), number=subset.result) for subset in chosen]
        project.wait(*classifiers)
        assert [each.outputs["result"] for each in classifiers] == [5 * number for number in subsets]
        assert project.counts().logical["Scale"] == 72
        assert project.counts().physical["Scale"] == 37


@pytest.mark.parametrize("first", ["left", "right"])
def test_the_first_cause_does_not_depend_on_which_machine_fails_first(first: str) -> None:
    second = {"left": "right", "right": "left"}[first]
    with Project(workers=2) as project:
        failing = {side: project.request(Guarded(f"{first} first, {side}")) for side in ("left", "right")}
        total = project.request(Add(), left=failing["left"].result, right=failing["right"].result)
        for side in (first, second):
            gate(f"{first} first, {side}").opened.set()
            with pytest.raises(MachineFailed):
                failing[side].wait(30)
        with pytest.raises(MachineFailed, match=f"ValueError: {first} first, left"):
            total.wait(30)
