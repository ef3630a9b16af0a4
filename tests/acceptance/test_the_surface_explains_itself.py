"""The surface explains itself: `help`, `dir`, completion and a type checker show what is there."""

from __future__ import annotations

import inspect
import os
import pydoc
import re
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import intemi
import intemi.analysis.plots
import intemi.data
import intemi.experiments
import intemi.interop
import intemi.machines.trees
import intemi.query
import intemi.series
import intemi.testing
from intemi import BindingError, IntemiError, Project
from intemi.data import Data
from intemi.machines import KNN, ClassificationTest, CVDistributor, Scheme, SklearnDataset
from tests.pages import blocks

ROOT = Path(__file__).parents[2]
SURFACE = [
    intemi,
    intemi.query,
    intemi.data,
    intemi.series,
    intemi.machines,
    intemi.machines.trees,
    intemi.analysis,
    intemi.analysis.plots,
    intemi.experiments,
    intemi.interop,
    intemi.testing,
]


# help


def test_help_shows_an_example_and_names_everything_that_is_exported() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import intemi; help(intemi)"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Help on package intemi:\n\nNAME\n    intemi - Intemi: declare machines and how")
    described = inspect.getdoc(intemi) or ""
    for name in intemi.__all__:
        assert re.search(rf"\b{name}\b", described), f"the docstring of intemi does not mention {name}"
        assert re.search(rf"\b{name}\b", done.stdout)
    for module in SURFACE[1:]:
        if module is not intemi.analysis.plots:
            assert module.__name__ in described


def test_the_example_of_help_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"\n\n((?: {4}.*\n|\n)+?)\n?(?=\S)", inspect.getdoc(intemi) or "")[:1]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(example)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert 0.9 < float(done.stdout) < 1


@pytest.mark.parametrize("module", SURFACE, ids=lambda module: module.__name__)
def test_everything_public_has_a_docstring(module: types.ModuleType) -> None:
    assert inspect.getdoc(module)
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, f"{module.__name__}.{name}"
            assert not value.__doc__.startswith(f"{name}("), f"{module.__name__}.{name}: only that of a dataclass"
            assert pydoc.render_doc(value)


@pytest.mark.parametrize("module", SURFACE, ids=lambda module: module.__name__)
def test_dir_of_a_module_lists_what_it_exports(module: types.ModuleType) -> None:
    assert set(module.__all__) <= set(dir(module))
    assert len(module.__all__) == len(set(module.__all__))


def test_what_is_exported_twice_is_one_thing() -> None:
    from intemi import kernel

    elsewhere = ("learn", "Learned", "Processes", "load_model")
    assert [name for name in intemi.__all__ if name not in elsewhere] == kernel.__all__
    assert all(getattr(kernel, name) is getattr(intemi, name) for name in kernel.__all__)
    assert not set(intemi.__all__) & set(intemi.query.__all__)
    lower = [name.lower() for name in intemi.__all__]
    assert len(lower) == len(set(lower)), "names differ by more than capitals"


