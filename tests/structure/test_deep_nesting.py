"""Machines inside machines inside machines: schemes as deep as one likes, or one message that says how deep."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.kernel import ConfigurationError, Machine, Project, from_plain
from intemi.machines import Majority, Scheme, Standardization, TransformAndClassify
from tests.machines import Scale

DEPTH = 500


def nested(depth: int = DEPTH, factor: int = 2) -> Scheme:
    """A multiple of a number, that many schemes further inside."""
    inside: Machine = Scale(factor)
    for _ in range(depth):
        scheme = Scheme(number=int)
        child = scheme.add(inside, number=scheme.number, name="in")
        scheme.expose(result=child.result)
        inside = scheme
    assert isinstance(inside, Scheme)
    return inside


@pytest.mark.parametrize("where", ["memory", pytest.param("folder", marks=pytest.mark.full)])
def test_five_hundred_nested_schemes_run_and_can_be_asked(where: str, tmp_path: Path) -> None:
    with Project(tmp_path / "folder" if where == "folder" else None, workers=2) as project:
        done = project.run(nested(), number=project.given(3))
        assert done.outputs["result"] == 6
        assert project.query(done, type=Scale, labels=["factor"]).values.tolist() == [2]
    if where == "folder":
        with Project(tmp_path / "folder") as again:
            assert again.run(nested(), number=again.given(3)).outputs["result"] == 6
            assert again.counts().physical.total() == 0


def test_they_are_values_like_any_other() -> None:
    path = "/".join(["in"] * DEPTH) + ".factor"
    assert nested() == nested()
    assert nested() != nested(factor=3)
    assert nested().get(path) == 2
    assert nested().replace(path, 3) == nested(factor=3)
    assert nested().missing() == []
    assert repr(nested()).startswith("Scheme(number=Input(int), result=Output(int), in: Scheme(")


def test_what_is_too_deep_for_python_is_said_so() -> None:
    with pytest.raises(ConfigurationError, match=r"nested too deep to be written as plain data: .* about \d+"):
        nested().to_plain()
    plain = nested(20).to_plain()
    assert from_plain(plain) == nested(20)
    for _ in range(DEPTH):
        plain = {"type": "TransformAndClassify", "learner": plain}
    with pytest.raises(ConfigurationError, match="plain data: nested too deep to be read"):
        from_plain(plain)


def test_other_machines_inside_each_other_are_as_deep_as_python_follows_or_refused() -> None:
    learner: Machine = Majority()
    for _ in range(DEPTH):
        learner = TransformAndClassify(Standardization(), learner)
    with Project(workers=1) as project, pytest.raises(ConfigurationError, match="nested too deep to be requested"):
        project.request(learner, data=project.given(1))
