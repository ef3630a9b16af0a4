"""A search has so many seconds, and takes them: for small tables and for large, with the learning of the winner."""

import pytest

import intemi
from intemi.machines.meta_learning.measuring import made_data

SECONDS = 3.0
SLACK = 1.25
"""The promise is 5 % (`python -m benchmarks against_others` measures it); tests share their computer with others."""


@pytest.mark.parametrize("sizes", [(150, 4, 2, 3), (60_000, 20, 4, 3)], ids=["small", "large"])
def test_a_search_ends_in_time(sizes: tuple[int, int, int, int]) -> None:
    learned = intemi.learn(made_data(*sizes), minutes=SECONDS / 60, knowledge=False)
    assert learned.results["Stopped"] == "the time is up"
    assert 0.7 * SECONDS < learned.seconds < SLACK * SECONDS
