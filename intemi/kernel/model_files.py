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
from intemi.kernel.encoding import DIGEST_SIZE, digest, encode, encode_parts, source_of
from intemi.kernel.errors import ConfigurationError, EncodingError, IntemiError
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
    about: Mapping[str, Any] = {}
    try:
        held = decode(body)
        about, shared = held["about"], held["shared"]
        return ModelFile({name: _unpacked(each, shared) for name, each in held["outputs"].items()}, about)
    except (EncodingError, KeyError, TypeError, AttributeError, ImportError) as error:
        maker = f"it was saved by intemi {about['versions']['intemi']}, and " if "versions" in about else ""
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


def _unpacked(packed: bytes, shared: Mapping[bytes, bytes]) -> Any:
    return decode(packed, lambda name: _unpacked(shared[name], shared), _is_acceptable)


def _is_acceptable(cls: type, source: bytes) -> bool:
    """Whether a value of a class can be taken, as its source was: it checks itself, if it is one of ours."""
    return not is_by_user(cls) or source == source_of(cls)


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
