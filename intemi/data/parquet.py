"""Parquet, through pyarrow where it is installed: categories, target and weights survive, as a note in the file."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intemi.data.choosing import check_choice, kept_columns
from intemi.data.data import Data
from intemi.data.errors import DataError
from intemi.data.exchange import from_pandas, to_pandas
from intemi.data.file_format import FileFormat, stem_of
from intemi.data.libraries import needed
from intemi.data.texts import file_bytes, write_bytes
from intemi.kernel import ConfigurationError
from intemi.kernel.unpacking import too_much, unpacked_limit

_NOTES = b"intemi"


def read_parquet(
    path: str | Path,
    target: str | None = None,
    *,
    weights: str | None = None,
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Data:
    """The data of a Parquet file.

    The target is the column of that name; if none is named, the one that `write_parquet` noted, or else the last one;
    `""` for no target. `drop` names columns to leave out, `columns` those to read, beside target and weights.
    """
    return parse_parquet(file_bytes(path), str(path), target, weights=weights, drop=drop, columns=columns)


def parse_parquet(
    content: bytes,
    file: str,
    target: str | None = None,
    *,
    weights: str | None = None,
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Data:
    """The data in the bytes of a Parquet file; `file` is what errors call it."""
    pandas = needed("pandas", "read_parquet")
    pyarrow = needed("pyarrow", "read_parquet")
    parquet = needed("pyarrow.parquet", "read_parquet")
    try:
        stored = parquet.ParquetFile(io.BytesIO(content)).metadata
        if stored.num_rows * stored.num_columns > (limit := unpacked_limit(len(content))):
            raise DataError(
                file, None, too_much(limit, "cells"), f"fewer than {stored.num_rows:,} × {stored.num_columns:,}"
            )
        table = parquet.read_table(io.BytesIO(content))
        # Whole numbers with gaps would become floats, which are not exact beyond 2^53.
        exact = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.uint64(): pandas.UInt64Dtype()}
        frame = table.to_pandas(ignore_metadata=True, types_mapper=exact.get)
        noted = _noted(table)
        for name, categories in noted.get("categories", {}).items():
            if name in frame and set(frame[name].dropna()) <= set(categories):
                frame[name] = pandas.Categorical(frame[name], categories=categories)
    except DataError:
        raise
    except Exception as error:  # whatever a library raises, for the reader it is a file that is no Parquet
        why = str(error).splitlines()[0][:200] if str(error) else repr(error)
        raise DataError(file, None, f"no Parquet ({why})", "Parquet") from None
    if target is None:
        target = noted.get("target")
    if weights is None:
        weights = noted.get("weights")
    kept = kept_columns(file, list(map(str, frame.columns)), drop, columns, target, weights)
    try:
        return from_pandas(frame.iloc[:, kept], target, weights=weights, name=noted.get("name") or stem_of(file))
    except ConfigurationError as error:
        raise DataError(file, None, f"no data table ({error})", "columns of numbers, texts or categories") from None


class Parquet(FileFormat):
    """Parquet, read and written by pyarrow."""

    extensions = (".parquet",)

    def parse(
        self,
        content: bytes,
        file: str,
        target: str | None = None,
        *,
        weights: str | None = None,
        drop: Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> Data:
        """The data in the bytes of a file."""
        return parse_parquet(content, file, target, weights=weights, drop=drop, columns=columns)

    def check_options(self, target: str | None, options: Mapping[str, Any]) -> None:
        """Refuse values of options that make no sense."""
        check_choice("read_parquet", options.get("drop", ()), options.get("columns"))

    def write(self, data: Data, path: str | Path, *, weights: str = "weight") -> None:  # type: ignore[override]
        """Write data to a file."""
        write_parquet(data, path, weights=weights)


def write_parquet(data: Data, path: str | Path, *, weights: str = "weight") -> None:
    """Write data as Parquet, the target last; which column is the target and which the weights is noted in the file."""
    write_bytes(path, parquet_bytes(data, weights=weights))


def parquet_bytes(data: Data, *, weights: str = "weight") -> bytes:
    """Data as the bytes of a Parquet file."""
    pyarrow = needed("pyarrow", "write_parquet")
    parquet = needed("pyarrow.parquet", "write_parquet")
    table = pyarrow.Table.from_pandas(to_pandas(data, weights=weights), preserve_index=False)
    every = [*data.columns, *([data.target] if data.target else [])]
    noted = {
        "target": data.target.name if data.target else "",
        "weights": weights if data.is_weighted else None,
        "name": data.table.name,
        "categories": {column.name: column.categories for column in every if column.is_nominal},
    }
    written = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({_NOTES: json.dumps(noted).encode()}), written)
    return written.getvalue()


def _noted(table: Any) -> dict[str, Any]:
    """What a file says of itself beside its columns, as far as it makes sense: anybody may have written it."""
    try:
        noted = json.loads((table.schema.metadata or {}).get(_NOTES, b"{}"))
    except ValueError:
        return {}
    if not isinstance(noted, dict):
        return {}
    texts = {name: noted[name] for name in ("target", "weights", "name") if isinstance(noted.get(name), str)}
    categories = noted.get("categories")
    if isinstance(categories, dict):
        texts["categories"] = {name: each for name, each in categories.items() if _are_categories(each)}
    return texts


def _are_categories(noted: Any) -> bool:
    return isinstance(noted, list) and all(isinstance(each, str) for each in noted) and len(set(noted)) == len(noted)
