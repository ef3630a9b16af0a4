"""Series obey their laws: group and ungroup, map, join, arithmetic; CSV, JSON and Arrow lose nothing on the way."""

from __future__ import annotations

import io
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import Groups, Series, SeriesError
from tests.series.strategies import CELLS, FLOATS, INTS, LARGE_INTS, all_series, exactly, pairable, results

BY = st.sampled_from([["machine"], ["key"], ["Fold"], ["machine", "Fold"], ["Fold", "key", "machine"]])
EXACT = st.integers(-(2**80), 2**80) | INTS
PLACES = ("Repetition", "Fold")


def numbered(series: Series) -> Series:
    return series.with_column("row", range(len(series)))


def in_order(series: Series) -> Series:
    """The same rows, whatever order they had."""
    return series.sort_by(*PLACES)


# Group and ungroup
@given(results(cells=CELLS), BY)
def test_ungroup_gives_all_rows_back_in_the_order_of_the_groups(series: Series, by: list[str]) -> None:
    back = numbered(series).group_by(*by).ungroup()
    assert sorted(back["row"]) == list(range(len(series)))
    rest = [label for label in series.labels if label not in by]
    assert back.labels == (*by, *rest, "row")
    original = series[list(back["row"])]
    assert [exactly(original)[1][original.labels.index(label)] for label in back.labels[:-1]] == exactly(back)[1][:-1]


@given(results(cells=CELLS), BY)
def test_rows_of_a_group_stay_in_order_and_groups_come_in_order_of_appearance(series: Series, by: list[str]) -> None:
    places = [group["row"].tolist() for group in numbered(series).group_by(*by)]
    assert all(rows == sorted(rows) for rows in places)
    assert [rows[0] for rows in places] == sorted(rows[0] for rows in places)


@given(results(cells=CELLS), BY)
def test_grouping_again_gives_the_same_groups(series: Series, by: list[str]) -> None:
    groups = series.group_by(*by)
    assert groups.ungroup().group_by(*by) == groups
    assert groups.ungroup().group_by(*by).ungroup() == groups.ungroup()


@given(results(cells=CELLS))
def test_grouping_by_two_labels_is_grouping_by_one_and_then_by_the_other(series: Series) -> None:
    at_once = series.group_by("machine", "Fold")
    nested = {
        (*outer, *inner): rows
        for outer, group in zip(series.group_by("machine").keys(), series.group_by("machine"), strict=True)
        for inner, rows in zip(group.group_by("Fold").keys(), group.group_by("Fold"), strict=True)
    }
    assert set(nested) == set(at_once.keys())
    assert all(at_once[key] == rows for key, rows in nested.items())


@given(results(cells=CELLS), st.data())
def test_a_split_gives_consecutive_rows_and_ungroup_undoes_it(series: Series, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(series)), max_size=3)))
    sizes = [end - start for start, end in zip([0, *ends], [*ends, len(series)], strict=True)]
    groups = series.split(*sizes)
    assert [len(group) for group in groups] == sizes
    assert groups.ungroup().without("group") == series
    assert Series.concat(*groups) == series


@given(results(cells=CELLS), st.integers(1, 15))
def test_row_i_is_in_group_i_modulo_n(series: Series, n: int) -> None:
    groups = numbered(series).group_modulo(n)
    assert groups.keys() == tuple((number,) for number in range(n))
    assert groups.ungroup()["group"].tolist() == [row % n for row in groups.ungroup()["row"].tolist()]
    assert groups.ungroup().sort_by("row").without("row", "group") == series


@given(results(cells=CELLS), BY, st.data())
def test_selected_groups_are_what_they_were(series: Series, by: list[str], data: st.DataObject) -> None:
    groups = series.group_by(*by)
    some = data.draw(st.lists(st.integers(0, len(groups) - 1), unique=True))
    keys = [groups.keys()[index] for index in some]
    assert tuple(groups.select(keys)) == tuple(tuple(groups)[index] for index in some)
    assert tuple(groups.select(lambda group: len(group) > 1)) == tuple(each for each in groups if len(each) > 1)
    assert groups.select(groups.keys()) == groups


