"""The classification test: how good the answers of a classifier are on given data."""

from __future__ import annotations

from collections.abc import Mapping

from intemi.data import Data
from intemi.kernel import Model, parameter
from intemi.kernel.machine import Best
from intemi.machines.interfaces import Classifier
from intemi.machines.measures import USUAL_MEASURES, Measure
from intemi.machines.measures.measure import check_names, measure
from intemi.machines.roles import ClassifierTest


class ClassificationTest(ClassifierTest):
    """Compare the answers of a classifier with the classes of data; rows whose class is not known do not count.

    Each of the `measures` is a result under its name. One that is not defined, such as the AUC where all cases are of
    one class, is NaN.

    >>> from intemi.machines.measures import F1, LogLoss
    >>> ClassificationTest(measures=(F1(), LogLoss())).reports
    {'F1': 'highest', 'Log loss': 'lowest'}
    """

    measures: tuple[Measure, ...] = parameter(default=USUAL_MEASURES, kw_only=True)

    def check(self) -> None:
        check_names(self.kind, self.measures)

    @property
    def reports(self) -> Mapping[str, Best]:
        """Its measures by name, and which values are best."""
        return {each.name: each.best for each in self.measures}

    def run(self, data: Data, classifier: Classifier) -> Model:
        return Model(results=measure(self.measures, data, classifier, self.kind))
