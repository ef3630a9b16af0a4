"""Saved models: a classifier in a file of its own, with what it was made of, to be used where there is no project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intemi.data import Column, Data
from intemi.errors import IntemiError
from intemi.kernel.lineage import INVALIDATING
from intemi.kernel.model_files import ModelFileError, read
from intemi.machines.committees.predictions import predictions_of
from intemi.machines.interfaces import Classifier
from intemi.machines.new_rows import new_rows
from intemi.machines.row_answers import row_answers
from intemi.series import Series

READING = ("decimal", "delimiter", "encoding", "header", "missing")
"""What the reader of the training data was told, and the reader of new rows is told as well."""


@dataclass(frozen=True)
class SavedModel:
    """A classifier that was saved, and what is known of it."""

    classifier: Classifier
    about: Mapping[str, Any]
    """Plain values: `machine`, `configuration`, `results`, `made`, `saved`, `versions`, and `lineage`."""
    file: str = "the model"
    """Where it was read, for errors."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that it was made for."""
        return self.classifier.columns

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self.classifier.labels

    @property
    def configuration(self) -> Mapping[str, Any]:
        """The machine that has learned it, as plain data; `intemi.from_plain` makes the machine of them."""
        found: Mapping[str, Any] = self.about["configuration"]
        return found

    @property
    def lineage(self) -> list[Mapping[str, Any]]:
        """A step for each machine on the way: kind, configuration, results, digests of outputs, when, which version."""
        return list(self.about["lineage"])

    @property
    def stamps(self) -> dict[str, str]:
        """What must be said of it: "Leak", if it was chosen by data that were not fair, and the like."""
        return {label: said for label, said in self.about["results"].items() if label in INVALIDATING}

    def rows(self, given: Any, **options: Any) -> Data:
        """New rows as it takes them: of a file, a pandas frame or data. Columns go by name, and others are left out.

        A file is read as the training data were; `options` of its reader come before.
        """
        return new_rows(self.columns, given, {**self._reading(), **options})

    def predict(self, given: Any, **options: Any) -> Series:
        """A table of new rows: the number of each, the class that is predicted, the probabilities of all classes."""
        data = self.rows(given, **options)
        try:
            return row_answers(predictions_of(self.classifier, data), data)
        except IntemiError:
            raise
        except Exception as error:  # whatever an estimator of a library raises: about the rows, or a file that is odd
            raise ModelFileError(
                f"{self.file}: it cannot predict these rows: {type(error).__name__}: {error}"
            ) from error

    def _reading(self) -> dict[str, Any]:
        loaders = [step["configuration"] for step in self.lineage if not step["inputs"]]
        told = loaders[0].get("options") if len(loaders) == 1 else None
        return {name: value for name, value in (told or {}).items() if name in READING}

    def __str__(self) -> str:
        from intemi.series.display import counted, one_line

        sources = [step for step in self.lineage if not step["inputs"]]
        of = "; ".join(_source_text(step) for step in sources)
        lines = [
            f"{self.about['machine']}, made {self.about['made']} by intemi {self.about['version']}",
            f"of: {of}",
            f"takes {counted(len(self.columns), 'column')}: {', '.join(column.name for column in self.columns)}",
            f"answers: {', '.join(self.classes)}",
            *(f"{label}: {why}" for label, why in self.stamps.items()),
        ]
        return "\n".join(map(one_line, lines))  # names in a file may be anything


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """The classifier that `project.save` or `intemi fit` has written; it needs no project and executes nothing.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from intemi.kernel import Project
    >>> from intemi.machines import NaiveBayes, SklearnDataset
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "iris.model")
    >>> with Project() as project:
    ...     iris = project.run(SklearnDataset("iris"))
    ...     project.save(project.run(NaiveBayes(), data=iris.data), file)
    >>> model = load_model(file)
    >>> model.classes
    ('setosa', 'versicolor', 'virginica')
    >>> model.predict(iris.outputs["data"].select_rows([0, 60]))["Predicted"]
    ('setosa', 'versicolor')
    >>> folder.cleanup()
    """
    import intemi.machines  # noqa: F401 - so that all classes of the package are known

    held = read(path)
    classifiers = [each for each in held.outputs.values() if isinstance(each, Classifier)]
    if len(classifiers) != 1:
        gives = ", ".join(held.outputs)
        raise ModelFileError(
            f"{os.fspath(path)}: a model with one classifier is needed, got {gives} of a {held.about['machine']}"
        )
    return SavedModel(classifiers[0], held.about, os.fspath(path))


def _source_text(step: Mapping[str, Any]) -> str:
    results, digests = step["results"], [each for made in step["outputs"].values() for each in made]
    name = results.get("Name") or step["configuration"].get("path") or step["configuration"].get("name")
    rows = f", {results['Rows']} rows" if "Rows" in results else ""
    return f"{name or step['machine']}{rows}, content {digests[0][:12] if digests else 'not known'}"
