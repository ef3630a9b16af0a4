"""How kernels are compiled, through numba's public interface only: at first use, without the interpreter's lock, cached
on disk; and the types in their signatures.

Only this file and `cached` import numba, and nothing that `import intemi` imports imports them.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pickle import UnpicklingError
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import NumbaError, boolean, cfunc, config, float64, int32, int64, njit, types, uint8, void
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError
from intemi.machines.trees.kernels.cached import one_at_a_time
from intemi.machines.trees.quality.logarithms import x_log_x

__all__ = [
    "BYTES",
    "BYTES_2D",
    "Bytes",
    "CODES",
    "CODES_2D",
    "FLOATS",
    "FLOATS_2D",
    "GIVEN_CODES",
    "GIVEN_CODES_2D",
    "GIVEN_FLOATS",
    "GIVEN_FLOATS_2D",
    "GIVEN_WIDE",
    "MEASURE",
    "Tuple",
    "WIDE",
    "WIDE_2D",
    "Wide",
    "address_of",
    "boolean",
    "call_measure",
    "compiled_measure",
    "flag",
    "float64",
    "helper",
    "inlined",
    "int32",
    "int64",
    "kernel",
    "types",
    "unowned",
    "void",
    "wide",
]

Wide = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Function = TypeVar("Function", bound=Callable[..., Any])

_pointer: Any = types.CPointer
ADDRESS = _pointer(float64)
MEASURE_SIGNATURE = float64(ADDRESS, int64, int64, ADDRESS)
MEASURE = int64
"""The address of a split quality measure: (table of branches × classes, branches, classes, context) -> quality."""

Tuple: Any = types.Tuple
FLOATS, FLOATS_2D = float64[::1], float64[:, ::1]
CODES, CODES_2D = int32[::1], int32[:, ::1]
WIDE, WIDE_2D = int64[::1], int64[:, ::1]
BYTES, BYTES_2D = uint8[::1], uint8[:, ::1]
# What is only read may be read-only: the arrays of tables are.
GIVEN_FLOATS = types.Array(float64, 1, "C", readonly=True)
GIVEN_FLOATS_2D = types.Array(float64, 2, "C", readonly=True)
GIVEN_CODES = types.Array(int32, 1, "C", readonly=True)
GIVEN_CODES_2D = types.Array(int32, 2, "C", readonly=True)
GIVEN_WIDE = types.Array(int64, 1, "C", readonly=True)

wide: Any = int64
"""In a kernel, a number as wide as those of Python, and no literal: helpers are compiled anew for each type of a number
and for each literal that they are called with."""

flag: Any = np.bool_
"""In a kernel, a truth value and no literal, for the same reason."""

QUIET_SECONDS = 2.0
"""A kernel that is loaded from the cache takes a hundredth of this: only a compilation is worth a message."""
SECONDS_PER_LINE = 10.0
"""Between a message and the next one."""


def kernel(signature: Any, seconds: int = 0) -> Callable[[Function], Function]:
    """Compile a function that Python calls, for one signature, when its module is imported; or load it from the cache.

    `seconds` is about how long the compilation takes, if that is long: a message counts them down.
    """

    def decorate(function: Function) -> Function:
        return cast(Function, _cached(njit, signature, function, seconds, nogil=True))

    return decorate


def _cached(decorator: Any, signature: Any, function: Callable[..., Any], seconds: int = 0, **options: Any) -> Any:
    """Compile and cache a function, or if it cannot be cached compile it in memory."""
    options["error_model"] = "numpy"
    with one_at_a_time(function), _counting_down(seconds) if seconds else nullcontext():
        try:
            return decorator(signature, cache=True, **options)(function)
        except (RuntimeError, OSError, EOFError, UnpicklingError) as error:  # no folder, no room, or a damaged file
            made = decorator(signature, **options)(function)
            _warn_once(str(error))
            return made


def helper(function: Function) -> Function:
    """Compile a function that only kernels call, as part of them and for the types that they call it with."""
    return cast(Function, njit(error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """The same for what is called often: it becomes part of the callers' own code, since arrays are costly to pass."""
    return cast(Function, njit(error_model="numpy", forceinline=True)(function))


