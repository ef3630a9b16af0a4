"""A knowledge base as a CSV file in long form: a line for each data set, configuration and split."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator

import numpy as np

from intemi.data.errors import DataError, shown
from intemi.data.texts import decoded, file_bytes
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.knowledge_entries import configuration_of, name_in_file
from intemi.machines.meta_learning.long_form import Run, base_of_runs, runs_of_base
from intemi.whole_files import write_whole

HEADER = ("data set", "configuration", "split", "value", "seconds")
REQUIRED = HEADER[:4]


def write_csv_base(base: KnowledgeBase, path: str | os.PathLike[str]) -> None:
    """Write what is known, split by split. The seconds of a test are divided evenly among its splits."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    for run in runs_of_base(base):
        seconds = "" if np.isnan(run.seconds) else repr(run.seconds)
        writer.writerow((run.data_set, name_in_file(run.configuration), run.split, repr(run.value), seconds))
    write_whole(path, buffer.getvalue())


def read_csv_base(path: str | os.PathLike[str]) -> KnowledgeBase:
    """The knowledge base of a CSV file with the columns data set, configuration, split, value and, maybe, seconds.

    Splits are numbers from 1 on, or names: equal ones of a data set are the same split.

    >>> import pathlib, tempfile
    >>> lines = ["data set,configuration,split,value", "iris,knn,1,0.9", "iris,knn,2,1.0", "iris,tree,2,0.8"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "base.csv")
    ...     _ = file.write_text("\\n".join(lines))
    ...     read_csv_base(file).results.tolist()
    [[[0.9, 1.0], [nan, 0.8]]]
    """
    file = os.fspath(path)
    text = decoded(file_bytes(file), file, "utf-8").decode("utf-8")
    return base_of_runs(file, _runs(file, text))


def _runs(file: str, text: str) -> Iterator[Run]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = [name.strip().lower().replace("_", " ") for name in next(reader, [])]
        if missing := [name for name in REQUIRED if name not in names]:
            raise DataError(file, 1, shown(", ".join(names)), f"a column {missing[0]!r}")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(names):
                raise DataError(file, reader.line_num, f"{len(cells)} cells", f"{len(names)} as in the first line")
            row = dict(zip(names, map(str.strip, cells), strict=True))
            value = _number(file, reader.line_num, "value", row["value"])
            seconds = _number(file, reader.line_num, "seconds", row.get("seconds", ""))
            yield Run(row["data set"], configuration_of(row["configuration"]), row["split"], value, seconds)
    except csv.Error as error:
        raise DataError(file, reader.line_num, str(error), "cells divided by commas") from None


def _number(file: str, line: int, column: str, text: str) -> float:
    """What a cell says; NaN if it is empty."""
    try:
        return float(text) if text else float("nan")
    except ValueError:
        raise DataError(file, line, shown(text), f"a number for {column}, or nothing") from None
