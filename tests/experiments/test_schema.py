"""The JSON Schema accepts what can be read and refuses common mistakes."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from intemi.data.files import reading_options
from intemi.experiments.catalogue import entries
from intemi.experiments.schema import experiment_schema

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = experiment_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_files_in_configs_fit(validator: jsonschema.Draft202012Validator, file: Path) -> None:
    assert [error.message for error in validator.iter_errors(yaml.safe_load(file.read_text()))] == []


@pytest.mark.parametrize(
    "text",
    [
        "{data: [iris], learners: [KN]}",
        "{data: [iris], learners: [{type: KNN, k: 0}]}",
        "{data: [iris], learners: [{type: KNN, kk: 3}]}",
        "{data: [iris], lerners: [KNN]}",
        "{data: [], learners: [KNN]}",
        "{data: [iris]}",
        "{data: [wyne], learners: [KNN]}",
        "{data: [iris], learners: [{type: SVM, kernel: KNN}]}",
        "{data: [iris], learners: [KNN], comparison: {alpha: 2}}",
        "{data: [iris], learners: [KNN], protocol: {repetitions: 0}}",
    ],
)
def test_mistakes_do_not_fit(validator: jsonschema.Draft202012Validator, text: str) -> None:
    assert not validator.is_valid(yaml.safe_load(text))


def test_what_can_be_said_of_a_file_fits(validator: jsonschema.Draft202012Validator) -> None:
    options = (
        "delimiter: ';', decimal: ',', header: false, missing: [x], weights: w, encoding: ascii, nominal: {a: [b]}"
    )
    assert validator.is_valid(yaml.safe_load(f"{{data: [{{path: a.csv, {options}}}], learners: [KNN]}}"))
    assert not validator.is_valid(yaml.safe_load("{data: [{path: a.csv, decimal: x}], learners: [KNN]}"))
    assert validator.is_valid(yaml.safe_load("{data: [{train: a.csv, test: b.csv, decimal: ','}], learners: [KNN]}"))
    assert not validator.is_valid(yaml.safe_load("{data: [{train: a.csv}], learners: [KNN]}"))
    assert validator.is_valid(yaml.safe_load("{data: [iris], learners: [{type: KNN, tune: {k: [1, 3]}}]}"))
    assert not validator.is_valid(yaml.safe_load("{data: [iris], learners: [{type: KNN, tune: [1, 3]}]}"))
    (files,) = [
        each
        for each in experiment_schema()["properties"]["data"]["anyOf"][0]["items"]["anyOf"]
        if "path" in each.get("properties", {})
    ]
    assert set(files["properties"]) == {"path", "target", *reading_options()}


def test_everything_that_can_be_named_is_in_it() -> None:
    definitions = experiment_schema()["$defs"]
    assert {name for name, entry in entries().items() if entry.is_machine and not entry.is_abstract} <= set(definitions)
    assert {"GaussianKernel", "Gini", "Steps", "Objective"} <= set(definitions)
