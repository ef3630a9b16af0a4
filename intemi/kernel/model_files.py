"""Model files: what a finished machine leaves, in one file that needs no project.

A file is a line with its format, a digest of all that follows, and one mapping in the canonical encoding: the outputs
of the machine, what they share, and a description in plain values. Nothing in it can be executed. It is read whole or
not at all.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from intemi.kernel.capsule import Capsule
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import DIGEST_SIZE, digest, encode, encode_parts, is_shared, source_of
from intemi.kernel.errors import ConfigurationError, EncodingError, IntemiError, MalformedError
from intemi.kernel.lineage import Lineage
from intemi.kernel.record import Record, flat
from intemi.kernel.shipped import VERSION, package_source
from intemi.kernel.source import is_by_user
from intemi.kernel.task import Context
from intemi.kernel.values import Values
from intemi.whole_files import write_whole

FORMAT = 1
_FIRST_LINE = re.compile(rb"intemi model (\d{1,9})\n")
_PLAIN = str | int | float | bool | None
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
STEP: Mapping[str, Any] = {
    "machine": str,
    "configuration": dict,
    "key": str,
    "made": str | None,
    "version": str | None,
    "results": dict,
    "outputs": dict,
}
"""What a description has of each machine, and of which type."""
MAX_PLAIN_DEPTH = 500
MAX_PLAIN_BITS = 4096
AGAIN = "save the model again"


class ModelFileError(IntemiError):
    """A file is not a model that can be read here."""


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds."""

    outputs: Mapping[str, Any]
    """The outputs of the machine by the names of its ports."""
    about: Mapping[str, Any]
    """Plain values: `machine`, `configuration`, `results`, `made`, `saved`, `versions`, and `lineage`, a step for each
    machine on the way, the last one this one."""


def save(lineage: Lineage, values: Values, capsule: Capsule, path: str | os.PathLike[str]) -> None:
    """Write what a finished machine leaves."""
    if not isinstance(capsule, Capsule):
        raise ConfigurationError(f"save: the capsule of a finished machine is needed, got {type(capsule).__name__}")
    outputs = capsule.wait().outputs
    if not outputs:
        raise ConfigurationError(f"save: {capsule.config.kind} gives nothing that could be saved")
    shared: dict[bytes, bytes] = {}
    try:
        encoded = {name: _packed(outputs[name], shared) for name in outputs}
    except EncodingError as error:
        raise ModelFileError(
            f"{os.fspath(path)}: not written, since what {capsule.config.kind} gives has no safe encoding: {error}"
        ) from error
    body = encode({"about": _described(lineage, values, capsule.context), "outputs": encoded, "shared": shared})
    write_whole(path, b"intemi model %d\n" % FORMAT + digest(body) + body)


def read(path: str | os.PathLike[str]) -> ModelFile:
    """What a model file holds; ModelFileError if it is none, or damaged, or cannot be read by this version."""
    file = os.fspath(path)
    if not os.path.isfile(path):
        raise ModelFileError(f"{file}: there is no such file")
    content = Path(path).read_bytes()
    first = _FIRST_LINE.match(content)
    if first is None:
        raise ModelFileError(f"{file}: this is no model of intemi; `project.save` and `intemi fit` write such files")
    if int(first[1]) > FORMAT:
        raise ModelFileError(
            f"{file}: it was written by a newer version of intemi (format {int(first[1])}; "
            f"{VERSION} reads formats up to {FORMAT}): update intemi"
        )
    begin = first.end() + DIGEST_SIZE
    body = memoryview(content)[begin:]
    if digest(body) != content[first.end() : begin]:
        raise ModelFileError(f"{file}: it is damaged, its content is not what was written: copy it, or {AGAIN}")
    maker = ""
    try:
        held = decode(body)
        _check_parts("content", held, {"about": dict, "outputs": dict, "shared": dict})
        about = held["about"]
        _check_about(about)
        maker = f"it was saved by intemi {about['versions']['intemi']}, and "
        return ModelFile(_Unpacking(held["shared"]).outputs(held["outputs"]), about)
    except (EncodingError, KeyError, TypeError, ImportError) as error:
        raise ModelFileError(f"{file}: {maker}intemi {VERSION} cannot read it here: {error}") from error


def _packed(value: object, shared: dict[bytes, bytes]) -> bytes:
    """A value as bytes; what it shares with others goes into `shared` by its digest."""
    parts: dict[bytes, object] = {}
    packed = b"".join(encode_parts(value, parts))
    for name, part in parts.items():
        if name not in shared:
            shared[name] = b""  # so that nothing is packed twice
            shared[name] = _packed(part, shared)
    return packed


