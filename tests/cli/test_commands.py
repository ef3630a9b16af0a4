"""What the subcommands say of an experiment that has been run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from intemi.cli.main import command
from intemi.kernel import Project

FILE = """
name: quick
data: [iris, wine]
learners:
  {bayes: {type: NaiveBayes}, tree: {type: C45, refinement: null}, knn: {type: KNN, preprocessing: Standardization}}
protocol: {distributor: {type: CVDistributor, folds: 3}}
measures: [Accuracy, Log loss, Leaves]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    (folder / "quick.yaml").write_text(FILE)
    return folder


@pytest.fixture
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, with the experiment run in it."""
    monkeypatch.chdir(folder)
    if not (folder / "quick").exists():
        assert said("run", "quick.yaml", "--quiet").exit_code == 0
    return folder


def said(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def test_a_run_ends_with_the_comparison(there: Path) -> None:
    done = said("run", "quick.yaml")
    assert done.exit_code == 0
    assert "Accuracy (the highest is best, marked *)" in done.stdout
    assert "0 of them run now; kept in quick" in done.stdout


@pytest.mark.parametrize("call", [("run", "quick.yaml", "-q"), ("compare", "quick")], ids=["run", "compare"])
def test_all_measures_are_shown_and_the_first_is_tested(there: Path, call: tuple[str, ...]) -> None:
    shown = said(*call).stdout
    assert "Log loss (the lowest is best, marked *)\nmean ± sd, n = 3\n" in shown
    leaves = shown.partition("\nLeaves (the lowest is best, marked *)\n")[2].splitlines()
    assert leaves[3].split()[:3] == ["iris", "–", "4.667"]
    assert shown.count("Average ranks") == 1
    asked = json.loads(said(*call, "--json").stdout)
    also = asked.get("comparison", asked)["also measured"]
    assert [(each["measure"], each["best"], len(each["means"])) for each in also] == [
        ("Log loss", "lowest", 6),
        ("Leaves", "lowest", 2),
    ]


def test_one_measure_alone_is_shown_if_it_is_asked_for(there: Path) -> None:
    assert "Log loss" not in said("compare", "quick", "--measure", "Accuracy").stdout
    latex = said("compare", "quick", "--format", "latex").stdout
    assert "% also measured: Log loss (--measure 'Log loss'), Leaves (--measure Leaves)" in latex


def test_a_measure_that_no_learner_has_yet_is_a_note(tmp_path: Path) -> None:
    plan = FILE.replace(", tree: {type: C45, refinement: null}", "").replace(", Leaves", "")
    (tmp_path / "first.yaml").write_text(plan)
    (tmp_path / "second.yaml").write_text(FILE)
    folder = str(tmp_path / "quick")
    assert said("run", str(tmp_path / "first.yaml"), "-q", "-p", folder).exit_code == 0
    done = said("compare", str(tmp_path / "second.yaml"), "-p", folder)
    assert done.exit_code == 0
    assert "Note: quick: no test and no learner has a result 'Leaves'" in done.stdout
    assert "Log loss (the lowest is best" in done.stdout


def test_the_project_is_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "one.yaml").write_text("{name: one, data: [iris], learners: [Majority]}")
    monkeypatch.chdir(tmp_path)
    first = said("run", "one.yaml", "-q")
    assert "kept in one\n" in first.stdout
    monkeypatch.chdir(tmp_path / "sub")
    again = said("run", "../one.yaml", "-q")
    assert "0 of them run now; kept in ../one\n" in again.stdout
    assert again.stderr == ""
    assert said("compare", "../one.yaml").stdout.splitlines()[0] == "Accuracy (the highest is best, marked *)"
    assert json.loads(said("compare", "../one.yaml", "--json").stdout)["changes"] == []
    assert not (tmp_path / "sub" / "one").exists()


def test_a_project_in_the_current_folder_alone_is_used_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "one.yaml").write_text("{name: one, data: [iris], learners: [Majority]}")
    monkeypatch.chdir(tmp_path / "sub")
    assert said("run", "../one.yaml", "-q", "-p", "one").exit_code == 0
    again = said("run", "../one.yaml", "-q")
    assert "0 of them run now; kept in one\n" in again.stdout
    assert again.stderr == "Note: one of the current folder is used; beside ../one.yaml there is no project one\n"


def test_without_a_terminal_progress_is_one_plain_line(there: Path) -> None:
    assert said("run", "quick.yaml").stderr == "6 of 6 done, 0 run, 6 unified, 0 failed\n"
    assert said("run", "quick.yaml", "--quiet").stderr == ""


def test_a_dry_run_says_what_is_there_and_what_is_not(there: Path) -> None:
    (there / "more.yaml").write_text(
        FILE.replace("{type: C45, refinement: null}", "{type: C45, min_objects: 9, refinement: null}")
    )
    done = said("run", "more.yaml", "-p", "quick", "--dry-run")
    assert [line.startswith("there") for line in done.stdout.splitlines()] == [True, False, True] * 2


def test_compare_says_the_same_for_the_file_and_for_the_folder(there: Path) -> None:
    of_file, of_folder = said("compare", "quick.yaml"), said("compare", "quick")
    assert of_file.exit_code == of_folder.exit_code == 0
    assert of_file.stdout == of_folder.stdout
    assert "Friedman" in of_file.stdout


def test_compare_by_another_measure_knows_which_values_are_best(there: Path) -> None:
    found = json.loads(said("compare", "quick.yaml", "--measure", "Log loss", "--json").stdout)
    assert (found["measure"], found["best"]) == ("Log loss", "lowest")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_compare_writes_tables_for_papers(there: Path, form: str) -> None:
    done = said("compare", "quick.yaml", "--format", form)
    assert done.exit_code == 0
    assert "breast" not in done.stdout
    assert "iris" in done.stdout


def test_a_tabular_has_deviations_and_the_best_in_bold(there: Path) -> None:
    lines = said("compare", "quick.yaml", "--format", "latex").stdout.splitlines()
    table = lines[lines.index(r"\begin{tabular}{lrrr}") :]
    assert table[2:4] == [r" & bayes & tree & knn \\", r"\midrule"]
    for row in table[4:6]:
        assert row.count(r"$\pm$") == 3
        assert row.count(r"\textbf{0.") >= 1
    assert table[6] == r"\midrule"
    assert table[7].startswith("average rank & ")
    assert "*" not in "".join(table)


def test_a_wide_tabular_is_turned(tmp_path: Path) -> None:
    learners = ", ".join(f"neighbours{k}: {{type: KNN, k: {k}}}" for k in range(1, 9))
    (tmp_path / "wide.yaml").write_text(
        f"{{data: [iris], learners: {{{learners}}}, protocol: {{distributor: {{type: CVDistributor, folds: 2}}}}}}"
    )
    assert said("run", str(tmp_path / "wide.yaml"), "-q").exit_code == 0
    table = said("compare", str(tmp_path / "wide.yaml"), "--format", "latex").stdout
    assert "\\begin{tabular}{lr}\n\\toprule\n & iris \\\\\n\\midrule\nneighbours1 & " in table


def test_pictures_have_texts_that_can_be_found_and_embedded_fonts(there: Path) -> None:
    for file in ("accuracies.pdf", "accuracies.svg"):
        assert said("picture", "accuracies", "quick.yaml", "-o", file).exit_code == 0
    assert b"/Type3" not in (there / "accuracies.pdf").read_bytes()
    assert (
        b"/TrueType" in (there / "accuracies.pdf").read_bytes()
        or b"/CIDFontType2" in (there / "accuracies.pdf").read_bytes()
    )
    assert ">bayes</text>" in (there / "accuracies.svg").read_text()


def test_the_resolution_of_a_png_can_be_chosen(there: Path) -> None:
    from matplotlib.image import imread

    for name, options in (("plain.png", []), ("fine.png", ["--dpi", "200"])):
        assert said("picture", "accuracies", "quick.yaml", "-o", name, *options).exit_code == 0
    plain, fine = (imread(there / name).shape for name in ("plain.png", "fine.png"))
    assert fine[0] == pytest.approx(2 * plain[0], abs=2)
    refused = said("picture", "accuracies", "quick.yaml", "-o", "plain.svg", "--dpi", "200")
    assert "plain.svg: --dpi is for .png" in str(refused.exception)


def test_compare_draws_the_critical_difference(there: Path) -> None:
    done = said("compare", "quick.yaml", "--picture", "ranks.svg")
    assert done.exit_code == 0, done.output
    assert "<svg" in (there / "ranks.svg").read_text()


@pytest.mark.parametrize("what", ["accuracies", "ranks", "table", "wins", "size", "tree", "time", "margins"])
def test_every_picture_of_learners_comes_from_the_command(there: Path, what: str) -> None:
    done = said("picture", what, "quick.yaml", "-o", f"drawn-{what}.svg")
    assert done.exit_code == 0, done.output
    assert done.stdout == f"drawn-{what}.svg is written\n"
    assert "<svg" in (there / f"drawn-{what}.svg").read_text()


def test_members_of_committees_are_drawn_if_all_sizes_were_tested(there: Path) -> None:
    (there / "sizes.yaml").write_text(
        """
