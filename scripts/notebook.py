"""Execute a notebook and keep what its cells show: `python -m scripts.notebook FILE [OUTPUT]`.

IPython runs the cells in this process, so that neither a server nor a kernel is needed.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

Notebook = dict[str, Any]


class _Value(DisplayHook):
    """Keeps the forms of the value of a cell, instead of printing one of them."""

    forms: dict[str, Any] | None = None

    def __call__(self, result: Any = None) -> None:
        if result is not None:
            self.forms = self.shell.display_formatter.format(result)[0]


class _Shell(InteractiveShell):
    """A shell that displays nothing, and keeps what would be displayed."""

    displayhook_class = _Value
    display_pub_class = CapturingDisplayPublisher


def executed(notebook: Notebook) -> Notebook:
    """The notebook with the outputs of its cells; a cell that raises ends it."""
    shell = _Shell()
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell = {**cell, "execution_count": number, "outputs": _outputs(shell, "".join(cell["source"]), number)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(shell: _Shell, code: str, number: int) -> list[dict[str, Any]]:
    shell.displayhook.forms, shell.display_pub.outputs = None, []
    with capture_output(display=False) as shown:
        shell.run_cell(code).raise_error()
    outputs: list[dict[str, Any]] = []
    for name, text in (("stdout", shown.stdout), ("stderr", shown.stderr)):
        if text:
            outputs.append({"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)})
    outputs += [{"output_type": "display_data", **_forms(each["data"])} for each in shell.display_pub.outputs]
    if shell.displayhook.forms is not None:
        value = {"output_type": "execute_result", "execution_count": number}
        outputs.append({**value, **_forms(shell.displayhook.forms)})
    return outputs


def _forms(forms: dict[str, Any]) -> dict[str, Any]:
    return {"data": {mime: _plain(data) for mime, data in forms.items()}, "metadata": {}}


def _plain(data: Any) -> Any:
    """What is shown as a notebook keeps it: pictures as base64, texts in lines."""
    if isinstance(data, bytes):
        return base64.b64encode(data).decode()
    return data.splitlines(keepends=True)


def main(file: str, output: str | None = None) -> None:
    """Execute a notebook in place, or into another file."""
    notebook = json.loads(Path(file).read_text("utf-8"))
    written = json.dumps(executed(notebook), indent=1, ensure_ascii=False)
    Path(output or file).write_text(f"{written}\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
