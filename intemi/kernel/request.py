"""A request as a value, and what identifies it: sources, seed, key and, once its inputs are ready, the machine's id.

A *key* names what was asked for: configuration, seed, and which outputs of which keys the inputs are bound to. It is
known at once, before anything has run, and is the same at every level of unification, with any number of workers. When
the inputs are ready they are resolved to a machine's *id*: at level 1 from the origins of the inputs (through transit
outputs: a scheme's output is its child's), at level 2 from the digests of their contents. Equal key or equal id: same
machine.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from intemi.kernel.adoption import adopted
from intemi.kernel.encoding import DIGEST_SIZE, digest, encode
from intemi.kernel.errors import BindingError, ConfigurationError, InfeasibleError
from intemi.kernel.limits import Limits
from intemi.kernel.machine import Machine, draw_time_seeds
from intemi.kernel.ports import Input, check_fit
from intemi.kernel.record import SINGLE
from intemi.kernel.seeds import Seed
from intemi.kernel.task import ALL, NO_SOURCES, Context, Inputs, Source, Sources, Task


class Request(NamedTuple):
    """What is asked for, and how."""

    config: Machine
    bindings: Mapping[str, Any] = {}
    parent: Task | None = None
    """The composite that asks; None for the user's program."""
    name: str | None = None
    branch: tuple[int, ...] = ()
    """Which repetition it is, so that its random choices are its own."""
    comments: Mapping[str, Any] | None = None
    priority: int = 0
    limits: Limits | None = None
    is_step: bool = False
    """Whether it is a step of the parent's own process, which is not counted as a machine."""
    seed: Seed | None = None
    """The seed of a machine that is run again; None to derive it."""
    is_noted: bool = True
    """Whether the journal lists it among the requests of the user's program."""

    def context(self, project_seed: Seed, is_dry: bool = False) -> Context:
        """The request as a context that is not scheduled yet; refuses what is not feasible or bound wrongly.

        With `is_dry`, seeds of the time are not drawn: nothing is going to be run.
        """
        if is_dry:
            config = self.config
            check_feasible(config)
            sources = bind(config, self.bindings)
        else:
            config, sources = _checked(self.config, self.bindings)
        seed = self.seed
        if seed is None and config.is_random:
            seed = _seed_of(config, self.parent, self.branch, project_seed)
        above = self.parent.owner if self.parent else None
        key = key_of(config, seed, sources, above)
        return Context(
            config, sources, seed, key, above, self.name, self.limits, self.comments, self.is_step, self.is_noted
        )


def _checked(config: Machine, bindings: Mapping[str, Any]) -> tuple[Machine, Sources]:
    """What is requested, seeds of the time drawn, and the sources of its inputs."""
    if isinstance(config, Machine):
        cls = type(config)
        is_simple = cls.has_process and not cls.holds_components() and config.seed is None
        if cls._watch is not None:
            config.notice_changes()
        if is_simple or "_is_ready" in config.__dict__:  # there is nothing to check, or it was checked before
            return config, bind(config, bindings)
    config = adopted(config)
    check_feasible(config)
    sources = bind(config, bindings)  # before its seeds are read, which makes a scheme immutable
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


# Bindings: checked when bound, not when run


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


# Identity


def _seed_of(config: Machine, parent: Task | None, branch: tuple[int, ...], project_seed: Seed) -> Seed:
    """The seed of a random machine: its own if fixed, else its parent's (branched where a repetition is meant)."""
    if isinstance(config.seed, int):
        return Seed(config.seed)
    inherited = parent.owner.seed if parent else project_seed
    if inherited is None:
        assert parent is not None
        raise ConfigurationError(
            f"{parent.config.kind}: requests the random machine {config.kind}, so it must declare `random = True`"
        )
    return inherited.branch(*branch) if branch else inherited


def key_of(config: Machine, seed: Seed | None, sources: Sources, parent: Context | None = None) -> bytes:
    """What is asked for, in 128 bits.

    Inside of a private composite, machines that examine their lineage, and composites, which may request such, have
    keys of their own. A machine that depends on the clock never has the same key twice.
    """
    if config.depends_on_clock:
        return secrets.token_bytes(DIGEST_SIZE)
    if seed is None and not sources:
        return config.digest
    parts = [config.digest] if seed is None else [config.digest, b"seed", seed.encoded()]
    add = parts.append
    if parent is not None and (config.is_composite or config.examine is not None) and parent.is_private_inside:
        add(b"private")
    for name, bound in sources.items():
        add(_head(b"port", len(bound), name))
        for source in bound:
            add(source.context.key)
            add(_place(source.port.name, source.index))
    return digest(b"".join(parts))


def id_of(context: Context, inputs: Inputs, by_content: bool) -> bytes:
    """Which machine answers a request, in 128 bits, once its inputs are resolved and its lineage was examined."""
    parts = [context.config.digest, b"contents" if by_content else b"origins"]
    add = parts.append
    if context.seed is not None:
        add(b"seed" + context.seed.encoded())
    for name, (multi, items) in inputs.items():
        add(_head(b"many" if multi else b"port", len(items), name))
        for item in items:
            if by_content:
                assert item.content is not None
                add(item.content)
            else:
                add(encode(item.origin))
    if context.mark:
        add(b"mark" + context.mark)
    if context.stamps:
        add(b"stamps" + encode(dict(context.stamps)))
    return digest(b"".join(parts))


@lru_cache(maxsize=4096)
def _head(what: bytes, number: int, name: str) -> bytes:
    """What precedes the sources of a port; there are few different ones."""
    return b"%s %d %s\0" % (what, number, name.encode())


@lru_cache(maxsize=4096)
def _place(output: str, index: int) -> bytes:
    return output.encode() + (b"=" if index == SINGLE else b"*" if index == ALL else b"[%d]" % index)