name: sizes
data: [iris]
learners: {bagging: {type: Bagging, learner: {type: DecisionTree}, size: 3}}
protocol: {distributor: {type: CVDistributor, folds: 2}, seed: 1}
test: {type: CommitteeTest}
measures: [Accuracy]
""",
        "utf-8",
    )
    assert said("run", "sizes.yaml").exit_code == 0
    assert said("picture", "members", "sizes.yaml", "-o", "members.svg").exit_code == 0
    assert "1 − Accuracy" in (there / "members.svg").read_text("utf-8")


def test_a_picture_says_what_is_missing(there: Path) -> None:
    for arguments, says in (
        (("search", "quick.yaml"), "quick: nothing that has finished there is a parameter search"),
        (("tree", "quick.yaml", "--learner", "bayes"), "quick: nothing that has finished there is a learner of trees"),
        (("tree", "quick.yaml", "--learner", "tre"), "no learner is called 'tre'; did you mean 'tree'?"),
        (("table", "quick.yaml", "--measure", "Acuracy"), "no measure is called 'Acuracy'; did you mean 'Accuracy'?"),
        (("tree", "quick.yaml", "-o", "tree.png"), "tree.png: a tree is drawn as .svg"),
    ):
        assert str(said("picture", *arguments).exception) == says


SEARCH = """
data: [iris]
requests:
  search:
    type: ParameterSearch
    test:
      type: Repeater
      distributor: {type: CVDistributor, folds: 2}
      seed: 1
      test:
        type: Scheme
        takes: {training: Data, test: Data}
        machines:
          knn: {type: KNN, bind: {data: training}}
          test of knn: {type: ClassificationTest, bind: {data: test, classifier: knn.classifier}}
    scenario: {type: Steps, path: test/knn.k, start: 1, step: 2, count: 3}
    objective: {query: {path: test/test of knn, label: Accuracy}, statistic: mean}
