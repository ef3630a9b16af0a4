"""Estimators of scikit-learn as objects: read by their public parameters, they are machines like any other.

What is read is the class, by its public path, and the parameters that differ from their defaults; estimators among
them are read likewise. What has no identity (a lambda, a random generator) is refused with its name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.kernel import Component, ConfigurationError, Machine
from intemi.kernel.adoption import adopts
from intemi.kernel.libraries import library
from intemi.machines.classifiers.sklearn_estimator import ColumnSelector, Estimator, SklearnFunction, public_path


def machine_of(path: str, options: Mapping[str, Any]) -> Machine:
    """The machine around an estimator: a learner if it is a classifier, else a transformer.

    >>> machine_of("sklearn.preprocessing.StandardScaler", {}).kind
    'SklearnTransformer'
    """
    from intemi.machines.classifiers.sklearn_classifier import SklearnClassifier
    from intemi.machines.classifiers.sklearn_transformer import SklearnTransformer

    built = Estimator(path, options).build()
    if library("sklearn.base").is_classifier(built):
        return SklearnClassifier(path, options)
    if hasattr(built, "transform"):
        return SklearnTransformer(path, options)
    raise ConfigurationError(f"{path}: a classifier or a transformer is needed, got {built}; targets are nominal here")


@adopts
def adopt(value: Any) -> Machine | None:
    """The machine that an estimator stands for."""
    return machine_of(*described(value)) if is_estimator(value) else None


def is_estimator(value: Any) -> bool:
    """Whether it is an estimator; nothing is imported to find out."""
    # While another thread imports the module it may be there without the class, and so there is no estimator yet.
    base = getattr(sys.modules.get("sklearn.base"), "BaseEstimator", None)
    return base is not None and isinstance(value, base)


def described(estimator: Any) -> tuple[str, dict[str, Any]]:
    """The public path of an estimator's class, and the parameters that are not as they are by default.

    >>> from sklearn.svm import SVC
    >>> described(SVC(C=3))
    ('sklearn.svm.SVC', {'C': 3})
    """
    cls = type(estimator)
    path = public_path(cls)
    if path is None:
        raise ConfigurationError(
            f"{cls.__module__}.{cls.__qualname__} is no public class of scikit-learn, so it has no identity here; "
            "a Learner around it has (docs/machines.md)"
        )
    declared = inspect.signature(cls).parameters
    given = {name: value for name, value in estimator.get_params(deep=False).items() if name in declared}
    changed = {name: value for name, value in given.items() if not _is_same(value, declared[name].default)}
    return path, {name: option(f"{cls.__name__}: {name}", value) for name, value in changed.items()}


def _is_same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if type(value) is not type(default) or not isinstance(value, bool | int | float | str | tuple):
        return False
    return bool(value == default or (value != value and default != default))


def option(what: str, value: Any) -> Any:
    """A parameter as a value with an identity."""
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic | Component):
        return value
    if is_estimator(value):
        return Estimator(*described(value))
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(option(what, each) for each in value)
    if isinstance(value, Mapping):
        return {key: option(what, each) for key, each in value.items()}
    if type(value).__name__ == "make_column_selector" and public_path(type(value)) is not None:
        return ColumnSelector(value.pattern, _types(value.dtype_include), _types(value.dtype_exclude))
    if inspect.isfunction(value) and (path := public_path(value)) is not None:
        return SklearnFunction(path)
    name = getattr(value, "__qualname__", None) or repr(value)
    raise ConfigurationError(
        f"{what} must be plain data, an estimator or a function of scikit-learn, got {name}, which has no identity"
    )


def _types(given: Any) -> tuple[str, ...]:
    """Types of columns by the names that pandas knows them by."""
    if given is None:
        return ()
    if isinstance(given, list | tuple):
        return tuple(name for each in given for name in _types(each))
    return (given if isinstance(given, str) else getattr(given, "__name__", str(given)),)
