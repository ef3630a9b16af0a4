"""Print the lowest versions of libraries that pyproject.toml allows, as requirements for pip: numba==0.62 numpy==2.0.

python scripts/lowest_versions.py numba numpy
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def lowest(names: list[str]) -> list[str]:
    """A requirement for each of the libraries."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    bounds = dict(re.split(">=", re.split("[,;]", each)[0]) for each in tomllib.loads(text)["project"]["dependencies"])
    return [f"{name}=={bounds[name]}" for name in names]


if __name__ == "__main__":
    print(*lowest(sys.argv[1:]))
