"""One family of errors: what the package raises on purpose is an `IntemiError`."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import intemi
from intemi import IntemiError
from intemi.kernel.errors import NoSuchItem, NoSuchName, NoSuchPort, NotEnoughMemory, TimedOut
from intemi.series import Series

PACKAGE = Path(intemi.__file__).parent
ON_PURPOSE = {
    ("AttributeError", "what Python asks of a module or an object that has no such name"),
    ("AssertionError", "a mistake of ours, or what a conformance suite finds"),
}
BELOW = {
    "kernel/values.py": "a machine's own failure: the caller sees MachineFailed",
    "kernel/execution.py": "a machine's own failure: the caller sees MachineFailed",
    "kernel/workers/worker_main.py": "a machine's own failure: the caller sees MachineFailed",
    "kernel/workers/transport.py": "the end of a connection: WorkerEnded where it is read",
    "kernel/parameters.py": "a class that cannot be declared: ConfigurationError where it is",
    "kernel/record.py": "bytes of another format: treated as damage where they are read",
    "kernel/entries.py": "bytes that are no entry: EncodingError where they are read",
    "kernel/repository/file.py": "a file that is none: damage where it is opened",
    "kernel/workers/contents.py": "a value that cannot travel: the caller sees MachineFailed",
    "dask/membership.py": "a scheduler that does not answer: ConfigurationError where it is connected to",
    "machines/meta_learning/calibration.py": "a damaged file: a warning where it is read, and the shipped one is used",
    "data/openml.py": "an answer that cannot be used: OpenMLError where it is read",
    "data/texts.py": "an encoding that is not known: DataError where it is asked for",
    "experiments/document.py": "a number that is none: ExperimentError with its line",
    "series/json.py": "inside the decoder: SeriesError where it is called",
    "experiments/imports.py": "a file that is not there: the command says so",
}
"""Where something else is raised, and what becomes of it before a caller sees it."""


def exceptions() -> Iterator[type[BaseException]]:
    """Every class of exceptions that is defined in the package."""
    for module in pkgutil.walk_packages(intemi.__path__, "intemi."):
        for value in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(value) and issubclass(value, BaseException) and value.__module__ == module.name:
                yield value


def test_every_exception_of_the_package_is_of_the_family() -> None:
    found = set(exceptions())
    assert {IntemiError, intemi.BindingError, intemi.series.SeriesError, intemi.StoreWarning} <= found
    assert [each for each in found if not issubclass(each, IntemiError | Warning)] == []


def test_every_exception_of_the_package_says_what_it_means() -> None:
    assert [each for each in exceptions() if not each.__doc__] == []


def test_nothing_else_is_raised_on_purpose() -> None:
    allowed = {name for name, _ in ON_PURPOSE}
    found = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Raise) or node.exc is None:
                continue
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if (
                isinstance(raised, ast.Name)
                and raised.id not in allowed
                and isinstance(getattr(builtins, raised.id, None), type)
            ):
                found.add(file.relative_to(PACKAGE).as_posix())
    assert found - BELOW.keys() == set(), "raise an IntemiError, or say in BELOW what becomes of it"
    assert BELOW.keys() - found == set(), "nothing is raised there any more"


def test_a_series_raises_of_the_family() -> None:
    with pytest.raises(IntemiError, match="must hold numbers"):
        Series({"name": ["a", "b"]}).mean()


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (NoSuchPort, AttributeError),
        (NoSuchItem, IndexError),
        (NoSuchName, KeyError),
        (TimedOut, TimeoutError),
        (NotEnoughMemory, MemoryError),
    ],
)
def test_what_python_has_a_word_for_is_that_as_well(error: type[IntemiError], builtin: type[Exception]) -> None:
    assert issubclass(error, builtin)
    assert issubclass(error, IntemiError)
    assert str(pickle.loads(pickle.dumps(error("why")))) == "why"
