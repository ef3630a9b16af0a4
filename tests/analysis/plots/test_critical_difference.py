import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.analysis import InvalidComparison
from intemi.analysis.plots import PictureError, critical_difference
from intemi.analysis.plots.critical_difference import groups_of
from tests.analysis.plots.drawn import lines, texts
from tests.analysis.plots.examples import many
from tests.analysis.published import demsar_ranks


def rank_at(figure, x: float) -> float:
    """The rank that a place on the axis stands for, read off its ends."""
    axis = figure.axes[0].lines[0].get_xdata()
    return float(1 + 3 * (axis[0] - x) / (axis[0] - axis[1]))


def test_the_example_of_demsar_comes_out_as_published() -> None:
    """Demšar (2006), section 3.2.2 and figure 1(a): at 0.10, CD is 1.12, and C4.5 differs from both with m."""
    figure = critical_difference(demsar_ranks(), best="lowest", alpha=0.10)
    assert texts(figure, "cd") == ["CD = 1.12 (α = 0.1)"]
    assert texts(figure, "learner") == ["C4.5+m+cf  1.96", "C4.5+m  2.00", "C4.5+cf  2.89", "C4.5  3.14"]
    bars = [[round(rank_at(figure, x), 3) for x in xs] for xs, _ in lines(figure, "bar")]
    assert bars == [[1.964, 2.893], [2.893, 3.143]]


def test_at_five_per_cent_the_example_has_no_differences() -> None:
    figure = critical_difference(demsar_ranks(), best="lowest")
    assert texts(figure, "cd") == ["CD = 1.25 (α = 0.05)"]
    assert [[round(rank_at(figure, x), 3) for x in xs] for xs, _ in lines(figure, "bar")] == [[1.964, 3.143]]


def test_the_example_with_a_control_comes_out_as_published() -> None:
    """At 0.05 (CD 1.16 there, cut off), only C4.5+m+cf differs from C4.5; at 0.10 (CD 1.04) C4.5+m does as well."""
    figure = critical_difference(demsar_ranks(), best="lowest", control="C4.5")
    assert texts(figure, "cd") == ["CD = 1.17 (α = 0.05)"]
    assert [[round(rank_at(figure, x), 3) for x in xs] for xs, _ in lines(figure, "bar")] == [[2.0, 3.143]]
    figure = critical_difference(demsar_ranks(), best="lowest", control="C4.5", alpha=0.10)
    assert texts(figure, "cd") == ["CD = 1.04 (α = 0.1)"]
    assert [[round(rank_at(figure, x), 3) for x in xs] for xs, _ in lines(figure, "bar")] == [[2.893, 3.143]]


def test_the_best_is_on_the_right() -> None:
    axes = critical_difference(demsar_ranks(), best="lowest").axes[0]
    places = {text.get_text(): text.get_position()[0] for text in axes.texts}
    assert places["1"] > places["4"]
    assert places["C4.5+m+cf  1.96"] > places["C4.5  3.14"]


def test_a_control_that_is_not_there_is_refused() -> None:
    with pytest.raises(PictureError, match=r"the control must be one of .*'C4.5'.*, got 'ID3'"):
        critical_difference(demsar_ranks(), control="ID3")


def test_an_incomplete_table_is_refused() -> None:
    series = many(3, 3, 1)
    with pytest.raises(InvalidComparison, match="there is no item of machine"):
        critical_difference(series[1:])


@given(st.lists(st.floats(1, 20), min_size=2, max_size=20), st.floats(0.1, 5))
def test_bars_join_exactly_those_that_do_not_differ(ranks: list[float], cd: float) -> None:
    ranks = sorted(ranks)
    bars = groups_of(ranks, cd)
    for one in range(len(ranks)):
        for other in range(one + 1, len(ranks)):
            joined = any(first <= one and other <= last for first, last in bars)
            assert joined == (ranks[other] - ranks[one] < cd)
    assert all(not (a[0] <= b[0] and b[1] <= a[1]) for a in bars for b in bars if a != b)
