"""Task managers: where leaves run, and what to extend for a manager of your own.

    Threads, Processes      leaves on threads of this process, or in worker processes
    TaskManager             the contract of all managers
    Slots                   a base class: a thread waits for each running leaf
    Dispatcher, Outcome     a base class: leaves are sent away, and their outcomes delivered later
    Call, Stopped           a leaf with everything that it needs, and the error of one that was ended from outside

`intemi.testing.check_task_manager` checks a manager.
"""

from intemi.kernel.workers.base import Call, Outcome, Stopped, TaskManager
from intemi.kernel.workers.dispatch import Dispatcher
from intemi.kernel.workers.processes import Processes
from intemi.kernel.workers.slots import Slots
from intemi.kernel.workers.threads import Threads

__all__ = ["Call", "Dispatcher", "Outcome", "Processes", "Slots", "Stopped", "TaskManager", "Threads"]
