from __future__ import annotations

from threadpoolctl import threadpool_info

from intemi.kernel import Project


def threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_linear_algebra_has_one_thread_as_long_as_any_project_is_open() -> None:
    before = threads()
    with Project():
        with Project():
            assert threads() <= {1}
        assert threads() <= {1}
    assert threads() == before
