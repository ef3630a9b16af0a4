"""Machines as estimators of scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from intemi.data import Data, Table
from intemi.interop.tables import EstimatorError, has_categories, read_array, read_frame, training_data
from intemi.kernel import Component, Machine, MachineFailed, Project
from intemi.kernel.libraries import library
from intemi.machines import Classifier

BaseEstimator: Any = library("sklearn.base").BaseEstimator
ClassifierMixin: Any = library("sklearn.base").ClassifierMixin
validation = library("sklearn.utils.validation")

PREFIX = "machine__"


class TableEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What estimators share: they read arrays and frames, and answer by a classifier."""

    missing: bool
    """Whether missing values are passed on; otherwise they are refused."""
    classes_: Any
    classifier_: Classifier

    def _read_training(self, X: Any, y: Any) -> tuple[Any, Any, Any]:
        is_frame = has_categories(X)
        if is_frame:
            validation.validate_data(self, X, y, skip_check_array=True)
            if not len(X):
                raise EstimatorError(f"{type(self).__name__}: X must have at least one row, got none")
            if len(X) != len(y):
                raise EstimatorError(
                    f"{type(self).__name__}: y must have a class for each of {len(X)} rows, got {len(y)}"
                )
            columns, features = read_frame(X, None)
            y = validation.column_or_1d(y, warn=True)
        else:
            X, y = validation.validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
            columns, features = read_array(X, self._names())
        self._check_missing(features)
        library("sklearn.utils.multiclass").check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return features, columns, codes

    def _check_missing(self, features: Any) -> None:
        if not self.missing and np.isnan(features).any():
            raise EstimatorError(
                f"{type(self).__name__}: X must not contain NaN, got {int(np.isnan(features).sum())} of them; "
                "missing=True passes them on to machines that can use missing values"
            )

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{index}" for index in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    # Answering

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        data = self._read(X)
        return self.classes_[self.classifier_.classify(data)]

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the classes, in the order of `classes_`, for each row."""
        data = self._read(X)
        return np.array(self.classifier_.probabilities(data))

    def _read(self, X: Any) -> Data:
        validation.check_is_fitted(self)
        if any(column.is_nominal for column in self._columns) or has_categories(X):
            if not has_categories(X):
                raise EstimatorError(
                    f"{type(self).__name__}: X must be a pandas frame with categories, as it was in fit"
                )
            validation.validate_data(self, X, reset=False, skip_check_array=True)
            features = read_frame(X, self._columns)[1]
        else:
            X = validation.validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
            features = np.ascontiguousarray(X.T)
        self._check_missing(features)
        return Data(Table(self._columns, features))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = bool(self.missing)
        return tags


class IntemiClassifier(TableEstimator):
    """A machine that takes data and gives a classifier, as an estimator of scikit-learn.

    `project` is a folder: what was learned from the same data by the same machine is found there and not learned again.
    Without one, everything happens in memory. Parameters of the machine have the names of their paths, with two
    underscores for each dot or slash: `machine__kernel__sigma` is the `sigma` of its `kernel`. With `missing`, NaN and
    None in X are passed on as missing values, for machines that can use them; otherwise they are refused.

    >>> from intemi.machines import KNN
    >>> classifier = IntemiClassifier(KNN(k=1)).fit([[0.0], [1.0], [10.0], [11.0]], ["low", "low", "high", "high"])
    >>> classifier.predict([[2.0], [9.0]]).tolist()
    ['low', 'high']
    >>> classifier.set_params(machine__k=3)
    IntemiClassifier(machine=KNN(k=3, distance=Euclidean(), weights='uniform'))
    """

    def __init__(
        self, machine: Any = None, *, project: str | os.PathLike[str] | None = None, missing: bool = False
    ) -> None:
        self.machine = machine
        self.project = project
        self.missing = missing

    # Parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; `deep` ones include those of the machine and of everything in it."""
        found: dict[str, Any] = super().get_params(deep=False)
        return {**found, **dict(_parts(self.machine, PREFIX))} if deep else found

    def set_params(self, **params: Any) -> Self:
        """Change parameters, those of the machine by their paths; outer parts first, so that both may be given."""
        own = {name: value for name, value in params.items() if not name.startswith(PREFIX)}
        super().set_params(**own)
        inner = {name: value for name, value in params.items() if name not in own}
        for name in sorted(inner, key=lambda name: name.count("__")):
            if not isinstance(self.machine, Machine):
                raise EstimatorError(f"IntemiClassifier: {name} is a part of a machine, but machine={self.machine!r}")
            self.machine = self.machine.replace(name.removeprefix(PREFIX).replace("__", "."), inner[name])
        return self

    # Learning

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and their classes; arrays of numbers, or pandas frames, whose texts are categories."""
        return self._fit(X, y, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        machine, output = self._checked_machine()
        features, columns, codes = self._read_training(X, y)
        weights = None if sample_weight is None else _read_weights(sample_weight, len(codes))
        data = training_data(columns, features, self.classes_, codes, weights)
        self.classifier_ = self._learned(machine, output, data)
        self._columns = columns
        return self

    def _learned(self, machine: Machine, output: str, data: Data) -> Classifier:
        with Project(self.project, workers=1) as project:
            bindings: dict[str, Any] = {name: project.given(data) for name in machine.inputs}
            try:
                done = project.run(machine, **bindings)
            except MachineFailed as failed:
                shape = f"n_samples={len(data)}, n_features={len(data.columns)}"
                error = EstimatorError(f"IntemiClassifier: {failed.message} (in fit, {shape})")
                for note in getattr(failed, "__notes__", ()):
                    error.add_note(note)
                raise error from None
            found: Classifier = done.outputs[output]
            return found

    def _checked_machine(self) -> tuple[Machine, str]:
        """The machine, and its output that is a classifier."""
        machine = self.machine
        if not isinstance(machine, Machine):
            raise EstimatorError(f"IntemiClassifier: machine must be a machine such as KNN(), got {machine!r}")
        if self.project is not None and not isinstance(self.project, str | os.PathLike):
            raise EstimatorError(
                f"IntemiClassifier: project must be a folder or None, got {self.project!r}; "
                "estimators are copied and sent to other processes, projects cannot be"
            )
        if [port.accepted for port in machine.inputs.values()] != [Data]:
            takes = ", ".join(map(str, machine.inputs.values())) or "nothing"
            raise EstimatorError(f"IntemiClassifier: the machine must take one Data, {machine.kind} takes {takes}")
        outputs = [name for name, port in machine.outputs.items() if issubclass(port.accepted, Classifier)]
        if not outputs or machine.outputs[outputs[0]].multi:
            gives = ", ".join(map(str, machine.outputs.values())) or "nothing"
            raise EstimatorError(f"IntemiClassifier: the machine must give a classifier, {machine.kind} gives {gives}")
        return machine, outputs[0]


class IntemiWeightedClassifier(IntemiClassifier):
    """The same with weights of rows, for machines to which a row of weight 2 is what two rows are, such as trees.

    >>> from intemi.machines import Majority
    >>> X, y = [[0.0], [1.0], [2.0]], ["a", "a", "b"]
    >>> IntemiWeightedClassifier(Majority()).fit(X, y, sample_weight=[1, 1, 5]).predict([[0.0]]).tolist()
    ['b']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows, their classes and their weights; rows of weight 0 are left out."""
        return self._fit(X, y, sample_weight)


def _read_weights(given: Any, rows: int) -> Any:
    weights = validation.check_array(given, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape != (rows,):
        raise EstimatorError(
            f"IntemiClassifier: sample_weight must have one weight for each of {rows} rows, got shape {weights.shape}"
        )
    return weights


def _parts(value: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Everything in a configuration that can be replaced, with its path in scikit-learn's way of writing."""
    for name, part in _named_parts(value):
        yield f"{prefix}{name}", part
        yield from _parts(part, f"{prefix}{name}__")


def _named_parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Component):
        # What has named parts beside its parameters (a scheme) has everything of interest in these.
        own = value.parameter_names()
        names = [name for name in value.part_names() if name not in own]
        yield from ((name, value.part(name)) for name in ([*names, "seed"] if names else own))
    elif isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, tuple):
        yield from ((str(place), part) for place, part in enumerate(value))