def test_no_page_and_no_test_imports_with_a_star() -> None:
    listed = subprocess.run(["git", "ls-files", "*.md", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    stars = re.compile(r"^\s*(?:\"|>>> )?from [\w.]+ import \*", re.MULTILINE)
    found = [name for name in listed.stdout.split() if stars.search((ROOT / name).read_text("utf-8"))]
    assert found == ["intemi/machines/__init__.py", "intemi/machines/trees/__init__.py"], "they gather their packages"


# dir and completion


@pytest.fixture
def drawn() -> dict[str, Any]:
    scheme = Scheme(training=Data, test=Data)
    return {"scheme": scheme, "handle": scheme.add(KNN(), data=scheme.training)}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> InteractiveShell:
    config = Config({"HistoryManager": {"enabled": False}})
    return InteractiveShell(ipython_dir=str(tmp_path_factory.mktemp("ipython")), config=config)


def completions(shell: InteractiveShell, text: str, **names: Any) -> set[str]:
    """What IPython offers at the end of a line."""
    shell.user_ns.update(names)
    with provisionalcompleter():
        return {each.text.lstrip(".") for each in shell.Completer.completions(text, len(text))}


def test_dir_and_completion_show_the_outputs_of_a_capsule(shell: InteractiveShell) -> None:
    with Project(workers=1) as project:
        loader = project.request(SklearnDataset("iris"))
        split = project.run(CVDistributor(folds=3), data=loader.data)
        assert {"data", "wait", "outputs"} <= set(dir(loader))
        assert {"training", "test"} <= set(dir(split))
        assert "training" not in dir(loader)
        assert "training" in completions(shell, "split.tr", split=split)
        assert {"data", "done"} <= completions(shell, "loader.d", loader=loader)


def test_dir_and_completion_show_the_ports_of_a_scheme_and_its_handles(
    drawn: dict[str, Any], shell: InteractiveShell
) -> None:
    assert {"training", "test", "add"} <= set(dir(drawn["scheme"]))
    assert {"classifier", "name"} <= set(dir(drawn["handle"]))
    assert {"test", "training"} <= completions(shell, "scheme.t", **drawn)
    assert "classifier" in completions(shell, "handle.", **drawn)


def test_every_port_that_dir_lists_can_be_bound(drawn: dict[str, Any]) -> None:
    scheme, handle = drawn["scheme"], drawn["handle"]
    with Project(workers=1) as project:
        capsule = project.run(SklearnDataset("iris"))
        for owner, ports in ((scheme, scheme.inputs), (handle, KNN().outputs), (capsule, capsule.config.outputs)):
            assert set(ports) <= set(dir(owner))
            for name in dir(owner):
                getattr(owner, name)


@pytest.mark.parametrize("owner", ["capsule", "handle", "scheme"])
def test_a_port_that_is_not_there_is_an_attribute_that_is_not_there(owner: str, drawn: dict[str, Any]) -> None:
    with Project(workers=1) as project:
        each = {**drawn, "capsule": project.request(ClassificationTest(), **both(project))}[owner]
        assert not hasattr(each, "clasifier")
        assert getattr(each, "clasifier", None) is None
        with pytest.raises(AttributeError, match=r"'clasifier'; its (in|out)puts are") as caught:
            each.clasifier  # noqa: B018
        assert isinstance(caught.value, BindingError)
        assert isinstance(caught.value, IntemiError)


def both(project: Project) -> dict[str, Any]:
    data = project.request(SklearnDataset("iris")).data
    return {"data": data, "classifier": project.request(KNN(), data=data).classifier}


def test_the_ports_are_typed(checked: Callable[[str], str]) -> None:
    told = checked(
        """
        from intemi import Job, Machine, Model, Project
        from intemi.data import Data
        from intemi.machines import KNN, Repeater, Scheme

        scheme = Scheme(data=Data)
        with Project() as project:
            reveal_type(project.request(KNN()).classifier)
        reveal_type(scheme.add(KNN(), data=scheme.data).classifier)
        reveal_type(Repeater().fill(test=scheme))
        project.query(labels=3)
        Project.open("here", worker=2)

        class Both(Machine):
            async def run(self, job: Job) -> Model:
                reveal_type(job.request(KNN()))
                return Model()
        """
    )
    for line in (
        'Revealed type is "intemi.kernel.task.Source"',
        'Revealed type is "intemi.machines.structure.scheme.End"',
        'Revealed type is "intemi.machines.structure.repeater.Repeater"',
        'Revealed type is "intemi.kernel.capsule.Capsule"',
        'Argument "labels" to "query" of "Project" has incompatible type "int"',
        'Unexpected keyword argument "worker" for "open" of "Project"',
    ):
        assert line in told


# A type checker


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Programs as mypy sees them when a user runs it; what it has found out about the package is kept between runs."""

    def check(*programs: str, **named: str) -> str:
        folder = tmp_path_factory.mktemp("checked")
        for name, text in {**{f"program_{i}": text for i, text in enumerate(programs)}, **named}.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(text), "utf-8")
        command = [sys.executable, "-m", "mypy", "--config-file=", "--check-untyped-defs", "--ignore-missing-imports"]
        done = subprocess.run(
            [*command, "--cache-dir", str(ROOT / ".mypy_cache" / "users"), "."],
            cwd=folder,
            env={**os.environ, "MYPYPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr

    return check


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def programs(page: Path) -> Iterator[tuple[str, str]]:
    """What a page shows, under names that differ between pages: its own program, and files."""
    name = page.relative_to(ROOT).with_suffix("").as_posix().replace("/", "_").replace("-", "_")
    shown = [block for block in blocks(page) if block.language == "python"]
    yield name, "\n\n".join(block.text for block in shown if block.title is None)
    for block in shown:
        if block.title is not None:
            yield f"{name}_{block.title.removesuffix('.py')}", block.text


def test_the_examples_of_the_documentation_are_typed(checked: Callable[..., str]) -> None:
    found = {name: text for page in PAGES for name, text in programs(page) if text}
    assert len(found) > 20
    told = checked(**found)
    assert told.startswith("Success: no issues found"), told


def test_a_mistake_in_an_example_would_be_noticed(checked: Callable[..., str]) -> None:
    name, text = next(programs(ROOT / "README.md"))
    told = checked(**{name: text.replace("CVDistributor(folds=10)", "CVDistributor(fold=10)", 1)})
    assert 'Unexpected keyword argument "fold" for "CVDistributor"' in told


def test_dir_shows_the_public_names_and_no_others() -> None:
    assert {name for name in dir(intemi) if not name.startswith("__")} == set(intemi.__all__) - {"__version__"}
