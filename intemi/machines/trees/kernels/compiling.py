"""How kernels are compiled: at first use, without the interpreter's lock, kept on disk; and the types they speak of.

Only this file imports numba, and it is imported by nothing that `import intemi` imports.
"""

from __future__ import annotations

import atexit
import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import add_symbol, parse_assembly  # type: ignore[import-untyped]
from numba import boolean, cfunc, config, float64, int32, int64, njit, types, uint8, void
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.extending import intrinsic
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError

__all__ = [
    "ADDRESS",
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
    "apart",
    "boolean",
    "call_measure",
    "compiled",
    "compiled_measure",
    "float64",
    "inner",
    "int32",
    "int64",
    "part",
    "share_compilation",
    "types",
    "void",
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


def _load_arrays() -> None:
    """Load what numba knows of arrays, which takes to compile only.

    It looks for BLAS meanwhile, for functions that no kernel calls, by importing scipy.linalg: that takes longer than
    loading all kernels.
    """
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]  # Python's way to say that it cannot be imported
    try:
        arrays: Any = import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]
    arrays._HAVE_BLAS = True  # whoever does call them has it imported then


def _kept() -> list[Path]:
    """The files of machine code that numba keeps of these kernels: beside them, or where the environment says."""
    probe: Any = njit(cache=True)(_kept)
    return list(Path(probe.stats.cache_path).glob("*.nb[ci]"))


def _forget_stale() -> None:
    """Remove machine code that is older than any source: it contains that of the kernels it calls, as they were."""
    newest = max(source.stat().st_mtime for source in Path(__file__).parent.glob("*.py"))
    for kept in _kept():
        with suppress(OSError):
            if kept.stat().st_mtime < newest:
                kept.unlink()


_forget_stale()


MODULES = [
    "symbols", "numbering", "partition", "summary", "route", "counting", "mixing", "pruning", "strengths", "optimal",
    "grids", "evaluate", "whole", "grow", "alone",
]  # fmt: skip
"""What another process compiles, unless the first one does: what that will need last, what it does not need, and what
it may be at for long."""
NEEDED = {"grow": ("whole", "grow"), "alone": ("alone",)}
"""What the first process compiles meanwhile, for each way to grow a tree."""


_others: list[subprocess.Popen[bytes]] = []


@cache
def share_compilation(way: str) -> None:
    """Before a tree is grown in one way or another: if kernels have to be compiled, which takes a while, once on a
    computer, say so, or somebody thinks that it hangs, and let another process compile those that are needed later."""
    if _others or any(kept.name.startswith(f"{way}.") for kept in _kept()):
        return
    print("intemi: compiling the kernels of the trees, up to half a minute, this once", file=sys.stderr, flush=True)
    program = "; ".join(f"import {__package__}.{name}" for name in MODULES if name not in NEEDED[way])
    nothing = subprocess.DEVNULL
    with suppress(OSError):  # then they are compiled when they are needed
        other = subprocess.Popen([sys.executable, "-c", program], stdin=nothing, stdout=nothing, stderr=nothing)
        atexit.register(other.poll)  # Python would say that it is still running unless somebody has looked
        _others.append(other)


@contextmanager
def _our_way(is_kept: bool = True) -> Iterator[None]:
    """Compile loops as they are: most go over a few classes or rows, and several numbers at once would be too many.

    Compilation makes many objects that stay; to look for garbage among them would be a seventh of its time.
    """
    options: Any = config
    with global_compiler_lock, _loading(is_kept), _remembering():
        before, is_collecting = options.LOOP_VECTORIZE, gc.isenabled()
        options.LOOP_VECTORIZE = 0
        gc.disable()
        try:
            yield
        finally:
            options.LOOP_VECTORIZE = before
            if is_collecting:
                gc.enable()


@contextmanager
def _loading(is_kept: bool) -> Iterator[None]:
    """Let numba look for machine code that is kept before it loads all that it knows of Python and numpy, which takes
    longer than loading all kernels. To run them its runtime is enough; what is to be compiled asks for the rest.
    """
    context: Any = cpu_target.target_context
    asked = 0 if is_kept else 1

    def refresh() -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            rtsys.initialize(context)
        else:
            _load_arrays()
            type(context).refresh(context)

    context.refresh = refresh
    try:
        yield
    finally:
        del context.refresh


@contextmanager
def _remembering() -> Iterator[None]:
    """Let numba find out once for each kernel what an operation on certain types is, and not again each time that it
    goes over the kernel, by trying all that it knows under that name: a sixth of compilation."""
    functions: Any = BaseFunction
    stack: Any = ConfigStack
    find: Any = functions.get_call_type
    known: dict[Any, tuple[Any, Any]] = {}

    def remembered(function: Any, context: Any, given: Any, named: Any) -> Any:
        options = stack.top_or_none()
        key = function, context, given, tuple(named.items()), id(options)
        if key not in known:
            known[key] = find(function, context, given, named), options
        return known[key][0]

    functions.get_call_type = remembered
    try:
        yield
    finally:
        functions.get_call_type = find


