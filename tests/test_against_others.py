"""The comparison of searches counts as it says, and a search that fails does not stop the others."""

from pathlib import Path

import pytest

from benchmarks import against_others, searches
from benchmarks.against_others import Sizes, report

SIZES = Sizes(("one", "two"), 20.0, "none")


def half(wrong: int, took: float = 20.0) -> dict[str, object]:
    return {"wrong": wrong, "rows": 100, "took": took, "tested": 7, "useful": 10.0, "failure": None}


def test_errors_are_compared_with_those_of_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    results = {(name, search): [half(10), half(10)] for name in SIZES.compared for search in searches.SEARCHES}
    results["one", "intemi"] = [half(5, took=21.5), half(5)]
    results["two", "FLAML"] = [half(4), half(4)]
    targets = {target.what: target for target in report(results, SIZES)}
    printed = capsys.readouterr().out
    games = next(line.split() for line in printed.splitlines() if line.startswith("ours wins"))
    assert games[-4:] == ["1-1-0", "1-1-0", "1-1-0", "1-0-1"]
    assert targets["the longest time / the limit"].measured == pytest.approx(1.075)
    ratio = (20.5 / 8.5) ** 0.5 / (20.5 / 10.5) ** 0.5
    assert targets["error ratio to the best / FLAML's"].measured == pytest.approx(ratio)
    assert "25" in next(line for line in printed.splitlines() if line.startswith("share of CPU"))


def test_a_search_that_fails_answers_with_the_most_frequent_class(tmp_path: Path) -> None:
    file = tmp_path / "small.csv"
    file.write_text("x,class\n" + "\n".join(f"{row % 7},{'aab'[row % 3]}" for row in range(60)) + "\n")
    failed = searches.tried("random", str(file), 0, 1e-9)
    assert "no test of 2 has finished" in failed["failure"]
    assert (failed["tested"], failed["wrong"], failed["rows"]) == (0, 10, 30)


@pytest.mark.wide
def test_every_half_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against_others, "in_new_process", lambda *_, **__: half(1))
    for _ in range(2):
        against_others._try(tmp_path / "log", "sonar", 0, "intemi", 1.0)
    assert len((tmp_path / "log").read_text().splitlines()) == 1
