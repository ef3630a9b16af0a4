"""Excel, read through pandas and openpyxl where they are installed; it is not written."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from intemi.data.choosing import check_choice, kept_columns
from intemi.data.data import Data
from intemi.data.errors import DataError
from intemi.data.exchange import from_pandas
from intemi.data.file_format import FileFormat, stem_of
from intemi.data.libraries import needed
from intemi.kernel import ConfigurationError


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


def _with_dates_as_texts(frame: Any) -> Any:
    dates = {name: frame[name].astype("string").astype(object) for name in frame.select_dtypes("datetime").columns}
    return frame.assign(**{str(name): texts for name, texts in dates.items()})
