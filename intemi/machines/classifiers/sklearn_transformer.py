"""Any transformer of scikit-learn as a machine."""

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
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.decoded import expect
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats, Transformation
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import names_apart

UNSUPERVISED = frozenset(
    f"sklearn.{name}"
    for name in ("cluster", "decomposition", "impute", "kernel_approximation", "manifold", "preprocessing")
) | {"sklearn.random_projection"}
"""Modules of scikit-learn whose transformers ignore targets, unless they say that they need them."""


@storable
@dataclass(frozen=True, eq=False)
class FittedTransformation(Transformation):
    """A fitted estimator that makes numeric columns."""

    columns: tuple[Column, ...]
    fitted: FittedEstimator

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.fitted) is FittedEstimator, "an estimator is needed")
        expect_kind(self.fitted.estimator, classifies=False)
        width = getattr(self.fitted.estimator, "n_features_in_", len(self.columns))
        expect(width == len(self.columns), "an estimator is of its columns")

    def _transform(self, data: Data) -> Data:
        estimator = self.fitted.estimator
        # Most estimators refuse to transform no rows.
        values = (
            _dense(estimator.transform(rows_for(estimator, data)))
            if len(data)
            else np.empty((0, self._width(estimator)))
        )
        names = names_apart(self._names(estimator, values.shape[1]))
        return data.with_features([Column(name) for name in names], values.T)

    def _width(self, estimator: Any) -> int:
        """How many columns it makes."""
        if hasattr(estimator, "get_feature_names_out"):
            return len(self._names(estimator, 0))
        return int(_dense(estimator.transform(np.zeros((1, len(self.columns))))).shape[1])

    def _names(self, estimator: Any, count: int) -> list[str]:
        if not hasattr(estimator, "get_feature_names_out"):
            return [f"{type(estimator).__name__.lower()}{index}" for index in range(count)]
        names = np.array([column.name for column in self.columns], dtype=object)
        return [str(name) for name in estimator.get_feature_names_out(names)]


def _dense(made: Any) -> Floats:
    return np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64)


class SklearnTransformer(SklearnLearning, Transformer):
    """Fit a transformer of scikit-learn, named by the path of its class; all columns it makes are numeric.

    Identity and seeds are those of `SklearnClassifier`. If there are classes, it learns from the rows whose class is
    known.
    """

    estimator: str
    options: Mapping[str, Any] = {}
    library: str | None = parameter(default=None, kw_only=True)
    """The version of scikit-learn: the one that is installed."""

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """Features, if the estimator is one of those that are known to ignore targets; else targets."""
        module = self.estimator.rpartition(".")[0]
        needs_targets = library("sklearn.utils").get_tags(self.build()).target_tags.required
        return Reads.FEATURES if module in UNSUPERVISED and not needs_targets else Reads.TARGETS

    def check(self) -> None:
        self.note_library()
        if not hasattr(self.build(), "transform"):
            raise ConfigurationError(f"{self.kind}: estimator must be a transformer, got {self.estimator!r}")

    def run(self, data: Data, rng: np.random.Generator | None = None) -> Model:
        learned_from = data if data.target is None else rows_to_learn_from(self.kind, data)
        transformation = FittedTransformation(data.columns, self.fitted(learned_from, rng))
        return Model(transformed=transformation.transform(data), transformation=transformation)
