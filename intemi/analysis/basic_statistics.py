"""The statistics that describe a series."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from intemi.analysis.samples import numbers
from intemi.analysis.transformation import Transformation, one_row
from intemi.series import Series
from intemi.series.mixing import mixed_data


@dataclass(frozen=True, repr=False)
class BasicStatistics(Transformation):
    """Mean, sample standard deviation, minimum, median, maximum and number of the values of the main label.

    The deviation of a single value is NaN. Values of several data sets have no meaningful mean, and are refused; with
    `unsafe` they are averaged all the same.

    >>> accuracies = Series({"Accuracy": [0.5, 0.75, 1.0]})
    >>> BasicStatistics()(accuracies).row(0)
    {'mean': 0.75, 'sd': 0.25, 'min': 0.5, 'median': 0.75, 'max': 1.0, 'n': 3}
    """

    unsafe: bool = False

    def __call__(self, series: Series) -> Series:
        if not len(series):
            self._refuse("the series is empty")
        if not self.unsafe and (why := mixed_data(series)) is not None:
            self._refuse(why)
        values = numbers(series, self._refuse)
        return one_row(
            "mean",
            {
                "mean": float(np.mean(values)),
                "sd": float(np.std(values, ddof=1)) if len(values) > 1 else math.nan,
                "min": float(np.min(values)),
                "median": float(np.median(values)),
                "max": float(np.max(values)),
                "n": len(values),
            },
        )
