"""The book's parameter search: an SVM with 8 widths of a Gaussian kernel and 7 prices, 5 × 2-fold cross-validation.

The book's system recognises machines by the origin of their inputs, which is level 1 here; level 2 compares contents
as well and finds that some of the 560 support vector machines are the same, so fewer tests are run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intemi import Capsule, Project
from intemi.data import Data
from intemi.data.arff import write_arff
from intemi.machines import (
    SVM,
    ClassificationTest,
    CVDistributor,
    DataLoader,
    ExternalTransformation,
    GaussianKernel,
    Grid,
    ParameterSearch,
    Repeater,
    Scheme,
    Standardization,
    Steps,
)
from intemi.query import Query
from tests import datasets

LOGICAL = {
    "DataLoader": 1,
    "ParameterSearch": 1,
    "Repeater": 56,
    "distributor scheme": 280,
    "CVDistributor": 280,
    "test scheme": 560,
    "Standardization": 560,
    "ExternalTransformation": 560,
    "SVM": 560,
    "kernel provider scheme": 560,
    "KernelProvider": 560,
    "ClassificationTest": 560,
}
PHYSICAL = {
    **LOGICAL,
    "distributor scheme": 5,
    "CVDistributor": 5,
    "Standardization": 10,
    "ExternalTransformation": 10,
    "kernel provider scheme": 80,
    "KernelProvider": 80,
}


def parameter_search() -> ParameterSearch:
    test = Scheme(training=Data, test=Data)
    std = test.add(Standardization(), data=test.training)
    svm = test.add(SVM(kernel=GaussianKernel()), data=std.transformed, name="svm")
    ext = test.add(ExternalTransformation(), data=test.test, transformation=std.transformation)
    test.add(ClassificationTest(), data=ext.transformed, classifier=svm.classifier, name="svm test")
    return ParameterSearch(
        test=Repeater(distributor=CVDistributor(folds=2), test=test, repetitions=5, seed=1),
        scenario=Grid(
            Steps("test/svm.kernel.sigma", base=2.0, start=-10, step=2, count=8),
            Steps("test/svm.C", base=2.0, start=-1, step=2, count=7),
        ),
        objective=Query("test/svm test", "Accuracy").mean(),
    )


@pytest.fixture(scope="module")
def complete_cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 683 cases of breast-w without missing values, which a support vector machine cannot take."""
    full = datasets.load("breast-w")
    file = tmp_path_factory.mktemp("data") / "breast-w.arff"
    write_arff(full.select_rows(~np.isnan(full.features).any(axis=0)), file)
    return file


def search(project: Project, file: Path) -> Capsule:
    data = project.request(DataLoader(str(file)))
    return project.run(parameter_search(), data=data.data)


def test_the_counts_of_table_4_6_and_the_landscape_of_table_4_5(complete_cases: Path) -> None:
    with Project(unification=1) as project:
        found = search(project, complete_cases)
        counts = project.counts()
    assert dict(counts.logical) == LOGICAL
    assert counts.logical.total() == 4_538
    assert dict(counts.physical) == PHYSICAL
    assert counts.physical.total() == 1_928

    tried = found.results["Tried"]
    assert len(tried) == 56
    assert tried.max() == found.results["Objective"] >= 0.964
    best_of_each = {
        price: max(rows, key=lambda row: row["Objective"])["test/svm.kernel.sigma"]
        for (price,), group in zip(tried.group_by("test/svm.C").keys(), tried.group_by("test/svm.C"), strict=True)
        for rows in [list(group)]
    }
    assert len(best_of_each) == 7
    assert 16.0 not in best_of_each.values()


def test_with_contents_compared_fewer_tests_run_and_the_results_are_the_same(
    complete_cases: Path, tmp_path: Path
) -> None:
    with Project(tmp_path, unification=2) as project:
        found = search(project, complete_cases)
        counts = project.counts()
    assert dict(counts.logical) == LOGICAL
    assert counts.physical.pop("ClassificationTest") < PHYSICAL["ClassificationTest"]
    assert dict(counts.physical) == {kind: n for kind, n in PHYSICAL.items() if kind != "ClassificationTest"}
    with Project(unification=1) as project:
        assert search(project, complete_cases).results == found.results
    with Project(tmp_path) as project:
        again = search(project, complete_cases)
        assert again.results == found.results
        assert not project.counts().physical, "a finished search is found, not run"
        assert project.counts().logical == counts.logical
