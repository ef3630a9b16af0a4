"""Measure the shipped calibration anew: what machines take, in universal seconds.

python -m scripts.calibration
"""

from __future__ import annotations

from pathlib import Path

import intemi.machines.meta_learning
from intemi.machines.meta_learning.measuring import measured
from intemi.machines.meta_learning.usual import usual_machines

SHIPPED = Path(intemi.machines.meta_learning.__file__).parent / "calibration.json"


def main() -> None:
    """Measure and write."""
    measured(usual_machines(), on_progress=print).save(SHIPPED)


if __name__ == "__main__":
    main()
