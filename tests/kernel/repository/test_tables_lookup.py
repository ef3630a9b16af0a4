"""What lies below machines, as the tables tell it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import Project
from intemi.kernel.repository.tables import Edges, Lookup, Machines, Requests, connect
from tests.kernel.repository.machines import GoodGrade, Grade, Twig

TREE = Twig((Twig((Grade(1), GoodGrade(2), Twig())), Grade(3)))
EDGES = 5


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project(tmp_path, workers=1) as opened:
        opened.run(TREE)
        opened.query(labels="path")  # so that the tables are there
        yield opened


def below(project: Project, kinds: set[str] | None, at_most: int = 100) -> Any:
    def look(lookup: Lookup) -> tuple[Edges, Machines] | None:
        root = lookup.number_of(project.run(TREE).context.record.machine)  # type: ignore[union-attr]
        assert root is not None
        return lookup.below([root], kinds, at_most)

    return project._repository._file.do(lambda opened: look(opened.lookup))


def test_all_edges_are_found(project: Project) -> None:
    edges, machines = below(project, None)
    assert sorted(edge[3] for found in edges.values() for edge in found) == [
        *("part 0", "part 0"),
        *("part 1", "part 1"),
        "part 2",
    ]
    assert sorted(kind for kind, *_ in machines.values()) == ["GoodGrade", "Grade", "Grade", "Twig", "Twig"]


def test_ways_that_end_at_machines_of_other_kinds_are_left_out(project: Project) -> None:
    edges, machines = below(project, {"GoodGrade"})
    assert [edge[3] for found in edges.values() for edge in found] == ["part 0", "part 1"]
    assert sorted(kind for kind, *_ in machines.values()) == ["GoodGrade", "Twig"]


@pytest.mark.parametrize("kinds", [None, {"GoodGrade"}, set()])
def test_edges_that_are_looked_at_are_limited_whether_they_are_found_or_not(
    project: Project, kinds: set[str] | None
) -> None:
    assert below(project, kinds, EDGES) is not None
    assert below(project, kinds, EDGES - 1) is None


@pytest.mark.parametrize("run", [None, 2])
def test_the_latest_request_of_a_name_is_found_in_steps_that_grow_with_their_number(run: int | None) -> None:
    def steps_among(requests: int) -> int:
        counted: list[None] = []
        with closing(connect()) as tables:
            rows = [(1 + place % 2, place, "test", b"", bytes([place % 256]), None) for place in range(requests)]
            tables.executemany("INSERT INTO roots VALUES (?, ?, ?, ?, ?, ?)", rows)
            tables.set_progress_handler(lambda: counted.append(None), 100)
            (machine,) = Lookup(tables).machines_of(Requests("test", run))
        assert machine == rows[-1][4]
        return len(counted)

    assert steps_among(1000) < 5 * steps_among(250)
