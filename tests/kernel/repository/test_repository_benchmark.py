"""The benchmark of the repository runs, in a size at which its numbers mean nothing."""

from __future__ import annotations

import pytest

from benchmarks import repository


def test_the_benchmark_of_the_repository_runs(capsys: pytest.CaptureFixture[str]) -> None:
    targets = repository.run(repository.Sizes(experiments=4, tests=3, judges=5, rounds=1))
    printed = capsys.readouterr().out
    assert [question for question in repository.QUESTIONS if question not in printed] == []
    assert all(target.measured > 0 for target in targets)
