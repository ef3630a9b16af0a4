"""The JSON Schema of experiment files, made from the declarations of machines and components."""

from __future__ import annotations

import enum
import re
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union

from intemi.analysis.hypothesis_test import TESTS
from intemi.data.files import FORMATS, reading_options
from intemi.experiments import catalogue
from intemi.experiments.building import SCHEME_KEYS
from intemi.experiments.catalogue import Entry, Parameter
from intemi.experiments.datasets import sklearn_names
from intemi.experiments.experiment import SPENT, measures_by_name
from intemi.kernel.component import Component
from intemi.kernel.machine import Machine
from intemi.machines.measures import Measure
from intemi.machines.roles import ClassifierTest, Distributor, Learner, Loader, Transformer
from intemi.machines.structure.scheme import Scheme

Schema = dict[str, Any]
_LIMITS = {"at least": "minimum", "at most": "maximum", "above": "exclusiveMinimum", "below": "exclusiveMaximum"}


def experiment_schema() -> Schema:
    """The schema, for editors that complete and check experiment files.

    >>> sorted(experiment_schema()["required"])
    ['data']
    """
    return _Writer().schema()


class _Writer:
    def __init__(self) -> None:
        self._definitions: Schema = {}
        self._known = catalogue.entries()

    def schema(self) -> Schema:
        learner = self._with(self._component(Learner), catalogue.fitting(Learner))
        named = {"anyOf": [{"enum": [*measures_by_name(), *_reported(self._known), *SPENT]}, {"type": "string"}]}
        measure = {"anyOf": [named, self._component(Measure)]}
        properties: Schema = {
            "name": {
                "type": "string",
                "description": "What the experiment is called; the name of the file, if not given.",
            },
            "project": {"type": "string", "description": "The folder in which everything that was run is kept."},
            "unification": {
                "enum": [1, 2],
                "description": "How machines are recognised: 1, by the origin of their inputs; 2, by contents as well.",
            },
            "imports": _one_or_many({"type": "string"}, "Modules or Python files with machines of your own."),
            "data": _named(self._data(), "Data sets: names, paths, or mappings."),
            "preprocessing": _one_or_many(self._component(Transformer), "Transformations before every learner."),
            "learners": _named(learner, "Machines that learn a classifier."),
            "protocol": _object(
                {
                    "distributor": self._component(Distributor),
                    "repetitions": {"type": "integer", "minimum": 1},
                    "seed": {"type": "integer", "minimum": 0},
                },
                "How learners are tested: 10-fold cross-validation, if not given.",
            ),
            "test": self._component(ClassifierTest),
            "measures": _one_or_many(measure, "The first one is what learners are compared by."),
            "comparison": _object(
                {
                    "measure": named,
                    "best": {"enum": ["highest", "lowest"]},
                    "test": {"anyOf": [{"enum": [*TESTS]}, {"type": "string"}]},  # or one of the user
                    "alpha": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                    "correction": {"enum": ["none", "bonferroni", "sidak"]},
                    "control": {"type": "string", "description": "A learner that all others are compared with."},
                    "vary": _one_or_many({"type": "string"}, "The only parts in which learners may differ."),
                },
                "How learners are compared.",
            ),
            "requests": _named(self._with(self._component(Machine)), "Other machines, run on each data set."),
        }
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "An experiment of Intemi",
            **_object(properties, "Learners on data sets, tested in one way and compared."),
            "required": ["data"],
            "anyOf": [{"required": ["learners"]}, {"required": ["requests"]}],
            "$defs": self._definitions,
        }

    def _data(self) -> Schema:
        text = {"type": "string"}
        texts = {"type": "array", "items": text}
        options = {key: {} for key in reading_options()} | {
            "target": text,
            "nominal": {"anyOf": [texts, {"type": "object", "additionalProperties": texts}]},
            "numeric": texts,
            "weights": text,
            "delimiter": text,
            "header": {"type": "boolean"},
            "missing": texts,
            "decimal": {"enum": [".", ","]},
            "encoding": text,
            "sheet": text,
            "drop": texts,
            "columns": texts,
        }
        return {
            "anyOf": [
                {"enum": list(sklearn_names())},
                {"type": "string", "pattern": rf"({'|'.join(map(re.escape, FORMATS))})(\.gz)?$"},
                {**_object({**options, "path": text}, "A file."), "required": ["path"]},
                {
                    **_object({**options, "train": text, "test": text}, "A file to learn from, and one for the test."),
                    "required": ["train", "test"],
                },
                {
                    **_object({"openml": {"type": ["integer", "string"]}, "target": text}, "A data set of OpenML."),
                    "required": ["openml"],
                },
                self._component(Loader),
            ]
        }

    def _with(self, component: Schema, names: Iterable[str] = ()) -> Schema:
        """A component that may have variants and preprocessing."""
        vary = {"vary": {"type": ["object", "array"], "description": "Values by parameter, or a list of settings."}}
        extra = {
            **vary,
            "preprocessing": {"type": ["array", "object", "string", "null"]},
            "tune": {
                "description": "Values by parameter, of which the best are chosen in inner folds.",
                "anyOf": [{"const": "default"}, {"type": "object", "additionalProperties": {"type": "array"}}],
            },
            "tuning": _object(
                {"distributor": self._component(Distributor), "measure": {"type": "string"}}, "How it is tuned."
            ),
        }
        typed = {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"anyOf": [{"enum": sorted(names)}, {"type": "string"}]}, **extra},
        }
        return {
            "anyOf": [component, {**typed, "anyOf": [{"required": [key]} for key in ("vary", "preprocessing", "tune")]}]
        }

    def _component(self, expected: type[Component]) -> Schema:
        """What can stand where a class is expected: names alone, or a type with parameters."""
        name = f"any {expected.__name__}"
        if name not in self._definitions:
            self._definitions[name] = {}  # so that what contains itself finds it
            fitting = catalogue.fitting(expected)
            fitting += [
                each.name for each in self._known.values() if _may_give(each, expected) and each.name not in fitting
            ]
            alone = [each for each in fitting if not self._known[each].needs]
            names = [name for each in alone for name in self._names(each)]
            options: list[Schema] = [{"enum": names}] if names else []
            options += [self._entry(self._known[each], is_only=len(fitting) == 1) for each in fitting]
            options.append({"type": "string", "pattern": r"\."})  # of the user, with its module in front
            options.append(
                {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "pattern": r"\."}}}
            )
            self._definitions[name] = {"anyOf": options}
        return {"$ref": f"#/$defs/{name.replace(' ', '%20')}"}

    def _names(self, name: str) -> list[str]:
        """What files call it: its registered name or, of a class of the user, that of the class alone."""
        bare = name.rpartition(".")[2]
        return [name, bare] if bare != name and catalogue.full_name(bare, self._known) == name else [name]

    def _entry(self, entry: Entry, is_only: bool = False) -> Schema:
        if entry.name not in self._definitions:
            self._definitions[entry.name] = {}
            properties = {name: self._parameter(each) for name, each in entry.parameters().items()}
            if entry.gives is Scheme:
                properties |= {key: {"type": "object"} for key in SCHEME_KEYS}
            properties["type"] = {"enum": self._names(entry.name)}
            if not is_only:
                properties["bind"] = {"type": "object", "description": "What its inputs come from, in a scheme."}
            required = [name for name, each in entry.parameters().items() if each.is_required]
            self._definitions[entry.name] = {
                **_object(properties, entry.summary),
                "required": required if is_only else ["type", *required],
            }
        return {"$ref": f"#/$defs/{entry.name}"}

    def _parameter(self, parameter: Parameter) -> Schema:
        found = dict(self._value(parameter.expected))
        for word, bound in parameter.limits.items():
            if found.get("type") in ("integer", "number"):
                found[_LIMITS[word]] = bound
        if not parameter.is_required and isinstance(parameter.default, bool | int | float | str):
            found["default"] = parameter.default
        return found

    def _value(self, hint: Any) -> Schema:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (Union, types.UnionType):
            return {"anyOf": [self._value(each) for each in arguments]}
        if origin is Literal:
            return {"enum": list(arguments)}
        if hint in _SCALARS:
            return dict(_SCALARS[hint])
        if isinstance(hint, type) and issubclass(hint, Component):
            return self._component(hint)
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return {"enum": list(hint.__members__)}
        if origin in (tuple, list, set, frozenset):
            item = arguments[0] if arguments and (origin is not tuple or arguments[-1] is Ellipsis) else Any
            return {"type": "array", "items": self._value(item)}
        if str(origin).endswith(("Mapping'>", "dict'>")):
            return {"type": "object", "additionalProperties": self._value(arguments[1])}
        return {}


def _reported(known: Mapping[str, Entry]) -> dict[str, Any]:
    """The results that classes of machines declare."""
    declared = (getattr(entry.gives, "reports", None) for entry in known.values())
    return {name: best for reports in declared if isinstance(reports, Mapping) for name, best in reports.items()}


def _may_give(entry: Entry, expected: type[Component]) -> bool:
    """Whether an algorithm, which says less than it could, may give what is expected: CART a decision tree."""
    return entry.is_algorithm and expected is not entry.gives and issubclass(expected, entry.gives)


_SCALARS: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    type(None): {"type": "null"},
    None: {"type": "null"},
}


def _object(properties: Schema, description: str) -> Schema:
    return {"type": "object", "description": description, "properties": properties, "additionalProperties": False}


def _named(item: Schema, description: str) -> Schema:
    """A list of things, or a mapping of their names."""
    return {
        "description": description,
        "anyOf": [
            {"type": "array", "minItems": 1, "items": item},
            {"type": "object", "minProperties": 1, "additionalProperties": item},
        ],
    }


def _one_or_many(item: Schema, description: str) -> Schema:
    return {"description": description, "anyOf": [item, {"type": "array", "items": item}]}