def _warn_once(reason: str) -> None:
    global _is_warned
    if not _is_warned:
        _is_warned = True
        print(f"intemi: tree kernels cannot be cached, each process compiles them anew: {reason}", file=sys.stderr)


_is_warned = False


@contextmanager
def _counting_down(seconds: int) -> Iterator[None]:
    """Say on stderr, unless it is over at once, about how many seconds are left, and again from time to time.

    Whole lines, and not many: they are read in terminals, in notebooks, in logs and above a display of progress.
    """
    is_over = threading.Event()

    def count_down() -> None:
        began, pause = time.monotonic(), QUIET_SECONDS
        while not is_over.wait(pause):
            left = round(seconds - (time.monotonic() - began))
            when = f"about {left} s left" if left > 0 else "nearly done"
            print(f"intemi: compiling the tree kernels, once per computer: {when}", file=sys.stderr, flush=True)
            pause = SECONDS_PER_LINE

    thread = threading.Thread(target=count_down, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def compiled_measure(function: Callable[..., float]) -> Any:
    """Machine code of a split quality measure; its `address` is handed to kernels.

    That of a user's measure is not cached: numba would not notice a change of something that it calls.
    """
    try:
        if function.__module__.startswith("intemi."):
            return _cached(cfunc, MEASURE_SIGNATURE, function)
        return cfunc(MEASURE_SIGNATURE, error_model="numpy")(function)
    except NumbaError as error:
        name = function.__qualname__.removesuffix(".measure").rpartition(".")[2]
        raise ConfigurationError(
            f"DecisionTree: the measure of {name} cannot be compiled, numba says: {_first_reason(error)}"
        ) from error


@overload(x_log_x, strict=False)
def _x_log_x(value: Any) -> Any:
    return x_log_x


def _first_reason(error: Exception) -> str:
    """The first line of an error of numba that says what is wrong; those before it say in which step."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in ")), type(error).__name__)


def _call_measure(_: Any, measure: Any, table: Any, branches: Any, classes: Any, context: Any) -> Any:
    """Call a measure as C does: nothing is between the kernel and the measure, whether it is ours or a user's."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, *given = arguments
        return builder.call(builder.inttoptr(address, target.get_value_type(_MEASURE_PROTOTYPE)), given)

    return MEASURE_SIGNATURE.return_type(MEASURE, *MEASURE_SIGNATURE.args), generate


call_measure: Any = intrinsic(_call_measure)

_MEASURE_PROTOTYPE: Any = types.FunctionType(MEASURE_SIGNATURE).ftype


def address_of(numbers: Any) -> Any:
    """What `call_measure` gets of an array or a pointer. Outside of loops, where it takes its time."""


@overload(address_of, strict=False)
def _address_of(numbers: Any) -> Any:
    if isinstance(numbers, types.CPointer):
        return lambda numbers: numbers
    return lambda numbers: numbers.ctypes


def _make_pointer(_: Any, address: Any, array: Any) -> Any:
    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], target.get_value_type(signature.return_type))

    return _pointer(array.dtype)(types.uintp, array), generate


_pointer_to: Any = intrinsic(_make_pointer)


def unowned(array: Any) -> Any:
    """The numbers of an array for helpers that are called often: a pointer if it has one dimension, else an array.

    A call of a helper counts references to all arrays that it gets, which would take longer than many helpers do. What
    has no owner is not counted. The caller must own the array meanwhile: so only arguments of a function may be made
    unowned in it. Where indices are checked (NUMBA_BOUNDSCHECK) arrays stay arrays, since pointers have no bounds.
    """


_carray: Any = numba.carray  # type: ignore[attr-defined]
_options: Any = config


@overload(unowned, strict=False)
def _unowned(array: Any) -> Any:
    if array.ndim == 1 and not _options.BOUNDSCHECK:
        return lambda array: _pointer_to(array.ctypes.data, array)
    return lambda array: _carray(_pointer_to(array.ctypes.data, array), array.shape)
