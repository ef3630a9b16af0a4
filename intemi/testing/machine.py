"""The common checks that any machine must pass."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

from intemi.kernel import Capsule, EventKind, Machine, Project, from_plain, registry
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import content_digest, encode, encode_parts
from intemi.kernel.errors import ConfigurationError, EncodingError
from intemi.kernel.seeds import Seed
from intemi.kernel.values import run_leaf


def check_machine(machine: Machine | type[Machine], /, *, stored: bool = True, **inputs: Any) -> None:
    """Check a machine on examples of its inputs (a list for a multi input).

    What is checked: the configuration survives plain data, bytes and pickling, and its identity with it; changed
    parameters change the identity; it has the ports of the roles that its class extends; all declared outputs are
    delivered; inputs and configuration are left alone; the same seed gives the same outputs and results, with one
    worker or with several; asking again runs nothing; and, unless `stored` is False, the store can keep every output.

    >>> from intemi.kernel import Input, Model, Output
    >>> class Half(Machine):
    ...     number = Input(float)
    ...     result = Output(float)
    ...     def run(self, number):
    ...         return Model(result=number / 2)
    >>> check_machine(Half, number=3.0)
    """
    config = _instance(machine)
    _check_round_trips(config)
    _check_identity(config)
    _check_roles(config)
    missing = [name for name in config.inputs if name not in inputs]
    if missing:
        raise ConfigurationError(f"check_machine({config.kind}): give an example of the input {', '.join(missing)}")
    _check_purity(config, inputs)
    first = _run(config, inputs, workers=1)
    again = _run(config, inputs, workers=4)
    assert first["results"] == again["results"], f"{config.kind}: the same seed must give the same results"
    for name, before in first["outputs"].items():
        same = before == again["outputs"][name]
        assert same, f"{config.kind}: the same seed must give the same output {name}"
    if stored:
        _check_storable(config, first["values"])


def _instance(machine: Machine | type[Machine]) -> Machine:
    if isinstance(machine, Machine):
        return machine
    try:
        return machine()
    except TypeError as error:
        raise ConfigurationError(f"check_machine({machine.__name__}): pass an example of it: {error}") from None


def _check_round_trips(config: Machine) -> None:
    from cloudpickle import dumps, loads

    assert repr(config), f"{config.kind}: a configuration must have a readable repr"
    plain = json.loads(json.dumps(config.to_plain()))
    trips = {"plain data": from_plain(plain), "bytes": decode(config.encoding), "pickling": loads(dumps(config))}
    # A class of the main program is defined anew by unpickling; the name stays with the one that is checked.
    registry.register_component(type(config).registered_name, type(config))
    for words, back in trips.items():
        same = back == config and back.digest == config.digest and hash(back) == hash(config)
        assert same, f"{config.kind}: the configuration does not survive {words}: {config!r} became {back!r}"


def _check_identity(config: Machine) -> None:
    for name, value in config.parameters().items():
        for other in _variations(value):
            try:
                changed = config.replace(name, other)
            except ConfigurationError:
                continue
            assert changed.digest != config.digest, f"{config.kind}: {name} changed, but not the identity"
            assert config.get(name) is value, f"{config.kind}: replacing {name} in a copy changed the original"


def _check_roles(config: Machine) -> None:
    """Ports that depend on the configuration, as those of a machine that gives what another gives, can be others."""
    from intemi.machines.roles import known_roles

    for role in known_roles():
        if isinstance(config, role) and (wrong := role.misfit(config.inputs, config.outputs)):
            raise AssertionError(f"{config.kind}: its role {role.kind} {role.described()}, but it {wrong}")


def _variations(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value - 1]
    if isinstance(value, str):
        return [value + "x"]
    return []


def _check_purity(config: Machine, inputs: dict[str, Any]) -> None:
    """The engine hands out copies of what could be changed; a leaf that changes its inputs counts on that."""
    if config.is_composite:
        return
    copies = copy.deepcopy(inputs)
    digests = {name: content_digest(value) for name, value in copies.items()}
    seed = Seed(0) if config.is_random else None
    with suppress(Exception):  # it is run once more by the engine, which says what is wrong
        run_leaf(config, {n: tuple(v) if config.inputs[n].multi else v for n, v in copies.items()}, seed)
    for name, value in copies.items():
        assert content_digest(value) == digests[name], f"{config.kind}: running it must not change its input {name}"


def _run(config: Machine, inputs: dict[str, Any], workers: int) -> dict[str, Any]:
    encoding = config.encoding
    inputs = {name: list(value) if config.inputs[name].multi else value for name, value in inputs.items()}
    digests = {name: content_digest(value) for name, value in inputs.items()}
    with Project(workers=workers) as project:
        sources: dict[str, Any] = {
            name: [project.given(each) for each in value] if config.inputs[name].multi else project.given(value)
            for name, value in inputs.items()
        }
        capsule = project.run(config, **sources)
        values = dict(capsule.outputs)
        started: list[Any] = []
        project.listen(lambda event: started.append(event) if event.kind is EventKind.STARTED else None)
        project.run(config, **sources)
        assert not started, f"{config.kind}: asking for it again must not run anything"
        results = _comparable(capsule)
        load = project._engine.load
        held = {
            name: [load(each) for each in bound] if config.inputs[name].multi else load(bound)
            for name, bound in sources.items()
        }
    anew = type(config).from_parameters(config.parameters())
    assert anew.encoding == encoding, f"{config.kind}: running it must not change its configuration"
    for name, value in inputs.items():
        for now in (value, held[name]):  # what was given, or the copy that was handed out
            same = content_digest(now) == digests[name]
            assert same, f"{config.kind}: running it must not change its input {name}"
    outputs = {name: _digest(config, name, value) for name, value in values.items()}
    return {"values": values, "outputs": outputs, "results": results}


def _comparable(capsule: Capsule) -> bytes:
    measured = capsule.config.measured
    try:
        return encode({label: value for label, value in capsule.results.items() if label not in measured})
    except EncodingError as error:
        raise AssertionError(f"{capsule.config.kind}: results must be plain values or arrays: {error}") from None


def _digest(config: Machine, name: str, value: Any) -> Any:
    try:
        return content_digest(value)
    except EncodingError:
        return type(value)  # compared as far as can be; `stored` decides whether that is allowed


def _check_storable(config: Machine, values: dict[str, Any]) -> None:
    for name, value in values.items():
        try:
            shared: dict[bytes, Any] = {}
            back = decode(b"".join(encode_parts(value, shared)), shared.__getitem__)
        except EncodingError as error:
            raise AssertionError(
                f"{config.kind}.{name} cannot be kept on disk: {error}; pass stored=False if that is meant"
            ) from None
        same = content_digest(back) == content_digest(value)
        assert same, f"{config.kind}.{name} does not survive being stored and loaded again"
