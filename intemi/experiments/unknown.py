"""Machines of a saved plan whose classes are not loaded here: plain data that keep their place in the experiment.

A plan in a folder names classes and never says where their code is. What is not known stays as it was written: it can
be listed, shown and written again, but not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from intemi.data import Data
from intemi.kernel import registry
from intemi.kernel.component import Component, from_plain
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.machine import Machine
from intemi.kernel.parameters import parameter
from intemi.kernel.ports import Input, Output
from intemi.machines.interfaces import Classifier

_DATA, _CLASSIFIER = Input(Data, name="data"), Input(Classifier, name="classifier")
_PLACES: dict[str, tuple[tuple[Input, ...], tuple[Output, ...]]] = {
    "data": ((), (Output(Data, name="data"),)),
    "learners": ((_DATA,), (Output(Classifier, name="classifier"),)),
    "requests": ((_DATA,), ()),
    "distributor": ((_DATA,), tuple(Output(Data, name=name, multi=True) for name in ("training", "test"))),
    "test": ((_DATA, _CLASSIFIER), ()),
}
"""The ports that each place of an experiment asks for: inputs, outputs."""


class Unknown(Machine):
    """A machine of a saved plan as it was written, with the ports that its place in the experiment asks for."""

    place: str = parameter(one_of=tuple(_PLACES))
    written: Mapping[str, Any]
    reason: str = ""

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The inputs of its place."""
        return {port.name: port for port in _PLACES[self.place][0]}

    @property
    def outputs(self) -> Mapping[str, Output]:
        """The outputs of its place."""
        return {port.name: port for port in _PLACES[self.place][1]}

    def to_plain(self) -> dict[str, Any]:
        """What was written."""
        return {name: _thawed(part) for name, part in self.written.items()}

    def __repr__(self) -> str:
        return _shown(self.written)

    def run(self, **_: Any) -> Any:
        """Refuse: there is no code."""
        raise ConfigurationError(self.reason)


def restored(place: str, plain: Mapping[str, Any]) -> Machine:
    """The machine that plain data of a folder describe; if it cannot be made here, what was written of it."""
    if not isinstance(plain, Mapping) or not isinstance(plain.get("type"), str):
        raise ConfigurationError(f"{place}: a machine must be a mapping with the name of its type")
    try:
        machine = from_plain(plain)
    except IntemiError as error:
        return Unknown(place, plain, str(error))
    if not isinstance(machine, Machine):
        raise ConfigurationError(f"{place}: {plain['type']} is not a machine")
    return machine


def is_known(part: Any) -> bool:
    """Whether a machine can be run here: neither it nor any of its parts is unknown."""
    if isinstance(part, Unknown):
        return False
    if isinstance(part, Component):
        return all(map(is_known, part.parameters().values()))
    if isinstance(part, Mapping):
        return all(map(is_known, part.values()))
    return not isinstance(part, tuple) or all(map(is_known, part))


def unknown_among(machines: Iterable[Machine], tests: Iterable[str] = ()) -> str | None:
    """One sentence that says what is not known here, and which import helps; None if all is known."""
    strangers = [machine for machine in machines if isinstance(machine, Unknown)]
    missing = {name: None for each in strangers for name in _missing_types(each.written)} | dict.fromkeys(tests)
    if missing:
        modules = ", ".join(dict.fromkeys(name.partition(".")[0] for name in missing if "." in name))
        named = ", ".join(missing)
        return (
            f"{named} {'is' if len(missing) == 1 else 'are'} not known here and shown as written; --import FILE, "
            f"with the Python file or module that defines it{f' ({modules})' if modules else ''}, lets it be understood"
        )
    return None if not strangers else f"{strangers[0]!r} is shown as written: {strangers[0].reason}"


def _missing_types(written: Any) -> Iterator[str]:
    if isinstance(written, Mapping):
        name = written.get("type")
        if isinstance(name, str) and name not in registry.components():
            yield name
        for part in written.values():
            yield from _missing_types(part)
    elif isinstance(written, list | tuple):
        for part in written:
            yield from _missing_types(part)


def _thawed(written: Any) -> Any:
    if isinstance(written, Mapping):
        return {key: _thawed(part) for key, part in written.items()}
    return [_thawed(part) for part in written] if isinstance(written, list | tuple) else written


def _shown(written: Any) -> str:
    if isinstance(written, Mapping) and isinstance(written.get("type"), str):
        parts = ", ".join(f"{name}={_shown(part)}" for name, part in written.items() if name != "type")
        return f"{written['type']}({parts})"
    if isinstance(written, list | tuple):
        return f"[{', '.join(map(_shown, written))}]"
    return repr(written)
