import pytest
from matplotlib.collections import PatchCollection

from intemi.analysis.plots import PictureError, heat_table
from intemi.series import Series
from tests.analysis.plots.drawn import lines, texts


def pruning_heat() -> Series:
    """The geometry of the book's Tables 5.3 to 5.6: 19 columns in four groups, 15 rows, 145 cells."""
    groups = {
        "": ["full DT"],
        "pruning": ["PEP", "EBP", "MEP", "MEP2", "MDLP", "DIP"],
        "single": ["full DT", "REP", "CC", "Deg", "OPT", "MEP2", "DI"],
        "multiple": ["CC", "Deg", "OPT", "MEP2", "DI"],
    }
    rows = []
    for group, methods in groups.items():
        for method in methods:
            for se in ("0SE", ".5SE", "1SE", ".5SEs", "1SEs"):
                for te in ("0TE", ".5TE", "1TE"):
                    if is_there(group, method, se, te):
                        rows.append((len(rows), group, method, se, te))
    labels = ("wins", "group", "method", "SE", "TE")
    return Series(dict(zip(labels, map(list, zip(*rows, strict=True)), strict=True)))


def is_there(group: str, method: str, se: str, te: str) -> bool:
    if group == "multiple":
        return True
    if group == "single" and method != "full DT":
        return not se.endswith("s")
    plain = (se, te) == ("0SE", "0TE")
    return plain or (method in ("PEP", "EBP", "MEP", "MEP2") and te == "0TE" and not se.endswith("s"))


def test_the_geometry_of_the_books_pruning_tables() -> None:
    series = pruning_heat()
    figure = heat_table(series, rows=("SE", "TE"), columns=("group", "method"), caption="wins of 105")
    assert len(texts(figure, "cell")) == len(series) == 145
    columns = texts(figure, "column")
    assert columns[:4] == ["", "pruning", "single", "multiple"]
    assert columns[4:11] == ["full DT", "PEP", "EBP", "MEP", "MEP2", "MDLP", "DIP"]
    assert columns[11:18] == ["full DT", "REP", "CC", "Deg", "OPT", "MEP2", "DI"]
    assert columns[18:] == ["CC", "Deg", "OPT", "MEP2", "DI"]
    assert texts(figure, "row") == ["0TE", ".5TE", "1TE"] * 5 + ["0SE", ".5SE", "1SE", ".5SEs", "1SEs"]
    assert len(lines(figure, "rule")) == 4 + 3


def cells(figure) -> dict[str, tuple[float, ...]]:
    """The colour behind each text."""
    (painted,) = [each for each in figure.axes[0].collections if isinstance(each, PatchCollection)]
    return dict(zip(texts(figure, "cell"), map(tuple, painted.get_facecolor()), strict=True))


def darkness(colour: tuple[float, ...]) -> float:
    return 3 - sum(colour[:3])


TABLE = Series({"wins": [1, 2, 30, 40], "inducer": ["IG", "IG", "Gini", "Gini"], "method": ["EBP", "OPT"] * 2})


def test_darker_is_larger_over_the_whole_table() -> None:
    found = cells(heat_table(TABLE, rows="inducer", columns="method"))
    assert darkness(found["1"]) < darkness(found["2"]) < darkness(found["30"]) < darkness(found["40"])


def test_a_band_has_a_scale_of_its_own() -> None:
    found = cells(heat_table(TABLE, rows="inducer", columns="method", band="inducer"))
    assert found["1"] == found["30"]
    assert found["2"] == found["40"]


def test_a_centre_divides_orange_from_blue() -> None:
    found = cells(heat_table(TABLE, rows="inducer", columns="method", centre=20))
    assert found["1"][0] > found["1"][2]
    assert found["40"][0] < found["40"][2]


def test_what_is_not_there_is_blank_and_never_zero() -> None:
    figure = heat_table(TABLE[:3], rows="inducer", columns="method")
    assert texts(figure, "cell") == ["1", "2", "30"]


def test_another_label_may_be_shown() -> None:
    series = TABLE.with_column("W-D-L", ["1-2-3", "2-2-2", "3-2-1", "4-1-1"])
    assert texts(heat_table(series, rows="inducer", columns="method", text="W-D-L"), "cell")[0] == "1-2-3"


def test_text_can_be_read_on_every_colour() -> None:
    figure = heat_table(TABLE, rows="inducer", columns="method")
    ink = {text.get_text(): text.get_color() for text in figure.axes[0].texts if text.get_gid() == "cell"}
    assert (ink["1"], ink["40"]) == ("#000000", "#ffffff")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": "inducer", "columns": "data"}, "must have the label 'data'"),
        ({"rows": (), "columns": "method"}, "rows and columns must each name"),
        ({"rows": "inducer", "columns": "inducer"}, "several items of inducer IG.*take their mean first"),
        ({"rows": "inducer", "columns": "method", "band": "method"}, "band must be one of the labels of rows"),
        ({"rows": "inducer", "columns": "method", "text": "sd"}, "text must be one of"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        heat_table(TABLE, **options)
