"""Series: ordered tables of labels and values with one main label; groups of them; to and from files and frames."""

from intemi.series.cells import Cell
from intemi.series.columns import Column
from intemi.series.errors import SeriesError
from intemi.series.groups import Groups
from intemi.series.series import Series

__all__ = ["Series", "Groups", "SeriesError", "Cell", "Column"]
