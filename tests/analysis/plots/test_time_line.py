from io import BytesIO
from itertools import pairwise
from pathlib import Path
from time import process_time

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
    for collection in figure.axes[0].collections:
        corners = [path.vertices[:4] for path in collection.get_paths()]
        found[collection.get_label()] = [(each[0, 0], np.ptp(each[:, 0]), each[:, 1].mean()) for each in corners]
    return found


def test_bars_are_where_machines_ran() -> None:
    found = bars(time_line(RAN))
    assert found["KNN (2)"] == [(0, 2, pytest.approx(0)), (2.5, 1, pytest.approx(0))]
    assert found["SVM (1)"] == [(0.5, 1, pytest.approx(1))]


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


def of_many(number: int) -> Series:
    """As many machines of eight classes on four workers, one after the other, with a pause in the middle."""
    rng = np.random.default_rng(0)
    wall = rng.exponential(1e-3, number)
    worker = rng.integers(4, size=number)
    started = np.empty(number)
    for each in range(4):
        mine = worker == each
        started[mine] = np.cumsum(wall[mine]) - wall[mine]
    started[started > np.median(started)] += 5.0
    kinds = np.array([f"kind {place}" for place in range(8)])[rng.integers(8, size=number)]
    names = [f"worker {each + 1}" for each in worker]
    return Series({"wall": wall.tolist(), "started": started.tolist(), "worker": names, "kind": kinds.tolist()})


def test_a_hundred_thousand_machines_are_drawn_in_seconds_into_a_small_file() -> None:
    series, began, content = of_many(100_000), process_time(), BytesIO()
    time_line(series).savefig(content, format="svg")
    assert process_time() - began < 20  # a bar for each would take minutes
    assert len(content.getvalue()) < 2**20


def test_columns_are_where_something_ran_and_as_high_as_it_was_busy() -> None:
    number = 10_000
    started = np.arange(number) * 1e-3 + np.where(np.arange(number) < number / 2, 0, 10)  # a pause of 10 s
    series = Series({"wall": [0.5e-3] * number, "started": started.tolist(), "kind": ["KNN"] * number})
    figure = time_line(series)
    [label] = bars(figure)
    assert label == "KNN (10,000)"
    corners = [path.vertices[:4] for path in figure.axes[0].collections[0].get_paths()]
    for each in corners:
        assert each[0, 0] < 5.1 or each[0, 0] > 14.9
        assert np.ptp(each[:, 1]) <= 0.7 * 0.6 + 1e-9
    assert sum(np.ptp(each[:, 0]) for each in corners) == pytest.approx(10, abs=0.1)


def test_a_long_bar_is_one_bar_beside_many_short_ones() -> None:
    series = Series(
        {
            "wall": [10.0] + [1e-3] * 5000,
            "started": [0.0, *np.linspace(0, 9.9, 5000).tolist()],
            "kind": ["SVM"] + ["KNN"] * 5000,
            "worker": ["a"] + ["b"] * 5000,
        }
    )
    assert bars(time_line(series))["SVM (1)"] == [(0, pytest.approx(10), pytest.approx(0))]


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
