"""Data sets in experiment files.

A text is the name of one of scikit-learn's sets (`iris`) or the path of a file (`data/vote.arff`, `data/*.arff`), seen
from the folder of the experiment file. A mapping says more: `{path: vote.csv, target: party}`, `{openml: 61}`,
`{openml: credit-g}`, `{train: first.csv, test: second.csv}`, or any machine that gives data, `{type: SklearnDataset,
name: iris}`.
"""

from __future__ import annotations

import glob
import os
from typing import Any, get_args

from intemi.data.file_format import FORMATS, extension_of, stem_of
from intemi.data.files import reading_options
from intemi.experiments.building import build_value, machine, refused
from intemi.experiments.catalogue import entries
from intemi.experiments.document import Node
from intemi.experiments.errors import near
from intemi.kernel.errors import IntemiError
from intemi.kernel.machine import Machine
from intemi.machines.loading import DataLoader, JoinedFiles, OpenMLDataset, SklearnDataset
from intemi.machines.roles import Loader


def sklearn_names() -> tuple[str, ...]:
    """The data sets that need no file."""
    names: tuple[str, ...] = get_args(entries()["SklearnDataset"].parameters()["name"].hint)
    return names


def read_data(node: Node) -> dict[str, Machine]:
    """Loaders by the names of their data sets."""
    if not node.is_list and not node.is_mapping:
        raise node.wrong(f"must be a list of data sets, or a mapping of their names, got {node.shown}")
    if not node.value:
        raise node.wrong("must name at least one data set, for example iris")
    found: dict[str, Machine] = {}
    named = node.items() if node.is_mapping else ((None, each) for each in node.value)
    for name, each in named:
        for own, loader in _loaders(each):
            called = name or own
            if called in found:
                raise each.wrong(f"two data sets are called {called!r}; give them names, `data: {{name: ...}}`")
            if "/" in called:
                raise each.wrong(f"the name of a data set must be without '/', got {called!r}")
            found[called] = loader
    return found


def _loaders(node: Node) -> list[tuple[str, Machine]]:
    if node.is_text:
        return _from_text(node)
    if not node.is_mapping:
        raise node.wrong(f"must be a name, a path or a mapping, got {node.shown}")
    if "type" in node.value:
        loader = machine(node, Loader)
        return [(_own_name(loader), loader)]
    if "path" in node.value:
        node.check_keys("path", "target", *reading_options())
        return _from_file(node.value["path"], node)
    if "train" in node.value or "test" in node.value:
        node.check_keys("train", "test", "target", *reading_options())
        return [_from_two_files(node)]
    if "openml" in node.value:
        node.check_keys("openml", "target")
        return [_from_openml(node)]
    raise node.wrong("must have a path, train and test, openml or type; for example {path: votes.csv, target: party}")


def _from_text(node: Node) -> list[tuple[str, Machine]]:
    text = node.value
    if extension_of(text) in FORMATS:
        return _from_file(node, None)
    if text in sklearn_names():
        return [(text, SklearnDataset(text))]
    hint = near(text, sklearn_names())
    raise node.wrong(
        f"no data set is called {text!r}; {hint} Files end with {', '.join(FORMATS)}; "
        "a set of OpenML is {openml: name}"
        if hint.endswith("?")
        else f"no data set is called {text!r}; {hint}, files that end with {', '.join(FORMATS)}, "
        "and those of OpenML, {openml: name}"
    )


def _from_file(path: Node, node: Node | None) -> list[tuple[str, Machine]]:
    if not path.is_text:
        raise path.wrong(f"must be the path of a file, got {path.shown}")
    folder = os.path.dirname(path.file)
    pattern = os.path.join(folder, os.path.expanduser(path.value))
    files = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
    if not files:
        raise path.wrong(f"no file fits {pattern}")
    return [(stem_of(file), _loader(file, path, node)) for file in files]


def _loader(file: str, path: Node, node: Node | None) -> Machine:
    if not os.path.exists(file):
        there = [each for each in _siblings(file) if extension_of(each) in FORMATS]
        hint = near(os.path.basename(file), there) if there else "paths are seen from the folder of the experiment file"
        if "://" in str(path.value):
            raise path.wrong(
                f"{path.value}: only sets of OpenML are downloaded, {{openml: name}}; download the file first"
            )
        raise path.wrong(f"there is no file {file}; {hint}")
    said = {key: build_value(value, Any) for key, value in node.items()} if node is not None else {}
    try:
        return DataLoader(
            file, said.get("target"), options={key: said[key] for key in reading_options() if key in said}
        )
    except IntemiError as error:
        raise refused(node or path, error) from None


def _from_two_files(node: Node) -> tuple[str, Machine]:
    """Data of a file to learn from and one to be tested on, in one table; its folds are given."""
    parts = {}
    for part in ("train", "test"):
        path = node.get(part)
        if path is None:
            raise node.wrong(f"{part} is missing: {{train: first.csv, test: second.csv}} names two files")
        found = _from_file(path, node.without("train", "test"))
        if len(found) != 1:
            raise path.wrong(f"must be one file, got {len(found)}")
        parts[part] = found[0]
    return parts["train"][0], JoinedFiles(parts["train"][1], parts["test"][1])


def _siblings(file: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.dirname(file) or "."))
    except OSError:
        return []


def _from_openml(node: Node) -> tuple[str, Machine]:
    from intemi.data import openml

    wanted = node.value["openml"]
    target = node.get("target")
    is_number = type(wanted.value) is int
    if not is_number and not wanted.is_text:
        raise wanted.wrong(f"must be the number or the name of a data set of OpenML, got {wanted.shown}")
    try:
        number = wanted.value if is_number else openml.number_of(wanted.value)
        loader = OpenMLDataset(number, None if target is None else target.value)
        return openml.describe(number).name if is_number else wanted.value, loader
    except IntemiError as error:
        raise wanted.wrong(str(error)) from None


def _own_name(loader: Machine) -> str:
    for parameter in ("name", "path"):
        value = loader.parameters().get(parameter)
        if isinstance(value, str) and value:
            return stem_of(value)
    return loader.kind