# Map
@given(results(cells=CELLS), BY)
def test_mapping_the_identity_changes_nothing(series: Series, by: list[str]) -> None:
    assert series.map(lambda same: same) == series
    assert series.group_by(*by).map(lambda same: same) == series.group_by(*by)


@given(results(cells=FLOATS), BY)
def test_mapping_twice_is_mapping_the_composition(series: Series, by: list[str]) -> None:
    def doubled(each: Series) -> Series:
        return each + each.max()

    def first_rows(each: Series) -> Series:
        return each[:2]

    groups = series.group_by(*by)
    assert groups.map(doubled).map(first_rows) == groups.map(lambda each: first_rows(doubled(each)))


@given(results(cells=st.floats(-1e100, 1e100)), BY)  # whose sum is finite
def test_a_map_of_groups_is_a_map_of_each_series(series: Series, by: list[str]) -> None:
    groups = series.group_by(*by)
    means = [Series({"Accuracy": [each.mean()]}) for each in groups]
    assert groups.map(Series.mean) == Groups(by, zip(groups.keys(), means, strict=True))
    rows = groups.map(lambda each: {"Least": each.min(), "Rows": len(each)}).ungroup()
    assert rows["Rows"].tolist() == [len(each) for each in groups]
    assert rows.labels == (*by, "Least", "Rows")


# Join
@given(pairable(LARGE_INTS | FLOATS), st.randoms())
def test_a_join_keeps_the_left_and_finds_the_right(pair: tuple[Series, Series], chance: Any) -> None:
    left, right = pair[0], pair[1].renamed(Accuracy="Error")
    joined = left.join(right)
    assert joined.main == left.main
    assert joined.without("Error") == left
    shuffled = right[chance.sample(range(len(right)), len(right))]
    assert left.join(shuffled) == joined
    for row in joined:
        partner = right.where(Repetition=row["Repetition"], Fold=row["Fold"])
        assert exactly(partner)[1][0][1] == [(type(row["Error"]).__name__, repr(row["Error"]))]


@given(pairable(INTS))
def test_a_join_from_either_side_has_the_same_rows(pair: tuple[Series, Series]) -> None:
    left, right = pair[0], pair[1].renamed(Accuracy="Error")
    one, other = in_order(left.join(right, on=PLACES)), in_order(right.join(left, on=PLACES))
    assert list(one) == [{label: row[label] for label in one.labels} for row in other]


@given(pairable(INTS, count=3))
def test_joins_are_associative(three: tuple[Series, Series, Series]) -> None:
    a, b, c = (each.renamed(Accuracy=name) for each, name in zip(three, "abc", strict=True))
    assert a.join(b, on=PLACES).join(c, on=PLACES) == a.join(b.join(c, on=PLACES), on=PLACES)


@given(pairable(INTS), st.data())
def test_rows_without_a_partner_or_with_two_are_refused(pair: tuple[Series, Series], data: st.DataObject) -> None:
    left, right = pair
    row = data.draw(st.integers(0, len(right) - 1))
    lacking = right[[other for other in range(len(right)) if other != row]]
    doubled = Series.concat(right, right[[row]])
    named = f"Repetition={right.row(row)['Repetition']}, Fold={right.row(row)['Fold']}"
    for act in (Series.join, operator.add, operator.sub, operator.mul, operator.truediv):
        for wrong, why in ((lacking, "has no partner"), (doubled, "is there twice")):
            for one, other in ((left, wrong), (wrong, left)):
                with pytest.raises(SeriesError, match=f"{named} {why}"):
                    act(one, other)


# Arithmetic
@given(pairable(EXACT))
def test_addition_and_multiplication_commute(pair: tuple[Series, Series]) -> None:
    a, b = pair
    assert in_order(a + b) == in_order(b + a)
    assert in_order(a * b) == in_order(b * a)


