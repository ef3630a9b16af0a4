"""The search for a learning machine as an estimator of scikit-learn."""

from __future__ import annotations

import os
from typing import Any, Self

from intemi.experiments.learning import learn
from intemi.interop.scikit_learn import TableEstimator
from intemi.interop.tables import EstimatorError, training_data
from intemi.kernel import IntemiError


class IntemiSearch(TableEstimator):
    """Find the best learning machine for the rows within some minutes; `intemi.learn` as an estimator.

    `project` is a folder that keeps all tests. Missing values and categories of pandas frames are welcome. After `fit`,
    `learned_` has the ranking, the picture and the report. Which machine is found may depend on the computer, since it
    is searched against the clock; with `tests`, so many candidates instead of so many minutes, it does not.

    >>> search = IntemiSearch(tests=2).fit([[0.0], [1.0], [10.0], [11.0]], ["low", "low", "high", "high"])
    >>> search.predict([[2.0], [9.0]]).tolist()
    ['low', 'high']
    """

    missing = True

    def __init__(
        self,
        minutes: float = 10.0,
        *,
        tests: int | None = None,
        project: str | os.PathLike[str] | None = None,
        workers: int | None = None,
        seed: int = 0,
    ) -> None:
        self.minutes = minutes
        self.tests = tests
        self.project = project
        self.workers = workers
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Search, and let the winner learn from all rows; arrays of numbers, or pandas frames."""
        features, columns, codes = self._read_training(X, y)
        data = training_data(columns, features, self.classes_, codes, None)
        try:
            self.learned_ = learn(
                data,
                minutes=self.minutes,
                tests=self.tests,
                folder=self.project,
                workers=self.workers,
                seed=self.seed,
                knowledge=False,
            )
        except IntemiError as error:
            shape = f"n_samples={len(data)}, n_features={len(data.columns)}"
            raise EstimatorError(f"IntemiSearch: {error} (in fit, {shape})") from None
        self.classifier_ = self.learned_.model.classifier
        self._columns = columns
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.tests is None
        return tags
