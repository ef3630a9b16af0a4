"""Huge numbers, deep nesting, aliases of aliases, long names in experiment files: one short message, within seconds."""

from __future__ import annotations

import time

import pytest

from intemi.experiments import parse_experiment
from intemi.kernel.errors import IntemiError

BASE = "data: [iris]\nlearners: [KNN]\n"
MAX_SECONDS, MAX_MESSAGE = 5.0, 1000


def doubled(count: int) -> str:
    lines = ["a0: &a0 [1, 1]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, count)]
    return "\n".join(lines)


def chained(count: int) -> str:
    lines = [f"  a{i}: &a{i} {{type: Windowing, learner: *a{i - 1}}}" for i in range(1, count)]
    return "\n".join(["data: [iris]", "learners:", "  a0: &a0 {type: KNN}", *lines])


def bombs(n: int) -> dict[str, str]:
    return {
        "lists in lists": "x: " + "[" * n,
        "mappings in mappings": "x: " + "{a: " * n,
        "indented": "\n".join(" " * i + "a:" for i in range(min(n, 3000))),
        "dashes": "- " * n,
        "question marks": "? " * n,
        "colons": ": " * n,
        "quotes": '"' * n,
        "stars": "*" * n,
        "anchors": "&a " * n,
        "aliases twice": doubled(min(n, 2000)),
        "aliases in a chain": chained(min(n, 2000)),
        "a long key": BASE + "x" * n + ": 1",
        "a long measure": f"{BASE}measures: [{'x' * n}]",
        "a long type": f"data: [iris]\nlearners: [{{type: {'K' * n}}}]",
        "a long path": f"data: ['{'a/' * n}.csv']\nlearners: [KNN]",
        "stars for a path": f"data: ['{'*' * min(n, 500)}.csv']\nlearners: [KNN]",
        "many digits": f"{BASE}protocol: {{seed: {'9' * n}}}",
        "many hexadecimal digits": f"{BASE}protocol: {{seed: 0x{'f' * n}}}",
        "many digits below 0": f"{BASE}protocol: {{repetitions: -{'9' * n}}}",
        "a number as a parameter": f"data: [iris]\nlearners: {{k: {{type: KNN, k: {'9' * n}}}}}",
        "many digits of an exponent": f"{BASE}protocol: {{seed: 1e{'9' * n}}}",
        "many measures": f"{BASE}measures: [{'a,' * n}]",
        "many data sets": f"data: [{'x,' * n}]\nlearners: [KNN]",
        "numbers of 65 digits varied": f"data: [iris]\nlearners: [{{type: KNN, vary: {{k: [0x{'f' * n}]}}}}]",
    }


@pytest.mark.parametrize("size", [200, 5000, 50_000])
@pytest.mark.parametrize("kind", bombs(1))
def test_a_bomb_is_one_short_message_at_once(kind: str, size: int) -> None:
    text = bombs(size)[kind]
    started = time.process_time()
    with pytest.raises(IntemiError) as refused:
        parse_experiment(text, "bomb.yaml")
    assert time.process_time() - started < MAX_SECONDS
    assert len(str(refused.value)) < MAX_MESSAGE
    assert str(refused.value).startswith("bomb.yaml:")


def test_seeds_may_be_large() -> None:
    assert parse_experiment(f"{BASE}protocol: {{seed: {2**127}}}").seed == 2**127


def test_aliases_may_be_used() -> None:
    text = "data: [iris]\nlearners: {a: &knn {type: KNN, k: 3}, b: *knn}\n"
    found = parse_experiment(text).learners
    assert found["a"] == found["b"]
