"""A search has so many seconds, and takes them: for small tables and for large, with the learning of the winner."""

import pytest

import intemi
from intemi.machines.meta_learning.measuring import made_data
from tests.acceptance.test_limits_end_whatever_exceeds_them import Lateness

SECONDS = 3.0


@pytest.mark.parametrize("sizes", [(150, 4, 2, 3), (60_000, 20, 4, 3)], ids=["small", "large"])
def test_a_search_ends_in_time(sizes: tuple[int, int, int, int]) -> None:
    data = made_data(*sizes)
    lateness = Lateness()
    learned = intemi.learn(data, minutes=SECONDS / 60, knowledge=False)
    late = lateness.stopped()  # tests share their computer with others, and the first search compiles kernels
    assert learned.results["Stopped"] == "the time is up"
    assert 0.7 * SECONDS < learned.seconds < 1.05 * SECONDS + late
