"""Fitted estimators of scikit-learn as bytes, in the format of skops: a zip archive with a description in JSON.

Nothing in it is executed: types that only hold values are read, and no others. What an archive unpacks to is bounded,
and so is the work that its description asks for, before skops reads it.
"""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from typing import Any

from intemi.kernel import EncodingError
from intemi.kernel.errors import MalformedError
from intemi.kernel.libraries import library
from intemi.kernel.unpacking import too_much, unpacked_limit
from intemi.machines.classifiers.estimator_checks import check_estimator, is_checked, is_compiled

NOT_FOR_ESTIMATORS = frozenset({"datasets", "exceptions", "experimental", "externals", "callback"})
TRUSTED_FUNCTIONS = ("sklearn.feature_selection._univariate_selection.", "sklearn.feature_selection._mutual_info.")
TRUSTED_TYPES = frozenset(
    {
        "numpy.dtype",
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils._metadata_requests.MetadataRequest",
        "sklearn.utils._metadata_requests.MethodMetadataRequest",
    }
)
"""Types outside the modules for estimators that hold values and do nothing with them."""
DESCRIPTION = "schema.json"
"""The entry of an archive with the description of all objects."""


def pack(estimator: Any) -> bytes:
    """An estimator in the format of skops; an EncodingError if that cannot be done, or could not be undone."""
    check_estimator(estimator)
    packed = _dumped(estimator, zipfile.ZIP_DEFLATED)
    try:
        _check_archive(packed)
    except MalformedError:
        packed = _dumped(estimator, zipfile.ZIP_STORED)  # so regular that it would be taken for a bomb
        _check_archive(packed)
    _trusted(packed)
    return packed


def unpack(packed: bytes) -> Any:
    """The estimator that was packed; types that are not scikit-learn's or numpy's are refused."""
    _check_archive(packed)
    return _skops().loads(packed, trusted=_trusted(packed))


def _dumped(estimator: Any, compression: int) -> bytes:
    try:
        packed: bytes = _skops().dumps(estimator, compression=compression, compresslevel=1)
    except EncodingError:
        raise
    except Exception as error:  # whatever it meets in an estimator that it does not know
        raise EncodingError(f"{type(estimator).__name__} cannot be kept by skops: {error}") from error
    return packed


def _check_archive(packed: bytes) -> None:
    """Refuse an archive that unpacks to too much, or whose description repeats objects without end."""
    limit = unpacked_limit(len(packed))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        sizes = {each.filename: each.file_size for each in archive.infolist()}
        if sum(each.file_size for each in archive.infolist()) > limit:
            raise MalformedError(f"an estimator has {too_much(limit)}")
        sizes |= {name: size + _inside(archive.read(name)) for name, size in sizes.items() if name.endswith(".npz")}
        description = json.loads(archive.read(DESCRIPTION))
    _check_objects(description, sizes, limit)


def _check_objects(description: Any, sizes: dict[str, int], limit: int) -> None:
    """Refuse a description that asks for more than is written in it.

    An object that occurs again is written in full each time, with the same name. If it were merely named, a few lines
    could stand for an endless number of objects.
    """
    total = 0
    lengths: dict[Any, int] = {}

    def length(part: Any) -> int:
        nonlocal total
        if isinstance(part, list):
            return sum(map(length, part))
        if not isinstance(part, dict):
            return 0
        total += sizes.get(str(part.get("file")), 0)  # which is read for each object
        if total > limit:
            raise MalformedError(f"an estimator has {too_much(limit)}")
        found = 1 + sum(map(length, part.values()))
        if part.get("__id__") is not None and lengths.setdefault(part["__id__"], found) != found:
            raise MalformedError("an estimator has several objects of one name")
        return found

    try:
        length(description)
    except RecursionError:
        raise MalformedError("an estimator has parts inside each other too deeply") from None


def _inside(packed: bytes) -> int:
    """How many bytes an archive inside of the archive unpacks to."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return sum(each.file_size for each in archive.infolist())


def _skops() -> Any:
    try:
        return library("skops.io")
    except ImportError:
        raise EncodingError(
            "estimators of scikit-learn are kept on disk by skops, which is not installed; "
            "pip install 'intemi[skops]' helps"
        ) from None


def _trusted(packed: bytes) -> list[str]:
    named: list[str] = _skops().get_untrusted_types(data=packed)
    refused = [name for name in named if not is_trusted(name)]
    if refused:
        raise EncodingError(f"an estimator with parts of the types {', '.join(refused)} is not read from the disk")
    return named


def is_trusted(name: str) -> bool:
    """Whether a type may be in an archive.

    Trusted are classes of scikit-learn's modules for estimators, those in compiled code only if they are checked, what
    only holds values, and functions that only compute scores of features or of predictions.
    """
    if name in TRUSTED_TYPES or name.startswith(TRUSTED_FUNCTIONS) or name in _scores():
        return True
    package, _, rest = name.partition(".")
    module, own = rest.split(".")[0], rest.rpartition(".")[2].lstrip("_")
    if package != "sklearn" or module in {*NOT_FOR_ESTIMATORS, "utils"} or not own[:1].isupper():
        return False
    home, _, kind = name.rpartition(".")
    try:
        cls = getattr(library(home), kind, None)
    except ImportError:
        return False
    return isinstance(cls, type) and (not is_compiled(cls) or is_checked(cls))


@cache
def _scores() -> frozenset[str]:
    """The functions behind scikit-learn's named scores, such as "f1"."""
    metrics = library("sklearn.metrics")
    functions = [metrics.get_scorer(name)._score_func for name in metrics.get_scorer_names()]
    return frozenset(f"{function.__module__}.{function.__name__}" for function in functions)
