"""A search has so many seconds, and takes them: for small tables and for large, with the learning of the winner."""

from pathlib import Path

import pytest

import intemi
from intemi.experiments.learning import search_for
from intemi.machines.meta_learning import KnowledgeFolder
from intemi.machines.meta_learning.measuring import made_data
from tests.acceptance.test_limits_end_whatever_exceeds_them import Lateness

SECONDS = 3.0


@pytest.mark.parametrize(
    ("sizes", "knowledge"), [((150, 4, 2, 3), True), ((60_000, 20, 4, 3), False)], ids=["small", "large"]
)
def test_a_search_ends_in_time(
    sizes: tuple[int, int, int, int], knowledge: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTEMI_KNOWLEDGE", str(tmp_path))  # to add tests to it is part of the time
    data = made_data(*sizes)
    search_for(data)  # what it imports takes a second at best
    lateness = Lateness()
    learned = intemi.learn(data, minutes=SECONDS / 60, knowledge=knowledge)
    late = lateness.stopped()  # tests share their computer with others, and the first search compiles kernels
    assert learned.results["Stopped"] == "the time is up"
    assert 0.7 * SECONDS < learned.seconds < 1.05 * SECONDS + late
    assert len(list(KnowledgeFolder(tmp_path).entries())) == (learned.results["Tests"] if knowledge else 0)
