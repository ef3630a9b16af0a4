"""Files in experiment files: what is said of one goes to its reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.experiments.datasets import read_data
from intemi.experiments.document import parse
from intemi.experiments.errors import ExperimentError
from intemi.machines import DataLoader


def loaded(folder: Path, text: str) -> DataLoader:
    (loader,) = read_data(parse(text, str(folder / "votes.yaml"))).values()
    assert isinstance(loader, DataLoader)
    return loader


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ExperimentError) as caught:
        loaded(folder, text)
    return str(caught.value)


def test_everything_that_a_reader_can_be_told_can_be_said_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("1,5|small|2|left\n-|large|1|right\n")
    options = "delimiter: '|', decimal: ',', header: false, missing: ['-'], weights: column 3, encoding: ascii"
    nominal = "nominal: {column 2: [small, large]}, numeric: [column 1]"
    loader = loaded(tmp_path, f"[{{path: votes.csv, target: column 4, {options}, {nominal}}}]")
    assert loader == DataLoader(
        str(file),
        "column 4",
        options={
            "delimiter": "|",
            "decimal": ",",
            "header": False,
            "missing": ["-"],
            "weights": "column 3",
            "encoding": "ascii",
            "nominal": {"column 2": ["small", "large"]},
            "numeric": ["column 1"],
        },
    )
    assert loader.run().outputs["data"].weights.tolist() == [2, 1]


def test_a_file_of_which_nothing_is_said_is_that_of_a_plain_loader(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("x,party\n1,left\n")
    assert loaded(tmp_path, "[votes.csv]") == DataLoader(str(tmp_path / "votes.csv"))


def test_what_the_reader_does_not_know_is_told_with_its_place(tmp_path: Path) -> None:
    for name in ("votes.csv", "votes.arff", "votes.txt"):
        (tmp_path / name).write_text("x,party\n1,left\n")
    assert "0.delimiter: must be one ASCII character, got '||'" in refusal(
        tmp_path, "[{path: votes.csv, delimiter: '||'}]"
    )
    assert "0.header: must be True or False, got 'no'" in refusal(tmp_path, "[{path: votes.csv, header: 'no'}]")
    assert ".arff files have no option 'header'" in refusal(tmp_path, "[{path: votes.arff, header: false}]")
    assert "its extension must be one of .arff, .csv" in refusal(tmp_path, "[{path: votes.txt}]")
    assert "did you mean 'delimiter'?" in refusal(tmp_path, "[{path: votes.csv, delimeter: ';'}]")
