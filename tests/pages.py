"""Pages of the documentation as programs: what they show is what a reader would type, in the order of the page.

- `python` blocks are one program. What a comment after a `print` says is printed, and so is what a `text` block shows.
- Blocks with a title, in whatever language, are files of that name.
- Lines of `console` blocks that begin with `$` are commands, and what follows is what they say; `...` stands for any
  number of lines, in these and in `text` blocks.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_CONSOLE = """
def _console(command, shown):
    import os, subprocess, sys

    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path})
    said = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    if done.returncode and not any(line.startswith(("Error:", "Failed:")) for line in shown):
        sys.exit(f"{command}: exit code {done.returncode}\\n{done.stdout}{done.stderr}")
    rest = iter(said)
    for line in shown:
        if line != "..." and line not in rest:
            sys.exit(f"{command}: does not say {line!r} (here), but\\n" + "\\n".join(said))
"""


class Block(NamedTuple):
    """A block of code in a page."""

    language: str
    title: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """All blocks of a page that say their language, or what file they are."""
    found = re.findall(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(language, title or None, text) for language, title, text in found]


def program(page: Path) -> str:
    """What a reader does who follows a page from its beginning to its end."""
    parts = [_CONSOLE]
    for language, title, text in blocks(page):
        if title is not None:
            parts.append(f"__import__('pathlib').Path({title!r}).write_text({text!r}, 'utf-8')")
        elif language == "python":
            parts.append(text)
        elif language == "console":
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                lines = [line.rstrip() for line in shown.splitlines() if line.strip()]
                parts.append(f"_console({command.partition('  # ')[0]!r}, {lines!r})")
    return "\n".join(parts)


def promised(page: Path) -> list[str]:
    """What the program of a page must print: lines, and pieces of several lines."""
    code = "\n".join(block.text for block in blocks(page) if block.language == "python" and block.title is None)
    lines = re.findall(r"^\s*print\(.*\)  # (.*)$", code, re.MULTILINE)
    shown = [block.text for block in blocks(page) if block.language == "text"]
    return lines + [piece.strip("\n") for text in shown for piece in re.split(r"^\.\.\.$", text, flags=re.MULTILINE)]
