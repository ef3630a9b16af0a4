"""Estimators of scikit-learn as values: which class with which options, and what one keeps after it was fitted."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import version
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.data.exchange import features_to_pandas
from intemi.kernel import Component, ConfigurationError, storable
from intemi.kernel.encoding import digest, encode
from intemi.kernel.libraries import library
from intemi.kernel.linear_algebra import one_openmp_thread
from intemi.machines.classifiers.estimator_checks import check_estimator
from intemi.machines.classifiers.packed_estimator import NOT_FOR_ESTIMATORS, pack, unpack
from intemi.machines.decoded import expect


class Estimator(Component):
    """An estimator among the options of another one, such as the trees of AdaBoost.

    >>> Estimator("sklearn.tree.DecisionTreeClassifier", {"max_depth": 1}).build()
    DecisionTreeClassifier(max_depth=1)
    """

    estimator: str
    options: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        read_objects(self)
        super().__post_init__()

    def check(self) -> None:
        self.build()

    def build(self) -> Any:
        """A new estimator that knows nothing yet."""
        return build(self.kind, self.estimator, self.options)


class SklearnFunction(Component):
    """A public function of scikit-learn among the options of an estimator, such as a score of features.

    >>> SklearnFunction("sklearn.feature_selection.chi2").build().__name__
    'chi2'
    """

    path: str

    def check(self) -> None:
        self.build()

    def build(self) -> Any:
        """The function itself."""
        module, _, name = self.path.rpartition(".")
        found: Any = getattr(_module(self.kind, module, self.path), name, None)
        if not inspect.isfunction(found) or public_path(found) != self.path:
            raise ConfigurationError(f"{self.kind}: {module} has no public function {name!r}")
        return found


class ColumnSelector(Component):
    """Columns by a pattern of their names or by their types, for a `ColumnTransformer`: its `make_column_selector`.

    Numeric columns are of the type "number", nominal ones "category".

    >>> ColumnSelector(include="number").build().dtype_include
    ['number']
    """

    pattern: str | None = None
    include: tuple[str, ...] | str = ()
    exclude: tuple[str, ...] | str = ()

    def build(self) -> Any:
        """The selector of scikit-learn."""
        types = ([each] if isinstance(each, str) else list(each) for each in (self.include, self.exclude))
        include, exclude = (each or None for each in types)
        selector = library("sklearn.compose").make_column_selector
        return selector(self.pattern, dtype_include=include, dtype_exclude=exclude)


def public_path(defined: Any) -> str | None:
    """Where a class or function of scikit-learn is to be found by its users; None if it is not.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> public_path(RandomForestClassifier)
    'sklearn.ensemble.RandomForestClassifier'
    """
    parts = [part for part in defined.__module__.split(".") if not part.startswith("_")]
    if parts[:1] != ["sklearn"] or len(parts) < 2 or parts[1] in NOT_FOR_ESTIMATORS:
        return None
    name: str = defined.__qualname__
    for length in range(2, len(parts) + 1):
        module = ".".join(parts[:length])
        if vars(library(module)).get(name) is defined:
            return f"{module}.{name}"
    return None


def installed() -> str:
    """The version of scikit-learn."""
    return version("scikit-learn")


def build(who: str, path: str, options: Mapping[str, Any]) -> Any:
    """A new estimator; what is unknown is refused with the names of what there is."""
    cls = _class_at(who, path)
    known = [name for name in inspect.signature(cls).parameters if name != "self"]
    own = {name: _built(value) for name, value in options.items() if "__" not in name}
    for name in own:
        if name not in known:
            raise ConfigurationError(f"{who}: {path} has no option {name!r}; there are {', '.join(known)}")
    try:
        made = cls(**own)
        return made.set_params(**{name: _built(value) for name, value in options.items() if name not in own})
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{who}: {path} cannot be made with {dict(options)}: {error}") from None


def refuse_options(who: str, options: Any) -> None:
    """Refuse options that mean something else here than in scikit-learn; say what to write."""
    for name, value in options.items() if isinstance(options, Mapping) else ():
        last = name.rpartition("__")[2] if isinstance(name, str) else name
        if last == "memory" and value is not None:  # scikit-learn would load pickles from there
            raise ConfigurationError(f"{who}: memory must be None, results are kept by the project; got {value!r}")
        if last == "class_weight" and isinstance(value, Mapping) and not all(isinstance(key, str) for key in value):
            raise ConfigurationError(f"{who}: class_weight must have names of classes as keys, got {dict(value)}")


def read_objects(component: Component) -> None:
    """Put path and options in place of an estimator that was given itself, and of those among the options."""
    from intemi.machines.classifiers.sklearn_objects import described, is_estimator, option

    values = component.__dict__
    if is_estimator(values["estimator"]):
        values["estimator"], read = described(values["estimator"])
        values["options"] = {**read, **values["options"]}
    elif isinstance(values["options"], Mapping):
        values["options"] = {name: option(name, value) for name, value in values["options"].items()}
    refuse_options(component.kind, values["options"])


def _class_at(who: str, path: str) -> Any:
    BaseEstimator = library("sklearn.base").BaseEstimator

    module_name, _, name = path.rpartition(".")
    module = _module(who, module_name, path)
    found = getattr(module, name, None)
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        hint = _near(name, getattr(module, "__all__", ()))
        raise ConfigurationError(f"{who}: {module_name} has no estimator {name!r}{hint}")
    return found


def _module(who: str, name: str, path: str) -> Any:
    """A public module of scikit-learn for estimators."""
    modules = [each for each in library("sklearn").__all__ if each not in NOT_FOR_ESTIMATORS]
    package, _, inside = name.partition(".")
    if package != "sklearn" or inside not in modules:
        hint = _near(inside, modules)
        raise ConfigurationError(
            f"{who}: estimator must be the path of a public class of scikit-learn, "
            f"such as 'sklearn.tree.DecisionTreeClassifier', got {path!r}{hint}"
        )
    return library(name)


def _near(name: str, names: Any) -> str:
    near = get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _built(value: Any) -> Any:
    """The value of an option. Where scikit-learn names estimators, or columns for them, it wants lists."""
    if isinstance(value, Estimator | SklearnFunction | ColumnSelector):
        return value.build()
    if isinstance(value, Mapping):
        return {name: _built(each) for name, each in value.items()}
    if not isinstance(value, tuple):
        return value
    if any(isinstance(each, tuple) and any(isinstance(part, Estimator) for part in each) for each in value):
        return [tuple(list(part) if isinstance(part, tuple) else _built(part) for part in each) for each in value]
    return tuple(map(_built, value))


def open_states(estimator: Any) -> list[str]:
    """The options of an estimator, and of those inside, that would be seeded from nowhere."""
    options = estimator.get_params()
    return sorted(name for name in options if name.rpartition("__")[2] == "random_state" and options[name] is None)


def weights_by_code(who: str, estimator: Any, data: Data) -> dict[str, dict[int, float]]:
    """The weights of classes among the options of an estimator, and of those inside, by the codes of the classes.

    Those of classes that do not occur are left out: some estimators refuse them.
    """
    options = estimator.get_params()
    named = {name: value for name, value in options.items() if name.rpartition("__")[2] == "class_weight"}
    weights = {name: value for name, value in named.items() if isinstance(value, dict)}
    if not weights:
        return {}
    for value in weights.values():
        unknown = [name for name in value if name not in data.labels]
        if unknown:
            raise ConfigurationError(
                f"{who}: class_weight must have names of classes as keys, got {unknown[0]!r}; "
                f"there are {', '.join(data.labels)}"
            )
    present = np.unique(data.classes).tolist()
    return {
        name: {code: value[data.labels[code]] for code in present if data.labels[code] in value}
        for name, value in weights.items()
    }


def rows_for(estimator: Any, data: Data) -> Any:
    """The values as an estimator wants them.

    One that names columns, or selects them by their types, gets a frame of pandas, in which nominal columns are
    categories. All others get numbers: those of nominal columns are their codes, missing ones NaN.
    """
    if names_columns(estimator):
        return features_to_pandas(data)
    return np.ascontiguousarray(data.features.T)


def names_columns(estimator: Any) -> bool:
    """Whether an estimator, or one inside, is a `ColumnTransformer` that names columns or selects them."""
    compose = sys.modules.get("sklearn.compose")
    if compose is None:
        return False
    inside = [estimator, *estimator.get_params().values()]
    transformers = [each.transformers for each in inside if isinstance(each, compose.ColumnTransformer)]
    return any(_is_by_name(columns) for each in transformers for *_, columns in each)


def _is_by_name(columns: Any) -> bool:
    return callable(columns) or any(isinstance(each, str) for each in ([columns], columns)[isinstance(columns, list)])


@storable
class FittedEstimator:
    """An estimator after it was fitted.

    It is known by what it was made from, and kept in the format of skops, which holds no code; where skops is not
    installed, or does not know the estimator, it stays in memory.
    """

    is_shared = True
    is_immutable = True

    def __init__(self, origin: bytes, estimator: Any = None, packed: bytes | None = None) -> None:
        self.origin = origin
        self._estimator = estimator
        self._packed = packed

    def check_decoded(self) -> None:
        """Unpack it, and refuse what cannot be used: compiled code of scikit-learn would follow its arrays blindly."""
        expect(type(self.origin) is type(self._packed) is bytes, "an estimator is packed")
        expect(isinstance(self.estimator, library("sklearn.base").BaseEstimator), "an estimator is needed")
        check_estimator(self.estimator)

    @property
    def estimator(self) -> Any:
        """The estimator itself."""
        if self._estimator is None:
            assert self._packed is not None
            self._estimator = unpack(self._packed)
        return self._estimator

    def state(self) -> dict[str, bytes]:
        """What the store keeps."""
        return {"origin": self.origin, "packed": pack(self.estimator) if self._packed is None else self._packed}

    @classmethod
    def from_state(cls, state: dict[str, bytes]) -> FittedEstimator:
        """The one that was kept; it is unpacked when it is first asked."""
        return cls(**state)

    def content_digest(self) -> bytes:
        """The identity of what it was made from, so that it need not be packed to be known."""
        return digest(b"fitted estimator", self.origin)


class SklearnLearning:
    """What a machine around an estimator does before it fits it; a part of such machines."""

    kind: str
    estimator: str
    options: Mapping[str, Any]
    library: str | None

    def __post_init__(self) -> None:
        read_objects(self)  # type: ignore[arg-type]
        super().__post_init__()  # type: ignore[misc]

    def build(self) -> Any:
        """A new estimator that knows nothing yet."""
        return build(self.kind, self.estimator, self.options)

    def note_library(self) -> None:
        """Make the version of scikit-learn a part of the identity."""
        if self.library is None:
            self.__dict__["library"] = installed()

    @property
    def is_random(self) -> bool:
        """Whether the estimator draws, and nobody has told it from which seed."""
        known: bool | None = self.__dict__.get("_is_random")
        if known is None:
            known = self.__dict__["_is_random"] = bool(open_states(self.build()))
        return known

    def fitted(self, data: Data, rng: np.random.Generator | None) -> FittedEstimator:
        """The estimator, fitted to rows, their classes (if there are any) and weights (if it can use them)."""
        has_fit_parameter = library("sklearn.utils.validation").has_fit_parameter

        if self.library != installed():
            raise ConfigurationError(
                f"{self.kind}: it was configured for scikit-learn {self.library}, this is {installed()}"
            )
        estimator = self.build()
        seeds = {} if rng is None else {name: int(rng.integers(2**31)) for name in open_states(estimator)}
        estimator.set_params(**seeds)
        if data.target is not None:
            estimator.set_params(**weights_by_code(self.kind, estimator, data))
        weighted = data.is_weighted and has_fit_parameter(estimator, "sample_weight")
        weights = {"sample_weight": data.weights} if weighted else {}
        with one_openmp_thread():
            estimator.fit(rows_for(estimator, data), None if data.target is None else data.classes, **weights)
        origin = encode((self.estimator, dict(self.options), self.library, seeds, data.content_digest()))
        return FittedEstimator(digest(origin), estimator)
