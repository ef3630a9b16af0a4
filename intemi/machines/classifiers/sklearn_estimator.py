"""Estimators of scikit-learn as values: which class with which options, and what one keeps after it was fitted."""

from __future__ import annotations

import inspect
import zipfile
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Component, ConfigurationError, EncodingError, storable
from intemi.kernel.encoding import digest, encode
from intemi.kernel.libraries import library
from intemi.machines.decoded import expect
from intemi.machines.interfaces import Floats

NOT_FOR_ESTIMATORS = frozenset({"datasets", "exceptions", "experimental", "externals", "callback"})
TRUSTED_FUNCTIONS = ("sklearn.feature_selection._univariate_selection.", "sklearn.feature_selection._mutual_info.")
TRUSTED_TYPES = frozenset(
    {
        "numpy.dtype",
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils._metadata_requests.MetadataRequest",
        "sklearn.utils._metadata_requests.MethodMetadataRequest",
    }
)
"""Types outside the modules for estimators that hold values and do nothing with them."""


class Estimator(Component):
    """An estimator among the options of another one, such as the trees of AdaBoost.

    >>> Estimator("sklearn.tree.DecisionTreeClassifier", {"max_depth": 1}).build()
    DecisionTreeClassifier(max_depth=1)
    """

    estimator: str
    options: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        refuse_objects(self.kind, self.estimator, self.options)
        super().__post_init__()

    def check(self) -> None:
        self.build()

    def build(self) -> Any:
        """A new estimator that knows nothing yet."""
        return build(self.kind, self.estimator, self.options)


def installed() -> str:
    """The version of scikit-learn."""
    return version("scikit-learn")


def build(who: str, path: str, options: Mapping[str, Any]) -> Any:
    """A new estimator; what is unknown is refused with the names of what there is."""
    cls = _class_at(who, path)
    known = [name for name in inspect.signature(cls).parameters if name != "self"]
    for name in options:
        if name not in known:
            raise ConfigurationError(f"{who}: {path} has no option {name!r}; there are {', '.join(known)}")
    try:
        return cls(**{name: _built(value) for name, value in options.items()})
    except TypeError as error:
        raise ConfigurationError(f"{who}: {path} cannot be made with {dict(options)}: {error}") from None


def refuse_objects(who: str, path: Any, options: Any) -> None:
    """Refuse estimators in place of paths, and numbers in place of the names of classes; say what to write."""
    BaseEstimator = library("sklearn.base").BaseEstimator

    if isinstance(path, BaseEstimator):
        raise ConfigurationError(
            f"{who}: estimator must be the path of a class, with its options, got {path}; write {_written(who, path)}"
        )
    for name, value in options.items() if isinstance(options, Mapping) else ():
        if isinstance(value, BaseEstimator):
            raise ConfigurationError(
                f"{who}: an estimator among the options must be an Estimator, got {value} as {name}; "
                f"write {_written('Estimator', value)}"
            )
        if name == "memory" and value is not None:  # scikit-learn would load pickles from there
            raise ConfigurationError(f"{who}: memory must be None, results are kept by the project; got {value!r}")
        if name == "class_weight" and isinstance(value, Mapping) and not all(isinstance(key, str) for key in value):
            raise ConfigurationError(f"{who}: class_weight must have names of classes as keys, got {dict(value)}")


def _written(who: str, estimator: Any) -> str:
    """The configuration that stands for an estimator."""
    cls = type(estimator)
    public = ".".join(part for part in cls.__module__.split(".") if not part.startswith("_"))
    defaults = inspect.signature(cls).parameters
    given = {name: value for name, value in estimator.get_params(deep=False).items() if name in defaults}
    changed = {name: value for name, value in given.items() if repr(value) != repr(defaults[name].default)}
    return f"{who}({f'{public}.{cls.__name__}'!r}{f', {changed}' if changed else ''})"


