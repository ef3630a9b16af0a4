"""What a worker process does with a leaf that travels as contents: decode it, run it, encode what it has made.

A remote worker passes the bytes on, by the pool and the transport of `Processes`: the leaf that it runs there is
`RunEncoded`, whose inputs are the encoded leaf and the contents that it needs. So it decodes nothing itself.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from intemi.kernel.decoding import decode
from intemi.kernel.encoding import digest, encode
from intemi.kernel.errors import ConfigurationError, EncodingError, IntemiError
from intemi.kernel.machine import Machine, Model
from intemi.kernel.ports import Input, MultiInput
from intemi.kernel.protection import handed_out, looked_at, protected
from intemi.kernel.record import ABSENT, Item
from intemi.kernel.seeds import Seed
from intemi.kernel.values import accepted, run_leaf
from intemi.kernel.workers import definitions
from intemi.kernel.workers.base import Call
from intemi.kernel.workers.contents import EncodedLeaf, Reference, decoded_value, encoded_value
from intemi.kernel.workers.processes import RemoteTraceback

FINISHED = "finished"
"""Answer: outputs (encoded values by port, a tuple for collections), encoded results, and parts that values share."""
FAILED = "failed"
"""Answer: name and module of the error's class, its text, its traceback."""
REFUSED = "refused"
"""It cannot be run there as it would be at the client. Answer: why."""
ANSWER = "Answer"
"""The result that has status and answer."""


class ClassMismatch(IntemiError):
    """A leaf cannot be run here as it would be at the client."""


class Content:
    """The bytes of a value, and in a worker process the value, for as long as the process holds the bytes."""

    __slots__ = ("bytes", "name", "value")

    def __init__(self, name: bytes, content: bytes | memoryview) -> None:
        self.name = name
        self.bytes = content
        self.value: Any = ABSENT

    def __reduce__(self) -> Any:
        return Content, (self.name, pickle.PickleBuffer(self.bytes))


class RunEncoded(Machine):
    """Run an encoded leaf."""

    registered_name = "intemi.kernel.RunEncoded"

    leaf = Input(bytes)
    contents = MultiInput(Content)

    def run(self, leaf: bytes, contents: Sequence[Content]) -> Model:
        decoded = EncodedLeaf(*decode(leaf))
        return Model(results={ANSWER: _answer(decoded, {each.name: each for each in contents})})


def relay(
    machine: bytes,
    leaf: bytes,
    contents: Mapping[bytes, bytes],
    report_usage: Callable[[float, int], None] | None,
) -> Call:
    """The call that runs an encoded leaf in a worker process."""
    values: dict[bytes, Any] = {name: Content(name, content) for name, content in contents.items()}
    own = digest(leaf)
    inputs = {"leaf": (False, (Item(own, ""),)), "contents": (True, tuple(Item(name, "") for name in values))}
    values[own] = leaf
    return Call(machine, _RUN_ENCODED, None, inputs, lambda item: values[item.origin[0]], report_usage)


def described(error: Exception) -> tuple[str, str, str, str]:
    """Name and module of the class of an error, its text and its traceback."""
    cls, cause = type(error), error.__cause__
    text = cause.text if isinstance(cause, RemoteTraceback) else "".join(traceback.format_exception(error))
    return cls.__name__, cls.__module__, str(error), text


def _answer(leaf: EncodedLeaf, contents: Mapping[bytes, Content]) -> tuple[str, Any]:
    try:
        try:
            config = _config_of(leaf)
            inputs, known = _inputs_of(leaf, contents)
        except (EncodingError, ConfigurationError) as error:
            raise ClassMismatch(str(error)) from error
        seed = None if leaf.seed is None else Seed(leaf.seed[0], tuple(leaf.seed[1]))
        model = accepted(config, run_leaf(config, inputs, seed))
        return FINISHED, _encoded_model(config, model, known, leaf.trusted)
    except ClassMismatch as error:
        return REFUSED, str(error)
    except Exception as error:
        return FAILED, described(error)


def _config_of(leaf: EncodedLeaf) -> Machine:
    definitions.unpack(leaf.modules, leaf.classes)
    config: Machine = decode(leaf.config)
    if config.encoding != leaf.config:
        raise ClassMismatch(
            f"{config.kind} is another machine there: the source of its class, or of something that it uses, differs; "
            "bring the worker's copy up to date and start it again"
        )
    return config


def _inputs_of(leaf: EncodedLeaf, contents: Mapping[bytes, Content]) -> tuple[dict[str, Any], set[bytes]]:
    """The values of the inputs, and the names of the parts that they share."""

    def value_of(name: bytes, parts: Mapping[bytes, bytes]) -> Any:
        content = contents[name]
        if content.value is ABSENT:
            content.value = protected(
                decoded_value(content.bytes, lambda part: value_of(parts[part], parts), leaf.trusted)
            )
        return content.value

    inputs: dict[str, Any] = {}
    known: set[bytes] = set()
    for port, (multi, bound) in leaf.inputs.items():
        references = [Reference(*each) for each in bound]
        values = tuple(handed_out(value_of(each.content, each.parts)) for each in references)
        inputs[port] = values if multi else values[0]
        for each in references:
            known |= each.parts.keys()
    return inputs, known


def _encoded_model(config: Machine, model: Model, known: set[bytes], trusted: bool) -> tuple[Any, bytes, Any]:
    """Outputs, results, and the parts that outputs share; what the client has sent does not travel back."""
    parts: dict[bytes, bytes] = {}

    def encoded(value: Any, what: str) -> bytes:
        whole, shared = encoded_value(looked_at(value), what, trusted)
        for name in shared.keys() - known - parts.keys():
            parts[name] = encode(shared[name])
        return whole

    outputs: dict[str, Any] = {}
    for name, port in config.outputs.items():
        value, what = model.outputs[name], f"{config.kind}.{name}"
        outputs[name] = tuple(encoded(each, what) for each in value) if port.multi else encoded(value, what)
    results = {label: looked_at(value) for label, value in model.results.items()}
    return outputs, encoded(results, f"{config.kind}: one of the results"), parts


_RUN_ENCODED = RunEncoded()
