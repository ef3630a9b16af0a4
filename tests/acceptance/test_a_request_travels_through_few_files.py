"""How many files of the kernel somebody has to read to follow one request: measured, and bounded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = {"a cold leaf, first of its class": 42, "a cold leaf": 31, "a warm hit": 16, "a warm hit, new session": 23}
"""Kernel files on the path of a request; to raise one of these is a deliberate act."""


def test_the_path_of_a_request_is_short_and_printed() -> None:
    command = [sys.executable, "-m", "scripts.trace_request"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rows = [line for line in printed.split("\n\n")[0].splitlines()[1:] if line]
    found = {row[:32].rstrip(): int(row[32:].split()[0]) for row in rows}
    assert {name: found[name] for name in MOST if found[name] > MOST[name]} == {}
    path = printed.split("entered:\n")[1].split()
    order = [path.index(name) for name in ("project.py", "request.py", "scheduler.py", "execution.py", "record.py")]
    assert order == sorted(order), "the files are listed in the order in which the request travels"
