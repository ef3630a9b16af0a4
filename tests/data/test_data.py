"""Views of a table: what they select, what they share, and when they are equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.kernel.encoding import content_digest, encode

COLOUR = Column("colour", ("red", "green", "blue"))
CLASS = Column("class", ("yes", "no"))


def table(rows: int = 6, weights: bool = False) -> Table:
    random = np.random.default_rng(rows)
    features = [random.integers(0, 4, rows).astype(float), random.random(rows), random.integers(0, 3, rows)]
    features[0][rows // 2] = np.nan
    columns = [Column("count"), Column("size"), COLOUR]
    return Table(columns, features, CLASS, random.integers(0, 2, rows), random.random(rows) if weights else None)


rows_of_six = st.lists(st.integers(0, 5), max_size=12)
columns_of_three = st.sets(st.integers(0, 2)).map(sorted)


@given(rows_of_six, columns_of_three)
def test_equal_selections_are_equal_however_they_were_reached(rows: list[int], columns: list[int]) -> None:
    data = Data(table())
    one = data.select_rows(rows).select_columns(columns)
    other = data.select_columns(columns).select_rows(rows[::-1])
    assert one == other
    assert hash(one) == hash(other)
    assert content_digest(one) == content_digest(other)


@given(rows_of_six, columns_of_three)
def test_a_view_has_the_values_of_its_rows_and_columns(rows: list[int], columns: list[int]) -> None:
    base = table(weights=True)
    view = Data(base).select_rows(rows).select_columns(columns)
    chosen = sorted(rows)
    np.testing.assert_array_equal(view.features, base.features[columns][:, chosen])
    np.testing.assert_array_equal(view.classes, base.classes[chosen] if base.classes is not None else None)
    np.testing.assert_array_equal(view.weights, base.weights[chosen] if base.weights is not None else None)
    assert [column.name for column in view.columns] == [base.columns[index].name for index in columns]


@given(rows_of_six)
def test_the_order_of_a_view_is_that_of_its_values(rows: list[int]) -> None:
    view = Data(table()).select_rows(rows)
    for index in range(len(view.columns)):
        order = view.order(index)
        assert sorted(order) == list(range(len(view)))
        values = view.feature(index)[order]
        np.testing.assert_array_equal(values, np.sort(view.feature(index)))


@given(rows_of_six, st.lists(st.booleans(), min_size=12, max_size=12))
def test_truth_values_select_what_positions_select(rows: list[int], marks: list[bool]) -> None:
    view = Data(table()).select_rows(rows)
    mask = np.array(marks[: len(view)], dtype=bool)
    marked = view.select_rows(mask)
    assert marked == view.select_rows(np.flatnonzero(mask))
    assert marked == Data(view.table, view.rows[mask])
    assert (marked.nbytes == 0) == (marked.rows.tolist() == list(range(6)) or not len(marked))


@given(rows_of_six, st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_parts_are_what_their_truth_values_select(rows: list[int], numbers: list[int]) -> None:
    view = Data(table()).select_rows(rows).select_columns([0, 2])
    number = np.array(numbers[: len(view)], dtype=np.uint8)
    parts, others = view.parts(number, 4)
    assert parts == [view.select_rows(number == part) for part in range(4)]
    assert others == [view.select_rows(number != part) for part in range(4)]
    for each in parts + others:
        assert each.rows.tolist() == list(range(6)) or not each.rows.flags.writeable
        assert encode(each) == encode(Data(each.table, each.rows, each.column_indices)), "however it was reached"


def test_parts_may_be_told_by_truth_values() -> None:
    parts, others = Data(table()).parts(np.array([True, False, True, True, False, False]), 2)
    assert [part.rows.tolist() for part in parts] == [[1, 4, 5], [0, 2, 3]]
    assert others == parts[::-1]


@given(columns_of_three)
def test_the_categories_of_a_view_are_those_of_its_columns(columns: list[int]) -> None:
    view = Data(table()).select_columns(columns)
    assert view.category_counts.tolist() == [len(column.categories or ()) for column in view.columns]


def test_selecting_within_a_selection_selects_of_the_table() -> None:
    data = Data(table())
    assert data.select_rows([1, 3, 5]).select_rows([0, 2]) == data.select_rows([1, 5])
    assert data.select_columns([0, 2]).select_columns(["colour"]) == data.select_columns([2])
    assert data.select_rows(np.array([True, False, True, False, False, False])) == data.select_rows([0, 2])


def test_selecting_everything_is_the_data_itself() -> None:
    data = Data(table())
    assert data.select_rows(range(6)) == data
    assert data.select_columns(["size", "count", "colour"]) == data
    assert data.select_rows([0, 0, 1, 2, 3, 4, 5]) != data


def test_a_view_copies_nothing_until_it_is_looked_at() -> None:
    data = Data(table())
    assert np.shares_memory(data.features, data.table.features)
    view = data.select_rows([0, 1])
    assert view.table is data.table
    assert view.nbytes == 2 * 4


def test_equal_tables_are_equal_and_different_ones_differ() -> None:
    assert Data(table()) == Data(table())
    assert Data(table()) != Data(table(weights=True))
    assert Data(table(6)) != Data(table(7))
    named = table()
    other = Table(named.columns, named.features, CLASS, named.classes, name="another name")
    assert Data(other) == Data(named)


def test_nobody_can_write_into_a_table() -> None:
    values = np.ones((1, 3))
    data = Data(Table([Column("a")], values))
    values[0, 0] = 7
    assert data.features[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        data.features[0, 0] = 7


def test_a_read_only_view_of_what_others_can_write_is_copied() -> None:
    values = np.ones((1, 3))
    view = values.view()
    view.flags.writeable = False
    data = Data(Table([Column("a")], view))
    values[0, 0] = 7
    assert data.features[0, 0] == 1


def test_what_nobody_can_write_is_not_copied() -> None:
    values = np.ones((2, 3))
    values.flags.writeable = False
    assert np.shares_memory(Table([Column("a")], values[:1]).features, values)
    read = np.frombuffer(bytes(24)).reshape(1, 3)
    assert np.shares_memory(Table([Column("a")], read).features, read)


def test_what_is_masked_is_missing() -> None:
    values = np.ma.array([[1, 2]], mask=[[False, True]])
    built = Table([Column("a")], values, CLASS, np.ma.array([0, 1], mask=[False, True]))
    np.testing.assert_array_equal(built.features, [[1, np.nan]])
    assert built.classes is not None
    assert built.classes.tolist() == [0, -1]


def test_categories_in_a_list_are_the_same_column() -> None:
    assert Column("c", ["a", "b"]) == Column("c", ("a", "b"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Table([Column("a")], [[1.0], [2.0]]), "1 columns are named, got 2"),
        (lambda: Table([Column("a"), Column("a")], [[1.0], [2.0]]), "must differ, got 'a' twice"),
        (
            lambda: Table([COLOUR], [[3.0]]),
            r"colour has 3 categories, so its values must be 0 to 2 \(NaN where missing\), got 3",
        ),
        (lambda: Table([COLOUR], [[0.5]]), "got 0.5"),
        (lambda: Table([COLOUR], [[np.nan, -1.0]]), "NaN where missing.*got -1"),
        (lambda: Table([COLOUR], [[-0.5]]), "got -0.5"),
        (lambda: Table([Column("a")], [[1.0, 2.0]], CLASS, [0.7, 1.2]), r"0 to 1 \(-1 where missing\), got 0.7"),
        (lambda: Table([Column("a")], [[1.0, 2.0]], CLASS, np.array([2**32, 1])), "got 4294967296"),
        (lambda: Table([Column("a")], [[1.0, 2.0]], CLASS, [np.nan, 1]), "got nan"),
        (lambda: Table([Column("a")], [[1.0]], CLASS, ["yes"]), "classes must be numbers"),
        (lambda: Table([Column("a")], [[1.0]], weights=["heavy"]), "weights must be numbers"),
        (lambda: Table([Column("a"), Column("b")], [[1.0], [1.0, 2.0]]), "features must be numbers, as many in each"),
        (lambda: Table([Column("a")], [[1j]]), "features must be numbers.*complex128"),
        (lambda: Table([Column("class")], [[1.0]], CLASS, [0]), "target must have another name than the features"),
        (lambda: Column("c", ("a", "b", "a")), "Column: categories of 'c' must differ, got 'a' twice"),
        (lambda: Column("c", "abc"), "Column: categories of 'c' must be several texts, got the text 'abc'"),
        (lambda: Table([Column("a")], [[1.0]], CLASS, [2]), "class has 2 categories"),
        (lambda: Table([Column("a")], [[1.0]], CLASS), "a target is a nominal column"),
        (lambda: Table([Column("a")], [[1.0]], Column("b"), [0]), "a target is a nominal column"),
        (
            lambda: Table([Column("a")], [[1.0, 2.0]], CLASS, [0]),
            "classes must have one value for each of 2 rows, got 1",
        ),
        (lambda: Table([Column("a")], [[1.0]], weights=[-1.0]), "weights must be finite and at least 0"),
        (lambda: Table([Column("a")], [1.0]), "2 dimensions expected, got an array of shape"),
        (lambda: Data(table(), [6]), "rows must be 0 to 5, got 6"),
        (lambda: Data(table(), [-1]), "rows must be 0 to 5, got -1"),
        (lambda: Data(table(), [2**32]), "rows must be 0 to 5, got 4294967296"),
        (lambda: Data(table(), [0.5]), "rows are chosen by whole numbers, got float64"),
        (lambda: Data(table(), columns=[1, 1]), "a column can be chosen only once"),
        (
            lambda: Data(table()).select_columns(["weight"]),
            "no column is called 'weight'; there are count, size, colour",
        ),
        (lambda: Data(table()).select_rows([True]), "truth values for 6 rows are needed"),
        (lambda: Data(table()).parts([0, 1], 2), "numbers of parts for 6 rows are needed"),
        (lambda: Data(table()).parts([0, 1, 2, 300, 0, 1], 3), "the numbers of 3 parts must be below 3, got 300"),
        (lambda: Data(Table([Column("a")], [[1.0]])).classes, "it has no target"),
        (
            lambda: Data(table()).select_rows([0, 1]).with_features([Column("a")], [[1.0]]),
            "features must have one value for each of 2 rows, got 1",
        ),
        (lambda: Data(table()).with_features([COLOUR], [[3.0] * 6]), "colour has 3 categories"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(make: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()  # type: ignore[operator]


def test_data_show_what_they_are() -> None:
    data = Data(Table([Column("a"), COLOUR], [[1.5, np.nan], [0, 2]], CLASS, [0, -1]))
    assert repr(data) == "Data(2 rows, 1 numeric and 1 nominal columns, class of 2: yes 1, no 0)"
    html = data._repr_html_()
    assert "<th>colour</th>" in html
    assert "<td>1.5</td><td>red</td><td>yes</td>" in html
    assert "<td>?</td><td>blue</td><td>?</td>" in html


def test_a_notebook_shows_the_first_columns_of_many() -> None:
    columns = [Column(f"x{index}") for index in range(5000)]
    html = Data(Table(columns, np.zeros((5000, 3)), CLASS, [0, 1, 0]))._repr_html_()
    assert html.count("<th>") == 22
    assert "<th>x19</th><th>… and 4,980 more</th><th>class</th>" in html
    assert "<td>0</td><td>…</td><td>no</td>" in html


def test_new_features_keep_target_and_weights_of_the_rows() -> None:
    base = table(weights=True)
    view = Data(base).select_rows([4, 1])
    other = view.with_features([Column("sum")], [[7.0, 8.0]])
    np.testing.assert_array_equal(other.classes, view.classes)
    np.testing.assert_array_equal(other.weights, view.weights)
    assert len(other.table) == 2


@pytest.mark.parametrize("rows", [[], [0], [999], list(range(0, 1000, 2)), [5, 5, *range(100, 900)], list(range(999))])
def test_the_rows_of_a_view_are_kept_in_little_space_and_come_back(rows: list[int]) -> None:
    view = Data(Table([Column("x")], [np.arange(1000.0)]), rows)
    table, kept, columns = view.state()
    back = Data.from_state((table, kept, columns))
    assert back == view
    assert back.rows.tolist() == rows
    assert kept is not None
    is_repeated = len(set(rows)) < len(rows)
    assert is_repeated or kept.nbytes <= 125
    assert Data.from_state((table, view.rows, columns)) == view, "as they were kept before"


def test_every_nan_is_the_same_missing_value() -> None:
    with np.errstate(invalid="ignore"):
        computed = np.array([np.inf]) - np.inf
    payload = np.array([0x7FF8000000000123], dtype=np.int64).view(np.float64)
    kinds = [np.array([np.nan]), -np.array([np.nan]), np.abs(computed), -np.abs(computed), payload, -payload]
    made = [Data(Table([Column("x")], np.concatenate([[1.0], kind])[None])) for kind in kinds]
    changed = [
        each.with_features([Column("x")], np.concatenate([[1.0], kind])[None]) for kind in kinds for each in made
    ]
    assert len({content_digest(each) for each in made}) == len({content_digest(each) for each in changed}) == 1
    assert len({each.features.tobytes() for each in [*made, *changed]}) == 1
