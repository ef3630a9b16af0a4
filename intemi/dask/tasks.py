"""Tasks of dask that call a function of ours by its name.

The scheduler unpickles every task, and a worker that cannot is ended by dask. So a task refers to nothing but Python:
the scheduler does without intemi, and a worker that lacks it, or has another Python, can say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_CALL = "__import__('importlib').import_module(module).__dict__[name](*arguments)"


def submit(client: Any, worker: str, key: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Have a worker, and no other one, call a function; the future of it. Arguments are plain values."""
    names = {"module": function.__module__, "name": function.__name__, "arguments": arguments}
    return client.submit(eval, _CALL, names, key=key, workers=[worker], allow_other_workers=False, retries=0)
