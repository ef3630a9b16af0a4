"""A dask worker that only sleeps: loaded by `dask worker --preload`, it runs no leaf, and answers after its time.

Many of them cost next to nothing, so that they show where home becomes the limit.
"""

from __future__ import annotations

import os
import time

from intemi.dask import remote, wire
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode


def run_batch(message: bytes) -> bytes:
    """Sleep as long as the leaves of a batch would take, and answer what they would."""
    import benchmarks.cluster  # noqa: F401 - it defines the machine

    batch = wire.unsealed(wire.BatchMessage, message)
    ran = []
    for leaf in [wire.Leaf(*each) for each in batch.leaves]:
        config = decode(leaf.config)
        time.sleep(config.seconds)
        content = {"result": encode(config.number)}, encode({}), dict[bytes, bytes]()
        ran.append(tuple(wire.Ran(leaf.number, wire.FINISHED, content, config.seconds, 0.0, time.monotonic())))
    return wire.sealed(wire.Answer("sleeping", os.getpid(), (), tuple(ran), time.monotonic()))


remote.run_batch = run_batch
