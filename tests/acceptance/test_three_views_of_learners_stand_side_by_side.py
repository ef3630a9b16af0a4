"""Wins, loss in standard deviations and wins-draws-losses against a baseline stand in one table (1.2.7, 1.2.9)."""

from __future__ import annotations

import math
import re
import statistics
from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi.analysis import InvalidComparison, StandardizedDifference
from intemi.cli.main import command
from intemi.experiments import Compared, Comparison
from intemi.experiments.comparison import compare
from intemi.machines import CVDistributor
from intemi.series import Series

FOLDS = 5
STEADY = [0.90, 0.91, 0.89, 0.90, 0.90]
WILD = [0.60, 1.00, 0.70, 0.95, 0.65]
SLIGHTLY_WORSE = [0.88, 0.89, 0.87, 0.88, 0.87]


def results(**cells: dict[str, list[float]]) -> Series:
    """Accuracies by learner, data set and fold."""
    rows = [
        (value, machine, data, fold)
        for machine, by_data in cells.items()
        for data, values in by_data.items()
        for fold, value in enumerate(values, 1)
    ]
    columns = zip(*rows, strict=True)
    return Series(dict(zip(("Accuracy", "machine", "data", "Fold"), map(list, columns), strict=True)), main="Accuracy")


def compared(series: Series, **options: object) -> Compared:
    comparison = Comparison(measure="Accuracy", best="highest", test="PairedTTest", **options)  # type: ignore[arg-type]
    return compare(series, comparison, CVDistributor(folds=FOLDS))


BOTH = results(
    steady={"one": STEADY, "two": STEADY}, wild={"one": WILD, "two": WILD}, close={"one": SLIGHTLY_WORSE, "two": STEADY}
)


def test_the_three_views_are_one_table() -> None:
    found = compared(BOTH, alpha=0.01)
    assert found.views is not None
    rows = {row["machine"]: row for row in found.views.table}
    assert {name: (row["wins"], row["data sets"]) for name, row in rows.items()} == {
        "steady": (2, 2),
        "wild": (2, 2),
        "close": (1, 2),
    }, "a large variance prevents significance, so that the wild one wins"
    assert rows["wild"]["difference"] < rows["close"]["difference"] < rows["steady"]["difference"] == 0
    assert {name: row["W-D-L"] for name, row in rows.items()} == {"steady": "0-2-0", "wild": "0-2-0", "close": "0-1-1"}
    assert (found.views.reference, found.views.baseline) == ("the best", "steady")
    line = next(line for line in str(found).splitlines() if "sd from the best" in line)
    assert re.fullmatch(r"\s+wins\s+sd from the best\s+W-D-L against steady", line)


def test_with_a_control_it_is_reference_and_baseline() -> None:
    found = compared(BOTH, control="close")
    assert found.views is not None
    assert (found.views.reference, found.views.baseline) == ("close", "close")
    rows = {row["machine"]: row for row in found.views.table}
    expected = (statistics.fmean(STEADY) - statistics.fmean(SLIGHTLY_WORSE)) / statistics.stdev(SLIGHTLY_WORSE)
    assert math.isclose(rows["steady"]["difference"], expected / 2), "and none on the other data set"
    assert rows["close"]["difference"] == 0
    assert rows["steady"]["W-D-L"] == "1-1-0"
    assert "sd from close" in str(found)


def test_the_difference_has_its_deviation_over_data_sets() -> None:
    found = compared(BOTH).views
    assert found is not None
    row = next(row for row in found.table if row["machine"] == "close")
    first = (statistics.fmean(SLIGHTLY_WORSE) - statistics.fmean(STEADY)) / statistics.stdev(STEADY)
    assert math.isclose(row["sd"], statistics.stdev([first, 0.0]))


def test_degenerate_data_sets_are_left_out_and_named_in_the_footer() -> None:
    perfect = [1.0] * FOLDS
    series = results(steady={"one": STEADY, "mushroom": perfect}, wild={"one": WILD, "mushroom": perfect})
    found = compared(series)
    assert found.views is not None
    assert found.views.left_out == "mushroom"
    assert "Left out of differences, where the results of the best have no variance: mushroom" in str(found)
    alone = StandardizedDifference()(series.where(data="one"))
    assert list(found.views.table["difference"]) == list(alone["difference"])


def test_if_all_data_sets_are_degenerate_the_other_views_remain() -> None:
    perfect = [1.0] * FOLDS
    found = compared(results(one={"a": perfect, "b": perfect}, other={"a": perfect, "b": perfect}))
    assert found.views is not None
    assert [row["wins"] for row in found.views.table] == [2, 2]
    assert [row["difference"] for row in found.views.table] == [None, None]
    assert "no spread on any data set" in str(found)
    with pytest.raises(InvalidComparison):
        StandardizedDifference()(found.tested)


def test_report_and_command_have_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(
        "data: [iris, wine]\nlearners: [Majority, NaiveBayes]\n"
        "protocol: {distributor: {type: CVDistributor, folds: 3}}\ncomparison: {control: Majority}\n"
    )
    runner = CliRunner()
    assert "sd from Majority" in runner.invoke(command, ["run", "study.yaml", "-q"]).stdout
    assert runner.invoke(command, ["report", "study.yaml"]).exit_code == 0
    page = Path("study.html").read_text()
    heads = re.findall(r"<tr>((?:<th[^>]*>[^<]*</th>)+)</tr>", page)
    texts = [re.findall(r"<th[^>]*>([^<]*)</th>", head) for head in heads]
    assert ["", "wins", "sd from Majority", "W-D-L against Majority"] in texts
