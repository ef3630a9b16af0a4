"""The experiment of `configs/committees.py`: what it has, what it grows, and what is made of it, in a small form."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

from configs import committees
from configs.committees import (
    BAGGING_AXES,
    BOOSTING_AXES,
    COMMITTEE_AXES,
    CRITERIA,
    PARTS,
    TREE_AXES,
    SplitTest,
    validated,
)
from intemi import Block, Project
from intemi.analysis import PairedTTest
from intemi.experiments import found, run
from intemi.machines import SklearnDataset
from intemi.query import Result
from intemi.series import Series
from scripts.committees import lines, on
from scripts.committees_charts import charts
from scripts.committees_claims import findings
from scripts.committees_results import COMMITTEES, differs, pooled, record, results_in, winners
from tests.analysis.plots.drawn import texts

WINE = SklearnDataset("wine").run().outputs["data"]
TRAINING, TEST = WINE.select_rows(range(0, 178, 2)), WINE.select_rows(range(1, 178, 2))


def cells(axes: Any) -> int:
    return prod(map(len, axes.values()))


def test_there_are_as_many_committees_as_in_the_book() -> None:
    """X1: 13,560 by four criteria are 1,440 and 1,950 by each; 560 of bagging, 1,120 of boosting; 100 single trees."""
    by_mode = {mode: sum(each["Mode"] == mode for each in COMMITTEES) * 10 for mode in ("separate", "common")}
    assert by_mode == {"separate": 1440, "common": 1950}
    assert 4 * cells(COMMITTEE_AXES) == 13_560
    by_validator = {each["Validator"]: 0 for each in COMMITTEES}
    for each in COMMITTEES:
        by_validator[each["Validator"]] += 4 * 10
    assert by_validator == {"REP": 1080, "CC": 2880, "Deg": 2880, "OPT": 2880, "MEP2": 960, "DI": 2880}
    assert (4 * cells(BAGGING_AXES), 4 * cells(BOOSTING_AXES)) == (560, 1120)
    assert 4 * cells(TREE_AXES) == 3 * 100  # with each weight of training errors


def test_parts_grow_no_more_trees_than_they_must_and_share_their_samples() -> None:
    made = {
        part: SplitTest(part, CRITERIA["IG"]).run(TRAINING, TEST, np.random.default_rng(1)).results for part in PARTS
    }
    assert {part: each["Trees grown"] for part, each in made.items() if part != "boosting"} == {
        "committees": 10,
        "trees": 11,
        "bagging": 10,
    }
    assert made["boosting"]["Trees grown"] <= 1 + 7 * 4 * 9
    bagged = made["bagging"]["Accuracy"].values[:, 0, 0]  # votes of one member are its answers
    boosted = made["boosting"]["Accuracy"].values[:, :, 0]
    assert (boosted == bagged).all(), "the first sample of boosting is that of bagging"
    for part, axes in zip(PARTS, (COMMITTEE_AXES, TREE_AXES, BAGGING_AXES, BOOSTING_AXES), strict=True):
        assert made[part]["Accuracy"] == Block(made[part]["Accuracy"].values, axes)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One data set and criterion, two folds."""
    experiment = replace(
        committees.smoke,
        data={"wine": SklearnDataset("wine")},
        requests={f"{part}, IG": validated(part, "IG", folds=2, repetitions=2) for part in PARTS},
    )
    folder = tmp_path_factory.mktemp("committees") / "project"
    with Project(folder, workers=1) as project:
        run(experiment, project)
    with Project.open(folder, workers=1) as project:
        yield found(experiment, project)


def test_configurations_are_asked_for_by_their_labels(outcome: Any) -> None:
    where = (
        (Result("Validator") == "CC") & (Result("Mode") == "common") & (Result("SE") == "½SEs") & (Result("Size") == 7)
    )
    labels = ["Accuracy", "TE", "Decision", "Repetition", "Fold", "data"]
    series = outcome.project.query(type=SplitTest, where=where, labels=labels)
    assert len(series) == 4 * 3 * 3
    results = results_in(outcome)["IG"]
    chosen = results.chosen(Validator="CC", Mode="common", SE="½SEs", TE="1TE", Decision="L", Size=7)[0, 0]
    asked = series.where(TE="1TE", Decision="L").sort_by("Fold").sort_by("Repetition")
    assert asked.values.tolist() == chosen.tolist()


def test_conclusions_are_drawn_of_what_has_finished(outcome: Any) -> None:
    results = results_in(outcome)
    every = findings(results["IG"])
    assert len(every) == 13
    page = "\n".join(lines(outcome, results, [("Wins", "wins.svg")]))
    assert all(each.claim in page and each.numbers in page for each in every)
    assert "![Wins](images/wins.svg)" in page


def test_charts_have_a_cell_for_each_tree(outcome: Any) -> None:
    _, name, figure = next(charts(results_in(outcome), "A note."))
    assert name == "committees-5.14.svg"
    assert len(texts(figure, "cell")) == 25


def test_records_sum_up_and_are_antisymmetric(outcome: Any) -> None:
    """X10."""
    results = results_in(outcome)["IG"]
    sizes = pooled(results, "Size", tuple(range(1, 11)))
    one, other = sizes.record(2, 9), sizes.record(9, 2)
    assert sum(one) == sum(other) == 1
    assert one == other[::-1]
    assert sizes.record(3, 3) == (0, 1, 0)
    assert max(sizes.wins()) == 1
    tree = results.tree("CC")
    assert record(tree, tree) == (0, 1, 0)
    assert winners(results.reference_trees).any(axis=1).all()


def test_the_test_on_arrays_is_the_paired_t_test() -> None:
    generator = np.random.default_rng(1)
    first = generator.integers(5, 20, (6, 30)) / 20
    second = np.clip(first + generator.normal(0.01, 0.06, (6, 30)).round(2), 0, 1)
    second[0] = first[0]
    second[1] = first[1] - 0.1
    mean, is_real = differs(first, second)
    for place in range(6):
        pair = [
            Series({"Accuracy": each[place], "machine": [name] * 30, "Fold": range(30)})
            for name, each in (("one", first), ("other", second))
        ]
        row = PairedTTest()(*pair).row(0)
        assert (row["p"] < 0.01) == bool(is_real[place]), place
        assert mean[place] == pytest.approx(first[place].mean() - second[place].mean())


def test_the_experiment_can_be_run_on_some_of_its_data_sets() -> None:
    assert list(on(["wine"], committees.smoke).data) == ["wine"]
    assert on(None, committees.smoke) is committees.smoke
    with pytest.raises(SystemExit, match="there is no data set called soya; there are iris, wine"):
        on(["iris", "soya"], committees.smoke)
