"""A knowledge base in a folder: nothing is lost, nothing that was changed counts, many may write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import ConfigurationError, IntemiError
from intemi.kernel.errors import StoreWarning
from intemi.machines import KNN, NaiveBayes
from intemi.machines.meta_learning import knowledge_folder
from intemi.machines.meta_learning.knowledge_entries import Entry, text_of
from intemi.machines.meta_learning.knowledge_folder import KnowledgeFolder


def entry(data_set: str = "iris", learner: str = "knn", result: float = 0.9, protocol: str = "2 × 5") -> Entry:
    return Entry(data_set, learner, protocol, (result, result - 0.1), seconds=2.0, data_digest=f"of {data_set}")


def filled(folder: Path) -> KnowledgeFolder:
    kept = KnowledgeFolder(folder)
    kept.append([entry(data_set, learner) for data_set in ("iris", "wine") for learner in ("knn", "tree")])
    return kept


def test_what_was_appended_is_there(tmp_path: Path) -> None:
    filled(tmp_path)
    kept = KnowledgeFolder(tmp_path)
    kept.append([entry("glass")])
    assert [(each.data_set, each.configuration) for each in kept.entries()] == [
        ("iris", "knn"), ("iris", "tree"), ("wine", "knn"), ("wine", "tree"), ("glass", "knn"),
    ]  # fmt: skip
    base = kept.base()
    assert base.data_sets == ("iris", "wine", "glass")
    assert np.isnan(base.accuracies[2, 1])
    assert base.seconds is not None
    assert base.seconds[0, 0] == 2.0


def test_an_empty_folder_is_an_empty_base(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path / "new")
    assert list(kept.entries()) == []
    assert kept.base().data_sets == ()


def test_a_later_entry_of_the_same_test_counts(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    kept.append([entry(result=0.5)])
    assert next(kept.entries()).results == (0.5, 0.4)
    assert len(list(kept.entries())) == 4


def test_revoked_entries_count_no_more_and_say_why(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    kept.revoke([entry()], "the class was among the features")
    assert len(list(kept.entries())) == 3
    assert list(kept.revoked().values()) == ["the class was among the features"]
    kept.append([entry(result=0.7)])
    assert len(list(kept.entries())) == 4
    assert kept.revoked() == {}


def test_results_of_different_protocols_are_not_mixed(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    kept.append([entry("iris", "svm", protocol="10 × 10")])
    assert kept.protocols() == {"2 × 5": 4, "10 × 10": 1}
    assert kept.base().configurations == ("knn", "tree")
    assert kept.base("10 × 10").configurations == ("svm",)


def test_configurations_come_back_as_configurations(tmp_path: Path) -> None:
    kept = KnowledgeFolder(tmp_path)
    kept.append([entry(learner=text_of(KNN(k=3))), entry(learner=text_of(NaiveBayes())), entry(learner="J48 of WEKA")])
    assert kept.base().configurations == (KNN(k=3), NaiveBayes(), "J48 of WEKA")


def test_a_changed_line_is_left_out_with_a_warning(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    kept.file.write_text(
        kept.file.read_text("utf-8").replace('"wine","configuration":"knn"', '"wine","configuration":"svm"'), "utf-8"
    )
    with pytest.warns(StoreWarning, match="1 damaged lines are left out"):
        found = list(kept.entries())
    assert [(each.data_set, each.configuration) for each in found] == [
        ("iris", "knn"),
        ("iris", "tree"),
        ("wine", "tree"),
    ]


def test_a_missing_line_is_noticed(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    lines = kept.file.read_text("utf-8").splitlines(keepends=True)
    kept.file.write_text("".join([*lines[:2], *lines[3:]]), "utf-8")
    with pytest.warns(StoreWarning):
        assert len(list(kept.entries())) == 2


@pytest.mark.parametrize("cut", [1, 5, 40, 120])
def test_a_torn_line_costs_no_more_than_itself(tmp_path: Path, cut: int) -> None:
    kept = filled(tmp_path)
    kept.file.write_bytes(kept.file.read_bytes()[:-cut])
    if cut == 1:
        kept.append([entry("glass")])
        assert len(list(kept.entries())) == 5
        return
    kept.append([entry("glass"), entry("vote")])
    with pytest.warns(StoreWarning):
        found = [each.data_set for each in kept.entries()]
    assert found[:3] == ["iris", "iris", "wine"]
    assert found[-1] == "vote"


def test_a_file_of_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setattr(knowledge_folder, "FORMAT", "intemi knowledge 2")
        filled(tmp_path)
    with pytest.raises(IntemiError, match="its format must be 'intemi knowledge 1', got 'intemi knowledge 2'"):
        list(KnowledgeFolder(tmp_path).entries())


def test_results_must_be_numbers() -> None:
    with pytest.raises(ConfigurationError, match="the results of knn on iris must be numbers"):
        Entry("iris", "knn", "2 × 5", (0.5, float("nan")))
    with pytest.raises(ConfigurationError, match="must be numbers"):
        Entry("iris", "knn", "2 × 5", ())


WRITER = """
import sys
from intemi.machines.meta_learning import knowledge_folder
from intemi.machines.meta_learning import Entry, KnowledgeFolder
kept = KnowledgeFolder(sys.argv[1])
for number in range(40):
    kept.append([Entry(f"data {number}", sys.argv[2], "2 x 5", (0.5, 0.6))])
