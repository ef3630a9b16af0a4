"""Many tests are many chances to err: their number, and the levels it leads to, are always shown (B8)."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from intemi.analysis import Wins, WinsDrawsLosses
from intemi.analysis.levels import Levels
from intemi.cli.main import command
from intemi.experiments import Comparison
from intemi.experiments.comparison import compare
from intemi.kernel import ConfigurationError
from intemi.machines import CVDistributor
from intemi.series import Series

FOLDS = 3


def results(learners: int, data: int) -> Series:
    """Random accuracies of so many learners on so many data sets."""
    rng = np.random.default_rng(1)
    places = list(product(range(data), range(learners), range(FOLDS)))
    return Series(
        {
            "Accuracy": rng.random(len(places)).round(3),
            "machine": [f"m{machine}" for _, machine, _ in places],
            "data": [f"d{data}" for data, _, _ in places],
            "Fold": [fold for *_, fold in places],
        },
        main="Accuracy",
    )


def test_143_tests_at_one_per_cent_show_the_level_7_0e_5_as_well() -> None:
    comparison = Comparison("Accuracy", "highest", test="PairedTTest", alpha=0.01, control="m0")
    found = compare(results(learners=12, data=13), comparison, CVDistributor(folds=FOLDS))
    text = " ".join(str(found).split())
    shown = "143 tests at level 0.01 (for all of them together: Bonferroni 7.0e-05, Sidak 7.0e-05), correction: none"
    assert text.count(shown) == 2, "of wins, and of wins, draws and losses"
    assert found.views is not None
    assert all(shown in variant for variant in found.to_plain()["views"]["variants"].values())


def test_all_pairs_are_counted_where_all_pairs_are_compared() -> None:
    series = results(learners=5, data=3)
    assert WinsDrawsLosses()(series)["comparisons"][0] == 30
    assert "30 tests at level 0.01" in WinsDrawsLosses()(series)["variant"][0]
    assert "12 tests at level 0.01" in WinsDrawsLosses(against="m0")(series)["variant"][0]
    assert "12 tests at level 0.01" in Wins()(series)["variant"][0]


@pytest.mark.parametrize(("correction", "level"), [("none", 0.01), ("bonferroni", 0.01 / 30), ("sidak", 0.000334957)])
def test_the_correction_says_at_which_of_the_levels_it_was_tested(correction: str, level: float) -> None:
    found = WinsDrawsLosses(correction=correction)(results(learners=5, data=3))  # type: ignore[arg-type]
    assert found["level"][0] == pytest.approx(level, rel=1e-5)
    assert found["variant"][0].endswith(f"correction: {correction}")
    assert "Bonferroni 3.3e-04, Sidak 3.3e-04" in found["variant"][0]


def test_average_ranks_are_compared_with_a_count_too() -> None:
    found = compare(results(4, 5), Comparison("Accuracy", "highest", test="PairedTTest"), CVDistributor(folds=FOLDS))
    assert found.pairs is not None
    assert "6 comparisons" in found.pairs["variant"][0]
    assert "6 comparisons" in str(found)


def test_the_command_and_the_report_print_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(
        "data: [iris, wine]\nlearners: [Majority, NaiveBayes, KNN]\n"
        "protocol: {distributor: {type: CVDistributor, folds: 3}}\ncomparison: {alpha: 0.01}\n"
    )
    runner = CliRunner()
    assert runner.invoke(command, ["run", "study.yaml", "-q"]).exit_code == 0
    said = " ".join(runner.invoke(command, ["compare", "study.yaml"]).stdout.split())
    assert "6 tests at level 0.01 (for all of them together: Bonferroni 1.7e-03, Sidak 1.7e-03)" in said
    assert runner.invoke(command, ["report", "study.yaml"]).exit_code == 0
    page = Path("study.html").read_text()
    assert "6 tests at level 0.01 (for all of them together: Bonferroni 1.7e-03, Sidak 1.7e-03)" in page


def test_one_test_needs_no_correction_and_no_tests_have_no_level() -> None:
    assert str(Levels(0.05, 1)) == "1 test at level 0.05"
    for alpha, tests in ((0.0, 5), (0.05, 0)):
        with pytest.raises(ConfigurationError, match="Levels: "):
            Levels(alpha, tests)
