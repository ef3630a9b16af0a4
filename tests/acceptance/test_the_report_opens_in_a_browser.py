"""The report is one file that a real browser opens: no errors, nothing from elsewhere, all sections."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
SECTIONS = ["results", "comparison", "pictures", "requests", "plan", "data", "learners", "protocol", "how-it-was-run"]
BROWSER = """
import json, os, sys
os.environ.update(QT_QPA_PLATFORM="offscreen", QTWEBENGINE_DISABLE_SANDBOX="1")
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--disable-gpu"
from PyQt6.QtCore import QTimer, QUrl
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineUrlRequestInterceptor
from PyQt6.QtWebEngineWidgets import QWebEngineView
from PyQt6.QtWidgets import QApplication

seen = {"errors": [], "requests": []}

class Interceptor(QWebEngineUrlRequestInterceptor):
    def interceptRequest(self, info):
        seen["requests"].append(info.requestUrl().toString())

class Page(QWebEnginePage):
    def javaScriptConsoleMessage(self, level, message, line, source):
        seen["errors"].append(message)

ASK = '''JSON.stringify({
    sections: [...document.querySelectorAll("section")].map(each => each.id),
    pictures: [...document.querySelectorAll("figure svg")].map(each => each.getBoundingClientRect().width),
    width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    bold: document.querySelectorAll("th > b").length,
    ids: [...document.querySelectorAll("[id]")].map(each => each.id),
})'''

app = QApplication(sys.argv[:1])
profile = QWebEngineProfile()
interceptor = Interceptor()
profile.setUrlRequestInterceptor(interceptor)
page = Page(profile)
view = QWebEngineView()
view.setPage(page)
view.resize(1100, 1400)
view.show()

def answer(found):
    print(json.dumps({**json.loads(found), **seen}))
    app.quit()

page.loadFinished.connect(lambda ok: page.runJavaScript(ASK, answer))
page.load(QUrl.fromLocalFile(sys.argv[1]))
QTimer.singleShot(60_000, lambda: app.exit(3))
status = app.exec()
sys.stdout.flush()
os._exit(status)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "trees.yaml").write_text(FILE)
    for command in ("run", "report"):
        done = subprocess.run([*INTEMI, command, "trees.yaml"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder / "trees.html"


def test_it_is_one_file_that_asks_for_nothing_from_elsewhere(report: Path) -> None:
    text = report.read_text()
    assert re.findall(r"<script|<link|<img|@import|url\((?!#)", text) == []
    assert [found for found in re.findall(r'(?:src|href)="([^"]*)"', text) if not found.startswith("#")] == []
    assert re.findall(r'<section id="([^"]+)"', text) == SECTIONS


def test_it_says_how_large_the_data_are(report: Path) -> None:
    assert "150" in re.sub(r"<[^>]*>", " ", report.read_text().partition("Data sets")[2].partition("</tr>")[2]).split()


def test_names_of_the_user_are_text_and_not_markup(report: Path) -> None:
    assert "<b>bayes" not in report.read_text()
    assert "&lt;b&gt;bayes &amp; co" in report.read_text()


@pytest.mark.needs("browser")
def test_a_browser_shows_all_sections_and_has_no_complaints(report: Path, tmp_path: Path) -> None:
    there = subprocess.run([sys.executable, "-c", "import PyQt6.QtWebEngineWidgets"], capture_output=True, text=True)
    if there.returncode:  # the system lacks libraries that every desktop has
        pytest.skip(there.stderr.splitlines()[-1])
    program = tmp_path / "browser.py"
    program.write_text(BROWSER)
    done = subprocess.run([sys.executable, program, report], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["errors"] == []
    assert [url for url in found["requests"] if not url.startswith(("file:", "data:"))] == []
    assert found["sections"] == SECTIONS
    assert len(found["pictures"]) >= 5
    assert all(width > 100 for width in found["pictures"])
    assert found["width"] <= 0, "nothing sticks out"
    assert found["bold"] == 0
    assert len(found["ids"]) == len(set(found["ids"])), "pictures do not share ids"
