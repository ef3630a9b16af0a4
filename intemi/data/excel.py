"""Excel, read through pandas and openpyxl where they are installed; it is not written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from xml.parsers import expat

from intemi.data.choosing import check_choice, kept_columns
from intemi.data.data import Data
from intemi.data.errors import DataError
from intemi.data.exchange import from_pandas
from intemi.data.file_format import FileFormat, stem_of
from intemi.data.libraries import needed
from intemi.kernel import ConfigurationError
from intemi.kernel.unpacking import MAX_RATIO, too_much, unpacked_limit

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
"""Those of Excel itself."""
MAX_LETTERS = 4
"""Of the letters of a column: Excel has three."""


class Excel(FileFormat):
    """A sheet of an Excel file, with the names of the columns in its first row; dates are read as texts."""

    extensions = (".xlsx",)

    def parse(
        self,
        content: bytes,
        file: str,
        target: str | None = None,
        *,
        sheet: str | None = None,
        weights: str | None = None,
        drop: Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> Data:
        """The data in the bytes of a file: of the named `sheet`, or of the first one."""
        frame = _frame(content, file, sheet)
        names = [str(each) for each in frame.columns]
        frame = frame.iloc[:, kept_columns(file, names, drop, columns, target, weights)]
        try:
            return from_pandas(_with_dates_as_texts(frame), target, weights=weights, name=stem_of(file))
        except ConfigurationError as error:
            raise DataError(file, None, f"no data table ({error})", "columns of numbers or texts") from None

    def check_options(self, target: str | None, options: Mapping[str, Any]) -> None:
        """Refuse values of options that make no sense."""
        check_choice("read", options.get("drop", ()), options.get("columns"))
        sheet = options.get("sheet")
        if sheet is not None and not isinstance(sheet, str):
            raise ConfigurationError(f"read: sheet must be the name of a sheet, got {sheet!r}")


def _frame(content: bytes, file: str, sheet: str | None) -> Any:
    pandas = needed("pandas", "read (.xlsx files)")
    needed("openpyxl", "read (.xlsx files)")
    try:
        _check_extent(content, file)
        with pandas.ExcelFile(io.BytesIO(content), engine="openpyxl") as book:
            sheets = list(map(str, book.sheet_names))
            if sheet is not None and sheet not in sheets:
                raise DataError(file, None, f"no sheet called {sheet!r}", f"one of {', '.join(sheets)}")
            return pandas.read_excel(book, sheet_name=sheets[0] if sheet is None else sheet)
    except DataError:
        raise
    except Exception as error:  # whatever a library raises, for the reader it is a file that is no Excel
        why = str(error).splitlines()[0][:200] if str(error) else repr(error)
        raise DataError(file, None, f"no Excel file ({why})", "Excel (.xlsx)") from None


def _check_extent(content: bytes, file: str) -> None:
    """Refuse a file that unpacks to too much, or whose cells lie too far apart: rows between them would be made."""
    limit = unpacked_limit(len(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(each.file_size for each in archive.infolist()) > limit:
            raise DataError(
                file, None, too_much(limit), f"at most {MAX_RATIO} times the {len(content):,} bytes of the file"
            )
        for name in archive.namelist():
            rows, columns = _extent(archive.read(name))
            if rows > MAX_ROWS or columns > MAX_COLUMNS:
                raise DataError(
                    file,
                    None,
                    f"a cell in row {rows:,}, column {columns:,}",
                    f"at most {MAX_ROWS:,} and {MAX_COLUMNS:,}",
                )
            if rows * columns > limit:
                raise DataError(
                    file, None, too_much(limit, "cells"), f"fewer than the {rows:,} × {columns:,} of a sheet"
                )


def _extent(sheet: bytes) -> tuple[int, int]:
    """The last row and column of a sheet, as far as its XML can be read; 0 and 0 of what is no sheet."""
    rows = columns = row = column = 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal rows, columns, row, column
        kind, place = name.rpartition(":")[2], attributes.get("r", "")
        if kind == "row":
            row, column = int(float(place)) if place else row + 1, 0
        elif kind == "c":
            letters = place.rstrip("0123456789")
            column = (
                column + 1
                if not letters
                else sum(
                    26**power * (ord(letter) - 64)
                    for power, letter in enumerate(reversed(letters.upper()[:MAX_LETTERS]))
                )
            )
        rows, columns = max(rows, row), max(columns, column)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    with suppress(expat.ExpatError):  # a picture, or XML that the library will refuse
        parser.Parse(sheet, True)
    return rows, columns


def _with_dates_as_texts(frame: Any) -> Any:
    dates = {name: frame[name].astype("string").astype(object) for name in frame.select_dtypes("datetime").columns}
    return frame.assign(**{str(name): texts for name, texts in dates.items()})
