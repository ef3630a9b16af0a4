"""Pages in a real browser: what a script in the page says of it, in light or dark, at a width, and printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = """
import json, os, sys
page_file, ask, width, dark, printed = json.loads(sys.argv[1])
os.environ.update(QT_QPA_PLATFORM="offscreen", QTWEBENGINE_DISABLE_SANDBOX="1")
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--disable-gpu" + (" --blink-settings=preferredColorScheme=0" * dark)
from PyQt6.QtCore import QTimer, QUrl
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineUrlRequestInterceptor
from PyQt6.QtWebEngineWidgets import QWebEngineView
from PyQt6.QtWidgets import QApplication

seen = {"errors": [], "requests": [], "printed": []}

class Interceptor(QWebEngineUrlRequestInterceptor):
    def interceptRequest(self, info):
        seen["requests"].append(info.requestUrl().toString())

class Page(QWebEnginePage):
    def javaScriptConsoleMessage(self, level, message, line, source):
        seen["errors"].append(message)

app = QApplication(sys.argv[:1])
profile = QWebEngineProfile()
interceptor = Interceptor()
profile.setUrlRequestInterceptor(interceptor)
page = Page(profile)
view = QWebEngineView()
view.setPage(page)
view.resize(width, 1400)
view.show()

def end():
    print(json.dumps(seen))
    app.quit()

def read(path, done):
    document = QPdfDocument(None)
    document.load(path)
    seen["printed"] = [document.getAllText(number).text() for number in range(document.pageCount())]
    end()

def answer(found):
    seen["found"] = json.loads(found)
    if printed:
        page.pdfPrintingFinished.connect(read)
        page.printToPdf(printed)
    else:
        end()

page.loadFinished.connect(lambda ok: page.runJavaScript(f"JSON.stringify({ask})", answer))
page.load(QUrl.fromLocalFile(page_file))
QTimer.singleShot(60_000, lambda: app.exit(3))
status = app.exec()
sys.stdout.flush()
os._exit(status)
"""


def shown(
    page: Path, ask: str, *, width: int = 1100, dark: bool = False, printed: Path | None = None
) -> dict[str, Any]:
    """What a browser found: the value of a script ("found"), "errors", "requests", and texts of "printed" pages."""
    there = subprocess.run([sys.executable, "-c", "import PyQt6.QtWebEngineWidgets"], capture_output=True, text=True)
    assert there.returncode == 0, f"Chromium needs libraries that every desktop has: {there.stderr.splitlines()[-1]}"
    asked = json.dumps([str(page), ask, width, dark, str(printed) if printed else ""])
    done = subprocess.run([sys.executable, "-c", PROGRAM, asked], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