@given(pairable(EXACT, count=3))
def test_addition_and_multiplication_are_associative_and_distributive(three: tuple[Series, Series, Series]) -> None:
    a, b, c = three
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c


@given(pairable(EXACT))
def test_subtraction_undoes_addition(pair: tuple[Series, Series]) -> None:
    a, b = pair
    assert (a + b) - b == a
    assert a - b == a + -b
    assert in_order(a - b) == in_order(-(b - a))
    assert in_order(abs(a - b)) == in_order(abs(b - a))
    assert (a - a).values.tolist() == [0] * len(a)
    assert 0 - (0 - a) == a


@given(pairable(EXACT), EXACT)
def test_numbers_are_added_to_every_row(pair: tuple[Series, Series], number: int) -> None:
    a, b = pair
    assert a + number == number + a
    assert a - number == -(number - a)
    assert a * number == number * a
    assert a + 0 == a * 1 == a
    assert (a + number) - (b + number) == a - b


@given(pairable(FLOATS), st.sampled_from([operator.add, operator.sub, operator.mul]))
def test_floats_are_calculated_as_python_does(pair: tuple[Series, Series], sign: Callable[[Any, Any], Any]) -> None:
    a, b = pair
    partner = {(row["Repetition"], row["Fold"]): row["Accuracy"] for row in b}
    expected = [sign(row["Accuracy"], partner[row["Repetition"], row["Fold"]]) for row in a]
    assert sign(a, b) == a.with_column("Accuracy", expected)


@given(pairable(st.integers(-(2**53), 2**53) | FLOATS), st.randoms())
def test_the_order_of_rows_does_not_matter(pair: tuple[Series, Series], chance: Any) -> None:
    a, b = pair
    shuffled = b[chance.sample(range(len(b)), len(b))]
    for sign in (operator.add, operator.sub, operator.mul, operator.truediv):
        assert sign(a, b) == sign(a, shuffled)


# Nothing is lost
@given(all_series())
def test_csv_loses_nothing(series: Series) -> None:
    back = Series.from_csv(text=series.to_csv())
    assert back == series
    assert exactly(back) == exactly(series)


@given(all_series())
def test_json_loses_nothing(series: Series) -> None:
    back = Series.from_json(text=series.to_json())
    assert back == series
    assert exactly(back) == exactly(series)


@given(all_series())
def test_arrow_loses_nothing(series: Series) -> None:
    back = Series.from_arrow(series.to_arrow())
    assert back == series
    assert exactly(back) == exactly(series)


@given(all_series())
def test_arrow_files_lose_nothing(series: Series) -> None:
    stream = io.BytesIO()
    with pyarrow.ipc.new_file(stream, series.to_arrow().schema) as writer:
        writer.write_table(series.to_arrow())
    assert exactly(Series.from_arrow(pyarrow.ipc.open_file(stream.getvalue()).read_all())) == exactly(series)
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(series.to_arrow(), parquet)
    assert exactly(Series.from_arrow(pyarrow.parquet.read_table(parquet))) == exactly(series)


@given(all_series())
def test_pandas_loses_nothing(series: Series) -> None:
    assert exactly(Series.from_pandas(series.to_pandas())) == exactly(series)


@given(all_series())
def test_files_lose_nothing(tmp_path_factory: pytest.TempPathFactory, series: Series) -> None:
    folder: Path = tmp_path_factory.mktemp("files")
    series.to_csv(folder / "series.csv")
    series.to_json(folder / "series.json")
    assert exactly(Series.from_csv(folder / "series.csv")) == exactly(series)
    assert exactly(Series.from_json(folder / "series.json")) == exactly(series)


@given(results(cells=CELLS), BY)
def test_ungrouped_series_lose_nothing_either(series: Series, by: list[str]) -> None:
    groups = series.group_by(*by)
    assert isinstance(groups, Groups)
    back = Series.from_csv(text=groups.ungroup().to_csv())
    assert back.group_by(*by) == groups
