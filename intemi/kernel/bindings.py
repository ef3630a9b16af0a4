"""Bindings: from what a request says about its inputs to sources, checked when bound, not when run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intemi.kernel.adoption import adopted
from intemi.kernel.context import ALL, NO_SOURCES, Source, Sources
from intemi.kernel.errors import BindingError, ConfigurationError, InfeasibleError
from intemi.kernel.machine import Machine, draw_time_seeds
from intemi.kernel.ports import Input, check_fit


def checked(config: Machine, bindings: Mapping[str, Any]) -> tuple[Machine, Sources]:
    """What is requested, seeds of the time drawn, and the sources of its inputs."""
    if isinstance(config, Machine):
        cls = type(config)
        is_simple = cls.has_process and not cls.holds_components() and config.seed is None
        if cls._watch is not None:
            config.notice_changes()
        if is_simple or "_is_ready" in config.__dict__:  # there is nothing to look at, or it was looked at before
            return config, bind(config, bindings)
    config = adopted(config)
    check_feasible(config)
    sources = bind(config, bindings)  # before a look at its seeds makes a scheme immutable
    drawn = draw_time_seeds(config)
    if drawn is config:
        config.__dict__["_is_ready"] = True
    return drawn, sources


def check_feasible(config: Machine) -> None:
    """Refuse a configuration in which something is missing, naming everything that is."""
    if not isinstance(config, Machine):
        hint = f", the class itself; write {config.__name__}(...)" if isinstance(config, type) else ""
        raise ConfigurationError(f"only machines can be requested, got {config!r}{hint}")
    if type(config).has_process and not config.holds_components():
        return
    missing = config.missing()
    if missing:
        listed = "".join(f"\n  {each}" for each in missing)
        raise InfeasibleError(f"{config.kind} cannot be requested yet, this is missing:{listed}")


def bind(config: Machine, bindings: Mapping[str, Any]) -> Sources:
    """The sources of every input of a machine, in the order of its ports."""
    inputs = config.inputs
    if not inputs and not bindings:
        return NO_SOURCES
    if len(bindings) != len(inputs):
        _explain_mismatch(config, inputs, bindings)
    sources: dict[str, tuple[Source, ...]] = {}
    for name, port in inputs.items():
        bound = bindings.get(name)
        # Nearly always one output is bound to an input of just that type.
        if type(bound) is Source and bound.port.accepted is port.accepted and bound.index != ALL:
            sources[name] = (bound,)
            continue
        if bindings.keys() != inputs.keys():
            _explain_mismatch(config, inputs, bindings)
        sources[name] = _sources(config, port, bound)
    return sources


def _explain_mismatch(config: Machine, inputs: Mapping[str, Input], bindings: Mapping[str, Any]) -> None:
    declared = ", ".join(map(str, inputs.values())) or "none"
    unknown = [name for name in bindings if name not in inputs]
    if unknown:
        raise BindingError(f"{config.kind}: no input is called {unknown[0]!r}; its inputs are {declared}")
    unbound = ", ".join(name for name in inputs if name not in bindings)
    raise BindingError(f"{config.kind}: not bound: {unbound}; its inputs are {declared}")


def _sources(config: Machine, port: Input, bound: Any) -> tuple[Source, ...]:
    given = tuple(bound) if isinstance(bound, list | tuple) else (bound,)
    if not port.multi and len(given) != 1:
        raise BindingError(f"{config.kind}.{port.name} takes one {port.accepted.__name__}, got {len(given)} sources")
    for source in given:
        if not isinstance(source, Source):
            raise BindingError(
                f"{config.kind}.{port.name} must be bound to an output, such as capsule.{port.name}, got {source!r}; "
                "project.given(value) makes an output of a value"
            )
        check_fit(source.port, source.context.name, port, config.kind, source.is_single)
    return given