def _class_at(who: str, path: str) -> Any:
    BaseEstimator = library("sklearn.base").BaseEstimator

    modules = [name for name in library("sklearn").__all__ if name not in NOT_FOR_ESTIMATORS]
    package, _, rest = path.partition(".")
    module_name, _, name = rest.rpartition(".")
    if package != "sklearn" or module_name not in modules:
        hint = _near(module_name, modules)
        raise ConfigurationError(
            f"{who}: estimator must be the path of a public class of scikit-learn, "
            f"such as 'sklearn.tree.DecisionTreeClassifier', got {path!r}{hint}"
        )
    module = library(f"sklearn.{module_name}")
    found = getattr(module, name, None)
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        hint = _near(name, getattr(module, "__all__", ()))
        raise ConfigurationError(f"{who}: sklearn.{module_name} has no estimator {name!r}{hint}")
    return found


def _near(name: str, names: Any) -> str:
    near = get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _built(value: Any) -> Any:
    """The value of an option. Where scikit-learn names estimators it wants a list of pairs."""
    if isinstance(value, Estimator):
        return value.build()
    if isinstance(value, tuple):
        built = tuple(map(_built, value))
        named = any(isinstance(each, tuple) and any(isinstance(part, Estimator) for part in each) for each in value)
        return list(built) if named else built
    return dict(value) if isinstance(value, Mapping) else value


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


def rows_of(data: Data) -> Floats:
    """The values as scikit-learn wants them; those of nominal columns are their codes, missing ones NaN."""
    return np.ascontiguousarray(data.features.T)


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
        from intemi.machines.classifiers.sound_estimator import check_estimator

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
        refuse_objects(self.kind, self.estimator, self.options)
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
        estimator.fit(rows_of(data), None if data.target is None else data.classes, **weights)
        origin = encode((self.estimator, dict(self.options), self.library, seeds, data.content_digest()))
        return FittedEstimator(digest(origin), estimator)


def pack(estimator: Any) -> bytes:
    """An estimator in the format of skops; an EncodingError if that cannot be done, or could not be undone."""
    try:
        skops_io = library("skops.io")
    except ImportError:
        raise EncodingError(
            "estimators of scikit-learn are kept on disk by skops, which is not installed; "
            "pip install 'intemi[skops]' helps"
        ) from None
    try:
        packed: bytes = skops_io.dumps(estimator, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    except Exception as error:  # whatever it meets in an estimator that it does not know
        raise EncodingError(f"{type(estimator).__name__} cannot be kept by skops: {error}") from error
    _trusted(packed)
    return packed


def unpack(packed: bytes) -> Any:
    """The estimator that was packed; types that are not scikit-learn's or numpy's are refused."""
    skops_io = library("skops.io")

    return skops_io.loads(packed, trusted=_trusted(packed))


def _trusted(packed: bytes) -> list[str]:
    skops_io = library("skops.io")

    named: list[str] = skops_io.get_untrusted_types(data=packed)
    refused = [name for name in named if not _is_trusted(name)]
    if refused:
        raise EncodingError(f"an estimator with parts of the types {', '.join(refused)} is not read from the disk")
    return named


def _is_trusted(name: str) -> bool:
    """Classes of scikit-learn's modules for estimators, what only holds values, and functions that only compute scores
    of features or of answers."""
    if name in TRUSTED_TYPES or name.startswith(TRUSTED_FUNCTIONS) or name in _scores():
        return True
    package, _, rest = name.partition(".")
    module, own = rest.split(".")[0], rest.rpartition(".")[2].lstrip("_")
    return package == "sklearn" and module not in {*NOT_FOR_ESTIMATORS, "utils"} and own[:1].isupper()


@cache
def _scores() -> frozenset[str]:
    """The functions behind scikit-learn's named scores, such as "f1"."""
    metrics = library("sklearn.metrics")
    functions = [metrics.get_scorer(name)._score_func for name in metrics.get_scorer_names()]
    return frozenset(f"{function.__module__}.{function.__name__}" for function in functions)
