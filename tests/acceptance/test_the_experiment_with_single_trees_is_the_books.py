"""The experiment of `configs/single_trees.py`, in its small form: what it has, grows, and what is made of it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from configs import single_trees
from configs.single_trees import (
    CRITERIA,
    DATA_SETS,
    FULL,
    HELD_OUT,
    NAMES,
    ORACLE,
    REQUESTS,
    AllMethods,
    competitors,
    methods,
    smoke,
)
from intemi import Project
from intemi.data import Data
from intemi.machines import ClassificationTest, CVDistributor, Repeater, Scheme
from intemi.machines.trees import ReducedError
from intemi.series import Series
from scripts.reproduction import finished, page, run_missing
from scripts.reproduction_charts import charts, draw
from scripts.reproduction_results import BY_KEY, Everything, Results, Setting
from scripts.reproduction_verdicts import Verdicts, conclusions

OUTER, INNER = 5, 3


@pytest.mark.parametrize("share", HELD_OUT)
def test_it_has_as_many_methods_as_the_books_table(share: str) -> None:
    every = list(methods(held_out=share))
    assert len({method.key for method in every}) == len(every) == 145
    refined = [method for method in every if method.refinement is not None]
    assert Counter(method.group for method in refined) == {"direct": 14, "single": 54, "multi": 75}
    assert len({method.refinement for method in refined}) == 143


def test_two_shares_are_held_out_and_all_else_is_the_same() -> None:
    every = competitors()
    assert len(every) == 145 + 55
    assert (*every, ORACLE) == NAMES
    part, fold = (every[f"{share} single REP 0SE 0TE"].refinement for share in HELD_OUT)
    assert isinstance(part, ReducedError)
    assert isinstance(fold, ReducedError)
    assert str(part.passes) == "HoldOutDistributor(share=0.7, stratified=True, samples=1)"
    assert str(fold.passes) == "FirstFold(distributor=CVDistributor(folds=10, stratified=True))"


def test_all_criteria_have_a_hundred_results_with_two_seeds() -> None:
    assert len(CRITERIA) == 5
    assert set(REQUESTS) == {f"{criterion}, seed {seed}" for criterion in CRITERIA for seed in (1, 2)}
    for name, machine in REQUESTS.items():
        assert machine.repetitions * machine.get("distributor.folds") == 100
        assert name.endswith(f"seed {machine.seed}")


@pytest.mark.wide
def test_it_runs_on_all_its_data_sets() -> None:
    assert len(DATA_SETS) == 17
    assert set(single_trees.experiment.data) == set(DATA_SETS)


def test_without_its_data_it_says_so_and_ends(tmp_path: Path) -> None:
    copy = tmp_path / "configs" / "single_trees.py"
    copy.parent.mkdir()
    copy.write_text(Path(single_trees.__file__).read_text("utf-8"), "utf-8")
    command = [sys.executable, "-m", "intemi.cli", "run", str(copy), "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "it needs the files of 17 data sets in" in done.stderr
    assert "and iris, wine, zoo, vote, " in done.stderr
    assert "Traceback" not in done.stderr
    assert "iris on" not in done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which the small form was run."""
    folder = tmp_path_factory.mktemp("single-trees")
    with Project(folder, workers=1) as project:
        assert run_missing(smoke, project).missing == {}
        grown = project.query(type=AllMethods, labels="Trees grown")
    assert grown.values.tolist() == [INNER + 2] * OUTER * len(smoke.data) * len(smoke.requests)
    return folder


@pytest.fixture(scope="module")
def everything(folder: Path) -> Everything:
    with Project.open(folder, workers=1) as project:
        return finished(smoke, project)


def test_it_goes_on_where_it_stopped(folder: Path) -> None:
    with Project(folder, workers=1) as project:
        assert run_missing(smoke, project).missing == {}
        assert project.counts().physical.total() == 0


def test_the_page_has_all_conclusions_with_both_shares_and_both_seeds(everything: Everything, tmp_path: Path) -> None:
    text = "\n".join(page(everything, draw(everything, smoke.digest, tmp_path)))
    for number in range(1, 11):
        assert f"### C{number}: " in text
    assert "| IG | holds: 0 of 360 steps increase | holds: 0 of 360 steps increase |" in text, "by the margin"
    assert "| IG | holds: 0 of 750 cases | holds: 0 of 750 cases |" in text, "nothing is better than the oracle"
    assert "| | 30 %, seed 1 | 30 %, seed 2 | 10 %, seed 1 | 10 %, seed 2 |" in text
    assert "| IG | 2 data sets, 5 results | 2 data sets, 5 results |" in text
    for name in tmp_path.iterdir():
        assert f"](images/{name.name})" in text


