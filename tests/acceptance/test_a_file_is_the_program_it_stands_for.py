"""An experiment file and the Python program that it stands for produce the same keys, and so share what they run."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from intemi import Machine, Project
from intemi.data import Data
from intemi.experiments import Experiment, found, parse_experiment, read_experiment, run
from intemi.machines import (
    C45,
    KNN,
    SVM,
    ClassificationTest,
    CVDistributor,
    DataLoader,
    GaussianKernel,
    Manhattan,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
    TransformAndClassify,
)
from tests.acceptance.test_table_4_6_comes_out_exactly import LOGICAL, parameter_search

CONFIGS = Path(__file__).parents[2] / "configs"
TEXT = """
data: [iris, flowers.csv]
learners:
  knn: {type: KNN, distance: Manhattan, vary: {k: [1, 5]}}
  svm: {type: SVM, preprocessing: Standardization, C: 2, vary: [{kernel.sigma: 0.1}, {kernel.sigma: 1}]}
  tree: {type: C45, min_objects: 3, refinement: null}
protocol: {distributor: {type: CVDistributor, folds: 3}, repetitions: 2, seed: 7}
"""


def program() -> dict[str, Repeater]:
    """The same by hand."""
    learners: dict[str, Machine] = {
        "knn k=1": KNN(k=1, distance=Manhattan()),
        "knn k=5": KNN(k=5, distance=Manhattan()),
        "tree": C45(min_objects=3, refinement=None),
    }
    for sigma in (0.1, 1):
        svm = SVM(C=2, kernel=GaussianKernel(sigma=sigma))
        learners[f"svm sigma={sigma:g}"] = TransformAndClassify(transformation=Standardization(), learner=svm)
    machines = {}
    for name, learner in learners.items():
        test = Scheme(training=Data, test=Data)
        learned = test.add(learner, data=test.training, name="learner")
        test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="learner test")
        machines[name] = Repeater(distributor=CVDistributor(folds=3), test=test, repetitions=2, seed=7)
    return machines


@pytest.fixture
def flowers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{1 + i % 7},{i * 37 % 11},{'ab'[i % 7 > 3]}" for i in range(60)]
    (tmp_path / "flowers.csv").write_text("\n".join(["x,y,kind", *rows]))
    (tmp_path / "flowers.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_keys_of_a_file_are_those_of_the_program(flowers: Path) -> None:
    experiment = read_experiment("flowers.yaml")
    with Project() as project:
        outcome = run(experiment, project)
        ran = project.counts().physical.total()
        data = {
            "iris": project.request(SklearnDataset("iris")),
            "flowers": project.request(DataLoader("flowers.csv")),
        }
        keys = {
            f"{name} on {where}": project.run(machine, data=loaded.data).key
            for where, loaded in data.items()
            for name, machine in program().items()
        }
        assert project.counts().physical.total() == ran, "the program runs nothing that the file has not run"
    assert {cell.name: cell.capsule.key for cell in outcome.cells if cell.capsule} == keys
    assert len(keys) == 10


def test_an_experiment_survives_plain_data_with_its_keys(flowers: Path) -> None:
    experiment = read_experiment("flowers.yaml")
    restored = Experiment.from_plain(experiment.to_plain())
    assert restored.digest == experiment.digest
    assert [machine.digest for *_, machine in restored.cells()] == [
        machine.digest for *_, machine in experiment.cells()
    ]


def test_results_are_found_without_the_file_and_without_the_data(flowers: Path) -> None:
    experiment = read_experiment("flowers.yaml")
    with Project("kept") as project:
        before = run(experiment, project).series("Accuracy")
    plan = experiment.to_plain()
    (flowers / "flowers.csv").unlink()
    with Project("kept") as project:
        assert found(Experiment.from_plain(plan), project).series("Accuracy") == before
        assert project.counts().physical.total() == 0


def test_order_and_comments_in_a_file_do_not_matter(flowers: Path) -> None:
    other = parse_experiment(
        TEXT.replace(
            "knn: {type: KNN, distance: Manhattan,", "knn: # near\n    {distance: {type: Manhattan}, type: KNN,"
        )
    )
    assert other.learners == read_experiment("flowers.yaml").learners


def test_the_file_of_tables_4_5_and_4_6_is_the_search_that_comes_out_exactly() -> None:
    experiment = read_experiment(CONFIGS / "svm-search.yaml")
    assert experiment.requests["search"] == parameter_search()
    assert experiment.unification == 1, "the level at which the counts are those of the book"
    assert sum(LOGICAL.values()) == 4_538


def test_the_quickstart_of_the_package_is_the_one_in_configs() -> None:
    import intemi.experiments

    inside = Path(intemi.experiments.__file__).parent / "quickstart.yaml"
    assert inside.read_text() == (CONFIGS / "quickstart.yaml").read_text()


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_learner_in_configs_learns(file: Path) -> None:
    """On one data set, in two folds: the whole takes minutes."""
    experiment = read_experiment(file)
    keys = [machine.digest for *_, machine in experiment.cells()]
    assert len(set(keys)) * len(experiment.data) == len(keys), "no two learners are the same"
    if not experiment.learners:
        return  # a search, which is the one that comes out exactly
    iris, halves = {"iris": SklearnDataset("iris")}, CVDistributor(folds=2)
    with Project() as project:
        outcome = run(replace(experiment, data=iris, distributor=halves, repetitions=1), project)
        assert outcome.failed == []
        assert len(outcome.series()) == 2 * len(experiment.learners)


@pytest.mark.wide
def test_the_python_file_in_configs_is_an_experiment_of_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "intemi.cli", "run", str(CONFIGS / "single_trees.py"), "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "IG, seed 1 on iris" in done.stdout


def test_the_list_of_configs_is_complete() -> None:
    files = {file.name for file in CONFIGS.iterdir() if file.suffix in (".yaml", ".py")}
    listed = set(re.findall(r"\]\(([\w.-]+)\)", (CONFIGS / "README.md").read_text()))
    assert listed == files
