"""Standard experiments in one line, so that no one needs a loop of tests of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from intemi.data.file_format import FORMATS, extension_of, stem_of
from intemi.experiments.compared import Compared
from intemi.experiments.comparison import Comparison
from intemi.experiments.datasets import sklearn_names
from intemi.experiments.errors import near
from intemi.experiments.experiment import PLAIN_COMPARISON, Experiment
from intemi.experiments.running import run
from intemi.kernel.adoption import adopted
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
from intemi.kernel.project import Project
from intemi.machines.classifiers import FromShare
from intemi.machines.distributors import CVDistributor
from intemi.machines.loading import DataLoader, SklearnDataset
from intemi.series import Series


def compare_learners(
    learners: Mapping[str, Machine] | Iterable[Machine],
    data: Mapping[str, Any] | Iterable[Any],
    *,
    folds: int = 10,
    repetitions: int = 1,
    seed: int | None = 1,
    measure: str = "Accuracy",
    comparison: Comparison = PLAIN_COMPARISON,
    project: Project | str | os.PathLike[str] | None = None,
) -> Compared:
    """Cross-validate learners on data sets, the same folds for all of them, and compare them.

    Learners and data sets have names, or are called by their classes and files. Data are names of scikit-learn's sets,
    files, loaders, `Data` or pandas frames. With a `project`, or its folder, everything that is run is kept there.

    >>> from intemi.machines import Majority, NaiveBayes
    >>> found = compare_learners([Majority(), NaiveBayes()], ["iris", "wine"], folds=3)
    >>> print(found)  # doctest: +ELLIPSIS
    Accuracy (the highest is best, marked *)
    mean ± sd, n = 3
    <BLANKLINE>
          Majority       NaiveBayes
    iris  0.320 ± 0.000  0.960 ± 0.000 *
    wine  0.399 ± 0.009  0.961 ± 0.035 *
    ...
    """
    experiment = Experiment(
        data=_named_data(data),
        learners=_named_learners(learners),
        distributor=CVDistributor(folds=folds),
        repetitions=repetitions,
        seed=seed,
        measures=(measure,),
        comparison=comparison,
    )
    if isinstance(project, Project):
        return run(experiment, project).compare()
    with Project(project) as opened:
        return run(experiment, opened).compare()


def ten_by_ten(
    learners: Mapping[str, Machine] | Iterable[Machine], data: Mapping[str, Any] | Iterable[Any], **options: Any
) -> Compared:
    """Ten times 10-fold cross-validation of learners on data sets; `options` are those of `compare_learners`.

    >>> from intemi.machines import Majority
    >>> ten_by_ten([Majority()], ["iris"]).cell("Majority", "iris")["n"]
    100
    """
    return compare_learners(learners, data, **{"folds": 10, "repetitions": 10, **options})


SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)


def learning_curve(
    learners: Mapping[str, Machine] | Iterable[Machine],
    data: Mapping[str, Any] | Iterable[Any],
    *,
    shares: Sequence[float] = SHARES,
    folds: int = 10,
    repetitions: int = 1,
    seed: int | None = 1,
    measure: str = "Accuracy",
    project: Project | str | os.PathLike[str] | None = None,
) -> Series:
    """How good learners are that learn from shares of the training data, on the same test data: a row for each test.

    `accuracy_against_size(curve, size="Share", along="Share")` of `intemi.analysis.plots` draws it.

    >>> from intemi.machines import NaiveBayes
    >>> curve = learning_curve([NaiveBayes()], ["iris"], shares=(0.1, 1), folds=3)
    >>> len(curve), sorted({float(share) for share in curve["Share"]})
    (6, [0.1, 1.0])
    """
    named = {name: adopted(each) for name, each in _named_learners(learners).items()}
    points = {f"{name} {share:.4g}": (name, float(share)) for name in named for share in shares}
    experiment = Experiment(
        data=_named_data(data),
        learners={point: FromShare(named[name], share) for point, (name, share) in points.items()},
        distributor=CVDistributor(folds=folds),
        repetitions=repetitions,
        seed=seed,
        measures=(measure,),
    )
    if isinstance(project, Project):
        found = run(experiment, project).series(measure)
    else:
        with Project(project) as opened:
            found = run(experiment, opened).series(measure)
    of = [points[point] for point in found["machine"]]
    return found.with_column("machine", [name for name, _ in of]).with_column("Share", [share for _, share in of])


def _named_learners(learners: Mapping[str, Machine] | Iterable[Machine]) -> Mapping[str, Machine]:
    if isinstance(learners, Mapping):
        return learners
    if isinstance(learners, Machine):
        raise ConfigurationError(f"compare_learners: learners must be several machines, got one: {learners!r}")
    return _numbered([(type(each).__name__, each) for each in learners])


def _named_data(data: Mapping[str, Any] | Iterable[Any]) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return {name: _source(each) for name, each in data.items()}
    if isinstance(data, str | os.PathLike | Machine) or hasattr(data, "iloc"):
        raise ConfigurationError("compare_learners: data must be several data sets, in a list or by names, got one")
    return _numbered([(_name_of(each), _source(each)) for each in data])


def _source(given: Any) -> Any:
    """A loader for the name of a data set or of a file; anything else as it is."""
    if not isinstance(given, str | os.PathLike):
        return given
    text = os.fspath(given)
    if text in sklearn_names():
        return SklearnDataset(text)  # type: ignore[arg-type]
    if extension_of(text) not in FORMATS:
        raise ConfigurationError(
            f"compare_learners: no data set is called {text!r}; {near(text, sklearn_names())}; "
            f"files end with {', '.join(FORMATS)}"
        )
    return DataLoader(text)


def _name_of(given: Any) -> str:
    if isinstance(given, str | os.PathLike):
        return stem_of(os.fspath(given))
    if isinstance(given, Machine):
        known = given.parameters()
        return stem_of(str(known.get("name") or known.get("path") or type(given).__name__))
    return str(getattr(given, "name", "") or "data")


def _numbered(named: list[tuple[str, Any]]) -> dict[str, Any]:
    """By name; the second of a name gets a 2."""
    found: dict[str, Any] = {}
    for name, each in named:
        number = 1 + sum(other == name or other.rpartition(" ")[0] == name for other in found)
        found[name if number == 1 else f"{name} {number}"] = each
    return found
