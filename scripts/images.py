"""Make the pictures of the documentation from real results: `python -m scripts.images`.

The pictures of the tutorial are those that its commands draw; that of the README shows what `intemi demo` has run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.pages import program

ROOT = Path(__file__).parent.parent
DRAWN = ("cellar.svg", "ranks.svg", "quickstart.svg")


def main() -> None:
    """Follow the tutorial, run the demonstration, and keep what they draw."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.py").write_text(program(ROOT / "docs" / "tutorial.md"), "utf-8")
        subprocess.run([sys.executable, "program.py"], cwd=folder, check=True)
        intemi = [sys.executable, "-m", "intemi.cli"]
        subprocess.run([*intemi, "demo"], cwd=folder, check=True)
        project = ["intemi-demo/quickstart.yaml", "--project", "intemi-demo/quickstart"]
        subprocess.run([*intemi, "picture", "accuracies", *project, "-o", "quickstart.svg"], cwd=folder, check=True)
        for name in DRAWN:
            shutil.copy(Path(folder, name), ROOT / "docs" / "images" / name)


if __name__ == "__main__":
    main()
