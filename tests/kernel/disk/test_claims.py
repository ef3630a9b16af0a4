"""Claims last as long as their process lives, and not a moment longer."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from intemi.kernel.disk import DiskStore
from intemi.kernel.errors import IntemiError
from intemi.kernel.record import Record
from intemi.kernel.store import Claim
from intemi.testing.store import sample_record

ROOT = Path(__file__).parents[2]
MACHINE = b"m" * 16
OTHER = b"o" * 16
HOLD = """
import sys
from intemi.kernel.disk import DiskStore
store = DiskStore(sys.argv[1])
for machine in sys.argv[2:]:
    print(store.claim(bytes.fromhex(machine)).name, flush=True)
sys.stdin.read()
"""
CONTEND = """
import sys
from intemi.testing.store import sample_record
from intemi.kernel.disk import DiskStore
from intemi.kernel.store import Claim
store = DiskStore(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    machine = number.to_bytes(4, "big") * 4  # claims on ids that begin alike may hinder each other
    if store.claim(machine) is Claim.MINE:
        print(number)
        store.keep(sample_record(machine), [b"key" + machine], (), {machine: machine * (1 if number % 10 else 5000)})
store.close()
"""


def content_of(machine: bytes) -> bytes:
    """What such a process keeps for a machine: one in ten is large."""
    return machine * (1 if int.from_bytes(machine[:4], "big") % 10 else 5000)


def python(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def holding(folder: Path, *machines: bytes) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds claims."""
    with python(HOLD, folder, *(machine.hex() for machine in machines)) as process:
        assert process.stdout is not None
        assert [process.stdout.readline().strip() for _ in machines] == ["MINE"] * len(machines)
        try:
            yield process
        finally:
            process.kill()


def test_what_a_living_process_has_claimed_is_busy_and_free_once_it_was_killed(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store, holding(tmp_path, MACHINE) as process:
        assert store.claim(MACHINE) is Claim.BUSY
        assert store.claim(MACHINE) is Claim.BUSY
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert store.claim(MACHINE) is Claim.MINE


def test_a_process_lets_others_in_and_keeps_what_it_has_claimed(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        mine = [os.urandom(16) for _ in range(20)]
        assert {store.claim(machine) for machine in mine} == {Claim.MINE}
        with holding(tmp_path, OTHER), python(HOLD, tmp_path, *(machine.hex() for machine in mine)) as process:
            assert process.stdout is not None
            assert {process.stdout.readline().strip() for _ in mine} == {"BUSY"}
            process.kill()
            assert store.claim(OTHER) is Claim.BUSY
            assert store.claim(MACHINE) is Claim.MINE
            store.release(mine[0])
            with holding(tmp_path, mine[0]):
                assert store.claim(mine[0]) is Claim.BUSY


def test_what_another_process_has_finished_is_found(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        assert store.claim(MACHINE) is Claim.MINE
        with python(CONTEND, tmp_path, 5) as process:
            numbers = process.communicate("\n")[0].split()[1:]
        assert numbers == ["0", "1", "2", "3", "4"]
        assert all(isinstance(store.claim(int(each).to_bytes(4, "big") * 4), Record) for each in numbers)


def test_two_stores_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as first:
        assert first.claim(MACHINE) is Claim.MINE
        with closing(DiskStore(tmp_path)) as second:
            assert second.claim(MACHINE) is Claim.BUSY
            assert second.claim(OTHER) is Claim.MINE
            assert first.claim(OTHER) is Claim.BUSY
            second.keep(sample_record(OTHER))
            assert isinstance(first.claim(OTHER), Record)


def test_only_one_of_many_takes_over_from_the_dead(tmp_path: Path) -> None:
    with holding(tmp_path, MACHINE) as process:
        process.kill()
    stores = [DiskStore(tmp_path) for _ in range(4)]
    claims = [store.claim(MACHINE) for store in stores]
    for store in stores:
        store.close()
    assert claims == [Claim.MINE, Claim.BUSY, Claim.BUSY, Claim.BUSY]


def test_opening_and_closing_a_second_store_leaves_the_first_alive_for_others(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        assert store.claim(MACHINE) is Claim.MINE
        DiskStore(tmp_path).close()
        with python(HOLD, tmp_path, MACHINE.hex()) as process:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "BUSY"
            process.kill()


def test_a_store_that_nobody_refers_to_any_more_gives_up_its_claims(tmp_path: Path) -> None:
    store = DiskStore(tmp_path)
    store.claim(MACHINE)
    del store
    with closing(DiskStore(tmp_path)) as store:
        assert store.claim(MACHINE) is Claim.MINE


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_neither_uses_nor_ends_the_claims_of_its_parent(tmp_path: Path) -> None:
    with closing(DiskStore(tmp_path)) as store:
        store.claim(MACHINE)
        child = os.fork()
        if not child:
            try:
                os._exit(what_a_fork_gets_wrong(store, tmp_path))
            finally:
                os._exit(98)  # whatever was raised, a second pytest must not go on from here
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with closing(DiskStore(tmp_path)) as other:
            assert other.claim(MACHINE) is Claim.BUSY
        store.keep(sample_record(MACHINE))


def what_a_fork_gets_wrong(store: DiskStore, folder: Path) -> int:
    operations = (
        lambda: store.find(MACHINE),
        lambda: store.claim(MACHINE),
        lambda: store.content(MACHINE),
        lambda: store.keep(sample_record()),
        lambda: store.keep(sample_record(), contents={MACHINE: b""}),
        lambda: store.keep(sample_record(), contents={MACHINE: bytes(100_000)}),
    )
    for number, operation in enumerate(operations, 1):
        try:
            operation()
        except IntemiError as error:
            if "open the folder again" not in str(error):
                return number
        else:
            return number
    store.close()
    store._claims.close()
    own = DiskStore(folder)
    return 0 if own.claim(MACHINE) is Claim.BUSY else 99


def test_of_contending_processes_exactly_one_gets_each_machine(tmp_path: Path) -> None:
    machines = 300
    processes = [python(CONTEND, tmp_path, machines) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    won = Counter(int(number) for process in processes for number in process.communicate()[0].split())
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert won == Counter(range(machines))
    with closing(DiskStore(tmp_path)) as store:
        for number in range(machines):
            machine = number.to_bytes(4, "big") * 4
            found = store.find(b"key" + machine)
            assert found is not None
            assert found.machine == machine
            assert store.content(machine) == content_of(machine)


def test_a_process_that_is_killed_at_any_moment_leaves_a_store_that_works(tmp_path: Path) -> None:
    for moment in range(5):
        with python(CONTEND, tmp_path, 100_000) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            for _ in range(20 + 37 * moment):
                process.stdout.readline()
            process.kill()
    with closing(DiskStore(tmp_path)) as store:
        claims = [store.claim(number.to_bytes(4, "big") * 4) for number in range(100)]
        assert Claim.BUSY not in claims
        for claim in claims:
            assert claim is Claim.MINE or store.content(claim.machine) == content_of(claim.machine)
