"""Machines with which graphs begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.data import read
from intemi.data.errors import DataError
from intemi.kernel import ConfigurationError, MachineFailed, Project, from_plain
from intemi.kernel.decoding import decode
from intemi.machines.loading import DataLoader, SklearnDataset
from intemi.testing import check_machine
from scripts.reference_data import HOME

TEXT = "x,class\n1,a\n2,b\n"


def written(folder: Path, text: str = TEXT) -> str:
    file = folder / "table.csv"
    file.write_text(text)
    return str(file)


def test_the_data_loader_is_a_machine(tmp_path: Path) -> None:
    check_machine(DataLoader(written(tmp_path)))
    check_machine(DataLoader(written(tmp_path), target="", options={"nominal": ["class"], "numeric": ["x"]}))


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_the_data_sets_of_scikit_learn_are_machines(name: str) -> None:
    check_machine(SklearnDataset(name))  # type: ignore[arg-type]


def test_a_data_loader_says_what_it_loaded() -> None:
    with Project(workers=1) as project:
        done = project.run(DataLoader(str(HOME.data / "survey.arff")))
        assert done.outputs["data"] == HOME.load("survey")
        assert {**done.results, "Missing share": round(done.results["Missing share"], 4)} == {
            "Name": "survey",
            "Rows": 600,
            "Numeric columns": 6,
            "Nominal columns": 3,
            "Missing share": 0.0789,
            "Classes": 5,
        }


def test_an_edited_file_is_another_machine_and_a_touched_one_is_not(tmp_path: Path) -> None:
    file = written(tmp_path)
    before = DataLoader(file)
    Path(file).touch()
    assert DataLoader(file) == before
    written(tmp_path, TEXT + "3,a\n")
    assert DataLoader(file) != before


def test_the_target_and_the_types_are_part_of_the_identity(tmp_path: Path) -> None:
    file = written(tmp_path)
    loaders = [
        DataLoader(file),
        DataLoader(file, "x"),
        DataLoader(file, options={"nominal": ["x"]}),
        DataLoader(file, options={"nominal": {"x": ["1", "2"]}}),
        DataLoader(file, options={"numeric": ["x"]}),
    ]
    assert len({loader.digest for loader in loaders}) == 5


def test_a_configuration_restored_where_the_file_is_not_still_knows_what_it_was(tmp_path: Path) -> None:
    loader = DataLoader(written(tmp_path))
    plain, encoded = loader.to_plain(), loader.encoding
    (tmp_path / "table.csv").unlink()
    assert from_plain(plain) == decode(encoded) == loader
    with pytest.raises(ConfigurationError, match="DataLoader: path must be a file that can be read"):
        DataLoader(loader.path)


def test_a_file_that_changed_since_is_refused_when_it_is_read(tmp_path: Path) -> None:
    loader = DataLoader(written(tmp_path))
    written(tmp_path, TEXT + "3,a\n")
    with Project(workers=1) as project, pytest.raises(MachineFailed) as caught:
        project.run(loader)
    assert f"expected {loader.content}; make a new one to use the file as it is now" in str(caught.value)


def test_another_path_is_another_content(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    loader, other = DataLoader(written(tmp_path)), written(tmp_path / "other", TEXT + "3,a\n")
    assert loader.replace("path", other) == DataLoader(other)
    assert loader.replace("target", "").content == loader.content


def test_a_digest_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="DataLoader: content must be 32 hexadecimal digits, got 'new'"):
        DataLoader(written(tmp_path), content="new")


def test_a_malformed_file_fails_with_its_data_error(tmp_path: Path) -> None:
    with Project(workers=1) as project, pytest.raises(MachineFailed, match=r"table\.csv:3: found 1 value, expected 2"):
        project.run(DataLoader(written(tmp_path, "x,class\n1,a\n2\n")))


def test_two_files_with_one_content_feed_one_machine_downstream(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    with Project(workers=1) as project:
        loaded = [project.run(DataLoader(written(folder))) for folder in (tmp_path, tmp_path / "copy")]
        assert loaded[0].outputs["data"] == loaded[1].outputs["data"]


def test_the_reader_of_the_file_is_told_everything_that_it_knows(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes("1,5|gro\xdf|2|a\n-|klein|1|b\n".encode("latin-1"))
    options = {
        "delimiter": "|",
        "decimal": ",",
        "header": False,
        "missing": ["-"],
        "weights": "column 3",
        "nominal": {"column 2": ["klein", "gro\xdf"]},
        "encoding": "latin-1",
    }
    loader = DataLoader(str(file), options=options)
    assert from_plain(loader.to_plain()) == loader
    with Project(workers=1) as project:
        data = project.run(loader).outputs["data"]
    assert data == read(file, **options)
    assert data.columns[1].categories == ("klein", "gro\xdf")
    assert (data.weights.tolist(), data.labels) == ([2.0, 1.0], ("a", "b"))


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("a.arff", {"nominal": ["x"]}, r"read: \.arff files have no option 'nominal'; there are encoding"),
        ("a.parquet", {"delimiter": ";"}, r"read: \.parquet files have no option 'delimiter'; there are weights"),
        ("a.csv", {"delimiter": ";;"}, "read_csv: delimiter must be one ASCII character, got ';;'"),
        ("a.csv", {"separator": ";"}, r"read: \.csv files have no option 'separator'; there are nominal, numeric"),
        ("a.txt", {}, r"a\.txt: its extension must be one of \.arff, \.csv, \.tsv, \.xlsx, \.parquet"),
    ],
)
def test_what_a_reader_cannot_do_is_found_when_the_machine_is_made(
    name: str, options: dict[str, object], error: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(TEXT)
    with pytest.raises(ConfigurationError, match=error):
        DataLoader(str(file), options=options)


def test_the_error_of_a_changed_file_is_a_data_error(tmp_path: Path) -> None:
    loader = DataLoader(written(tmp_path))
    written(tmp_path, TEXT + "3,a\n")
    with pytest.raises(DataError, match=r"table\.csv: found other content"):
        loader.run()
