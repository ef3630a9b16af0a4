"""The compiled kernels of the trees. Importing one of these modules compiles its kernels, or loads them from the cache.

`cells` packs what a scan reads, `cuts`, `bins` and `symbols` find the best split of one feature, `surrogates` splits
that imitate it, `draws` makes random choices, `grow` and `parts` grow a whole tree, `route` sends rows down a tree,
`regression` grows small trees for sums.
`select_and_split` grows trees whose features are chosen before they are split: `selecting` chooses, `splitting` splits.
`moments`, `contingency`, `correspondence`, `discriminants`, `axis`, `box_cox`, `tails`, `confident` and `rows` are what
statistical trees ask of one node. Nothing here knows of components: a quality measure comes as an address.

Importing the package alone imports none of them: `kernels.grow` is imported when it is first asked for, and is an
attribute like any other from then on, which costs less than an import statement in a function each time that it runs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intemi.machines.trees.kernels import (
        axis,
        best_first,
        box_cox,
        cells,
        compiling,
        confident,
        contingency,
        correspondence,
        counting,
        cutting,
        discriminants,
        draws,
        grow,
        moments,
        parts,
        pruning,
        regression,
        route,
        rows,
        select_and_split,
        selecting,
        splitting,
        strengths,
        summary,
        tails,
        values,
    )

__all__ = [
    "axis",
    "best_first",
    "box_cox",
    "cells",
    "compiling",
    "confident",
    "contingency",
    "correspondence",
    "counting",
    "cutting",
    "discriminants",
    "draws",
    "grow",
    "moments",
    "parts",
    "pruning",
    "regression",
    "route",
    "rows",
    "select_and_split",
    "selecting",
    "splitting",
    "strengths",
    "summary",
    "tails",
    "values",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
