"""Pictures of series, requests and projects: each in one call, each a figure of matplotlib that is nobody else's.

They can be read without colours, and in print: what matters is told by shape, place or text as well. `savefig` writes
a picture to a file, `svg_of` makes text of it that fits into a page of HTML.
"""

from typing import TYPE_CHECKING

from intemi.analysis.plots.accuracies import accuracies
from intemi.analysis.plots.cells import PictureError
from intemi.analysis.plots.committee_curves import error_against_size, margin_distribution
from intemi.analysis.plots.committee_maps import committee_map, filter_wins, single_squares, versus_map
from intemi.analysis.plots.critical_difference import critical_difference
from intemi.analysis.plots.curves import calibration, roc
from intemi.analysis.plots.diversity import diversity_against_accuracy
from intemi.analysis.plots.heat_table import heat_table
from intemi.analysis.plots.importances import importances
from intemi.analysis.plots.machine_graph import machine_graph
from intemi.analysis.plots.scatter import accuracy_against_size, wins_against_losses
from intemi.analysis.plots.search_course import search_course
from intemi.analysis.plots.search_heat_map import search_heat_map
from intemi.analysis.plots.time_line import time_line, watch
from intemi.analysis.plots.wins import pairwise_bars, parameter_panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "accuracies",
    "critical_difference",
    "accuracy_against_size",
    "roc",
    "calibration",
    "importances",
    "search_heat_map",
    "search_course",
    "machine_graph",
    "time_line",
    "watch",
    "heat_table",
    "pairwise_bars",
    "parameter_panel",
    "wins_against_losses",
    "single_squares",
    "committee_map",
    "versus_map",
    "filter_wins",
    "error_against_size",
    "margin_distribution",
    "diversity_against_accuracy",
    "svg_of",
    "PictureError",
]


def svg_of(figure: "Figure") -> str:
    """A figure as SVG that can be put into a page of HTML as it is.

    >>> from intemi.series import Series
    >>> svg_of(accuracies(Series({"Accuracy": [0.9], "machine": ["knn"]}))).startswith("<svg")
    True
    """
    from intemi.analysis.plots.picture import svg_of

    return svg_of(figure)
