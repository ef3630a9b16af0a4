"""In what two configurations differ: what is listed, with which paths, and that the paths are those of `replace`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from intemi import Component, ConfigurationError, diff
from intemi.data import Data
from intemi.machines import (
    KNN,
    SVM,
    ClassificationTest,
    CVDistributor,
    GaussianKernel,
    LinearKernel,
    NaiveBayes,
    Repeater,
    Scheme,
    Standardization,
)
from intemi.machines.trees import CART


class Part(Component):
    size: int = 1
    items: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}
    ratio: float | int = 1


def study(learner: Any, name: str = "svm", folds: int = 5) -> Repeater:
    test = Scheme(training=Data, test=Data)
    scaled = test.add(Standardization(), data=test.training, name="scaled")
    learned = test.add(learner, data=scaled.transformed, name=name)
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    return Repeater(distributor=CVDistributor(folds), test=test, seed=1)


def test_equal_configurations_do_not_differ() -> None:
    assert diff(study(SVM()), study(SVM())) == []


def test_paths_are_those_of_replace() -> None:
    first, second = study(SVM(kernel=GaussianKernel(sigma=0.5))), study(SVM(kernel=GaussianKernel(sigma=2)), folds=3)
    assert [tuple(each) for each in diff(first, second)] == [
        ("distributor.folds", 5, 3),
        ("test/svm.kernel.sigma", 0.5, 2.0),
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (study(SVM()), study(SVM(C=3, kernel=LinearKernel()), folds=7)),
        (study(SVM()), study(KNN(k=3))),
        (study(SVM()), study(SVM(), name="another")),
        (CART(refinement=None), CART(surrogates=0, refinement=None)),
        (Part(items=(1, Part(2))), Part(items=(1, Part(3)))),
        (Part(items=(1, 2)), Part(items=(1,))),
        (Part(named={"a": 1, "b.c": {"d": 2}}), Part(named={"a": 1, "b.c": {"d": 3}})),
        (Part(named={"a": 1}), Part(named={"b": 1})),
        (Part(named={"a/b": 1}), Part(named={"a/b": 2})),
    ],
)
def test_to_replace_all_differences_makes_the_one_equal_to_the_other(first: Component, second: Component) -> None:
    found = diff(first, second)
    assert found
    for each in found:
        assert first.get(each.path) == each.first
        first = first.replace(each.path, each.second)
    assert first == second


def test_what_is_wired_in_another_way_differs() -> None:
    drawn = study(SVM())
    other = Scheme(training=Data, test=Data)
    scaled = other.add(Standardization(), data=other.test, name="scaled")
    learned = other.add(SVM(), data=scaled.transformed, name="svm")
    other.add(ClassificationTest(), data=other.test, classifier=learned.classifier, name="test")
    assert [each.path for each in diff(drawn, drawn.replace("test", other))] == ["test.children.0.wires.data.0.port"]


def test_numbers_of_different_types_differ_as_they_do_in_the_identity() -> None:
    assert [each.path for each in diff(Part(ratio=1), Part(ratio=1.0))] == ["ratio"]


def test_of_different_classes_all_of_it_differs() -> None:
    (found,) = diff(KNN(), NaiveBayes())
    assert found.path == ""
    assert repr(found).startswith("all of it: KNN(")


def test_what_is_no_configuration_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="diff: two configurations are compared, got 'knn'"):
        diff(KNN(), "knn")  # type: ignore[arg-type]


def test_a_difference_is_at_its_path_and_at_those_above() -> None:
    (found,) = diff(study(SVM(C=1)), study(SVM(C=2)))
    assert [found.is_at(path) for path in ("test/svm.C", "test.svm", "test", "test/sv", "distributor")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_long_values_are_cut_where_they_are_shown() -> None:
    (found,) = diff(Part(items=tuple(range(100))), Part())
    assert len(repr(found)) < 130
