from __future__ import annotations

import pytest

from intemi.kernel import MachineAborted, MachineFailed, Project, State
from tests.machines import Add, Fail, Pass, Scale, gate


def test_a_request_that_takes_over_waits_for_all_inputs() -> None:
    with Project(workers=2) as project:
        left, right = (project.request(Pass(f"takes over, {side}", 1)) for side in ("left", "right"))
        first, second = (project.request(Add(), left=left.result, right=right.result) for _ in range(2))
        first.abort()
        gate("takes over, left").opened.set()
        left.wait(30)
        assert second.state is State.WAITING
        gate("takes over, right").opened.set()
        assert second.wait(30).outputs["result"] == 2


def test_a_request_that_takes_over_waits_for_its_own_inputs() -> None:
    with Project(workers=2) as project:
        first = project.request(Pass("its own inputs", 1))
        doomed = project.request(Scale(), number=first.result)
        second = project.request(Pass("its own inputs", 1))
        survivor = project.request(Scale(), number=second.result)
        assert gate("its own inputs").reached.wait(30)
        first.abort()
        gate("its own inputs").opened.set()
        assert survivor.wait(30).outputs["result"] == 2
        assert doomed.done


def test_a_machine_whose_input_is_aborted_is_aborted_at_once() -> None:
    with Project(workers=2) as project:
        left, right = (project.request(Pass(f"at once, {side}")) for side in ("left", "right"))
        total = project.request(Add(), left=left.result, right=right.result)
        right.abort()
        with pytest.raises(MachineAborted):
            total.wait(30)
        assert not left.done
        gate("at once, left").opened.set()
        gate("at once, right").opened.set()


def test_a_machine_bound_to_what_has_failed_fails() -> None:
    with Project(workers=1) as project:
        failed = project.request(Fail("long ago"))
        with pytest.raises(MachineFailed):
            failed.wait(30)
        with pytest.raises(MachineFailed, match="Fail failed: ValueError: long ago"):
            project.request(Scale(), number=failed.result).wait(30)
