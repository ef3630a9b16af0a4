"""Machines with which graphs begin: data from a file, of OpenML, and those that come with scikit-learn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from intemi.data import Data
from intemi.data.errors import DataError
from intemi.data.exchange import from_bunch
from intemi.data.files import FileFormat, check_reading, format_of, notes_on_file
from intemi.data.notes import Note
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError, Model, parameter
from intemi.kernel.encoding import digest
from intemi.kernel.libraries import library
from intemi.machines.roles import Loader

_DIGEST = re.compile(r"[0-9a-f]{32}")


class DataLoader(Loader):
    """The data of a file: ARFF, CSV, Parquet or a format of your own, by its extension.

    Its identity covers the content of the file, not its date: a digest of its bytes is taken when the machine is
    constructed, so an edited file is another machine, and a configuration that is restored elsewhere still knows what
    the file was. `target` names the column to be predicted; see `intemi.data.files.read` for what is taken without it.
    """

    path: str
    target: str | None = None
    options: Mapping[str, Any] = parameter(default={}, kw_only=True)
    """What else the reader of the file is told, such as `{"delimiter": ";", "nominal": ["zip"]}`."""
    content: str = parameter(default="", kw_only=True)
    """The digest of the bytes of the file; filled in if it is not given."""
    format: FileFormat | None = parameter(default=None, kw_only=True)
    """How the file is read, if that is not done by this package; filled in by the extension. Its code counts."""

    def __post_init__(self) -> None:
        """Once what is given is known to be right, fill in what is not: the digest of the file, a format of a user."""
        super().__post_init__()
        found = format_of(self.path)
        if type(found).__module__.partition(".")[0] != "intemi":
            self.__dict__["format"] = found
        if not self.content:
            try:
                self.__dict__["content"] = _digest(file_bytes(self.path))
            except DataError as error:
                raise ConfigurationError(f"{self.kind}: path must be a file that can be read, {error}") from None

    def check(self) -> None:
        check_reading(self.path, self.target, self.options)
        if self.content and not _DIGEST.fullmatch(self.content):
            raise ConfigurationError(f"{self.kind}: content must be 32 hexadecimal digits, got {self.content!r}")

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        """The loader that was kept. It says what its file held, so no file is read."""
        if not parameters.get("content"):
            raise ConfigurationError(
                f"{cls.__name__}: content must be given in plain data, which name no file to be read"
            )
        return super().restored(parameters)

    def with_part(self, name: str, value: Any) -> Self:
        """A copy with one part exchanged; another path is another content."""
        if name == "path":
            return type(self).from_parameters({**self.parameters(), "path": value, "content": "", "format": None})
        return super().with_part(name, value)

    def notes(self, data: Data) -> tuple[Note, ...]:
        """What looks suspicious in the data that it has read; with lines, if the file still is what it was."""
        try:
            content: bytes | None = file_bytes(self.path)
        except DataError:
            content = None
        if content is not None and _digest(content) != self.content:
            content = None
        return notes_on_file(data, self.path, self.options, content)

    def run(self) -> Model:
        """Read the file, if it still is what it was."""
        content = file_bytes(self.path)
        if _digest(content) != self.content:
            raise DataError(
                self.path,
                None,
                f"other content ({_digest(content)}) than when this DataLoader was made",
                f"{self.content}; make a new one to use the file as it is now",
            )
        data = (self.format or format_of(self.path)).data_in(content, self.path, self.target, self.options)
        return Model(data=data, results={"Name": data.name, **_described(data)})


class SklearnDataset(Loader):
    """A data set that comes with scikit-learn, for whatever must run without files."""

    name: Literal["iris", "wine", "breast_cancer", "digits"] = "iris"

    def run(self) -> Model:
        """Load it."""
        datasets = library("sklearn.datasets")

        data = from_bunch(getattr(datasets, f"load_{self.name}")(), name=self.name)
        return Model(data=data, results=_described(data))


class OpenMLDataset(Loader):
    """A data set of OpenML by its number there, under which data never change. It is downloaded once.

    >>> OpenMLDataset(61)
    OpenMLDataset(id=61, target=None)
    """

    version = 2
    id: int = parameter(at_least=1)
    target: str | None = None
    """The column to be predicted, if it is not the one that OpenML names."""

    def run(self) -> Model:
        """Take it from the user's cache, or from the network."""
        from intemi.data import openml

        data = openml.load(self.id, self.target)
        return Model(data=data, results={"Name": data.name, **_described(data)})


def _digest(content: bytes) -> str:
    return digest(content).hex()


def _described(data: Data) -> dict[str, Any]:
    nominal = sum(column.is_nominal for column in data.columns)
    classes = 0 if data.target is None else len(np.unique(data.classes[data.classes >= 0]))
    return {
        "Rows": len(data),
        "Numeric columns": len(data.columns) - nominal,
        "Nominal columns": nominal,
        "Missing share": float(np.isnan(data.features).mean()) if data.features.size else 0.0,
        "Classes": classes,
    }
