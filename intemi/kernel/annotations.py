"""What the annotations of a class mean: also those written as text, and those of classes defined inside functions."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, ClassVar


def own_annotations(cls: type) -> Mapping[str, Any]:
    """What the class itself annotates, evaluated no further than it is."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def is_class_variable(annotation: Any) -> bool:
    """Whether it says that the attribute is not a parameter."""
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2] == "ClassVar"
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def type_of(cls: type, field: dataclasses.Field[Any]) -> Any:
    """The type of a parameter; one written as text means what it means in the module of the class that declares it."""
    owner = next((base for base in cls.__mro__ if field.name in own_annotations(base)), cls)
    known = vars(owner).get("_local_types", {})
    if field.name in known:
        return known[field.name]
    module = sys.modules.get(owner.__module__)
    return _evaluated(field.type, vars(module) if module else {}, {owner.__name__: owner})


def local_types(cls: type, annotations: Mapping[str, Any]) -> dict[str, Any]:
    """What types written as text mean where a class is defined, if that is inside a function: later that is unknown."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name in ("__init_subclass__", "__new__"):
        frame = frame.f_back
    if frame is None or frame.f_globals is vars(sys.modules.get(cls.__module__, typing)) is frame.f_locals:
        return {}
    found = {}
    for name, annotation in annotations.items():
        if isinstance(annotation, str):
            with contextlib.suppress(Exception):  # it may become known later, or be told when it is needed
                found[name] = _evaluated(annotation, frame.f_globals, {**frame.f_locals, cls.__name__: cls})
    return found


def _evaluated(annotation: Any, global_names: dict[str, Any], local_names: dict[str, Any]) -> Any:
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    return typing.get_type_hints(holder, global_names, local_names)["it"]
