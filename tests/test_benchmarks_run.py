"""Every benchmark runs, in sizes at which its numbers mean nothing."""

import warnings
from dataclasses import replace

import pytest

from benchmarks import (
    cluster,
    cluster_simulation,
    configuration,
    cross_validation,
    forests,
    million,
    pruning,
    requests,
    scaling,
)
from benchmarks.__main__ import NAMES, main
from benchmarks.peers import PEERS
from benchmarks.report import Target, print_targets


@pytest.mark.needs("bench")
def test_the_benchmark_of_requests_runs_every_peer(capsys: pytest.CaptureFixture[str]) -> None:
    targets = requests.run(requests.Sizes(leaves=8, peer_leaves=4, rounds=1))
    printed = capsys.readouterr().out
    assert [peer for peer in PEERS if peer not in printed] == []
    assert [row for row in requests.ROWS if row not in printed] == []
    assert len(targets) == 8
    assert all(target.measured > 0 for target in targets)


@pytest.mark.full
def test_the_benchmark_of_scaling_runs(capsys: pytest.CaptureFixture[str]) -> None:
    targets = scaling.run(scaling.Sizes({5: 1, 10: 1}, rounds=1))
    assert "bytes per machine" in capsys.readouterr().out
    assert len(targets) == 8
    assert all(target.measured > 0 for target in targets)


@pytest.mark.full
def test_the_benchmark_of_a_million_machines_runs_with_ten_thousand(capsys: pytest.CaptureFixture[str]) -> None:
    targets = million.run(million.Sizes.up_to(10_000))
    printed = capsys.readouterr().out
    assert [step for step in million.STEPS if step not in printed] == []
    assert len(targets) == 10
    assert all(target.measured > 0 for target in targets)


@pytest.mark.full
def test_the_benchmark_of_cross_validation_runs_on_the_same_splits(capsys: pytest.CaptureFixture[str]) -> None:
    targets = cross_validation.run(cross_validation.Sizes(repetitions=1, folds=3, rounds=1))
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines() if line.startswith(("intemi,", "scikit-learn"))]
    assert [row[-1] for row in rows] == [rows[0][-1]] * 3, "the accuracy of the SVM is that of scikit-learn"
    assert len(targets) == 4
    assert all(target.measured > 0 for target in targets)


@pytest.mark.full
def test_the_benchmark_of_pruning_finds_the_accuracies_of_scikit_learn(capsys: pytest.CaptureFixture[str]) -> None:
    targets = pruning._measure_strengths(pruning.QUICK)  # the others take too long for a test
    (ours,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("wine: intemi")]
    assert ours[-1] == "100", "where trees are the same, so are their accuracies"
    assert len(targets) == 1
    assert all(target.measured > 0 for target in targets)


@pytest.mark.full
def test_the_benchmark_of_forests_runs(capsys: pytest.CaptureFixture[str]) -> None:
    targets = forests.run(forests.Sizes(data=("iris",), trees=5, rounds=1, compared="rings"))
    assert "A forest of 5 trees" in capsys.readouterr().out
    assert len(targets) >= 3
    assert all(target.measured > 0 for target in targets)


def test_the_benchmark_of_configurations_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (target,) = configuration.run(configuration.Sizes(repetitions=3, rounds=1))
    printed = capsys.readouterr().out
    assert [style for style in configuration.STYLES if style not in printed] == []
    assert target.measured > 0


@pytest.mark.parametrize("style", configuration.STYLES.values(), ids=configuration.STYLES)
def test_every_style_of_configuration_validates_the_same(style: configuration.Style) -> None:
    assert style.digest(style.fresh(1)) == style.digest(style.fresh(1)) != style.digest(style.fresh(2))
    assert style.replace_sigma(style.fresh(1), 7.0).kernel.sigma == 7.0
    for part in ({"sigma": 0.0}, {"sigma": "wide"}, {"name": "round"}):
        with pytest.raises((ValueError, TypeError)):
            style.kernel(**part)
    for parameters in ({"cost": -1.0}, {"steps": 0}, {"steps": "many"}, {"shrink": 3}, {"kernel": 3}):
        with pytest.raises((ValueError, TypeError)):
            style.learner(**parameters)


def test_an_unknown_benchmark_is_refused_with_the_names_of_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["scalling"])
    error = capsys.readouterr().err
    assert "'scalling'" in error
    assert [name for name in NAMES if name not in error] == []


def test_a_target_says_whether_it_held(capsys: pytest.CaptureFixture[str]) -> None:
    print_targets([Target("cheap", 0.05, 0.1, by_cpu=0.04), Target("dear", 2.0, 0.5, " s")])
    *_, cheap, dear = capsys.readouterr().out.splitlines()
    assert cheap.split() == ["cheap", "0.05", "≤", "0.1", "held", "0.04"]
    assert dear.split() == ["dear", "2", "s", "≤", "0.5", "s", "MISSED"]


@pytest.mark.full
@pytest.mark.needs("dask")
def test_the_benchmark_of_clusters_runs_every_peer(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib's backend of dask warns of what it uses
        targets = cluster._overhead(replace(cluster.QUICK, leaves={0.0: 4, 0.002: 4}))
    printed = capsys.readouterr().out
    assert [peer for peer in (cluster.OURS, cluster.DASK, cluster.JOBLIB) if peer not in printed] == []
    assert all(target.measured > 0 for target in targets)


@pytest.mark.full
@pytest.mark.needs("dask")
def test_workers_that_sleep_are_kept_busy(capsys: pytest.CaptureFixture[str]) -> None:
    (target,) = cluster_simulation.measure(cluster_simulation.Sizes((4,), seconds=(), duration=0.2), [0.1, 0.2])
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("4 workers")]
    assert 0 < float(row[6]) <= 100, "a worker sleeps for one leaf at a time"
    assert target.measured > 0
