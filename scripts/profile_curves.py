"""How soon strategies find good configurations on a real knowledge base, leaving out one data set after another.

    python -m scripts.profile_curves lcdb.npz

The file has arrays: `dataset`, `accuracy` (data sets × configurations × splits), and flags `dense_dataset` and
`dense_config` of a part without gaps. Data sets on which the best configuration does not vary are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from intemi.machines.meta_learning import Curves, KnowledgeBase, MaxTests, differences_of, replay
from scripts.synthetic_knowledge import STRATEGIES

TESTS = 50


def read(path: str | Path) -> KnowledgeBase:
    """The knowledge base of a file."""
    with np.load(path, allow_pickle=False) as arrays:
        rows, columns = arrays["dense_dataset"], arrays["dense_config"]
        results = arrays["accuracy"][rows][:, columns].astype(np.float64)
        names = tuple(map(str, arrays["dataset"][rows]))
    base = KnowledgeBase(names, tuple(range(results.shape[1])), results)
    return base.select(base.best_deviations > 0)


def main() -> None:
    """Print the mean distance of the best so far from the best of all, over the first tests, with standard errors."""
    base = read(sys.argv[1])
    print(base)
    for name, strategy in STRATEGIES.items():
        limited = strategy.replace("stop", (MaxTests(TESTS),))
        areas = []
        for place, data_set in enumerate(base.data_sets):
            course, _ = replay(limited, base, data_set, seed=place)
            areas.append(Curves.of(differences_of(course.finished[:TESTS], base, data_set)).area)
        error = np.std(areas, ddof=1) / np.sqrt(len(areas))
        print(f"{name:40s} {np.mean(areas):7.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