class _Unpacking:
    """The values of a model file: each shared part is decoded once, however often it is named."""

    def __init__(self, shared: Mapping[bytes, bytes]) -> None:
        self._shared = shared
        self._parts: dict[bytes, Any] = {}
        self._open: set[bytes] = set()

    def outputs(self, packed: Mapping[str, bytes]) -> dict[str, Any]:
        """The outputs of the machine."""
        if not all(isinstance(name, str) for name in packed):
            raise MalformedError("its outputs have no names")
        return {name: decode(each, self._part, _is_acceptable) for name, each in packed.items()}

    def _part(self, name: bytes) -> Any:
        if name not in self._parts:
            if name in self._open:
                raise MalformedError(f"the shared part {name.hex()} contains itself")
            self._open.add(name)
            part = decode(self._shared[name], self._part, _is_acceptable)
            if not is_shared(type(part)):  # in plain values, 40 parts that name the next twice would stand for 2**40
                raise MalformedError(f"the shared part {name.hex()} is a {type(part).__name__}, which is never shared")
            self._open.remove(name)
            self._parts[name] = part
        return self._parts[name]


def _is_acceptable(cls: type, source: bytes) -> bool:
    """Whether a value of a class can be taken, as its source was: it checks itself, if it is one of ours."""
    return not is_by_user(cls) or source == source_of(cls)


def _check_about(about: Any) -> None:
    """Refuse a description of another shape than `_described` makes."""
    _check_plain(about)
    _check_parts("description", about, {**STEP, "saved": str, "versions": dict, "lineage": list})
    if not _is_texts(about["versions"]) or "intemi" not in about["versions"]:
        raise MalformedError("its description has versions of something else")
    for step in about["lineage"]:
        _check_parts("lineage", step, {**STEP, "inputs": dict})
    for step in (about, *about["lineage"]):
        if not all(isinstance(value, _PLAIN) for value in step["results"].values()):
            raise MalformedError("its description has results that are no plain values")
        listed = [*step["outputs"].values(), *step.get("inputs", {}).values()]
        if not all(isinstance(each, list) and all(isinstance(key, str) for key in each) for each in listed):
            raise MalformedError("its description has inputs or outputs that are no digests")


def _check_parts(what: str, given: Any, kinds: Mapping[str, Any]) -> None:
    if not isinstance(given, dict):
        raise MalformedError(f"its {what} is no mapping")
    for name, kind in kinds.items():
        if name not in given or not isinstance(given[name], kind):
            raise MalformedError(f"its {what} has no proper {name!r}")


def _is_texts(mapping: Any) -> bool:
    return isinstance(mapping, dict) and all(isinstance(each, str) for pair in mapping.items() for each in pair)


def _check_plain(value: Any) -> None:
    """Refuse what JSON cannot have, or only so large or deep that nothing can write it."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_PLAIN_DEPTH:
            raise MalformedError(f"its description is nested more than {MAX_PLAIN_DEPTH} deep")
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                if not all(isinstance(key, str) for key in each):
                    raise MalformedError("its description has a key that is no text")
                inner += each.values()
            elif isinstance(each, list | tuple):
                inner += each
            elif not isinstance(each, _PLAIN) or (isinstance(each, int) and each.bit_length() > MAX_PLAIN_BITS):
                raise MalformedError(f"its description has {type(each).__name__} values that JSON cannot have")
        level = inner


def _described(lineage: Lineage, values: Values, context: Context) -> dict[str, Any]:
    """What is known of the machine of a request, in plain values."""
    steps: dict[bytes, dict[str, Any]] = {}
    _add_steps(lineage, values, context, steps)
    return {
        **steps[context.key],
        "saved": _time(datetime.now(UTC).timestamp()),
        "versions": _versions(),
        "lineage": list(steps.values()),
    }


def _add_steps(lineage: Lineage, values: Values, context: Context, steps: dict[bytes, dict[str, Any]]) -> None:
    """Add a step for each machine on the way to a request, each after those that it depends on."""
    pending = [context]
    while pending:
        each = pending[-1]
        sources = lineage.sources_of(each)
        behind = [one.context for bound in sources.values() for one in bound if one.context.key not in steps]
        if behind:
            pending += behind
            continue
        pending.pop()
        if each.record is not None and each.key not in steps:
            given = {name: [one.context.key.hex() for one in bound] for name, bound in sources.items()}
            steps[each.key] = {**_step(values, each, each.record), "inputs": given}


def _step(values: Values, context: Context, record: Record) -> dict[str, Any]:
    items = {name: flat(items) for name, items in record.outputs.items()}
    for each in items.values():
        values.register(each)
    return {
        "machine": context.config.kind,
        "configuration": context.config.to_plain(),
        "key": context.key.hex(),
        "made": _time(record.started) if record.started else None,
        "version": record.version,
        "results": {label: value for label, value in record.results.items() if isinstance(value, _PLAIN)},
        "outputs": {name: [one.content.hex() for one in each if one.content] for name, each in items.items()},
    }


def _versions() -> dict[str, str]:
    """Of what may matter for reading it again."""
    loaded = [name for name in ("numpy", "scipy", "sklearn", "skops") if name in sys.modules]
    libraries: dict[str, str] = {name: version(_DISTRIBUTIONS.get(name, name)) for name in loaded}
    return {"intemi": VERSION, "source": package_source(), "python": platform.python_version(), **libraries}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
