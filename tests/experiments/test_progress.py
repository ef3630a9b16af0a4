"""What is shown while an experiment runs."""

from __future__ import annotations

import io
from time import monotonic

import pytest
from rich.console import Console

from intemi import Project
from intemi.experiments import Progress, parse_experiment, run
from intemi.experiments.tally import Branch, Tally
from tests.kernel.test_dispatch import Elsewhere

FILE = "{data: [iris], learners: [NaiveBayes, KNN], protocol: {distributor: {type: CVDistributor, folds: 4}}}"


def test_branches_count_what_was_run_and_what_was_unified() -> None:
    with Project() as project:
        with Progress(project, "lines", io.StringIO()) as progress:
            run(parse_experiment(FILE), project, progress)
        first, second = progress.tally.branches.values()
        assert (first.name, second.name) == ("NaiveBayes on iris", "KNN on iris")
        assert first.ended == second.ended == "finished"
        assert first.parts == first.expected == 5, "four tests and a distributor"
        assert first.run + second.run == project.counts().physical.total() - 1, "all but the loader"
        assert second.unified == 1, "the folds are those of the first"
        assert progress.tally.now_running() == []
        with Progress(project, "lines", io.StringIO()) as again:
            run(parse_experiment(FILE), project, again)
        assert [(each.run, each.unified, each.share) for each in again.tally.branches.values()] == [(0, 1, 1.0)] * 2


def test_a_log_gets_plain_lines() -> None:
    log = io.StringIO()
    with Project() as project, Progress(project, file=log) as progress:
        assert progress.how == "lines"
        run(parse_experiment(FILE), project, progress)
    assert log.getvalue().splitlines()[-1].startswith("2 of 2 done, ")
    assert "\x1b" not in log.getvalue()


def test_a_terminal_gets_bars() -> None:
    screen = io.StringIO()
    with Project() as project, Progress(project, "bars", screen) as progress:
        run(parse_experiment(FILE), project, progress)
        console = Console(file=io.StringIO(), width=100, height=30)
        console.print(progress.rendered(console))
        shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "NaiveBayes on iris" in shown
    assert "2/2 done" in shown
    assert "machines/s" in shown


def test_hosts_of_a_cluster_are_named() -> None:
    log = io.StringIO()
    with Project(workers=Elsewhere()) as project, Progress(project, "lines", log) as progress:
        run(parse_experiment(FILE), project, progress)
    leaves = progress.tally.hosts["host"]
    assert leaves > 10
    assert log.getvalue().splitlines()[-1].endswith(f" 0 failed, {leaves} on host")
    progress.tally.hosts.update(node1=500, node2=400, node3=300)
    assert progress.line().endswith(", 500 on node1, 400 on node2, 300 on node3 and 1 more")


def test_many_branches_fit_on_the_screen() -> None:
    with Project() as project:
        progress = Progress(project, "lines", io.StringIO())
        for number in range(100):
            progress.expect(f"learner {number}", 3)
        console = Console(file=io.StringIO(), width=80, height=20)
        console.print(progress.rendered(console))
        assert len(console.file.getvalue().splitlines()) <= 20  # type: ignore[attr-defined]


def test_nothing_is_listened_to_where_nothing_is_shown() -> None:
    with Project() as project, Progress(project, "none") as progress:
        run(parse_experiment(FILE), project, progress)
        assert progress.tally.totals["run"] == 0


def test_a_notebook_gets_one_display_that_changes() -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    publishers = pytest.importorskip("IPython.core.displaypub")

    class ZMQInteractiveShell(shells.InteractiveShell):  # type: ignore[misc, name-defined]
        """Called like the shell of notebooks, and keeps what they would show."""

        display_pub_class = publishers.CapturingDisplayPublisher

    shell = ZMQInteractiveShell.instance()
    try:
        program = f"""
            from intemi import Project
            from intemi.experiments import Progress, parse_experiment, run
            with Project() as project, Progress(project) as progress:
                run(parse_experiment({FILE!r}), project, progress)
        """
        assert shell.run_cell(program).success
        first, *_, last = shell.display_pub.outputs
    finally:
        ZMQInteractiveShell.clear_instance()
    assert not first.get("update")
    assert last["update"]
    assert last["transient"] == first["transient"], "they have one id"
    assert "2/2 done" in last["data"]["text/html"]
    assert last["data"]["text/plain"].startswith("NaiveBayes on iris")


def test_how_long_the_rest_takes_is_told_by_what_was_run_and_not_by_a_pause() -> None:
    now = monotonic()
    counted = Tally(started=now - 100, _last=now, _pause=60)
    counted.branches = {"half done": Branch("half done", 40, parts=9)}
    assert counted.seconds_left is None, "nine parts tell nothing"
    counted.branches["half done"].parts = 20
    counted.branches["found"] = Branch("found", 40, ended="finished", was_found=True)
    assert counted.seconds_left == pytest.approx(40, abs=1)
