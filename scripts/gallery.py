"""Make the gallery: `python -m scripts.gallery` runs all examples, keeps their pictures, and writes `docs/gallery.md`.

An example is a file in `examples/`: a program whose docstring has its title and what it shows, or an experiment file
that begins with them as a comment. It draws one picture with its own name.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "images" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
FIRST = (
    "learn_from_a_table",
    "compare_learners",
    "from_weka_experimenter",
    "from_grid_search_cv",
    "from_mlr3",
    "from_a_file",
)
"""What a newcomer looks for; the others follow by name."""
HEAD = """# Gallery

Short examples, each with its picture. They are files in `examples/` that run as they are, and are run by the tests;
`python -m scripts.gallery` makes this page of them. `examples/first_look.ipynb` is a notebook with its outputs.
"""


@dataclass(frozen=True)
class Example:
    """A file of the gallery."""

    file: Path
    title: str
    text: str
    code: str

    @property
    def name(self) -> str:
        """The name of the file and of its picture."""
        return self.file.stem

    @property
    def commands(self) -> list[list[str]]:
        """What runs it and draws its picture, in the current folder."""
        if self.file.suffix == ".py":
            return [[sys.executable, str(self.file)]]
        intemi, project = [sys.executable, "-m", "intemi.cli"], ["--project", self.name]
        picture = ["picture", "ranks", str(self.file), *project, "-o", f"{self.name}.svg"]
        return [[*intemi, "run", str(self.file), *project, "-q"], [*intemi, *picture]]


def example(file: Path) -> Example:
    """The example that a file is."""
    source = file.read_text("utf-8")
    if file.suffix == ".py":
        found = re.match(r'"""(.*?)\n\n(.*?)\n"""\n\s*(.*)', source, re.DOTALL)
    else:
        found = re.match(r"# ([^\n]*)\n#\n((?:# [^\n]*\n)+)(.*)", source, re.DOTALL)
    if found is None:
        raise ValueError(f"{file}: an example begins with its title, an empty line, and what it shows")
    title, text, code = found.groups()
    return Example(file, title, " ".join(text.replace("\n# ", " ").removeprefix("# ").split()), code.strip())


def examples() -> list[Example]:
    """All examples, those that newcomers look for first."""
    files = sorted(file for file in (ROOT / "examples").iterdir() if file.suffix in (".py", ".yaml"))
    order = {name: number for number, name in enumerate(FIRST)}
    return [example(file) for file in sorted(files, key=lambda file: order.get(file.stem, len(order)))]


def page() -> str:
    """The page of all examples. Their code is not that of the page: the tests run the files."""
    parts = [HEAD]
    for each in examples():
        language = "py" if each.file.suffix == ".py" else "yml"
        picture = f"![{each.title}](images/gallery/{each.name}.svg)"
        code = f"```{language}\n{each.code}\n```"
        parts.append(f"## {each.title}\n\n{each.text}\n\n{picture}\n\n`examples/{each.file.name}`\n\n{code}\n")
    return "\n".join(parts)


def main() -> None:
    """Run all examples, keep their pictures, and write the page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for each in examples():
        with tempfile.TemporaryDirectory() as folder:
            for command in each.commands:
                subprocess.run(command, cwd=folder, check=True)
            drawn = Path(folder, f"{each.name}.svg").read_text("utf-8")
            (PICTURES / f"{each.name}.svg").write_text(drawn, "utf-8")
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
