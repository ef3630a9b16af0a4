"""Data sets of OpenML, downloaded once and kept in a folder of the user.

A data set is known by its number; a name stands for the active version with the lowest number. What arrives is looked
at before it is kept: data must have the checksum that OpenML states, descriptions their shape. It is not asked for
again, unless it is found spoiled in the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from intemi.data.arff import parse_arff
from intemi.data.data import Data
from intemi.data.errors import DataError
from intemi.data.texts import file_bytes
from intemi.kernel import IntemiError

SERVER = "https://www.openml.org"
SERVER_VARIABLE, CACHE_VARIABLE = "INTEMI_OPENML_SERVER", "INTEMI_CACHE"
TIMEOUT = 30.0
MAX_BYTES = 2**33
MAX_REASON = 120
"""Characters of what is wrong with an answer."""
_REFUSED = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, DataError)
"""What answers of another shape provoke in those that read them."""
Answer = TypeVar("Answer")


class OpenMLError(IntemiError):
    """A data set of OpenML cannot be had."""


@dataclass(frozen=True)
class Description:
    """What OpenML says of a data set."""

    id: int
    name: str
    url: str
    checksum: str
    target: str | None
    left_out: tuple[str, ...]
    """Columns that are no features, such as the numbers of rows."""


def cache_folder() -> Path:
    """Where downloads are kept: in the folder that the environment names, else in the user's cache."""
    base = os.environ.get(CACHE_VARIABLE) or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(Path.home(), ".cache"), "intemi"
    )
    return Path(base) / "openml"


def number_of(name: str) -> int:
    """The number of the data set of a name."""
    quoted = urllib.parse.quote(name, safe="")
    file = cache_folder() / "names" / f"{quoted}.json"
    path = f"/api/v1/json/data/list/data_name/{quoted}/status/active/limit/100"
    return min(_cached(file, path, f"the data set {name!r}", lambda content: _numbers(content, name)))


def describe(number: int) -> Description:
    """What OpenML says of the data set of a number."""
    file = cache_folder() / "data" / f"{number}.json"
    path = f"/api/v1/json/data/{number}"
    return _cached(file, path, f"data set {number}", lambda content: _description(content, number))


def load(number: int, target: str | None = None) -> Data:
    """The data set of a number, with another column as the target if one is named."""
    description = describe(number)
    file = cache_folder() / "data" / f"{number}.arff"
    content = _cached(file, description.url, f"data set {number}", lambda each: _intact(each, description.checksum))
    data = parse_arff(content, f"openml-{number}.arff", target or description.target)
    kept = [column.name not in description.left_out for column in data.columns]
    if all(kept):
        return data
    return data.select_columns([index for index, keep in enumerate(kept) if keep])


def _cached(file: Path, path: str, what: str, read: Callable[[bytes], Answer]) -> Answer:
    """What `read` makes of a cached answer, else of one from the network. An answer that it refuses is not kept."""
    with suppress(OSError, *_REFUSED):
        return read(file_bytes(file))
    content = _downloaded(path, what)
    try:
        found = read(content)
    except _REFUSED as error:
        server = os.environ.get(SERVER_VARIABLE, SERVER)
        raise OpenMLError(
            f"OpenML: {what} did not arrive as it should from {server} ({_short(error)}); it is not kept, try again"
        ) from None
    _keep(file, content)
    return found


def _keep(file: Path, content: bytes) -> None:
    temporary = file.with_suffix(f".{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        os.replace(temporary, file)
    except OSError as error:
        raise OpenMLError(
            f"OpenML: {file} cannot be written: {error.strerror}; {CACHE_VARIABLE} names a folder"
        ) from error


def _numbers(content: bytes, name: str) -> list[int]:
    """The numbers of the data sets that OpenML lists under a name."""
    listed = json.loads(content)["data"]["dataset"]
    others = {each.get("name", name) for each in listed if each.get("name", name).casefold() != name.casefold()}
    if others:
        raise ValueError(f"data sets of other names are listed, {min(map(str, others))}")
    numbers = [int(each["did"]) for each in listed]
    if min(numbers) < 1:
        raise ValueError(f"a data set has the number {min(numbers)}")
    return numbers


def _description(content: bytes, number: int) -> Description:
    said = json.loads(content)["data_set_description"]
    target = said.get("default_target_attribute")
    left_out = (*_listed(said.get("ignore_attribute")), *_listed(said.get("row_id_attribute")))
    found = Description(int(said["id"]), said["name"], said["url"], said["md5_checksum"], target, left_out)
    if found.id != number:
        raise ValueError(f"it describes data set {found.id}")
    texts = (found.name, found.url, found.checksum, found.target or "", *left_out)
    if not all(isinstance(each, str) for each in texts):
        raise TypeError("its description has other values than texts")
    return found


def _intact(content: bytes, checksum: str) -> bytes:
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != checksum:
        raise ValueError("its checksum differs from the one that OpenML states")
    return content


def _downloaded(path: str, what: str) -> bytes:
    server = os.environ.get(SERVER_VARIABLE, SERVER)
    url = path if path.startswith(("https://", "http://")) else server + path
    request = urllib.request.Request(url, headers={"User-Agent": "intemi"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            content: bytes = answer.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise OpenMLError(f"OpenML: {what} is larger than {MAX_BYTES:,} bytes")
        return content
    except urllib.error.HTTPError as error:
        if error.code in (404, 412):  # what OpenML says of things that are not there
            raise OpenMLError(f"OpenML: there is no {what.removeprefix('the ')} at {server}") from None
        raise OpenMLError(f"OpenML: {server} answers {error.code} {error.reason} for {what}; try again later") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise OpenMLError(
            f"OpenML: {what} is not in {cache_folder()} and {server} cannot be reached ({reason}); connect to the "
            "network once, or save the data as a file and name its path instead"
        ) from None


def _short(error: Exception) -> str:
    text = " ".join(str(error).split())[:MAX_REASON]
    return f"{text} is missing" if isinstance(error, KeyError) else text


def _listed(value: Any) -> list[str]:
    return [] if not value else [value] if isinstance(value, str) else list(value)
