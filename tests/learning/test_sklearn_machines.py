"""Estimators of scikit-learn as machines: identity, seeds, what is kept on disk and what is not trusted."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, EncodingError, Machine, Project
from intemi.kernel.libraries import library
from intemi.machines import Scheme
from intemi.machines.classifiers import Estimator, SklearnClassifier, SklearnTransformer, TransformAndClassify
from intemi.machines.classifiers.packed_estimator import is_trusted, pack, unpack
from intemi.machines.classifiers.sklearn_estimator import installed
from intemi.testing import check_machine
from tests.learning.tables import mixed, numeric
from tests.learning.test_classifiers import blobs

FOREST = SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 5})
PREFIX = "sklearn.preprocessing."


def answers(machine: Machine, data: Data, folder: Path | None = None, seed: int = 0) -> Any:
    """The probabilities that the classifier of a machine gives."""
    with Project(folder, workers=1, seed=seed) as project:
        return project.run(machine, data=project.given(data)).outputs["classifier"].probabilities(data)


# Configurations


def test_a_machine_is_known_by_class_options_and_version_of_the_library() -> None:
    assert FOREST.library == installed()
    others = [
        SklearnClassifier("sklearn.ensemble.ExtraTreesClassifier", {"n_estimators": 5}),
        SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 6}),
        FOREST.replace("library", "0.1"),
    ]
    assert len({FOREST.digest, *(other.digest for other in others)}) == 4
    assert FOREST.replace("options", {"n_estimators": 6}) == others[1]


def test_a_machine_for_another_version_of_the_library_does_not_run() -> None:
    with pytest.raises(Exception, match=rf"configured for scikit-learn 0\.1, this is {installed()}"):
        answers(FOREST.replace("library", "0.1"), blobs())


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("RandomForestClassifier", "must be the path of a public class of scikit-learn"),
        ("sklearn.ensamble.RandomForestClassifier", "did you mean 'ensemble'"),
        ("sklearn.ensemble.RandomForrestClassifier", "did you mean 'RandomForestClassifier'"),
        ("sklearn.ensemble._forest.RandomForestClassifier", "must be the path of a public class"),
        ("sklearn.utils.Bunch", "must be the path of a public class"),
        ("sklearn.datasets.fetch_openml", "must be the path of a public class"),
        ("subprocess.run", "must be the path of a public class"),
        ("sklearn.tree.export_text", "has no estimator 'export_text'"),
        ("sklearn.preprocessing.StandardScaler", "must be a classifier"),
        ("", "must be the path of a public class"),
    ],
)
def test_what_is_not_a_classifier_of_scikit_learn_is_refused(path: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        SklearnClassifier(path)


def test_what_does_not_transform_is_refused_as_a_transformer() -> None:
    with pytest.raises(ConfigurationError, match=r"must be a transformer, got 'sklearn\.svm\.SVC'"):
        SklearnTransformer("sklearn.svm.SVC")


def test_unknown_and_missing_options_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"no option 'depth'; there are criterion, splitter, max_depth"):
        SklearnClassifier("sklearn.tree.DecisionTreeClassifier", {"depth": 3})
    with pytest.raises(ConfigurationError, match=r"VotingClassifier cannot be made with .*'estimators'"):
        SklearnClassifier("sklearn.ensemble.VotingClassifier")


def test_estimators_may_be_among_the_options() -> None:
    stump = Estimator("sklearn.tree.DecisionTreeClassifier", {"max_depth": 1})
    bayes = Estimator("sklearn.naive_bayes.GaussianNB")
    boosted = SklearnClassifier("sklearn.ensemble.AdaBoostClassifier", {"estimator": stump, "n_estimators": 5})
    voting = SklearnClassifier("sklearn.ensemble.VotingClassifier", {"estimators": (("s", stump), ("b", bayes))})
    for machine in (boosted, voting):
        check_machine(machine, data=blobs())
        assert machine.is_random
    assert boosted.replace("options", {**boosted.options, "estimator": bayes}).digest != boosted.digest


def test_an_estimator_itself_is_the_machine_that_its_parameters_describe() -> None:
    for estimator in (LogisticRegression(C=2.0), LogisticRegression(C=2.0, tol=1e-4)):
        assert SklearnClassifier(estimator) == SklearnClassifier("sklearn.linear_model.LogisticRegression", {"C": 2.0})
    inside = SklearnClassifier("sklearn.ensemble.AdaBoostClassifier", {"estimator": GaussianNB()})
    assert inside == SklearnClassifier(AdaBoostClassifier(GaussianNB()))
    assert inside.options["estimator"] == Estimator("sklearn.naive_bayes.GaussianNB")


def test_classes_are_weighed_by_their_names() -> None:
    path, data = "sklearn.linear_model.LogisticRegression", blobs()
    expected = LogisticRegression(class_weight={0: 1, 1: 5, 2: 2}).fit(data.features.T, data.classes)
    machine = SklearnClassifier(path, {"class_weight": {"a": 1.0, "b": 5.0, "c": 2.0}})
    np.testing.assert_allclose(answers(machine, data), expected.predict_proba(data.features.T))
    inside = Estimator(path, {"class_weight": {"b": 5}})
    bagged = SklearnClassifier("sklearn.ensemble.BaggingClassifier", {"estimator": inside, "random_state": 1})
    plain = SklearnClassifier("sklearn.ensemble.BaggingClassifier", {"estimator": Estimator(path), "random_state": 1})
    assert answers(bagged, data)[:, 1].mean() > answers(plain, data)[:, 1].mean()
    assert answers(machine, data.select_rows(data.classes > 0)).shape == (30, 3)


def test_weights_of_classes_that_there_are_not_are_refused() -> None:
    path = "sklearn.linear_model.LogisticRegression"
    with pytest.raises(ConfigurationError, match=r"class_weight must have names of classes as keys, got \{0: 1.0\}"):
        SklearnClassifier(path, {"class_weight": {0: 1.0}})
    with pytest.raises(Exception, match="class_weight must have names of classes as keys, got 'd'; there are a, b, c"):
        answers(SklearnClassifier(path, {"class_weight": {"d": 1.0}}), blobs())


# Seeds


def test_only_what_draws_is_random() -> None:
    assert FOREST.is_random
    assert not SklearnClassifier("sklearn.naive_bayes.GaussianNB").is_random
    assert not FOREST.replace("options", {"n_estimators": 5, "random_state": 1}).is_random
    assert TransformAndClassify(SklearnTransformer(PREFIX + "StandardScaler"), FOREST).is_random


def test_the_same_seed_gives_the_same_forest_and_another_one_another() -> None:
    data = mixed(rows=60)
    np.testing.assert_array_equal(answers(FOREST, data, seed=1), answers(FOREST, data, seed=1))
    assert (answers(FOREST, data, seed=1) != answers(FOREST, data, seed=2)).any()
    fixed = FOREST.replace("options", {"n_estimators": 5, "random_state": 1})
    np.testing.assert_array_equal(answers(fixed, data, seed=1), answers(fixed, data, seed=2))


# Kept on disk

TWO = (
    ("tree", Estimator("sklearn.tree.DecisionTreeClassifier", {"max_depth": 2})),
    ("bayes", Estimator("sklearn.naive_bayes.GaussianNB")),
)
KEPT = [
    FOREST,
    SklearnClassifier("sklearn.ensemble.GradientBoostingClassifier", {"n_estimators": 3}),
    SklearnClassifier("sklearn.ensemble.HistGradientBoostingClassifier", {"max_iter": 3}),
    SklearnClassifier("sklearn.neighbors.KNeighborsClassifier"),
    SklearnClassifier("sklearn.neural_network.MLPClassifier", {"hidden_layer_sizes": (3,), "solver": "lbfgs"}),
    SklearnClassifier("sklearn.svm.LinearSVC"),
    SklearnClassifier("sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
    SklearnClassifier("sklearn.ensemble.VotingClassifier", {"estimators": TWO, "voting": "soft"}),
    SklearnClassifier("sklearn.ensemble.StackingClassifier", {"estimators": TWO, "cv": 3}),
]


@pytest.mark.parametrize("machine", KEPT, ids=lambda machine: machine.estimator.rpartition(".")[2])
def test_a_fitted_estimator_comes_back_from_the_disk(machine: SklearnClassifier, tmp_path: Path) -> None:
    expected = answers(machine, blobs(), tmp_path)
    with Project(tmp_path, workers=1) as project:
        data = blobs()
        again = project.run(machine, data=project.given(data))
        np.testing.assert_array_equal(again.outputs["classifier"].probabilities(data), expected)
        assert project.counts().physical.total() == 0


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "roc_auc", "neg_log_loss"])
def test_a_tuned_threshold_comes_back_from_the_disk(scoring: str, tmp_path: Path) -> None:
    options = {"estimator": Estimator("sklearn.naive_bayes.GaussianNB"), "scoring": scoring, "cv": 3}
    machine = SklearnClassifier("sklearn.model_selection.TunedThresholdClassifierCV", options)
    three = blobs()
    data = three.select_rows(three.classes < 2)
    expected = answers(machine, data, tmp_path)
    with Project(tmp_path, workers=1) as project:
        again = project.run(machine, data=project.given(data))
        np.testing.assert_array_equal(again.outputs["classifier"].probabilities(data), expected)
        assert project.counts().physical.total() == 0


@pytest.mark.parametrize(
    "name",
    [
        "sklearn.utils._bunch.warnings",
        "sklearn.utils._metadata_requests.process_routing",
        "sklearn.metrics._classification.np",
        "sklearn.metrics._scorer.get_scorer",
        "sklearn.datasets._base.load_files",
    ],
)
def test_what_is_beside_trusted_types_and_scores_is_not_trusted(name: str) -> None:
    assert not is_trusted(name)


def test_no_code_is_kept_on_disk() -> None:
    packed = pack(FOREST.build().fit([[0.0], [1.0]], [0, 1]))
    names = zipfile.ZipFile(io.BytesIO(packed)).namelist()
    assert {name.rpartition(".")[2] for name in names} == {"json", "npy"}


def test_types_that_are_not_scikit_learns_are_neither_written_nor_read() -> None:
    import skops.io
    from sklearn.preprocessing import FunctionTransformer

    foreign = FunctionTransformer(zipfile.is_zipfile)
    with pytest.raises(EncodingError, match=r"zipfile\.is_zipfile is not read from the disk"):
        pack(foreign)
    with pytest.raises(EncodingError, match=r"zipfile\.is_zipfile is not read from the disk"):
        unpack(skops.io.dumps(foreign))


def test_functions_that_reach_outside_are_not_trusted() -> None:
    from sklearn.datasets import load_files
    from sklearn.preprocessing import FunctionTransformer

    with pytest.raises(EncodingError, match="is not read from the disk"):
        pack(FunctionTransformer(load_files))


def test_without_skops_an_estimator_stays_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    library.cache_clear()
    data = blobs()
    with pytest.raises(EncodingError, match="skops, which is not installed"):
        pack(FOREST.build())
    expected = answers(FOREST, data)
    for _ in range(2):
        np.testing.assert_array_equal(answers(FOREST, data, tmp_path), expected)


# Classifiers


def test_classes_that_did_not_occur_have_no_probability() -> None:
    data = numeric([1, 2, 8, 9], classes=[0, 0, 2, 2])
    probabilities = answers(SklearnClassifier("sklearn.naive_bayes.GaussianNB"), data)
    assert probabilities.shape == (4, 3)
    assert (probabilities[:, 1] == 0).all()


def test_what_gives_no_probabilities_is_sure() -> None:
    data = blobs()
    assert set(np.unique(answers(SklearnClassifier("sklearn.svm.LinearSVC"), data))) == {0.0, 1.0}


def test_missing_values_reach_what_can_use_them() -> None:
    data = mixed(rows=60, missing=0.2)
    assert answers(SklearnClassifier("sklearn.tree.DecisionTreeClassifier"), data).shape == (60, 3)
    with pytest.raises(Exception, match="contains NaN"):
        answers(SklearnClassifier("sklearn.linear_model.RidgeClassifier"), data)


# Transformers


@pytest.mark.parametrize(
    "machine",
    [
        SklearnTransformer(PREFIX + "StandardScaler"),
        SklearnTransformer(PREFIX + "MinMaxScaler", {"feature_range": (-1, 1)}),
        SklearnTransformer(PREFIX + "PolynomialFeatures", {"degree": 2}),
        SklearnTransformer("sklearn.decomposition.PCA", {"n_components": 2}),
        SklearnTransformer("sklearn.feature_selection.SelectKBest", {"k": 1}),
        SklearnTransformer("sklearn.random_projection.GaussianRandomProjection", {"n_components": 2}),
    ],
    ids=lambda machine: machine.estimator.rpartition(".")[2],
)
def test_a_transformer_passes_the_checks_of_any_machine(machine: SklearnTransformer, tmp_path: Path) -> None:
    data = blobs()
    check_machine(machine, data=data)
    with Project(tmp_path, workers=1) as project:
        first = project.run(machine, data=project.given(data)).outputs["transformed"]
    with Project(tmp_path, workers=1) as project:
        again = project.run(machine, data=project.given(data))
        assert again.outputs["transformation"].transform(data) == first
        assert project.counts().physical.total() == 0


def test_a_transformer_names_the_columns_it_makes() -> None:
    data = blobs()
    for path, names in (("StandardScaler", ["x0", "x1"]), ("PolynomialFeatures", ["1", "x0", "x1", "x0^2", "x0 x1"])):
        with Project(workers=1) as project:
            made = project.run(SklearnTransformer(PREFIX + path), data=project.given(data)).outputs["transformed"]
        assert [column.name for column in made.columns][:5] == names
        assert not any(column.is_nominal for column in made.columns)
        assert made.classes.tolist() == data.classes.tolist()


def test_a_transformer_needs_no_classes_unless_it_learns_from_them() -> None:
    data = numeric([1, 2, 3])
    with Project(workers=1) as project:
        source = project.given(data)
        scaled = project.run(SklearnTransformer(PREFIX + "StandardScaler"), data=source).outputs["transformed"]
        assert scaled.features.mean() == pytest.approx(0)
        with pytest.raises(Exception, match="requires y to be passed"):
            project.run(SklearnTransformer("sklearn.feature_selection.SelectKBest", {"k": 1}), data=source)


def test_sparse_columns_become_dense() -> None:
    codes = numeric([0, 1, 2, 1], classes=[0, 1, 2, 0])
    with Project(workers=1) as project:
        encoded = project.run(SklearnTransformer(PREFIX + "OneHotEncoder"), data=project.given(codes))
        made = encoded.outputs["transformed"]
    assert made.columns == tuple(Column(f"x0_{code}.0") for code in range(3))
    assert made.features.tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]


@pytest.mark.parametrize(
    ("path", "options", "columns"),
    [
        (PREFIX + "StandardScaler", {}, 2),
        (PREFIX + "PolynomialFeatures", {}, 6),
        (PREFIX + "FunctionTransformer", {}, 2),
        ("sklearn.decomposition.PCA", {"n_components": 1}, 1),
        ("sklearn.feature_selection.SelectKBest", {"k": 1}, 1),
    ],
)
def test_no_rows_become_no_rows_of_the_new_columns(path: str, options: Any, columns: int) -> None:
    data = blobs()
    with Project(workers=1) as project:
        made = project.run(SklearnTransformer(path, options), data=project.given(data))
        none = made.outputs["transformation"].transform(data.select_rows([]))
        assert none.columns == made.outputs["transformed"].columns
    assert none.features.shape == (columns, 0)


def test_new_columns_of_the_same_name_get_a_number() -> None:
    data = Data(Table([Column("1"), Column("x")], [[1, 2, 3], [4, 5, 6]]))
    with Project(workers=1) as project:
        made = project.run(SklearnTransformer(PREFIX + "PolynomialFeatures"), data=project.given(data))
        assert [column.name for column in made.outputs["transformed"].columns][:3] == ["1", "1 (2)", "x"]


def test_both_kinds_work_together_in_a_scheme() -> None:
    scheme = Scheme(data=Data)
    scaled = scheme.add(SklearnTransformer(PREFIX + "StandardScaler"), data=scheme.data)
    learner = scheme.add(FOREST, data=scaled.transformed)
    scheme.expose(classifier=learner.classifier)
    assert answers(TransformAndClassify(SklearnTransformer(PREFIX + "StandardScaler"), FOREST), blobs()).shape == (
        45,
        3,
    )
    with Project(workers=1) as project:
        assert project.run(scheme, data=project.given(blobs())).outputs["classifier"].labels == ("a", "b", "c")
