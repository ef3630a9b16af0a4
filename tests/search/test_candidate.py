"""Candidates: ordered, immutable, told apart exactly, and put into configurations."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.kernel import ConfigurationError
from intemi.machines.classifiers import SVM, GaussianKernel, LinearKernel
from intemi.machines.search import Candidate
from intemi.machines.search.candidate import check_paths


def test_a_candidate_keeps_the_order_of_its_paths() -> None:
    assert list(Candidate({"b": 1, "a": 2})) == ["b", "a"]
    assert list(Candidate({"b": 1}) | {"a": 2}) == ["b", "a"]


def test_candidates_with_the_same_values_at_the_same_paths_are_equal() -> None:
    assert Candidate({"a": 1, "b": 2}) == Candidate({"b": 2, "a": 1})
    assert hash(Candidate({"a": (1, 2)})) == hash(Candidate({"a": [1, 2]}))
    assert Candidate({"a": float("nan")}) == Candidate({"a": float("nan")})
    assert Candidate({"k": GaussianKernel(sigma=1)}) == Candidate({"k": GaussianKernel(sigma=1.0)})


def test_values_of_different_types_make_different_candidates() -> None:
    assert len({Candidate({"a": value}) for value in (1, 1.0, True, "1", None)}) == 5


def test_a_candidate_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        Candidate({"a": 1})["a"] = 2  # type: ignore[index]


def test_numbers_of_numpy_become_plain() -> None:
    assert type(Candidate({"a": np.int64(3)})["a"]) is int


def test_a_value_that_can_be_no_parameter_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Candidate: the value at a must be plain data"):
        Candidate({"a": object()})


def test_values_are_put_in_in_order() -> None:
    candidate = Candidate({"kernel": GaussianKernel(), "kernel.sigma": 4})
    assert candidate.applied_to(SVM(kernel=LinearKernel())) == SVM(kernel=GaussianKernel(sigma=4))


@pytest.mark.parametrize("path", ["", "a..b", "/a", "a."])
def test_a_path_with_an_empty_step_is_refused(path: str) -> None:
    with pytest.raises(ConfigurationError, match="Steps: a path must be written like"):
        check_paths("Steps", [path])


def test_paths_that_meet_are_refused_however_they_are_written() -> None:
    with pytest.raises(ConfigurationError, match=r"Grid: its paths must differ, got 'test/svm.C' and 'test.svm.C'"):
        check_paths("Grid", ["test/svm.C", "test.svm.C"])
    check_paths("Grid", ["svm.kernel", "svm.kernel.sigma", "svm.kernels"])
