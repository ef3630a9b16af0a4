from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi import Project
from intemi.analysis.plots import PictureError, time_line, watch
from intemi.analysis.plots.time_line import lanes_of
from intemi.machines import SklearnDataset
from intemi.series import Series
from tests.analysis.plots.test_machine_graph import cross_validation

RAN = Series({"wall": [2.0, 1.0, 1.0], "started": [10.0, 10.5, 12.5], "kind": ["KNN", "SVM", "KNN"]})


def bars(figure) -> dict[str, list[tuple[float, float, float]]]:
    """By what the legend says: left end, width and lane of each bar."""
    found = {}
    for container in figure.axes[0].containers:
        found[container.get_label()] = [
            (bar.get_x(), bar.get_width(), bar.get_y() + bar.get_height() / 2) for bar in container.patches
        ]
    return found


def test_bars_are_where_machines_ran() -> None:
    found = bars(time_line(RAN))
    assert found["KNN (2)"] == [(0, 2, 0), (2.5, 1, 0)]
    assert found["SVM (1)"] == [(0.5, 1, 1)]


def test_workers_are_named() -> None:
    figure = time_line(RAN.with_column("worker", ["a", "b", "b"]))
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["a", "b"]
    assert bars(figure)["KNN (2)"][1][2] == 1


def test_only_workers_are_called_busy() -> None:
    assert [text.get_text() for text in time_line(RAN).axes[0].texts] == []
    watched = time_line(RAN.with_column("worker", ["a", "b", "b"]))
    assert [text.get_text() for text in watched.axes[0].texts] == ["57% busy", "57% busy"]


def test_short_runs_are_told_in_milliseconds() -> None:
    series = Series({"wall": [0.002], "started": [5.0], "kind": ["KNN"]})
    assert time_line(series).axes[0].get_xlabel().startswith("ms")


def test_classes_that_took_little_are_put_together() -> None:
    kinds = [f"kind {number}" for number in range(10)]
    series = Series({"wall": [10.0 - n for n in range(10)], "started": [10.0 * n for n in range(10)], "kind": kinds})
    assert "others (4)" in bars(time_line(series))


def test_a_watched_run_knows_its_workers() -> None:
    with Project(workers=2) as project:
        data = project.run(SklearnDataset("iris"))
        with watch(project) as seen:
            project.run(cross_validation(), data=data.data)
        project.run(SklearnDataset("wine"))
        series = seen.series
        assert len(series) == 1 + 3 * 6  # one distributor; what is shared ran once
        assert set(series["worker"]) <= {"worker 1", "worker 2"}
        assert "SklearnDataset" not in series["kind"]
        assert time_line(seen).axes


def test_one_worker_never_does_two_things_at_once() -> None:
    with Project(workers=1) as project, watch(project) as seen:
        project.run(cross_validation(), data=project.request(SklearnDataset("iris")).data)
    series = seen.series.sort_by("started")
    assert set(series["worker"]) == {"worker 1"}
    ends = np.array(series["started"]) + np.array(series["wall"])
    assert (ends[:-1] <= np.array(series["started"])[1:] + 1e-3).all()


def test_records_of_the_last_run_are_drawn(tmp_path: Path) -> None:
    with Project(tmp_path, name="first") as project:
        data = project.run(SklearnDataset("iris"))
        project.run(cross_validation(), data=data.data)
    with Project(tmp_path, name="second") as project:
        data = project.run(SklearnDataset("iris"))
        project.run(cross_validation(), data=data.data)
        with pytest.raises(PictureError, match="the run 'second' ran nothing"):
            time_line(project)
        first, _ = project.runs()
        counted = sum(map(len, bars(time_line(project, run=first)).values()))
        assert counted == 1 + 1 + 3 * 6


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(PictureError, match="takes a project, what was watched, or a series, got str"):
        time_line("project")  # type: ignore[arg-type]
    with pytest.raises(PictureError, match="nothing ran"):
        time_line(RAN[:0])
    with Project() as project, pytest.raises(PictureError, match="nothing was requested"):
        time_line(project)


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0.01, 5)), min_size=1, max_size=30))
def test_lanes_are_as_few_as_possible_and_nothing_overlaps(spans: list[tuple[float, float]]) -> None:
    started, wall = (np.array(each) for each in zip(*spans, strict=True))
    lanes = lanes_of(started, wall)
    for lane in set(lanes):
        inside = sorted((s, s + w) for s, w, each in zip(started, wall, lanes, strict=True) if each == lane)
        assert all(one[1] <= other[0] for one, other in pairwise(inside))
    most = max(((started <= moment) & (moment < started + wall)).sum() for moment in started)
    assert len(set(lanes)) == most
