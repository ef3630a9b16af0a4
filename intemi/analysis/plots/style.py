"""What all pictures have in common: colours that anybody can tell apart, sizes of texts, numbers as texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

BLUE, ORANGE, GREEN, PURPLE, SKY, RED = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
"""Those of Okabe and Ito, which people with any kind of colour vision can tell apart."""
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""One for each colour, so that nobody has to rely on colours; both begin anew after seven."""
INK, GREY, PALE = "#222222", "#888888", "#dddddd"
POINTS = 72.0
"""In an inch."""
SMALL, NORMAL = 7.0, 9.0
"""Sizes of texts, in points."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LONGEST = 34
"""Names with more letters are shortened."""


def named(value: Any) -> str:
    """The name of something as a picture shows it.

    >>> named("knn"), named(0.5), named(2.0**-14), named("x" * 40)[-3:]
    ('knn', '0.5', '2⁻¹⁴', 'xx…')
    """
    text = " ".join((_number(value) if isinstance(value, float) else str(value)).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _number(value: float) -> str:
    """A number; powers of two that have many digits are told by their exponents, as searches step through them."""
    text = f"{value:g}"
    mantissa, exponent = math.frexp(value)
    return f"2{str(exponent - 1).translate(RAISED)}" if len(text) > 6 and mantissa == 0.5 else text


def width_of(text: str, size: float = NORMAL) -> float:
    """The width of a text, in inches."""
    return max((_points(line) for line in text.split("\n")), default=0.0) * size / NORMAL / POINTS


def widest(texts: Iterable[str], size: float = NORMAL) -> float:
    """The width of the widest of some texts, in inches."""
    return max((width_of(text, size) for text in texts), default=0.0)


@lru_cache(maxsize=4096)
def _points(line: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    measured = text_to_path.get_text_width_height_descent(line, FontProperties(size=NORMAL), ismath=False)
    return float(measured[0])


def shades(diverging: bool = False) -> Colormap:
    """From light to dark in one hue; or, diverging, from orange by white to blue."""
    from matplotlib.colors import LinearSegmentedColormap

    stops = ("#b35806", "#f1a340", "#f7f7f7", "#7fb2d6", "#08519c") if diverging else ("#f4f8fc", "#6baed6", "#08306b")
    return LinearSegmentedColormap.from_list("intemi", stops)


def ink_on(colour: Sequence[float]) -> str:
    """Black or white, whichever can be read on a colour (relative luminance, as of WCAG).

    >>> ink_on((1, 1, 1)), ink_on((0, 0, 0.4))
    ('#000000', '#ffffff')
    """
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour[:3])
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


def decimals_of(values: Iterable[float], significant: int = 3) -> int:
    """How many decimals tell values apart: none for whole numbers, more the closer they are to each other.

    >>> decimals_of([3, 4]), decimals_of([0.95, 0.96]), decimals_of([12.5, 80.25])
    (0, 4, 1)
    """
    known = [value for value in values if math.isfinite(value)]
    if not known or all(float(value).is_integer() for value in known):
        return 0
    spread = max(known) - min(known) or abs(known[0])
    return max(0, min(6, significant - 1 - math.floor(math.log10(spread))))


def bare(axes: Axes) -> None:
    """Take the frame off, and everything else that draws nothing."""
    axes.set_axis_off()


def light(axes: Axes, grid: str = "x") -> None:
    """A light frame with lines to read values off."""
    axes.grid(axis=grid, color=PALE, linewidth=0.6)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=SMALL + 1, colors=INK)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
