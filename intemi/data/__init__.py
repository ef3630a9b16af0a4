"""The data table: typed columns, roles, missing values, weights, views, digests; readers and writers."""

from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.table import MISSING, Table

__all__ = ["MISSING", "Column", "Data", "Table"]
