"""The catalogue: what can be named in a file or on the command line."""

from __future__ import annotations

from abc import abstractmethod

import pytest

from intemi.experiments.catalogue import entries, fitting
from intemi.kernel import Component, Machine, Model, Output, registry
from intemi.machines.trees import Refinement, SplitQuality


def test_machines_that_are_parts_of_others_are_not_listed() -> None:
    known = entries()
    for part in ("NodeCounts", "ErrorsOnRows", "RightRows", "FirstWindow", "TransformedClassifier", "SchemeChild"):
        assert part in registry.components(), "it is there, and what is on record can name it"
        assert part not in known


@pytest.mark.parametrize("family", [SplitQuality, Refinement])
def test_what_is_abstract_is_listed_and_not_offered(family: type[Component]) -> None:
    assert entries()[family.__name__].is_abstract
    offered = fitting(family)
    assert offered
    assert family.__name__ not in offered
    assert all(not entries()[name].is_abstract for name in offered)


class Shade(Component):
    """A colour of one's own."""

    @abstractmethod
    def name(self) -> str:
        """What it is called."""


class Azure(Shade):
    """A blue."""

    def name(self) -> str:
        return "azure"


class Paint(Machine):
    """Paint of a colour."""

    coat = Output(str)
    shade: Shade = Azure()

    def run(self) -> Model:
        return Model(coat=self.shade.name())


def test_classes_of_a_user_are_listed() -> None:
    known = entries()
    names = {cls: entry.name for entry in known.values() if (cls := entry.gives) in (Shade, Azure, Paint)}
    assert len(names) == 3
    assert known[names[Shade]].is_abstract
    assert not known[names[Paint]].is_abstract
    assert fitting(Shade) == [names[Azure]]
