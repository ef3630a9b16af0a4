import re

import numpy as np

from intemi.analysis.plots import accuracies, svg_of
from intemi.analysis.plots.style import COLOURS, shades
from intemi.series import Series

# How colours look to people without one kind of cones (Machado, Oliveira and Fernandes 2009), in linear RGB.
SEEN_BY = {
    "everybody": np.eye(3),
    "protanopes": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopes": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopes": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, seen_by: np.ndarray) -> np.ndarray:
    """A colour as it is seen, in CIE L*a*b*."""
    rgb = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(seen_by @ linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_everybody_can_tell_the_colours_apart() -> None:
    for seen_by in SEEN_BY.values():
        seen = [lab(colour, seen_by) for colour in COLOURS]
        distances = [np.linalg.norm(a - b) for place, a in enumerate(seen) for b in seen[place + 1 :]]
        assert min(distances) > 10  # 2.3 is just noticeable


def test_shades_get_darker_all_the_way() -> None:
    colours = shades()(np.linspace(0, 1, 50))[:, :3]
    assert (np.diff(colours @ [0.2126, 0.7152, 0.0722]) < 0).all()


def test_the_same_picture_is_the_same_file_but_for_names_of_parts() -> None:

    series = Series({"Accuracy": [0.9, 0.8], "machine": ["k$n$n", "<svm>"]})
    first, second = (re.sub(r'(id="|#)[a-z]\w+', "", svg_of(accuracies(series))) for _ in range(2))
    assert first == second
    assert first.startswith("<svg")
    assert "<!DOCTYPE" not in first


def test_pictures_in_one_page_do_not_get_in_the_way_of_each_other() -> None:

    text = svg_of(accuracies(Series({"Accuracy": [0.9, 0.8], "machine": ["knn", "svm"]})))
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(set(ids)) == len(ids)
    assert {"mean", "best", "axes_1"} & set(ids) == set()
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) == set(ids)


def test_names_are_no_formulas() -> None:
    figure = accuracies(Series({"Accuracy": [0.9], "machine": ["a $ of $x_1"], "data": ["$\\frac$"]}))
    svg_of(figure)
    assert figure.axes[0].get_yticklabels()[0].get_text() == "a $ of $x_1"


def test_a_picture_shows_itself_in_notebooks() -> None:
    figure = accuracies(Series({"Accuracy": [0.9], "machine": ["knn"]}))
    assert figure._repr_png_().startswith(b"\x89PNG")
