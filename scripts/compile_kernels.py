"""Compile the kernels of trees, those first that most trees need: `python -m scripts.compile_kernels`.

`make test` runs it beside the checks of style and types, which leave a processor to it. Tests that come to a kernel
before it is compiled wait for it.
"""

from __future__ import annotations

import gc

from intemi.machines.trees import kernels

if __name__ == "__main__":
    gc.disable()  # what a compiler makes stays; to look for garbage in it would take a sixth of the time
    for name in ("grow", "parts", *kernels.__all__):
        getattr(kernels, name)
