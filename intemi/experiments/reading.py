"""Experiment files: YAML in, an `Experiment` out, and every error with its line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from intemi.experiments.building import build, machine, refused
from intemi.experiments.comparison import Comparison
from intemi.experiments.datasets import read_data
from intemi.experiments.document import Node, parse
from intemi.experiments.errors import ExperimentError, near
from intemi.experiments.experiment import Experiment
from intemi.experiments.imports import import_one
from intemi.experiments.variants import read_learners, read_requests
from intemi.kernel.errors import ConfigurationError
from intemi.machines.distributors import GivenSplit
from intemi.machines.loading import JoinedFiles
from intemi.machines.measures import Measure
from intemi.machines.roles import ClassifierTest, Distributor

KEYS = (
    "name",
    "project",
    "unification",
    "imports",
    "data",
    "preprocessing",
    "learners",
    "protocol",
    "test",
    "measures",
    "comparison",
    "requests",
)
PROTOCOL_KEYS = ("distributor", "repetitions", "seed")
COMPARISON_KEYS = ("measure", "best", "test", "alpha", "correction", "control", "vary")


def read_experiment(file: str | os.PathLike[str]) -> Experiment:
    """The experiment that a file describes."""
    path = os.fspath(file)
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise ExperimentError(path, 1, "", "this is not text in UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{path}: the experiment file cannot be read: {error.strerror}") from None
    return parse_experiment(text, path)


def parse_experiment(text: str, file: str = "experiment.yaml") -> Experiment:
    """The experiment that the text of a file describes; paths in it are seen from the folder of the file.

    >>> found = parse_experiment("data: [iris]\\nlearners: {knn: {type: KNN, vary: {k: [1, 5]}}}")
    >>> list(found.learners)
    ['knn k=1', 'knn k=5']
    """
    root = parse(text, file)
    if not root.is_mapping:
        raise root.wrong(f"an experiment is a mapping with the keys data and learners, got {root.shown}")
    root.check_keys(*KEYS)
    _import(root)
    parts: dict[str, Any] = {"name": _name(root) or Path(file).stem}
    if (project := _text(root, "project")) is not None:
        parts["project"] = project
    if (level := root.get("unification")) is not None:
        if type(level.value) is not int or level.value not in (1, 2):
            raise level.wrong(f"must be 1 (by origins) or 2 (by contents as well), got {level.shown}")
        parts["unification"] = level.value
    if "data" not in root.value:
        raise root.wrong("data is missing: a list of data sets, for example `data: [iris, wine]`")
    if root.get("learners") is None and root.get("requests") is None:
        raise root.value.get("learners", root).wrong("learners are missing, for example `learners: [KNN, C45]`")
    parts |= _protocol(root)
    if (test := root.get("test")) is not None:
        parts["test"] = machine(test, ClassifierTest)
    if (learners := root.get("learners")) is not None:
        parts["learners"] = read_learners(learners, root.get("preprocessing"))
    elif (preprocessing := root.get("preprocessing")) is not None:
        raise preprocessing.wrong("there are no learners that it could stand before")
    if (requests := root.get("requests")) is not None:
        parts["requests"] = read_requests(requests)
    parts["data"] = read_data(root.value["data"])
    if "distributor" not in parts and all(isinstance(each, JoinedFiles) for each in parts["data"].values()):
        parts["distributor"] = GivenSplit()
    return _experiment(root, parts)


def _experiment(root: Node, parts: dict[str, Any]) -> Experiment:
    plain = Experiment(**parts, comparison=Comparison(test="PairedTTest"))  # which fits any protocol
    parts |= _measures(root, plain) | _comparison(root, plain)
    try:
        return Experiment(**parts)
    except ConfigurationError as error:
        node = root.get("comparison") or root.get("protocol") or root
        raise refused(node, error) from None


def _import(root: Node) -> None:
    for node in _imports(root):
        try:
            import_one(node.value, Path(os.path.dirname(root.file)), "imports")
        except ConfigurationError as error:
            raise node.wrong(str(error).removeprefix("imports: ")) from None


def _imports(root: Node) -> list[Node]:
    node = root.get("imports")
    if node is None:
        return []
    listed: list[Node] = node.value if node.is_list else [node]
    for each in listed:
        if not each.is_text:
            raise each.wrong(f"must be the name of a module or a Python file, got {each.shown}")
    return listed


def _protocol(root: Node) -> dict[str, Any]:
    node = root.get("protocol")
    if node is None:
        return {}
    if not node.is_mapping:
        raise node.wrong(f"must be a mapping with the keys {', '.join(PROTOCOL_KEYS)}, got {node.shown}")
    for key in node.value:
        if key in ("folds", "share", "samples", "stratified"):
            raise node.wrong_key(
                key, f"this is said of the distributor: distributor: {{type: CVDistributor, {key}: ...}}"
            )
    node.check_keys(*PROTOCOL_KEYS)
    parts: dict[str, Any] = {}
    if (distributor := node.get("distributor")) is not None:
        parts["distributor"] = machine(distributor, Distributor)
    for key, least in (("repetitions", 1), ("seed", 0)):
        if (found := node.get(key)) is not None:
            if type(found.value) is not int or found.value < least:
                raise found.wrong(f"must be an int of at least {least}, got {found.shown}")
            parts[key] = found.value
    return parts


def _measures(root: Node, experiment: Experiment) -> dict[str, Any]:
    node = root.get("measures")
    if node is None:
        if root.value.get("measures") is not None:
            raise root.value["measures"].wrong("must name at least one measure, for example Accuracy")
        return {}
    listed: list[Node] = node.value if node.is_list else [node]
    if not listed:
        raise node.wrong("must name at least one measure, for example Accuracy")
    return {"measures": tuple(_measure(each, experiment) for each in listed)}


def _measure(node: Node, experiment: Experiment) -> str | Measure:
    if node.is_mapping:
        made = build(node, Measure, "a measure")
        assert isinstance(made, Measure)
        return made
    return _name_of_measure(node, experiment)


def _name_of_measure(node: Node, experiment: Experiment) -> str:
    if not node.is_text:
        raise node.wrong(f"must be the name of a measure, got {node.shown}")
    known = experiment.known_measures
    if known is not None and node.value not in known:
        raise node.wrong(f"no measure is called {node.value!r}; {near(node.value, known)}")
    return str(node.value)


def _comparison(root: Node, experiment: Experiment) -> dict[str, Any]:
    node = root.get("comparison")
    # A single split leaves nothing for the test to be corrected by.
    test: dict[str, Any] = {"test": "PairedTTest"} if isinstance(experiment.distributor, GivenSplit) else {}
    if node is None:
        return {"comparison": Comparison(**test)} if test else {}
    if not node.is_mapping:
        raise node.wrong(f"must be a mapping with the keys {', '.join(COMPARISON_KEYS)}, got {node.shown}")
    node.check_keys(*COMPARISON_KEYS)
    if (measure := node.get("measure")) is not None:
        _name_of_measure(measure, experiment)
    given: dict[str, Any] = {**test, **{key: each.value for key, each in node.items() if each.value is not None}}
    for key, each in node.items():
        if key == "vary" and each.is_list:
            given[key] = tuple(path.value for path in each.value)
        elif each.is_list or each.is_mapping:
            raise each.wrong(f"must be a single value, got {each.shown}")
        if each.is_text and key == "test":
            given[key] = each.value
    if (control := node.get("control")) is not None and control.value not in experiment.learners:
        raise control.wrong(f"no learner is called {control.value!r}; {near(str(control.value), experiment.learners)}")
    try:
        return {"comparison": Comparison(**given)}
    except ConfigurationError as error:
        raise refused(node, error) from None


def _name(root: Node) -> str | None:
    """The name of the experiment, which is also that of the folder of its project, beside the file."""
    name = _text(root, "name")
    if name is not None and (os.path.isabs(name) or ".." in name.split("/") or not name.isprintable()):
        message = "names a folder beside this file, so it must be a relative path without '..' and control characters"
        raise root.value["name"].wrong(f"{message}, got {name!r}; `project` names any folder")
    return name


def _text(root: Node, key: str) -> str | None:
    node = root.get(key)
    if node is None:
        return None
    if not node.is_text or not node.value:
        raise node.wrong(f"must be a text, got {node.shown}; numbers need quotes")
    return str(node.value)
