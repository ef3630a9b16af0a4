"""Series to and from what other programs read and write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from intemi.series.arrow import arrow_table, read_arrow
from intemi.series.csv import csv_text, read_csv
from intemi.series.errors import SeriesError, shown
from intemi.series.frames import pandas_frame, read_pandas
from intemi.series.json import json_text, read_json
from intemi.series.mixing import is_bare_mean
from intemi.series.rows import Rows
from intemi.series.tables import latex_table, markdown_table
from intemi.whole_files import write_whole


class Exchange(Rows):
    """How a series leaves for other programs and comes back; CSV, JSON and Arrow lose nothing on the way."""

    __slots__ = ()

    def to_csv(self, path: str | Path | None = None) -> str:
        """CSV, written to a file if one is named; `intemi.series.csv` says how cells of all kinds are told apart.

        >>> from intemi.series import Series
        >>> print(Series({"Accuracy": [0.9, 0.8], "machine": ["knn", "5"]}).to_csv())
        Accuracy,machine
        0.9,knn
        0.8,\"\"\"5\"\"\"
        <BLANKLINE>
        """
        return _written(csv_text(self._columns, self._main), path)

    @classmethod
    def from_csv(cls, path: str | Path | None = None, *, text: str | None = None, main: str | None = None) -> Self:
        """The series of a CSV file or text, of ours or of another program.

        >>> from intemi.series import Series
        >>> Series.from_csv(text="Accuracy,machine\\n0.9,knn\\n").row(0)
        {'Accuracy': 0.9, 'machine': 'knn'}
        """
        content, file = _read(path, text, "from_csv")
        columns, marked = read_csv(content, file)
        return cls._named(file, columns, marked if main is None else main)

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON, written to a file if one is named; `intemi.series.json` says how it looks.

        >>> from intemi.series import Series
        >>> print(Series({"Accuracy": [0.9, float("nan")], "Fold": [0, 1]}).to_json())
        {"main": "Accuracy", "columns": {
        "Accuracy": [0.9, {"float": "nan"}],
        "Fold": [0, 1]
        }}
        <BLANKLINE>
        """
        return _written(json_text(self._columns, self._main), path)

    @classmethod
    def from_json(cls, path: str | Path | None = None, *, text: str | None = None) -> Self:
        """The series of a JSON file or text that `to_json` wrote.

        >>> from intemi.series import Series
        >>> s = Series({"Accuracy": [0.9, float("nan")], "Fold": [0, 1]})
        >>> Series.from_json(text=s.to_json()) == s
        True
        """
        content, file = _read(path, text, "from_json")
        return cls._named(file, *read_json(content, file))

    def to_arrow(self) -> Any:
        """A pyarrow table, with the main label in its metadata; needs pyarrow.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "machine": ["knn", None]}).to_arrow().schema.types
        [DataType(double), DataType(string)]
        """
        return arrow_table(self._columns, self._main)

    @classmethod
    def from_arrow(cls, table: Any, main: str | None = None) -> Self:
        """The series of a pyarrow table.

        >>> from intemi.series import Series
        >>> s = Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}, main="Fold")
        >>> Series.from_arrow(s.to_arrow()) == s
        True
        """
        columns, noted = read_arrow(table)
        return cls._named("from_arrow", columns, noted if main is None else main)

    def to_pandas(self) -> Any:
        """A pandas frame; needs pandas.

        >>> from intemi.series import Series
        >>> Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}).to_pandas()["Accuracy"].max()
        np.float64(0.9)
        """
        return pandas_frame(self._columns, self._main)

    @classmethod
    def from_pandas(cls, frame: Any, main: str | None = None) -> Self:
        """The series of a pandas frame without its index, of which `frame.reset_index()` makes columns.

        >>> from intemi.series import Series
        >>> s = Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1]}, main="Fold")
        >>> Series.from_pandas(s.to_pandas()) == s
        True
        """
        columns, noted = read_pandas(frame)
        return cls._named("from_pandas", columns, noted if main is None else main)

    def to_markdown(self, digits: int = 4, *, mean_only: bool = False) -> str:
        """A table of Markdown, with at most so many digits after the point.

        Means without their deviations (a label "mean" and none "sd") are refused, unless `mean_only` says so.

        >>> from intemi.series import Series
        >>> print(Series({"Accuracy": [2 / 3, 0.8], "machine": ["knn", "svm"]}).to_markdown(digits=3))
        | Accuracy | machine |
        | ---: | --- |
        | 0.667 | knn |
        | 0.800 | svm |
        <BLANKLINE>
        """
        self._check_means("to_markdown", mean_only)
        return markdown_table(self._columns, digits)

    def to_latex(self, digits: int = 4, *, mean_only: bool = False) -> str:
        """A tabular of LaTeX, with at most so many digits after the point; needs the package booktabs.

        Means without their deviations (a label "mean" and none "sd") are refused, unless `mean_only` says so.

        >>> from intemi.series import Series
        >>> print(Series({"Accuracy": [2 / 3], "machine": ["k_nn"]}).to_latex())
        \\begin{tabular}{rl}
        \\toprule
        Accuracy & machine \\\\
        \\midrule
        0.6667 & k\\_nn \\\\
        \\bottomrule
        \\end{tabular}
        <BLANKLINE>
        """
        self._check_means("to_latex", mean_only)
        return latex_table(self._columns, digits)

    def _check_means(self, who: str, mean_only: bool) -> None:
        if is_bare_mean(self) and not mean_only:
            raise SeriesError(
                f"{who}: a table of means needs their deviations, a label 'sd' as BasicStatistics gives it; "
                "mean_only=True leaves them out all the same"
            )

    @classmethod
    def _named(cls, source: str, columns: Mapping[str, Any], main: str | None) -> Self:
        """A series, or an error that says where its columns came from."""
        try:
            return cls(columns, main)
        except SeriesError as error:
            raise SeriesError(f"{source}: {error}") from None


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_whole(path, text)
    return text


def _read(path: str | Path | None, text: str | None, who: str) -> tuple[str, str]:
    """A text, and what errors call it."""
    if (path is None) == (text is None):
        raise SeriesError(f"{who}: takes a path or a text=, got {'neither' if path is None else 'both'}")
    if text is not None:
        return text, "text"
    try:
        return Path(str(path)).read_bytes().decode("utf-8-sig"), str(path)
    except UnicodeDecodeError as error:
        raise SeriesError(f"{path}: found {shown(error.object[error.start : error.end])}, expected UTF-8") from None
