from __future__ import annotations

from threadpoolctl import threadpool_info

from intemi.kernel import Project
from tests.machines import Number


def threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_linear_algebra_has_one_thread_while_any_project_runs_leaves() -> None:
    before = threads()
    with Project() as first:
        first.run(Number(1))
        with Project() as second:
            second.run(Number(1))
            assert threads() <= {1}
        assert threads() <= {1}
    assert threads() == before


def test_who_runs_nothing_leaves_it_alone() -> None:
    before = threads()
    with Project():
        assert threads() == before
