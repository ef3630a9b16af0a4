"""The support vector machine, on scikit-learn's LIBSVM, with a kernel table that other machines share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Input, Job, Machine, Model, Output, parameter, storable
from intemi.kernel.libraries import library
from intemi.machines.classifiers.kernel_provider import KernelProvider, KernelTable
from intemi.machines.classifiers.kernels import GaussianKernel, Kernel
from intemi.machines.classifiers.training import numbers_only, rows_to_learn_from
from intemi.machines.decoded import expect, expect_data, expect_floats, expect_indices
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner
from intemi.machines.search.steps import Steps
from intemi.machines.structure.scheme import Scheme


@storable
@dataclass(frozen=True, eq=False)
class SupportVectors(Classifier):
    """Support vectors, a view of the table they come from, and one decision function for each pair of classes."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    kernel: Kernel
    vectors: Data
    classes: Codes
    """The classes that occurred; the pairs are theirs, in order."""
    coefficients: Floats
    """For each vector a row with its coefficient in each pair."""
    offsets: Floats

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect_data(self.vectors, self.columns)
        expect(isinstance(self.kernel, Kernel), "vectors are multiplied by a kernel")
        expect_indices(self.classes, len(self.labels))
        pairs = len(_pairs(len(self.classes)))
        expect_floats(self.offsets, pairs)
        expect_floats(self.coefficients, len(self.vectors), pairs)

    def margins(self, data: Data) -> Floats:
        """For each row and pair of classes the decision function, above 0 for the first of the pair."""
        if not len(self.offsets):
            return np.zeros((len(data), 0))
        with np.errstate(over="ignore", invalid="ignore"):
            products = self.kernel.between(numbers_only("SVM", data), numbers_only("SVM", self.vectors))
            margins = products @ self.coefficients + self.offsets
            self.kernel.refuse_infinite(margins.sum())
        return np.asarray(margins)

    def _probabilities(self, data: Data) -> Floats:
        return self._answers(data)[1]

    def _answers(self, data: Data) -> tuple[Codes, Floats]:
        margins = self.margins(data)
        with np.errstate(over="ignore"):
            sure = 1 / (1 + np.exp(-margins))
        votes = np.zeros((len(data), len(self.classes)))
        shares = np.zeros((len(data), len(self.labels)))
        for pair, (first, second) in enumerate(_pairs(len(self.classes))):
            votes[:, first] += margins[:, pair] > 0
            votes[:, second] += margins[:, pair] <= 0
            shares[:, self.classes[first]] += sure[:, pair]
            shares[:, self.classes[second]] += 1 - sure[:, pair]
        if not len(self.offsets):
            shares[:, self.classes] = 1
        return self.classes[votes.argmax(axis=1)], shares / shares.sum(axis=1, keepdims=True)


def _pairs(count: int) -> list[tuple[int, int]]:
    return list(combinations(range(count), 2))


class SVM(Learner):
    """Separate classes, two at a time, by the widest margin in the space of a kernel; the most votes of pairs win.

    The kernel table comes from a kernel provider, a submachine: machines with the same kernel and data share it.
    Probabilities are logistic functions of the margins, averaged over the pairs: they order cases, but are not
    calibrated. Weights of cases multiply `C`, the price of a case on the wrong side.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     svm = project.run(SVM(kernel=GaussianKernel(sigma=0.5)), data=project.given(data))
    ...     svm.outputs["classifier"].classify(data).tolist()
    [0, 0, 1, 1]
    """

    compares_distances = True
    uses_weights = True

    C: float = parameter(default=1.0, above=0)
    kernel: Kernel = GaussianKernel()
    tolerance: float = parameter(default=1e-3, above=0)

    def default_scenario(self) -> Steps:
        """From a soft to a hard margin."""
        return Steps("C", base=2.0, start=-1, step=2, count=7)

    async def run(self, job: Job, data: Any) -> Model:
        table = job.request(_provider_scheme(self.kernel), name="kernel provider scheme", data=data)
        training = job.step(SVMTraining(self.C, self.tolerance), name="training", table=table.table)
        return Model(classifier=training.classifier)


@lru_cache(maxsize=256)
def _provider_scheme(kernel: Kernel) -> Scheme:
    scheme = Scheme(data=Data)
    provider = scheme.add(KernelProvider(kernel), name="kernel provider", data=scheme.data)
    scheme.expose(table=provider.table)
    return scheme


class SVMTraining(Machine):
    """Find the support vectors, given a kernel table; what an SVM leaves to a leaf."""

    table = Input(KernelTable)
    classifier = Output(Classifier)

    C: float = parameter(default=1.0, above=0)
    tolerance: float = parameter(default=1e-3, above=0)

    def run(self, table: KernelTable) -> Model:
        data = rows_to_learn_from("SVM", table.data)
        useful = KernelTable(table.kernel, data) if data is not table.data else table
        classes = np.unique(data.classes)
        if len(classes) == 1:
            none, nothing = data.select_rows(np.empty(0, np.int32)), np.empty((0, 0))
            return Model(classifier=self._classifier(table.kernel, data, none, classes, nothing))
        return Model(classifier=self._trained(useful, data, classes))

    def _trained(self, table: KernelTable, data: Data, classes: Codes) -> SupportVectors:
        svc = library("sklearn.svm").SVC(C=self.C, kernel="precomputed", tol=self.tolerance)
        # Both are known here already.
        with library("sklearn").config_context(assume_finite=True, skip_parameter_validation=True):
            svc.fit(table.values(), np.searchsorted(classes, data.classes), data.weights)
        # Of two classes the decision function of scikit-learn is above 0 for the second one.
        sign = -1.0 if len(classes) == 2 else 1.0
        support, sizes, duals, offsets = svc.support_, svc.n_support_, sign * svc.dual_coef_, sign * svc.intercept_
        group = np.repeat(np.arange(len(classes)), sizes)
        coefficients = np.zeros((len(support), len(classes) * (len(classes) - 1) // 2))
        for pair, (first, second) in enumerate(_pairs(len(classes))):
            coefficients[group == first, pair] = duals[second - 1, group == first]
            coefficients[group == second, pair] = duals[first, group == second]
        order = np.argsort(support, kind="stable")
        vectors = data.select_rows(support)
        return self._classifier(table.kernel, data, vectors, classes, coefficients[order], offsets)

    def _classifier(
        self,
        kernel: Kernel,
        data: Data,
        vectors: Data,
        classes: Codes,
        coefficients: Floats,
        offsets: Floats = np.empty(0),  # noqa: B008
    ) -> SupportVectors:
        return SupportVectors(data.columns, data.labels, kernel, vectors, classes, coefficients, offsets)
