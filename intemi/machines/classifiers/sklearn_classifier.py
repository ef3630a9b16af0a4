"""Any classifier of scikit-learn as a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Model, parameter, storable
from intemi.kernel.libraries import library
from intemi.machines.classifiers.estimator_checks import expect_kind
from intemi.machines.classifiers.sklearn_estimator import FittedEstimator, SklearnLearning, rows_for
from intemi.machines.classifiers.training import one_hot, rows_to_learn_from
from intemi.machines.decoded import expect, expect_indices
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner


@storable
@dataclass(frozen=True, eq=False)
class FittedClassifier(Classifier):
    """A fitted estimator that knows some of the classes."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    classes: Codes
    fitted: FittedEstimator

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_indices(self.classes, len(self.labels))
        expect(type(self.fitted) is FittedEstimator, "an estimator is needed")
        expect_kind(self.fitted.estimator, classifies=True)
        known = getattr(self.fitted.estimator, "classes_", None)
        expect(known is None or np.array_equal(known, self.classes), "an estimator is of its classes")
        width = getattr(self.fitted.estimator, "n_features_in_", len(self.columns))
        expect(width == len(self.columns), "an estimator is of its columns")

    def _probabilities(self, data: Data) -> Floats:
        estimator = self.fitted.estimator
        if not hasattr(estimator, "predict_proba"):
            return one_hot(self._predicted(data), len(self.labels))
        answer = np.zeros((len(data), len(self.labels)))
        if len(data):
            answer[:, self.classes] = estimator.predict_proba(rows_for(estimator, data))
        return answer

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        return self._predicted(data), self._probabilities(data)

    def _classify(self, data: Data) -> Codes:
        return self._predicted(data)

    def _predicted(self, data: Data) -> Codes:
        if not len(data):
            return np.empty(0, np.int32)
        estimator = self.fitted.estimator
        return np.asarray(estimator.predict(rows_for(estimator, data)), dtype=np.int32)


class SklearnClassifier(SklearnLearning, Learner):
    """Fit a classifier of scikit-learn: an estimator, a pipeline, or the path of a class with options.

    An estimator itself is read by its parameters: `SklearnClassifier(SVC(C=2))` is
    `SklearnClassifier("sklearn.svm.SVC", {"C": 2})`. Wherever a machine is asked for, the estimator alone will do.

    It is known by the class, its options and the version of the library. Where it has a `random_state` that is not
    given, it is seeded like any random machine. Categories come to it as their codes and missing values as NaN: what
    it cannot use must be transformed before. The keys of a `class_weight` are names of classes. Without
    `predict_proba`, it is sure of every answer.

    >>> SklearnClassifier("sklearn.tree.DecisionTreeClassifer")
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: SklearnClassifier: sklearn.tree has no estimator \
'DecisionTreeClassifer'; did you mean 'DecisionTreeClassifier'?
    """

    estimator: str
    options: Mapping[str, Any] = {}
    library: str | None = parameter(default=None, kw_only=True)
    """The version of scikit-learn: the one that is installed."""

    def check(self) -> None:
        is_classifier = library("sklearn.base").is_classifier

        self.note_library()
        if not is_classifier(self.build()):
            raise ConfigurationError(f"{self.kind}: estimator must be a classifier, got {self.estimator!r}")

    @property
    def uses_weights(self) -> bool:
        """Whether the estimator takes weights of rows."""
        return bool(library("sklearn.utils.validation").has_fit_parameter(self.build(), "sample_weight"))

    def run(self, data: Data, rng: np.random.Generator | None = None) -> Model:
        data = rows_to_learn_from(self.kind, data)
        fitted = self.fitted(data, rng)
        return Model(classifier=FittedClassifier(data.columns, data.labels, np.unique(data.classes), fitted))