def test_the_charts_have_all_methods(everything: Everything) -> None:
    cells = {}
    for name, figure in charts(everything, "of the small form"):
        cells[name] = [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "cell"]
    for table in ("5.4", "5.5", "5.6", "5.10"):
        assert len(cells[f"single-trees-{table}.svg"]) == 145
    rows = 2  # IG, and the sum
    assert len(cells["single-trees-5.9.svg"]) == rows * 12
    assert len(cells["single-trees-5.11-30.svg"]) == len(cells["single-trees-5.11-10.svg"]) == rows * 54
    assert len(cells["single-trees-5.12.svg"]) == rows * 75
    assert "single-trees-5.3.svg" not in cells, "there are no trees by QUEST"


@pytest.mark.full
def test_what_has_not_finished_is_named(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        part = replace(smoke, requests={"IG, seed 1": smoke.requests["IG, seed 1"]})
        run_missing(part, project)
        found = finished(smoke, project)
    assert found.missing == {"IG, seed 2": ["iris", "wine"]}
    text = "\n".join(page(found, []))
    assert "**Not finished**: IG, seed 2 on iris, wine." in text
    assert "| conclusion | IG (unfinished) |" in text


def test_results_are_those_of_the_methods_one_by_one(everything: Everything) -> None:
    """What the machine of a fold leaves is what its members give when they are asked for directly."""
    results = everything.of("IG", Setting("30 %", 1))
    assert results is not None
    test = Scheme(training=Data, test=Data)
    tree = test.add(FULL.of(CRITERIA["IG"]), data=test.training, name="tree")
    test.add(ClassificationTest(), data=test.test, classifier=tree.classifier, name="test")
    with Project(workers=1) as project:
        data = project.request(smoke.data["wine"]).data
        done = project.run(Repeater(CVDistributor(OUTER), test, seed=1), data=data)
        accuracy = project.query(done, path="test/test", labels=["Accuracy", "Fold"])
    place = results.data_sets.index("wine")
    assert results.numbers(FULL.key)[place].tolist() == list(accuracy["Accuracy"])


# Verdicts, on made-up numbers


def made_up(accuracies: dict[str, float], seed: int) -> Series:
    """A task in which methods have these accuracies, others 0.5, with a little noise that differs between them."""
    rng = np.random.default_rng(seed)
    vectors = []
    for _ in range(100):
        fold = rng.normal(0, 0.01)
        noise = rng.normal(0, 0.001, len(NAMES))
        vectors.append(np.array([accuracies.get(name, 0.5) for name in NAMES]) + fold + noise)
    places = {"Repetition": [1 + each // 10 for each in range(100)], "Fold": [1 + each % 10 for each in range(100)]}
    leaves = list(rng.integers(3, 9, (100, len(NAMES))))
    return Series({"Accuracy": vectors, "Leaves": leaves, "Chosen": vectors, "Different trees": [9] * 100, **places})


def of_made_up() -> Iterator[tuple[tuple[str, int], dict[str, Series]]]:
    """With 10 % held out, validation by one pass is worse with both seeds; with 30 % with the second seed only."""
    multi = {f"multi {name} 0SE 0TE": 0.8 for name in ("CC", "Deg", "OPT")}
    for seed, larger in ((1, 0.8), (2, 0.7)):
        single = {f"30 % single {name} 0SE 0TE": larger for name in ("CC", "Deg", "OPT")}
        single |= {f"10 % single {name} 0SE 0TE": 0.7 for name in ("CC", "Deg", "OPT")}
        yield ("IG", seed), {data: made_up({**multi, **single, ORACLE: 0.9}, seed) for data in ("iris", "wine")}


def test_a_verdict_may_depend_on_what_is_held_out_and_on_the_seed() -> None:
    everything = Everything(dict(of_made_up()))
    verdicts = Verdicts(everything)
    c5 = next(claim for claim in range(15) if verdicts.name(claim).startswith("C5"))
    held = {setting: verdicts.of(c5, "IG", *setting) for setting in everything.settings}
    assert [each is not None and each.holds for each in held.values()] == [False, True, True, True]
    text = "\n".join(conclusions(everything))
    assert "| C5: several passes are at least as accurate as one | 30 %: **no**, yes; 10 %: yes, yes |" in text
    assert "change with what is held out: C5 (IG)." in text
    assert "change with the seed: C5 (IG)." in text
    assert "| IG | **does not hold**: CC 0-2-0; Deg 0-2-0; OPT 0-2-0 | holds: CC 2-0-0;" in text


def test_a_competition_has_the_methods_of_one_share() -> None:
    measured = dict(of_made_up())["IG", 1]
    name = "single CC 0SE 0TE"
    larger, smaller = (Results("IG", Setting(share, 1), measured) for share in HELD_OUT)
    assert larger.means(name) == pytest.approx(0.8, abs=0.01)
    assert smaller.means(name) == pytest.approx(0.7, abs=0.01)
    assert set(larger.all_wins) == set(BY_KEY)
    assert larger.all_wins[name] == 2
    assert smaller.all_wins[name] == 0
    assert smaller.loss[name] < larger.loss[name] < 0
