"""A knowledge base in a file of plain arrays (npz), ours or that of others."""

from __future__ import annotations

import io
import os
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from intemi.data.errors import DataError, listed
from intemi.data.texts import file_bytes
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.knowledge_entries import configuration_of, name_in_file
from intemi.whole_files import write_whole

Path = str | os.PathLike[str]


def write_arrays(base: KnowledgeBase, path: Path) -> None:
    """Write a knowledge base as `data_set`, `configuration`, `results`, and, if they are known, `seconds`,
    `description` and `description_name`."""
    arrays: dict[str, Any] = {
        "data_set": np.array(base.data_sets, dtype=np.str_),
        "configuration": np.array([name_in_file(each) for each in base.configurations], dtype=np.str_),
        "results": base.results,
    }
    if base.seconds is not None:
        arrays["seconds"] = base.seconds
    if base.descriptions is not None:
        arrays |= {"description": base.descriptions, "description_name": np.array(base.described_by, dtype=np.str_)}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_whole(path, buffer.getvalue())


def read_arrays(
    path: Path,
    *,
    results: str = "results",
    data_sets: str = "data_set",
    configurations: str = "configuration",
    seconds: str = "seconds",
) -> KnowledgeBase:
    """The knowledge base of a file of arrays; the arguments are the names that its arrays have.

    Results are data sets × configurations × splits. Seconds may be those of each split, too, and are added up then. A
    file without names of data sets or configurations numbers them.

    >>> import tempfile
    >>> base = KnowledgeBase(("iris",), ("knn", "tree"), [[[0.9, 1.0], [0.8, 0.9]]], np.array([[0.1, 0.2]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_arrays(base, f"{folder}/base.npz")
    ...     again = read_arrays(f"{folder}/base.npz")
    >>> again, again.seconds.tolist()
    (KnowledgeBase(1 data sets × 2 configurations × 2 splits), [[0.1, 0.2]])
    """
    file = os.fspath(path)
    try:
        with np.load(io.BytesIO(file_bytes(file)), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held}
    except (ValueError, OSError, BadZipFile, EOFError) as error:
        raise DataError(file, None, str(error), "an npz file of plain arrays") from None
    if results not in arrays:
        raise DataError(file, None, f"the arrays {listed(arrays)}", f"one that is called {results!r}")
    cube = arrays[results]
    if cube.ndim != 3:
        raise DataError(file, None, f"{results!r} of shape {cube.shape}", "data sets × configurations × splits")
    took = arrays.get(seconds)
    if took is not None and took.ndim == 3:
        took = _added_up(took)
    names = tuple(map(str, arrays.get("description_name", ())))
    return KnowledgeBase(
        tuple(map(str, arrays.get(data_sets, range(cube.shape[0])))),
        tuple(configuration_of(str(each)) for each in arrays.get(configurations, range(cube.shape[1]))),
        cube,
        took,
        arrays["description"] if names else None,
        names,
    )


def _added_up(seconds: NDArray[Any]) -> NDArray[Any]:
    """The seconds of all splits; NaN where none is known."""
    known = ~np.isnan(seconds)
    return np.where(known.any(axis=2), np.where(known, seconds, 0.0).sum(axis=2, dtype=np.float64), np.nan)
