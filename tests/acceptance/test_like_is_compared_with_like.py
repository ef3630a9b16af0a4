"""Learners that are compared for one of their parts differ in no other: what else differs is named and refused (B6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi import ConfigurationError, Project, diff
from intemi.cli.main import command
from intemi.experiments import Comparison, Experiment, ExperimentError, check_alike, parse_experiment, run
from intemi.machines import CVDistributor, SklearnDataset
from intemi.machines.trees import CART, CostComplexity, ReducedError, RefinedTree

PRUNED = RefinedTree(learner=CART(surrogates=0, refinement=None), refinement=CostComplexity())
OTHER_PRUNING = PRUNED.replace("refinement", ReducedError())
OTHER_LEAVES, LEAST = OTHER_PRUNING.replace("learner.stop.criteria.1.size", 10.0), "learner.stop.criteria.1.size"

FILE = """
data: [iris]
learners:
  one: {type: RefinedTree, learner: {type: CART, surrogates: 0, refinement: null}, refinement: CostComplexity}
  two: {type: RefinedTree, learner: {type: CART, surrogates: 0, refinement: null, MORE}, refinement: ReducedError}
protocol: {distributor: {type: CVDistributor, folds: 2}}
comparison: {vary: refinement}
"""


def experiment(**learners: RefinedTree) -> Experiment:
    return Experiment(data={"iris": SklearnDataset()}, learners=learners, distributor=CVDistributor(folds=2))


def test_two_trees_that_differ_in_pruning_and_in_the_least_leaf_differ_in_two_paths() -> None:
    assert [each.path for each in diff(PRUNED, OTHER_LEAVES)] == [LEAST, "refinement"]


def test_learners_that_differ_in_the_part_that_varies_are_compared() -> None:
    check_alike({"one": PRUNED, "other": OTHER_PRUNING}, vary="refinement")
    with Project() as project:
        outcome = run(experiment(one=PRUNED, other=OTHER_PRUNING), project)
        assert outcome.compare(vary="refinement").learners == ["one", "other"]


def test_learners_that_differ_elsewhere_are_refused_and_the_paths_named() -> None:
    with pytest.raises(ConfigurationError) as refused:
        check_alike({"one": PRUNED, "other": OTHER_LEAVES}, vary="refinement")
    assert str(refused.value) == (
        f"learners must differ in refinement only, but one and other differ in {LEAST}: 2.0 ≠ 10.0"
    )
    check_alike({"one": PRUNED, "other": OTHER_LEAVES}, vary=["refinement", "learner.stop"])


def test_an_outcome_refuses_to_compare_them() -> None:
    with Project() as project:
        outcome = run(experiment(one=PRUNED, other=OTHER_LEAVES), project)
        with pytest.raises(ConfigurationError, match="differ in refinement only"):
            outcome.compare(vary="refinement")
        assert outcome.compare().learners == ["one", "other"], "if it is not asked for"


def test_an_experiment_that_says_what_varies_refuses_them_before_anything_is_run() -> None:
    with pytest.raises(ConfigurationError, match=r"but one and other differ in learner\.stop"):
        Experiment(
            data={"iris": SklearnDataset()},
            learners={"one": PRUNED, "other": OTHER_LEAVES},
            comparison=Comparison(vary="refinement"),
        )


def test_a_file_says_what_varies() -> None:
    found = parse_experiment(FILE.replace(", MORE", ""))
    assert found.comparison.vary == ("refinement",)
    assert Experiment.from_plain(found.to_plain()).digest == found.digest
    with pytest.raises(ExperimentError, match="one and two differ in learner"):
        parse_experiment(FILE.replace("MORE", "quality: InformationGain"))
    several = FILE.replace("MORE", "quality: InformationGain").replace(
        "vary: refinement", "vary: [refinement, learner]"
    )
    assert parse_experiment(several).comparison.vary == ("refinement", "learner")


def test_the_command_refuses_them_with_the_code_of_wrong_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = FILE.replace("MORE", "quality: InformationGain").partition("comparison")[0]
    Path("trees.yaml").write_text(text)
    runner = CliRunner()
    assert runner.invoke(command, ["run", "trees.yaml", "-q"]).exit_code == 0
    assert runner.invoke(command, ["compare", "trees.yaml", "--vary", "refinement", "--vary", "learner"]).exit_code == 0
    done = runner.invoke(command, ["compare", "trees.yaml", "--vary", "refinement"])
    assert isinstance(done.exception, ConfigurationError), "of which the command makes the code 2"
    assert "one and two differ in learner.splitter.quality: Gini() ≠ InformationGain()" in str(done.exception)


@pytest.mark.parametrize("vary", [5, [""], [None]])
def test_what_varies_is_a_path_or_several(vary: object) -> None:
    with pytest.raises(ConfigurationError, match="vary must be the path of a part, or several"):
        Comparison(vary=vary)  # type: ignore[arg-type]
