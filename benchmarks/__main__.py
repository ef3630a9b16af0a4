"""Run all benchmarks, or those named on the command line."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from importlib import import_module

from benchmarks.report import surroundings

NAMES = (
    "configuration",
    "reading",
    "requests",
    "scaling",
    "cross_validation",
    "fairness",
    "parameter_search",
    "repository",
    "blocks",
    "million",
    "trees",
    "pruning",
    "committees",
    "forests",
    "stacking",
    "cores",
    "cluster",
)
ON_REQUEST = ("against_others",)
"""Those that are run only if they are named."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print tables of numbers and what became of the targets; a missed target is news, not an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"one of {', '.join((*NAMES, *ON_REQUEST))}; if none is named, all but {', '.join(ON_REQUEST)}",
    )
    parser.add_argument("--quick", action="store_true", help="far fewer repetitions: a look, not a measurement")
    parser.add_argument("--most", type=int, metavar="N", help="machines of the largest project of `million`")
    chosen = parser.parse_args(arguments)
    for name in chosen.names:
        if name not in (*NAMES, *ON_REQUEST):
            parser.error(f"no benchmark is called {name!r}; there are {', '.join((*NAMES, *ON_REQUEST))}")
    started = time.perf_counter()
    print(surroundings())
    targets = []
    for name in chosen.names or NAMES:
        benchmark = import_module(f"benchmarks.{name}")
        sizes = benchmark.QUICK if chosen.quick else benchmark.FULL
        if name == "million" and chosen.most is not None:
            sizes = benchmark.Sizes.up_to(chosen.most)
        targets += benchmark.run(sizes)
    missed = [target.what for target in targets if not target.held]
    print(f"\n{len(targets) - len(missed)} of {len(targets)} targets held, {time.perf_counter() - started:.0f} s")
    for what in missed:
        print(f"missed: {what}")


if __name__ == "__main__":
    main()
