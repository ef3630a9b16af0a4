"""What is easily done wrong on a first day gets an error of the package's own that says what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from intemi import BindingError, Component, ConfigurationError, IntemiError, Project, parameter
from intemi.data import Data
from intemi.data.files import FileFormat
from intemi.machines import ClassificationTest, CVDistributor, NaiveBayes, Scheme, SklearnDataset, Standardization
from intemi.machines.measures import Measure
from intemi.machines.measures.measure import Evidence
from intemi.machines.roles import Learner, Transformer, placeholder


class Object(Measure):
    """Returns no number."""

    def of(self, true: Any) -> Any:
        return {"a": true}


class Lines(FileFormat):
    """Returns no data."""

    def parse(self, content: bytes, file: str, target: str | None = None) -> Any:
        return content.splitlines()


def measured(measure: Measure) -> Any:
    return measure.measured(Evidence(np.zeros(1, int), np.zeros(1, int), None, np.ones(1), ("p", "q")))


def item_of_a_scheme(item: Any) -> Any:
    scheme = Scheme(data=Data)
    return scheme.add(CVDistributor(folds=2), data=scheme.data, name="folds").training[item]


def measure_with(best: Any) -> type:
    return type("Odd", (Measure,), {"best": best, "of": lambda self, true: 0.0, "__module__": __name__})


def searched(*values: Any) -> type:
    namespace = {"depth": parameter(default=1, at_least=1, search=values), "__annotations__": {"depth": int}}
    return type("Searched", (Component,), {**namespace, "__module__": __name__})


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "a class in place of a machine": (
        lambda: Transformer.fits(Standardization),  # type: ignore[arg-type]
        "Transformer.fits: only machines can fit a role, got <class",
    ),
    "a number in place of a machine": (
        lambda: Transformer.fits(5),  # type: ignore[arg-type]
        "Transformer.fits: only machines can fit a role, got 5",
    ),
    "the name of a role": (
        lambda: placeholder("Transformer"),  # type: ignore[arg-type]
        "placeholder: the role must be a class, such as Learner, got 'Transformer'",
    ),
    "another class in place of a role": (
        lambda: placeholder(int),  # type: ignore[type-var,arg-type]
        "placeholder: the role must be a class, such as Learner, got <class 'int'>",
    ),
    "an item before the first": (
        lambda: item_of_a_scheme(-1),
        "<folds.training in a scheme>: one of its items is chosen by a number from 0, got -1",
    ),
    "an item by name": (lambda: item_of_a_scheme("a"), "chosen by a number from 0, got 'a'"),
    "a measure that returns an object": (
        lambda: measured(Object()),
        "Object.of must return a number or an array, got {'a': ",
    ),
    "a measure with an unknown best": (
        lambda: measure_with("high"),
        "Odd: best must be 'highest', 'lowest' or None, got 'high'",
    ),
    "values to search that are too low": (
        lambda: searched(1, 0),
        "Searched: search of depth must be values that depth can have: at least 1, got 0",
    ),
    "values to search of another type": (
        lambda: searched(1, "a"),
        "Searched: search of depth must be values that depth can have: an int, at least 1, got 'a'",
    ),
    "a format that returns no data": (
        lambda: Lines().data_in(b"1\n2", "some.lines", None, {}),
        "some.lines: Lines.parse must return Data, got [b'1', b'2']",
    ),
    "measures that are none": (
        lambda: ClassificationTest(measures=("Accuracy",)),  # type: ignore[call-arg]
        "ClassificationTest: measures must be a tuple of ",
    ),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_it_is_refused(what: str) -> None:
    mistake, said = MISTAKES[what]
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        mistake()


def test_items_of_finished_collections_are_chosen_by_number() -> None:
    with Project(workers=1) as project:
        folds = project.run(CVDistributor(folds=2), data=project.request(SklearnDataset("iris")).data)
        assert folds.training[np.int64(1)].index == 1
        with pytest.raises(BindingError, match=r"CVDistributor\.training: one of its items is chosen .* got 'a'"):
            folds.training["a"]
        with pytest.raises(IntemiError, match="has 2 items, not one with index -1"):
            folds.training[-1]


def test_what_is_right_still_works() -> None:
    assert Learner.fits(NaiveBayes())
    assert not Transformer.fits(NaiveBayes())
    for best in ("highest", "lowest", None):
        measure_with(best)
    assert searched(1, 2, 3)
    assert placeholder(Learner).missing() == [
        "an empty placeholder that takes data (Data) and gives classifier (Classifier)"
    ]
