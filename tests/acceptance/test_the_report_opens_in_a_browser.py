"""The report is one file that a real browser opens: in light and dark, narrow, on paper; what was found comes first."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from intemi.experiments import Experiment, Outcome, run
from intemi.kernel import Project
from intemi.machines import KNN, CVDistributor, Majority, NaiveBayes, SklearnDataset
from tests.browser import shown

INTEMI = [sys.executable, "-m", "intemi.cli"]
FILE = """
name: trees
data: [iris, wine]
learners: {full: {type: DecisionTree}, c45: {type: C45}, '<b>bayes & co': {type: NaiveBayes}}
protocol: {distributor: {type: CVDistributor, folds: 3}}
measures: [Accuracy, Leaves]
requests:
  neighbours:
    type: ParameterSearch
    test:
      type: Repeater
      distributor: {type: CVDistributor, folds: 3}
      test:
        type: Scheme
        takes: {training: Data, test: Data}
        machines:
          knn: {type: KNN, bind: {data: training}}
          knn test: {type: ClassificationTest, bind: {data: test, classifier: knn.classifier}}
    scenario: {type: Steps, path: test/knn.k, start: 1, step: 2, count: 3}
    objective: {query: {path: test/knn test, label: Accuracy}}
"""
SECTIONS = ["pictures", "results", "comparison", "requests", "data"]
FOLDED = ["learners", "protocol", "plan", "machines", "how-it-was-run"]
ASK = """{
    sections: [...document.querySelectorAll("section")].map(each => each.id),
    pictures: [...document.querySelectorAll("figure svg")].map(each => each.getBoundingClientRect().width),
    bold: document.querySelectorAll("th > b").length,
    ids: [...document.querySelectorAll("[id]")].map(each => each.id),
    sticksOut: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    boxes: [...document.querySelectorAll(".wide")].map(each => each.getBoundingClientRect().right),
    room: document.documentElement.clientWidth,
    lines: [...document.querySelectorAll("#results .number")].map(each => each.getBoundingClientRect().height),
    heads: [...document.querySelector("#results table").rows[0].cells].map(each => each.textContent),
    colours: [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor],
    filters: [...document.querySelectorAll("figure svg")].map(each => getComputedStyle(each).filter),
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "trees.yaml").write_text(FILE)
    for command in ("run", "report"):
        done = subprocess.run([*INTEMI, command, "trees.yaml"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder / "trees.html"


@pytest.fixture(scope="module")
def ten_learners() -> Outcome:
    learners = {f"the {k} nearest": KNN(k=k) for k in range(1, 17, 2)}
    experiment = Experiment(
        name="ten",
        data={name: SklearnDataset(name) for name in ("iris", "wine", "breast_cancer")},
        learners={"bayes": NaiveBayes(), **learners, "usual": Majority()},
        distributor=CVDistributor(3),
        measures=("Accuracy", "AUC"),
    )
    return run(experiment, Project())


@pytest.fixture(scope="module")
def wide(ten_learners: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("wide") / "ten.html"
    ten_learners.report(file)
    return file


def texts(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", page))


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as of WCAG."""
    parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_it_is_one_file_that_asks_for_nothing_from_elsewhere(report: Path) -> None:
    text = report.read_text()
    assert re.findall(r"<script|<link|<img|@import|url\((?!#)", text) == []
    assert [found for found in re.findall(r'(?:src|href)="([^"]*)"', text) if not found.startswith("#")] == []
    assert re.findall(r'<section id="([^"]+)"', text) == SECTIONS + FOLDED
    assert re.findall(r'<section id="([^"]+)"><details>', text) == FOLDED


def test_it_says_how_large_the_data_are(report: Path) -> None:
    assert "150" in re.sub(r"<[^>]*>", " ", report.read_text().partition("Data sets")[2].partition("</tr>")[2]).split()


def test_names_of_the_user_are_text_and_not_markup(report: Path) -> None:
    assert "<b>bayes" not in report.read_text()
    assert "&lt;b&gt;bayes &amp; co" in report.read_text()


def test_it_begins_with_a_paragraph_of_what_was_found(ten_learners: Outcome, wide: Path) -> None:
    text = wide.read_text()
    paragraph = re.findall(r'<p class="findings">(.*?)</p>', text)[0]
    ranks = ten_learners.compare().ranks
    assert ranks is not None
    first, second = ranks["machine"][0], ranks["machine"][1]
    assert paragraph.startswith(
        f"{first} has the best average rank by Accuracy, {ranks.values[0]:.2f} among 10 learners"
    )
    assert f"{second} follows with {ranks.values[1]:.2f}" in paragraph
    assert "True" not in texts(text.partition('id="data"')[0])
    places = [text.index(each) for each in ('class="findings"', "<figure>", "<table>", "<details>")]
    assert places == sorted(places)


def test_p_comes_last_and_pairs_stand_in_a_square(wide: Path) -> None:
    text = wide.read_text().partition('id="comparison"')[2]
    assert "of 45 pairs" in text
    square = text.partition("p of every pair")[2].partition("<table>")[2].partition("</table>")[0]
    assert square.count("<tr>") == 10, "a head and nine rows"


@pytest.mark.needs("browser")
def test_a_browser_shows_all_sections_and_has_no_complaints(report: Path) -> None:
    seen = shown(report, ASK)
    found = seen["found"]
    assert seen["errors"] == []
    assert [url for url in seen["requests"] if not url.startswith(("file:", "data:"))] == []
    assert found["sections"] == SECTIONS + FOLDED
    assert len(found["pictures"]) >= 5
    assert all(width > 100 for width in found["pictures"][:4])
    assert found["sticksOut"] <= 0, "nothing sticks out"
    assert found["bold"] == 0
    assert len(found["ids"]) == len(set(found["ids"])), "pictures do not share ids"


@pytest.mark.needs("browser")
def test_in_the_dark_letters_are_light_and_pictures_are_turned(report: Path) -> None:
    for dark in (False, True):
        found = shown(report, ASK, dark=dark)["found"]
        ink, paper = map(luminance, found["colours"])
        assert (ink > paper) is dark
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) > 10, "contrast"
        assert all(("invert" in each) is dark for each in found["filters"])


@pytest.mark.needs("browser")
def test_ten_learners_fit_on_a_telephone_and_no_number_is_broken(wide: Path) -> None:
    for width in (400, 1100):
        seen = shown(wide, ASK, width=width)
        found = seen["found"]
        assert seen["errors"] == []
        assert found["sticksOut"] <= 0, "the page does not scroll sideways"
        assert all(right <= found["room"] for right in found["boxes"]), "tables scroll in boxes of their own"
        assert max(found["lines"]) < 40, "each number stands in one line"
        assert found["heads"] == ["", "iris", "wine", "breast_cancer", "average rank"], "turned, as it would be wide"


@pytest.mark.needs("browser")
def test_on_paper_everything_is_unfolded_and_light(wide: Path, tmp_path: Path) -> None:
    seen = shown(wide, ASK, dark=True, printed=tmp_path / "ten.pdf")
    pages = seen["printed"]
    assert 2 <= len(pages) <= 12
    assert all(page.strip() for page in pages), "no page is empty"
    whole = " ".join(" ".join(pages).split())
    for inside in ("The same for every learner", "All 30 cells of the plan", "The last sessions of the project"):
        assert inside in whole
    assert "Pictures Results Comparison" not in whole, "there is nothing to click"
