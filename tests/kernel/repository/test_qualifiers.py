"""Qualifiers and their combinations: what they accept, and that narrowing down never loses anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError, Project
from intemi.kernel.repository import Qualifier
from intemi.kernel.repository.qualifiers import fits
from intemi.query import At, Comment, Named, OfType, Parameter, Provides, Result
from tests.kernel.repository.machines import GoodGrade, Grade, Leave, Twig


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    """Two levels: grades 0 to 4 at places 0 to 4 under the first part, good grades 5 and 6 under the second."""
    with Project(workers=1) as opened:
        first, second = Twig(tuple(map(Grade, range(5)))), Twig((GoodGrade(5), GoodGrade(6)), note="second")
        opened.run(Twig((first, second)), name="tree")
        opened.wait(*(opened.request(Leave(value), name=value) for value in ("bool", "vector", "nan", "none", "text")))
        yield opened


def grades(project: Project, where: Any) -> list[int]:
    """The grades of the items that qualify."""
    found = project.query("tree", OfType(Grade) & where if isinstance(where, Qualifier) else where, ["Grade", "kind"])
    return [int(grade) for grade in found["Grade"]]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (OfType(Grade), [0, 1, 2, 3, 4, 5, 6]),
        (OfType(GoodGrade), [5, 6]),
        (OfType(GoodGrade.registered_name), [5, 6]),
        (~OfType(GoodGrade), [0, 1, 2, 3, 4]),
        (Named("part 1"), [1, 6]),
        (Named("part [23]"), [2, 3]),
        (Named("part"), []),
        (At("part 0/part 3"), [3]),
        (At("part 0/*"), [0, 1, 2, 3, 4]),
        (At("*/part 0"), [0, 5]),
        (At("**/part 0"), [0, 5]),
        (At("**"), [0, 1, 2, 3, 4, 5, 6]),
        (At("part 0"), []),
        (At("part ?/part [01]"), [0, 1, 5, 6]),
        (Provides("result"), [0, 1, 2, 3, 4, 5, 6]),
        (Provides("results"), []),
        (Result("Grade") == 3, [3]),
        (Result("Grade") != 3, [0, 1, 2, 4, 5, 6]),
        (Result("Grade") < 2, [0, 1]),
        (Result("Half") <= 1, [0, 1, 2]),
        (Result("Half") > 2.4, [5, 6]),
        (Result("Grade") >= 5, [5, 6]),
        (Result("Grade") == 3.0, [3]),
        (Result("Grade") == "3", []),
        (Result("Grade") > "3", []),
        (Result("Grade") != "3", [0, 1, 2, 3, 4, 5, 6]),
        (Result("Grade") < float("nan"), []),
        (Result("Grade") != float("nan"), [0, 1, 2, 3, 4, 5, 6]),
        (Result("Grade") < 2**70, [0, 1, 2, 3, 4, 5, 6]),
        (Result("Grade").isin([1, 4, 9]), [1, 4]),
        (Result("Width") == 5, []),
        (Comment("Place") == 1, [1, 5, 6]),
        (Comment("Place") == 3, [3]),
        (Comment("Place").isin((1, 3)), [1, 3, 5, 6]),
        (Parameter("number") > 4, [5, 6]),
        (Parameter("note") == "second", [5, 6]),
        (Parameter("nothing") != 1, []),
        ((Result("Grade") > 1) & (Result("Grade") < 4), [2, 3]),
        ((Result("Grade") < 1) | OfType(GoodGrade), [0, 5, 6]),
        (Named("part 1") | At("part 0/part 4"), [1, 4, 6]),
        (~(Named("part 1") | OfType(GoodGrade)), [0, 2, 3, 4]),
        (~~Named("part 1") & ~(Result("Grade") == 6), [1]),
    ],
    ids=repr,
)
def test_a_qualifier_accepts(project: Project, where: Qualifier, expected: list[int]) -> None:
    assert grades(project, where) == expected


def test_a_function_of_an_item_is_a_qualifier_too(project: Project) -> None:
    def is_odd(item: Any) -> bool:
        return item.kind == "Grade" and item.results["Grade"] % 2 == 1 and item.above.name == "part 0"

    assert grades(project, is_odd) == [1, 3]
    both = project.query("tree", is_odd, "Grade", type=Grade, name="part 3")
    assert list(both.values) == [3]


def test_the_root_qualifies_by_its_own_name_or_an_empty_path(project: Project) -> None:
    assert len(project.query("tree", Named("tree"))) == 1
    assert len(project.query("tree", At(""))) == 1
    assert len(project.query(None, Named("tree"))) == 1


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Result("Value") == True, ["bool"]),  # noqa: E712
        (Result("Value") == 1, ["bool"]),
        (Result("Value") == None, ["none"]),  # noqa: E711
        (Result("Value") == (0, 1, 2), ["vector"]),
        (Result("Value") != (0, 1, 2), ["bool", "nan", "none", "text"]),
        (Result("Value") > (0, 1, 2), []),
        (Result("Value") > 0, ["bool"]),
        (Result("Value") == "naïve\0 text", ["text"]),
        (Result("Name") > "o", ["text", "vector"]),
    ],
    ids=repr,
)
def test_values_that_are_no_numbers_compare_as_in_python(
    project: Project, where: Qualifier, expected: list[str]
) -> None:
    found = project.query(None, OfType(Leave) & where, "Name")
    assert sorted(found.values) == expected


simple = st.sampled_from(
    [
        OfType(Grade),
        OfType(GoodGrade),
        OfType(Twig),
        Named("part 1"),
        Named("tree"),
        Named("*"),
        At("part 0/part 1"),
        At("**/part 0"),
        Result("Grade") > 2,
        Result("Half") == 0.5,
        Result("Value") == 1,
        Result("Name") >= "text",
        Comment("Place") == 1,
        Parameter("note") != "none",
    ]
)
combined: Any = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a & b, inner, inner),
        st.builds(lambda a, b: a | b, inner, inner),
        inner.map(lambda a: ~a),
    ),
    max_leaves=6,
)


@given(where=combined, root=st.sampled_from([None, "tree", "tree/part 0"]))
def test_narrowing_down_loses_nothing(project: Project, where: Qualifier, root: str | None) -> None:
    by_function = project.query(root, lambda item: where.qualifies(item), "path")
    assert project.query(root, where, "path") == by_function
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("intemi.kernel.repository.finding.MAX_UNFILTERED_EDGES", 0)
        assert project.query(root, where, "path") == by_function


def test_a_qualifier_is_a_value() -> None:
    where = (OfType(Grade) & ~Named("x")) | (Result("Grade") > 2)
    assert where == (OfType(Grade.registered_name) & ~Named("x")) | (Result("Grade") > 2)
    assert where != OfType(Grade)
    assert len({where, where.replace("first.second.inner.name", "y")}) == 2


def test_what_is_no_qualifier_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="second must be"):
        OfType(Grade) & (lambda item: True)  # type: ignore[operator]
    with pytest.raises(ConfigurationError, match="value must be plain data"):
        Result("Value") == np.arange(3)  # noqa: B015
    with pytest.raises(ConfigurationError, match=r"Comment\('Fold'\).isin: takes at least one value, got none"):
        Comment("Fold").isin([])


@pytest.mark.parametrize(
    ("pattern", "names", "expected"),
    [
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "a/x/y", False),
        ("**/a/**", "x/a", True),
        ("*", "a/b", False),
        ("A", "a", False),
    ],
)
def test_patterns_of_paths(pattern: str, names: str, expected: bool) -> None:
    assert fits(tuple(pattern.split("/")), tuple(names.split("/"))) is expected


@pytest.mark.parametrize(
    "combined",
    [
        lambda: 0 < Result("Grade") < 3,
        lambda: (Result("Grade") > 0) and (Result("Grade") < 3),
        lambda: OfType(Grade) or Named("part 1"),
        lambda: not OfType(Grade),
    ],
)
def test_what_python_would_drop_silently_is_refused(combined: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"combine qualifiers with & \| ~, in brackets; comparisons cannot be"):
        combined()
