"""What a process spends before it can request anything. Nothing is imported here: importing is what is measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module

IMPORT = "import intemi, after import numpy"


def measure_start() -> dict[str, float]:
    """Seconds of CPU time, in a process of its own."""
    import_module("numpy")
    spent = {
        IMPORT: _spent(lambda: import_module("intemi")),
        "import intemi.machines, after that": _spent(lambda: import_module("intemi.machines")),
    }
    classes = import_module("benchmarks.configuration")
    spent["the first digest of a class with a version"] = _spent(lambda: classes.Learner().digest)
    spent["the first digest of a class known by its source"] = _spent(lambda: classes.KnownBySource().digest)
    trees = import_module("benchmarks.trees")
    learner, data = trees.learner(), trees.generated(100, 2)
    spent["the first tree and its answers, kernels compiled before"] = _spent(
        lambda: learner.run(data=data).outputs["classifier"].classify(data)
    )
    return spent


def _spent(action: Callable[[], object]) -> float:
    before = time.process_time()
    action()
    return time.process_time() - before
