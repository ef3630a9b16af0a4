"""The source of what is shipped changes together with its version, or is confirmed to give the same results."""

from scripts.fingerprints import complaints, current, pinned


def test_no_shipped_class_has_another_source_than_its_version_stands_for() -> None:
    found = complaints(current(), pinned())
    assert not found, "\n" + "\n".join(found)


def test_a_complaint_says_what_to_do() -> None:
    before = {"A": ("1", "x"), "B": ("1", "x"), "C": ("1", "x"), "D": ("1", "x")}
    now = {"A": ("1", "x"), "B": ("1", "y"), "C": ("2", "y"), "E": ("1", "x")}
    found = complaints(now, before)
    assert [line.partition(":")[0] for line in found] == ["B", "C", "D", "E"]
    assert "its source has changed under version 1: raise the version, or confirm that results are the same" in found[0]
    assert all("python -m scripts.fingerprints" in line for line in found)
