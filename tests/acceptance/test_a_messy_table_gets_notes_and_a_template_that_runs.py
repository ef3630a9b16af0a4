"""A table as people have it: described with what is wrong with it, made an experiment of, and run without failures."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from intemi.data import describe
from tests.programs import run_python

HEAD = "Patient ID;Admission date;Weight [kg];Income;Family history?;Notes;Empty;Unit;CHD"
EXPECTED = [
    "'Weight [kg]' looks like numbers with a decimal comma, but was read as categories; decimal: ',' reads numbers",
    "1 of 87 values of 'Weight [kg]' is no number: '12,5 kg' in line 52, so it was read as 87 categories",
    "-999 occurs 3 times in 'Income'",
    "'N/A' occurs 4 times in 'Family history?' as a category",
    "'Patient ID' is different in every row",
    "'Admission date' holds dates",
    "'Notes' holds texts",
    "'Empty' has no value",
    "'Unit' has the same value everywhere",
]


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    rows = []
    for row in range(90):
        weight = "12,5 kg" if row == 50 else "?" if row % 40 == 7 else f"{60 + row * 37 % 89},{row % 10}5"
        income = -999 if row % 30 == 4 else 1000 + row * 7919 % 4000
        history = "N/A" if row % 25 == 3 else ("Present", "Absent")[row * 3 % 5 % 2]
        remark = f"seen by doctor {row * 104729 % 1000003} in ward {row}"
        date = f"{1 + row % 28:02d}.{1 + row % 12:02d}.20{10 + row % 10}"
        disease = "rare" if row in (5, 6) else "yes" if row % 3 == 0 else "no"
        rows.append(f"P{row:05d};{date};{weight};{income};{history};{remark};;1;{disease}")
    (tmp_path / "heart.csv").write_text("\n".join([HEAD, *rows, ""]))
    return tmp_path


def intemi(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "NO_COLOR": "1"}
    done = run_python("-m", "intemi.cli", *arguments, cwd=folder, env=environment, timeout=280)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_description_names_everything_that_is_wrong_with_it(messy: Path) -> None:
    notes = list(map(str, describe(messy / "heart.csv").notes))
    assert [note[: len(start)] for note, start in zip(notes, EXPECTED, strict=True)] == EXPECTED
    said = intemi(messy, "data", "heart.csv")
    assert "Classes: no 59, rare 2, yes 29" in said
    for note in notes:
        assert said.count(f"Note: {note}") == 1
    plain = json.loads(intemi(messy, "data", "heart.csv", "--json"))
    assert [each["text"] for each in plain["notes"]] == notes
    assert [each["name"] for each in plain["columns"]] == HEAD.split(";")


def test_the_file_that_init_writes_runs_without_failed_machines(messy: Path) -> None:
    said = intemi(messy, "init", "heart.yaml", "--data", "heart.csv", "--target", "CHD")
    for start in EXPECTED:
        assert said.count(f"Note: heart: {start}") == 1
    before = intemi(messy, "run", "heart.yaml", "--dry-run")
    rare = "Note: heart: the class 'rare' has 2 rows, fewer than the 10 folds"
    assert before.count("Note:") == before.count(rare) == 1  # everything else is taken care of
    done = json.loads(intemi(messy, "run", "heart.yaml", "-q", "--json"))
    assert done["failed"] == {}
    assert done["finished"] == 5
    (note,) = done["notes"]
    assert f"Note: {note}".startswith(rare)
    intemi(messy, "report", "heart.yaml")
    assert (messy / "heart.html").read_text().count("fewer than the 10 folds") == 1
