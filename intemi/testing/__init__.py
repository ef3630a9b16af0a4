"""Conformance suites: what any machine, store or task manager must do, ours or yours. Call them in your own tests.

Each check raises AssertionError with a sentence that says what does not hold.
"""

from intemi.testing.machine import check_machine
from intemi.testing.manager import check_task_manager
from intemi.testing.store import check_store

__all__ = ["check_machine", "check_store", "check_task_manager"]
