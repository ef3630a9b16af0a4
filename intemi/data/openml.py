"""Data sets of OpenML, downloaded once and kept in a folder of the user.

A data set is known by its number; a name stands for the active version with the lowest number. What was downloaded is
checked against the checksum that OpenML states, and is never asked for again.
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intemi.data.arff import parse_arff
from intemi.data.data import Data
from intemi.kernel import IntemiError

SERVER = "https://www.openml.org"
SERVER_VARIABLE, CACHE_VARIABLE = "INTEMI_OPENML_SERVER", "INTEMI_CACHE"
TIMEOUT = 30.0


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
    file = cache_folder() / "names" / f"{urllib.parse.quote(name, safe='')}.json"
    path = f"/api/v1/json/data/list/data_name/{urllib.parse.quote(name, safe='')}/status/active/limit/100"
    found = _json(_cached(file, path, f"the data set {name!r}"), name)
    listed = [int(each["did"]) for each in found["data"]["dataset"]]
    return min(listed)


def describe(number: int) -> Description:
    """What OpenML says of the data set of a number."""
    what = f"data set {number}"
    file = cache_folder() / "data" / f"{number}.json"
    said = _json(_cached(file, f"/api/v1/json/data/{number}", what), what)["data_set_description"]
    target = said.get("default_target_attribute")
    left_out = [*_listed(said.get("ignore_attribute")), *_listed(said.get("row_id_attribute"))]
    return Description(
        int(said["id"]), str(said["name"]), str(said["url"]), str(said["md5_checksum"]), target, tuple(left_out)
    )


def load(number: int, target: str | None = None) -> Data:
    """The data set of a number, with another column as the target if one is named."""
    description = describe(number)
    file = cache_folder() / "data" / f"{number}.arff"
    content = _cached(file, description.url, f"data set {number}", description.checksum)
    data = parse_arff(content, f"openml-{number}.arff", target or description.target)
    kept = [column.name not in description.left_out for column in data.columns]
    if all(kept):
        return data
    return data.select_columns([index for index, keep in enumerate(kept) if keep])


def _cached(file: Path, path: str, what: str, checksum: str | None = None) -> bytes:
    if file.exists():
        content = file.read_bytes()
        if checksum is None or _checksum(content) == checksum:
            return content
    content = _downloaded(path, what)
    if checksum is not None and _checksum(content) != checksum:
        raise OpenMLError(f"OpenML: {what} did not arrive as OpenML describes it (its checksum differs); try again")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(content)
        os.replace(temporary, file)
    except OSError as error:
        raise OpenMLError(
            f"OpenML: {file} cannot be written: {error.strerror}; {CACHE_VARIABLE} names a folder"
        ) from error
    return content


def _downloaded(path: str, what: str) -> bytes:
    server = os.environ.get(SERVER_VARIABLE, SERVER)
    url = path if path.startswith(("https://", "http://")) else server + path
    request = urllib.request.Request(url, headers={"User-Agent": "intemi"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            content: bytes = answer.read()
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


def _json(content: bytes, what: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        raise OpenMLError(f"OpenML: the answer for {what} is not what it should be; try again later") from None


def _checksum(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _listed(value: Any) -> list[str]:
    return [] if not value else [value] if isinstance(value, str) else list(value)
