"""The benchmark of reading runs, in sizes at which its numbers mean nothing."""

import pytest

from benchmarks import reading


@pytest.mark.needs("bench")
def test_every_reader_reads_every_file(capsys: pytest.CaptureFixture[str]) -> None:
    targets = reading.run(reading.Sizes(rows=20, rounds=1, shared=()))
    printed = capsys.readouterr().out
    assert [name for name in (*reading.ARFF, *reading.CSV, *reading.KINDS) if name not in printed] == []
    assert len(targets) == 2
    assert all(target.measured > 0 for target in targets)
