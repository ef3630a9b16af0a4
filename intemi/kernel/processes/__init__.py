"""Leaves in processes of their own: for code that holds the GIL, and for limits that are enforced.

`manager` is the project's side, `worker` what a worker process runs, `channel` the connection between them, and
`classes` how a class that cannot be imported gets across.
"""

from intemi.kernel.processes.manager import Processes, RemoteTraceback, Worker

__all__ = ["Processes", "RemoteTraceback", "Worker"]
