"""Machines with which graphs begin: data from a file, of OpenML, and those that come with scikit-learn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from intemi.data import Column, Data, Table
from intemi.data.errors import DataError
from intemi.data.exchange import from_bunch
from intemi.data.files import FileFormat, check_reading, format_of, notes_on_file
from intemi.data.notes import Note
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError, Input, Job, Machine, Model, Output, parameter
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


class JoinedFiles(Loader):
    """The data of two loaders, those for training first, with a column that says which part a row is of.

    `GivenSplit` divides them again. Columns and classes go by their names; categories that one part lacks are known to
    both.
    """

    training: Machine = parameter(role=Loader)
    test: Machine = parameter(role=Loader)
    column: str = "part"

    async def run(self, job: Job) -> Model:
        training = job.request(self.training, name="training")
        test = job.request(self.test, name="test")
        joined = job.request(JoinedParts(self.column), name="joined", training=training.data, test=test.data)
        return Model(data=joined.data)


class JoinedParts(Machine):
    """One table of training and test data."""

    training = Input(Data)
    test = Input(Data)
    data = Output(Data)

    column: str = "part"

    def run(self, training: Data, test: Data) -> Model:
        names = [column.name for column in training.columns]
        if self.column in names:
            raise ConfigurationError(f"{self.kind}: column must be the name of no other column, got {self.column!r}")
        there = [column.name for column in test.columns]
        if missing := [name for name in names if name not in there]:
            raise ConfigurationError(f"{self.kind}: the test data must have the column {missing[0]!r}, got {there}")
        if training.target is None or test.target is None:
            raise ConfigurationError(f"{self.kind}: both parts must have a target")
        columns, values = [], []
        for column in training.columns:
            place = there.index(column.name)
            joined, codes = _joined(
                column, test.columns[place], training.feature(names.index(column.name)), test.feature(place)
            )
            columns.append(joined)
            values.append(codes)
        target, classes = _joined(training.target, test.target, training.classes, test.classes)
        part = np.repeat([0.0, 1.0], [len(training), len(test)])
        weights = np.concatenate([training.weights, test.weights]) if training.is_weighted or test.is_weighted else None
        columns.append(Column(self.column, ("training", "test")))
        table = Table(columns, [*values, part], target, classes.astype(np.int32), weights, training.name)
        return Model(data=Data(table), results=_described(Data(table)))


def _joined(first: Column, second: Column, values: Any, others: Any) -> tuple[Column, Any]:
    """A column of both parts, and its values; the categories of the second get the numbers of the first."""
    if first.is_nominal != second.is_nominal:
        raise ConfigurationError(
            f"JoinedParts: the column {first.name!r} must be of one type, got {first} and {second}"
        )
    if first.categories is None or second.categories is None:
        return first, np.concatenate([values, others])
    categories = tuple(dict.fromkeys((*first.categories, *second.categories)))
    numbers = np.array([categories.index(each) for each in second.categories], dtype=np.float64)
    known = ~np.isnan(others) & (others >= 0)
    mapped = np.array(others, dtype=np.float64)
    mapped[known] = numbers[others[known].astype(np.intp)]
    return Column(first.name, categories), np.concatenate([values, mapped])


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