"""


def test_a_search_is_run_and_drawn_from_the_command(there: Path) -> None:
    (there / "search.yaml").write_text(SEARCH)
    assert said("run", "search.yaml", "--time-line", "workers.svg").exit_code == 0
    assert "worker 1" in (there / "workers.svg").read_text()
    assert said("picture", "search", "search.yaml").stdout == "search.svg is written\n"
    assert "worker" not in said("run", "search.yaml", "--time-line", "none.svg").stdout
    assert not (there / "none.svg").exists(), "nothing was run"


def test_a_file_says_how_machines_are_recognised(there: Path) -> None:
    ran = {}
    for level in (1, 2):
        (there / "level.yaml").write_text(
            f"unification: {level}\ndata: [iris]\n"
            "learners: {plain: KNN, with nothing to impute: {type: KNN, preprocessing: Imputation}}\n"
            "protocol: {distributor: {type: CVDistributor, folds: 2}}\n"
        )
        found = json.loads(said("run", "level.yaml", "-p", f"level {level}", "--json").stdout)
        ran[level] = found["run"]
    assert ran[1] - ran[2] >= 2, "the neighbours of data that imputation leaves as they are"


def test_what_does_not_fit_on_a_screen_is_told_in_another_way(there: Path) -> None:
    learners = "{type: KNN, vary: {k: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}}"
    for control in (None, "Majority"):
        (there / "wide.yaml").write_text(
            f"data: [iris, wine]\nlearners: [Majority, {learners}]\n"
            "protocol: {distributor: {type: CVDistributor, folds: 2}}\n"
            + (f"comparison: {{control: {control}}}\n" if control else "")
        )
        text = said("run", "wide.yaml").stdout
        assert max(map(len, text.splitlines())) <= 120
        assert "          iris " in text
        assert f"against {control or 'all others'}\n" in text
    assert "Majority  0" not in text.partition("Wins-draws-losses")[2], "nobody is compared with itself"


def test_data_that_cannot_be_loaded_are_told_of_once(there: Path) -> None:
    (there / "broken.csv").write_text('x,kind\n1,a\n"2,b\n')
    (there / "broken.yaml").write_text("data: [iris, broken.csv]\nlearners: [NaiveBayes, Majority]\n")
    done = said("run", "broken.yaml", "--quiet")
    assert done.exit_code == 1
    failed = [line for line in done.stderr.splitlines() if line.startswith("Failed: ")]
    assert len(failed) == 1
    assert failed[0].startswith("Failed: everything on broken: data broken failed: DataError: ")
    assert done.stdout.count("broken failed") == 1
    assert list(json.loads(said("run", "broken.yaml", "--json").stdout)["failed"]) == [
        "NaiveBayes on broken",
        "Majority on broken",
    ]
    assert said("report", "broken.yaml").exit_code == 1
    assert (there / "broken.html").read_text().count("<b>everything on broken</b>") == 1


def test_an_experiment_that_was_not_run_has_nothing_to_compare(there: Path) -> None:
    (there / "other.yaml").write_text(FILE.replace("folds: 3", "folds: 4"))
    done = said("compare", "other.yaml", "-p", "quick")
    assert done.exit_code == 1
    assert "no learner has finished" in str(done.exception)


def test_query_finds_filters_and_writes_json_and_csv(there: Path) -> None:
    arguments = (
        "query",
        "quick",
        "--type",
        "ClassificationTest",
        "--under",
        "knn on iris",
        "-l",
        "Accuracy",
        "-l",
        "Fold",
    )
    rows = json.loads(said(*arguments, "--json").stdout)
    assert [row["Fold"] for row in rows] == [1, 2, 3]
    some = json.loads(said(*arguments, "--where", "Fold > 1", "--json").stdout)
    assert some == rows[1:]
    assert len(said(*arguments, "--csv").stdout.splitlines()) >= 4


def test_the_plan_is_drawn_before_and_after_a_run(there: Path) -> None:
    done = said("graph", "quick.yaml", "--plan", "--learner", "knn", "-o", "plan.svg")
    assert done.exit_code == 0, done.output
    assert "would be run" in (there / "plan.svg").read_text()
    refused = said("graph", "quick.yaml", "--plan")
    assert "-o must name its file" in str(refused.exception)


def test_the_graph_is_text_without_a_run_and_a_picture_after_one(there: Path) -> None:
    text = said("graph", "quick.yaml", "--learner", "knn").stdout
    assert "transformation: Standardization(ddof=1)" in text
    assert "[classifier ← learner.classifier, data ← test]" in text
    done = said("graph", "quick.yaml", "--learner", "knn", "-o", "graph.svg")
    assert done.exit_code == 0, done.output
    assert "<svg" in (there / "graph.svg").read_text()


def test_runs_lists_the_sessions(there: Path) -> None:
    runs = json.loads(said("runs", "quick", "--json").stdout)
    assert runs[0]["name"] == "quick"


def test_cache_is_measured_verified_and_pruned_and_results_stay(there: Path) -> None:
    before = json.loads(said("compare", "quick.yaml", "--json").stdout)
    size = json.loads(said("cache", "size", "quick", "--json").stdout)
    assert size["machines"]["ClassificationTest"] == 18
    assert json.loads(said("cache", "verify", "quick", "--json").stdout)["problems"] == []
    assert json.loads(said("cache", "prune", "quick", "--json").stdout)["values"] == 0, "everything is needed"
    assert json.loads(said("cache", "prune", "quick", "--values", "--json").stdout)["values"] > 0
    assert json.loads(said("compare", "quick.yaml", "--json").stdout) == before
    with Project("quick") as project:
        from intemi.experiments import found, read_experiment

        cell = found(read_experiment("quick.yaml"), project).cells[0]
        assert cell.capsule is not None
        learner = cell.capsule.child("test/learner")
        assert learner.outputs["classifier"].labels == ("setosa", "versicolor", "virginica"), "a value is made again"


def test_a_damaged_store_is_noticed(there: Path, tmp_path: Path) -> None:
    import shutil
    import sqlite3

    shutil.copytree("quick", tmp_path / "damaged")
    with sqlite3.connect(tmp_path / "damaged" / "machines.sqlite") as connection:
        connection.execute("UPDATE machines SET record = x'00' WHERE rowid = 3")
    connection.close()
    done = said("cache", "verify", str(tmp_path / "damaged"))
    assert done.exit_code == 1
    assert "Damaged: " in done.stderr


def test_a_python_file_that_assigns_an_experiment_is_run_like_a_file(there: Path) -> None:
    (there / "study.py").write_text(
        "from intemi.experiments import Experiment\n"
        "from intemi.machines import CVDistributor, Majority, NaiveBayes, SklearnDataset\n\n"
        "class Guess(Majority):\n    '''Guess.'''\n\n"
        "experiment = Experiment(data={'iris': SklearnDataset('iris')},\n"
        "    learners={'guess': Guess(), 'bayes': NaiveBayes()}, distributor=CVDistributor(3))\n"
    )
    done = said("run", "study.py", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["finished"] == 2
    assert said("compare", "study", "--import", "study.py").exit_code == 0
    (there / "of file.yaml").write_text(
        "imports: study.py\ndata: [iris]\nlearners: {guess: study.Guess}\n"
        "protocol: {distributor: {type: CVDistributor, folds: 3}}\n"
    )
    assert json.loads(said("run", "of file.yaml", "-p", "study", "--json").stdout)["run"] == 0, "it is the same machine"


@pytest.mark.parametrize(
    "statement",
    [
        "from base import experiment",
        "from base import plan as experiment",
        "import base\nif base.plan:\n    experiment = base.plan",
        "import base\ntry:\n    experiment, other = base.plan, 1\nfinally:\n    pass",
        "import base\nexperiment: object = base.plan",
    ],
)
def test_an_experiment_may_come_from_anywhere(tmp_path: Path, statement: str) -> None:
    from intemi.cli.opening import defines_experiment

    (tmp_path / "study.py").write_text(statement)
    assert defines_experiment(str(tmp_path / "study.py"))
    (tmp_path / "study.py").write_text("def experiment():\n    experiment = 1\n")
    assert not defines_experiment(str(tmp_path / "study.py"))


def test_any_other_python_file_is_run_as_a_program(there: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (there / "program.py").write_text("if __name__ == '__main__':\n    print('as a program')\n")
    assert "as a program" in said("run", "program.py").stdout


def test_the_doctor_finds_nothing_wrong_here(there: Path) -> None:
    done = said("doctor", "quick", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["a tiny experiment"]["ok"] is True


def test_the_demonstration_leaves_an_experiment_a_report_and_a_picture(tmp_path: Path) -> None:
    done = said("demo", str(tmp_path / "demo"))
    assert done.exit_code == 0, done.output
    assert "Average ranks" in done.stdout
    assert "</html>" in (tmp_path / "demo" / "quickstart.html").read_text()
    assert "<svg" in (tmp_path / "demo" / "quickstart.svg").read_text()
    assert "0 of them run now" in said("demo", str(tmp_path / "demo")).stdout


@pytest.mark.parametrize(
    ("role", "machine"), [("Ranker", "ReliefFRanking"), ("Transformer", "Imputation"), ("Distributor", "CVDistributor")]
)
def test_a_role_lists_its_machines(role: str, machine: str) -> None:
    assert machine in said("machines", role).output.partition("Of this kind: ")[2]


def test_a_scheme_is_described_as_files_draw_it() -> None:
    described = json.loads(said("machines", "Scheme", "--json").output)
    assert [each["name"] for each in described["parameters"]] == ["takes", "machines", "gives", "seed"]
    assert "ports_in" not in said("machines", "Scheme").output
