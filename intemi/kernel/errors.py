"""Everything the kernel raises; all of it is an `IntemiError`.

Messages have one shape: *what* is wrong with *which* part, what was given, what is allowed.
"""

from __future__ import annotations

from intemi.errors import IntemiError as IntemiError


class ConfigurationError(IntemiError, ValueError):
    """A machine or component was declared or parametrised wrongly."""


class BindingError(ConfigurationError):
    """Ports were connected wrongly: unknown, unbound, or of types that do not fit."""


class NoSuchPort(BindingError, AttributeError):
    """A port was asked for as an attribute of something that has no port of that name."""


class NoSuchItem(BindingError, IndexError):
    """An item of a multi output was asked for by an index that it does not have."""


class NoSuchName(IntemiError, KeyError):
    """An output or a result was asked for by a name that a finished machine does not have."""

    __str__ = Exception.__str__  # a KeyError would show the text in quotes


class InfeasibleError(ConfigurationError):
    """A template was requested although something in it is still missing."""


class EncodingError(IntemiError, TypeError):
    """A value has no canonical encoding, or bytes are not one."""


class TimedOut(IntemiError, TimeoutError):
    """A wait ended because its time was up; what was waited for goes on."""


class IncompleteError(IntemiError):
    """Something that was on record has been damaged or is gone, so an answer would be incomplete."""


class MalformedError(EncodingError):
    """Bytes that no encoder has written, or a value that no machine has made: damaged, or tampered with."""


class MachineError(IntemiError):
    """A machine did not finish. `path` names the first machine that went wrong, `key` identifies it.

    `traceback` is the text of the original error's traceback, where there was one.
    """

    def __init__(self, message: str, path: str, key: bytes, traceback: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.key = key
        self.traceback = traceback
        if traceback:
            self.add_note(f"The first cause, in {path}:\n{traceback}")

    def __reduce__(self) -> tuple[type, tuple[str, str, bytes, str]]:
        return type(self), (self.message, self.path, self.key, self.traceback)


class MachineFailed(MachineError):
    """A machine raised an error, or depends on one that did."""


class MachineAborted(MachineError):
    """A machine was aborted, or depends on one that was."""


class NoSuchMachine(MachineAborted, BindingError):
    """A composite is bound to an output of a machine that is not on record here; it may be there another time."""


class LimitExceeded(MachineAborted):
    """A machine was stopped because it went over a limit of its request."""


class MemoryExceeded(LimitExceeded):
    """A machine was stopped because it took more memory than its request allows; more time would not help."""


class NotEnoughMemory(IntemiError, MemoryError):
    """What a machine needs would not fit into memory: the cause is the surroundings, so it is not kept."""

    def __reduce__(self) -> tuple[type[NotEnoughMemory], tuple[object, ...]]:
        return type(self), self.args  # where dask is imported, pickling makes errors without their constructor


class WorkerError(IntemiError, RuntimeError):
    """An error in a worker process that cannot be had here in its own type."""


class WorkerEnded(WorkerError):
    """A worker process ended by itself: the cause is the surroundings, not the machine, so it is not kept."""


class ChanceWarning(UserWarning):
    """A machine draws from a random generator whose seed does not count, so its results cannot be repeated."""


class StoreWarning(UserWarning):
    """Something in the store could not be used and is treated as absent."""