"""


def test_several_processes_write_at_the_same_time(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"m{n}"]) for n in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert len(list(KnowledgeFolder(tmp_path).entries())) == 120


PLAIN = {"data_set": "iris", "configuration": "knn", "protocol": "2 × 5", "results": [0.5]}
OTHERS: dict[str, list[Any]] = {
    "a field of a newer version": [{"entry": {**PLAIN, "new": 1}}],
    "a field that is missing": [{"entry": {"data_set": "iris"}}],
    "a list": [{"entry": [1]}],
    "a text for results": [{"entry": {**PLAIN, "results": "abc"}}],
    "no results": [{"entry": {**PLAIN, "results": []}}],
    "a truth value": [{"entry": {**PLAIN, "results": [True]}}],
    "a huge number": [{"entry": {**PLAIN, "results": [10**400]}}],
    "an infinite number": [{"entry": {**PLAIN, "results": [float("inf")]}}],
    "too many results": [{"entry": {**PLAIN, "results": [0.5] * 200_000}}],
    "a mapping for a name": [{"entry": {**PLAIN, "data_set": {}}}],
    "a number for a name": [{"entry": {**PLAIN, "configuration": 5}}],
    "a text for seconds": [{"entry": {**PLAIN, "seconds": "x"}}],
    "a short revocation": [{"revoked": ["a"], "why": "x"}],
    "a revocation without a reason": [{"revoked": list("abcde")}],
    "a list for a description": [{"data": "a", "description": [1]}],
    "a text in a description": [{"data": "a", "description": {"x": "y"}}],
    "a description of nothing": [{"description": {"x": 1}}],
    "another kind": [{"something": 1}],
}


def sealed(folder: Path, lines: list[Any]) -> KnowledgeFolder:
    """A folder with lines that are sealed as they should be, whatever they hold."""
    seal, written = "", []
    for line in [{"format": knowledge_folder.FORMAT}, *lines]:
        body = json.dumps(line)
        seal = knowledge_folder._seal(seal, body)
        written.append(f"{seal} {body}\n")
    (folder / knowledge_folder.FILE_NAME).write_text("".join(written), "utf-8")
    return KnowledgeFolder(folder)


@pytest.mark.parametrize("kind", OTHERS)
def test_a_sealed_line_of_another_form_is_left_out_with_a_warning(kind: str, tmp_path: Path) -> None:
    kept = sealed(tmp_path, [{"entry": {**PLAIN, "data_set": "wine"}}, *OTHERS[kind], {"entry": PLAIN}])
    with pytest.warns(StoreWarning, match=r"knowledge\.jsonl: 1 lines are left out that this version .* since it has "):
        assert kept.base().data_sets == ("wine", "iris")


def test_one_long_test_among_many_does_not_take_memory_for_all(tmp_path: Path) -> None:
    many = [{"entry": {**PLAIN, "data_set": f"s{i}", "configuration": f"k{i}"}} for i in range(150)]
    kept = sealed(tmp_path, [{"entry": {**PLAIN, "results": [0.5] * 90_000}}, *many])
    with pytest.warns(StoreWarning, match=r"1 entries with more than 5,886 results are left out"):
        assert kept.base().results.shape == (150, 150, 1)
