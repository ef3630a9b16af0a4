"""Given values."""

from __future__ import annotations

import pytest

from intemi.kernel import ConfigurationError
from intemi.machines.classifiers import KNN, SVM, Euclidean, LinearKernel, Manhattan
from intemi.machines.search import Values
from tests.search.driving import candidates_of


def test_values_are_proposed_in_the_order_given_with_their_types() -> None:
    asked = [each["x"] for each in candidates_of(Values("x", ["b", 1, 1.0, None, True]))]
    assert [(value, type(value)) for value in asked] == [
        ("b", str),
        (1, int),
        (1.0, float),
        (None, type(None)),
        (True, bool),
    ]
    assert [each["k"] for each in candidates_of(Values("k", range(1, 4)))] == [1, 2, 3]


def test_components_can_be_values() -> None:
    first, second = candidates_of(Values("distance", [Euclidean(), Manhattan()]))
    assert [first.applied_to(KNN()), second.applied_to(KNN())] == [KNN(), KNN(distance=Manhattan())]
    assert Values("kernel", [LinearKernel()]).at("svm") == Values("svm.kernel", [LinearKernel()])
    [only] = candidates_of(Values("kernel", [LinearKernel()]))
    assert only.applied_to(SVM()).kernel == LinearKernel()


def test_no_values_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="Values: values must be at least one, got none"):
        Values("x", [])
