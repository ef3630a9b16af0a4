"""Dependencies point one way, from cli by experiments, analysis, machines, data, kernel and series down to errors.

What is in the package but in none of these (its own `__init__.py`, say) stands above them all: it may import anything,
and only the cli may import it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

PACKAGE = Path(__file__).parents[1] / "intemi"
LAYERS = [
    "errors",
    "whole_files",
    "markup",
    "series",
    "kernel",
    "data",
    "machines",
    "dask",
    "analysis",
    "experiments",
    "cli",
]
TOP = len(LAYERS)


def height(module: list[str]) -> int:
    """How high a module, given as the parts of its name, stands; the errors are at 0."""
    layer = module[1] if len(module) > 1 else ""
    return LAYERS.index(layer) if layer in LAYERS else TOP


def imported_modules(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Line and absolute name of every import anywhere in a module of `package`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = start + (node.module.split(".") if node.module else [])
            for alias in node.names:
                yield node.lineno, [*module, alias.name]


def violations(root: Path) -> list[str]:
    """Every import under `root`, the folder of a package, that points the wrong way."""
    found = []
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root.parent)
        importer = list(path.with_suffix("").parts)
        if height(importer) >= LAYERS.index("cli"):
            continue
        for line, imported in imported_modules(ast.parse(file.read_text("utf-8"), str(path)), importer[:-1]):
            if imported[0] == root.name and height(imported) > height(importer):
                found.append(f"{path.as_posix()}:{line}: {importer[1]} must not import {'.'.join(imported)}")
    return found


def test_dependencies_point_one_way() -> None:
    assert PACKAGE.is_dir()
    assert violations(PACKAGE) == []


def package_with(folder: Path, file: str, source: str) -> Path:
    path = folder / "intemi" / file
    path.parent.mkdir(parents=True)
    path.write_text(source, "utf-8")
    return folder / "intemi"


@pytest.mark.parametrize(
    ("file", "source", "imported"),
    [
        ("kernel/spooler.py", "import intemi.data.table", "intemi.data.table"),
        ("kernel/spooler.py", "import os, intemi.data as table", "intemi.data"),
        ("kernel/spooler.py", "from intemi.cli import main", "intemi.cli.main"),
        ("kernel/spooler.py", "from intemi import data", "intemi.data"),
        ("kernel/spooler.py", "from ..machines import Scheme", "intemi.machines.Scheme"),
        ("kernel/spooler.py", "from .. import data", "intemi.data"),
        ("kernel/__init__.py", "from ..data import Data", "intemi.data.Data"),
        ("kernel.py", "from .data import Data", "intemi.data.Data"),
        ("data/readers/arff.py", "from ...machines import Scheme", "intemi.machines.Scheme"),
        ("machines/trees/tree.py", "from intemi.analysis import plot", "intemi.analysis.plot"),
        ("analysis/plots.py", "from intemi.cli import main", "intemi.cli.main"),
        ("analysis/plots.py", "from intemi.experiments import Experiment", "intemi.experiments.Experiment"),
        ("experiments/running.py", "from intemi.cli import main", "intemi.cli.main"),
        ("kernel/spooler.py", "def late(): from intemi.data import Data", "intemi.data.Data"),
        ("kernel/spooler.py", "if TYPE_CHECKING: import intemi.data", "intemi.data"),
        ("kernel/spooler.py", "import intemi", "intemi"),
        ("machines/scheme.py", "from intemi import Project", "intemi.Project"),
        ("machines/scheme.py", "from intemi import *", "intemi.*"),
    ],
)
def test_an_import_that_points_up_is_reported(tmp_path: Path, file: str, source: str, imported: str) -> None:
    layer = Path(file).with_suffix("").parts[0]
    root = package_with(tmp_path, file, source)
    assert violations(root) == [f"intemi/{file}:1: {layer} must not import {imported}"]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("kernel/spooler.py", "from .task import Task"),
        ("kernel/spooler.py", "from . import task"),
        ("kernel/spooler.py", "import numpy.data, data"),
        ("kernel/__init__.py", "from .spooler import Spooler"),
        ("data/table.py", "from intemi import kernel"),
        ("machines/trees/tree.py", "from ...data import Data"),
        ("analysis/plots.py", "from intemi.machines import Scheme"),
        ("experiments/running.py", "from intemi.analysis import Friedman"),
        ("cli/main.py", "from intemi import Project"),
        ("__init__.py", "from .cli import main"),
    ],
)
def test_an_import_that_points_down_is_allowed(tmp_path: Path, file: str, source: str) -> None:
    assert violations(package_with(tmp_path, file, source)) == []


def import_graph(root: Path, package: str) -> dict[str, set[str]]:
    """For each module of a package, all modules of it that it imports, wherever the import stands."""
    files = {path.relative_to(root.parent).with_suffix(""): path for path in root.glob(f"{package}/**/*.py")}
    names = {path: ".".join(path.parts).removesuffix(".__init__") for path in files}
    known = set(names.values())
    graph: dict[str, set[str]] = {name: set() for name in known}
    for path, name in names.items():
        for _, imported in imported_modules(ast.parse(files[path].read_text("utf-8")), list(path.parts[:-1])):
            found = ".".join(imported)
            target = found if found in known else found.rpartition(".")[0]
            if target in known:
                graph[name].add(target)
    return graph


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other, in whatever number of steps."""
    components = networkx.strongly_connected_components(networkx.DiGraph(graph))
    return sorted(sorted(component) for component in components if len(component) > 1)


def test_no_modules_of_the_kernel_import_each_other() -> None:
    graph = import_graph(PACKAGE, "kernel")
    assert len(graph) > 40
    assert cycles(graph) == []


def test_the_store_does_not_know_the_repository() -> None:
    graph = import_graph(PACKAGE, "kernel")
    disk = {name: found for name, found in graph.items() if name.startswith("intemi.kernel.disk")}
    assert disk
    assert [name for name, found in disk.items() if any("repository" in each for each in found)] == []


def test_a_cycle_is_found_wherever_the_imports_stand(tmp_path: Path) -> None:
    root = package_with(tmp_path, "kernel/task.py", "if TYPE_CHECKING:\n    from intemi.kernel import request")
    (root / "kernel" / "request.py").write_text("def late():\n    from .task import Task", "utf-8")
    (root / "kernel" / "event.py").write_text("from intemi.kernel.task import Task", "utf-8")
    assert cycles(import_graph(root, "kernel")) == [["intemi.kernel.request", "intemi.kernel.task"]]