def compiled(signature: Any) -> Callable[[Function], Function]:
    """Compile a kernel for one signature, when its module is imported; the machine code is kept beside the source."""
    return _kept_by_itself(signature, nogil=True, no_cfunc_wrapper=True)


UNSEEN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Python does not call it, and must not; so what it would need for that is left out: half the time of compilation."""


def apart(signature: Any, makes_arrays: bool = False) -> Callable[[Function], Function]:
    """The same for kernels that only kernels call: loops that take long, which by themselves have all registers of the
    processor, and what is too large to be compiled again with each of its callers.

    What makes no arrays need not count who refers to them: up to a third of the time of growing.
    """
    return _kept_by_itself(signature, _nrt=makes_arrays, **UNSEEN)


def part(signature: Any, makes_arrays: bool = False) -> Callable[[Function], Function]:
    """The same for small ones: they are kept as part of the kernels that call them, and cost a start nothing."""
    return _waiting_for_callers(signature, _nrt=makes_arrays, **UNSEEN)


def inner(signature: Any) -> Callable[[Function], Function]:
    """The same for what is called often: it becomes part of the callers' own loops, since arrays are costly to pass."""
    return _waiting_for_callers(signature, _nrt=False, forceinline=True, **UNSEEN)


def _kept_by_itself(signature: Any, **options: Any) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        made: Any = njit(cache=True, error_model="numpy", **options)(function)
        _keep_machine_code_only(made)
        with _our_way():
            made.compile(signature)
        made.disable_compile()
        _call_by_name(made)
        return cast(Function, made)

    return decorate


def _call_by_name(made: Any) -> None:
    """Let kernels call the machine code that is loaded, by a name that does not depend on the process.

    Otherwise numba puts a copy into each caller, and what it calls as well, and optimises all of it once more: that was
    half the time of compilation, and made loops up to a seventh slower. A caller that was kept finds the name because
    its module imports this one first.
    """
    [result] = made.overloads.values()
    named = copy(result.fndesc)
    named.mangled_name = f"{made.__module__}.{made.__qualname__}"
    add_symbol(named.mangled_name, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    made.targetctx.remove_user_function(result.entry_point)
    made.targetctx.insert_user_function(result.entry_point, named)


def _keep_machine_code_only(made: Any) -> None:
    """Keep a kernel without what numba would need to put copies of it into callers: its functions by name, no more.

    To read the rest would take a start longer than to load the machine code.
    """
    keep = made._cache.save_overload

    def keep_only(signature: Any, result: Any) -> None:
        names = [function.name for function in result.library.get_defined_functions()]
        stubs = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
        result.library._shared_module = parse_assembly(stubs)
        keep(signature, result)

    made._cache.save_overload = keep_only


def _waiting_for_callers(signature: Any, **options: Any) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        made: Any = njit(error_model="numpy", **options)(function)
        compile_for = made.compile

        def compile_as_declared(_: Any) -> None:
            """What numba calls when it has to compile a kernel that calls this one, with the types of the call."""
            compile_for(signature)
            made.disable_compile()

        made.compile = compile_as_declared
        return cast(Function, made)

    return decorate


def compiled_measure(function: Callable[..., float]) -> Any:
    """Machine code of a split quality measure; its `address` is handed to kernels.

    That of a user's measure is not kept: numba would not notice that something has changed which it calls.
    """
    is_ours = function.__module__.startswith("intemi.")
    try:
        with _our_way(is_ours):
            return cfunc(MEASURE_SIGNATURE, cache=is_ours, error_model="numpy")(function)
    except NumbaError as error:
        name = function.__qualname__.removesuffix(".measure").rpartition(".")[2]
        raise ConfigurationError(
            f"DecisionTree: the measure of {name} cannot be compiled, numba says: {_first_reason(error)}"
        ) from error


def _first_reason(error: Exception) -> str:
    """The first line of an error of numba that says what is wrong; those before it say in which step."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in lines if line and not line.startswith("Failed in ")), type(error).__name__)


def _address(_: Any, array: Any) -> Any:
    """Where the numbers of an array begin: what measures get, since passing an array costs more than they do."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return ADDRESS(array), generate


def _call(_: Any, measure: Any, table: Any, branches: Any, classes: Any, context: Any) -> Any:
    """Call a measure as C does: there is nothing between the kernel and the measure, whoever wrote it."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, *given = arguments
        kinds = [target.get_value_type(each) for each in MEASURE_SIGNATURE.args]
        function = ir.FunctionType(target.get_value_type(float64), kinds)
        return builder.call(builder.inttoptr(address, function.as_pointer()), given)

    return MEASURE_SIGNATURE.return_type(MEASURE, *MEASURE_SIGNATURE.args), generate


address_of: Any = intrinsic(_address)
call_measure: Any = intrinsic(_call)
