"""Searches add their tests to the knowledge of the user; knowledge of enough data sets guides later searches."""

from __future__ import annotations

from pathlib import Path

import pytest

import intemi
from intemi.experiments.learning import MIN_KNOWN, search_for
from intemi.machines.meta_learning import Neutral, ProfileAttractiveness, own_knowledge_folder
from intemi.machines.meta_learning.measuring import made_data

TABLES = [made_data(40 + 2 * number, 3, 0, 2) for number in range(MIN_KNOWN + 1)]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTEMI_KNOWLEDGE", str(tmp_path / "knowledge"))


def test_every_search_helps_the_next_one() -> None:
    new = TABLES[-1]
    for number, table in enumerate(TABLES[:-1]):
        assert search_for(new, kept=own_knowledge_folder()).knowledge is None, f"{number} data sets are few"
        intemi.learn(table, tests=3)
    guided = search_for(new, kept=own_knowledge_folder())
    assert isinstance(guided.strategy.attractiveness, ProfileAttractiveness)
    assert guided.knowledge is not None
    learned = intemi.learn(new, minutes=3 / 60)
    assert learned.search.knowledge == guided.knowledge, "what was known when it began"
    assert len(own_knowledge_folder().base().data_sets) == MIN_KNOWN + 1


def test_knowledge_can_be_left_out() -> None:
    learned = intemi.learn(TABLES[0], tests=3, knowledge=False)
    assert learned.results["Tests"] == 3
    assert list(own_knowledge_folder().entries()) == []
    assert isinstance(search_for(TABLES[0]).strategy.attractiveness, Neutral)
