"""The data table: typed columns, roles, missing values, weights, views, digests; readers and writers."""

from intemi.data.arff import read_arff, write_arff
from intemi.data.column import Column
from intemi.data.csv import read_csv, write_csv
from intemi.data.data import Data
from intemi.data.description import Description, describe
from intemi.data.errors import DataError
from intemi.data.exchange import from_bunch, from_numpy, from_pandas, to_pandas
from intemi.data.file_format import FileFormat
from intemi.data.files import read, write
from intemi.data.notes import Note, notes_on
from intemi.data.parquet import read_parquet, write_parquet
from intemi.data.table import MISSING, Table

__all__ = [
    "MISSING",
    "Column",
    "Data",
    "DataError",
    "Description",
    "FileFormat",
    "Note",
    "Table",
    "describe",
    "from_bunch",
    "from_numpy",
    "from_pandas",
    "notes_on",
    "read",
    "read_arff",
    "read_csv",
    "read_parquet",
    "to_pandas",
    "write",
    "write_arff",
    "write_csv",
    "write_parquet",
]
