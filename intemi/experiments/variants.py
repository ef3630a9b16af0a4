"""Learners in experiment files, with their preprocessing and their variants.

`vary` gives the values that parameters take: a mapping of paths to lists is a grid, each value with each; a list of
mappings is a list of variants. Single names are parameters of the learner itself, longer paths lead inside it:

```yaml
knn: {type: KNN, vary: {k: [1, 5], weights: [uniform, distance]}}             # four learners
svm: {type: SVM, vary: [{C: 1, kernel.sigma: 0.1}, {C: 10, kernel.sigma: 0.01}]}  # two
```

`tune` gives values of which the best are chosen by an inner cross-validation, each time the learner learns: a mapping
of paths to lists, or `default` for the ranges that the learner suggests. `tuning` says how: `distributor`, `measure`.

```yaml
svm: {type: SVM, preprocessing: Standardization, tune: {C: [1, 10, 100], kernel.sigma: [0.01, 0.1]}}  # one
```
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from intemi.experiments import catalogue
from intemi.experiments.building import build_value, machine, refused
from intemi.experiments.document import Node
from intemi.experiments.errors import near
from intemi.experiments.experiment import check_learner, check_request
from intemi.kernel.component import Component
from intemi.kernel.errors import IntemiError
from intemi.kernel.machine import Machine
from intemi.machines.classifiers import TransformAndClassify
from intemi.machines.roles import Distributor, Learner, Transformer
from intemi.machines.search.defaults import parts_of
from intemi.machines.tuning import tune

TUNING = ("tune", "tuning")
TUNING_KEYS = ("distributor", "measure")
Setting = dict[str, Node]
"""Values by the paths of parameters."""


def read_learners(node: Node, preprocessing: Node | None) -> dict[str, Machine]:
    """Learners by their names, all variants among them."""
    found: dict[str, Machine] = {}
    for name, each in _named(node, "learner"):
        own = each.value.get("preprocessing", preprocessing) if each.is_mapping else preprocessing
        for called, learner in _variants(name, each, Learner):
            whole = _tuned(each, _behind(own, learner))
            try:
                check_learner(whole, "learner")
            except IntemiError as error:
                raise each.wrong(str(error).removeprefix("learner: ")) from None
            _put(found, called, whole, each, "learners")
    return found


def read_requests(node: Node) -> dict[str, Machine]:
    """Other machines that are run on data, by their names."""
    found: dict[str, Machine] = {}
    for name, each in _named(node, "request"):
        for called, asked in _variants(name, each, Machine):
            try:
                check_request(asked, "request")
            except IntemiError as error:
                raise each.wrong(str(error).removeprefix("request: ")) from None
            _put(found, called, asked, each, "requests")
    return found


def _named(node: Node, what: str) -> list[tuple[str | None, Node]]:
    if not node.is_list and not node.is_mapping:
        hint = f"; write [{node.value}]" if node.is_text else ""
        raise node.wrong(f"must be a list of {what}s, or a mapping of their names, got {node.shown}{hint}")
    if not node.value:
        raise node.wrong(f"must name at least one {what}, for example KNN")
    return list(node.items()) if node.is_mapping else [(None, each) for each in node.value]


def _put(found: dict[str, Machine], name: str, machine: Machine, node: Node, what: str) -> None:
    if name in found:
        raise node.wrong(f"two {what} are called {name!r}; give them names, `{what}: {{name: ...}}`")
    if "/" in name:
        raise node.wrong(f"the name of one of the {what} must be without '/', got {name!r}")
    found[name] = machine


def _variants(name: str | None, node: Node, role: type[Machine]) -> list[tuple[str, Machine]]:
    plain = node.without("vary", "preprocessing", *TUNING) if node.is_mapping else node
    called = name or _own_name(plain)
    if not node.is_mapping or "vary" not in node.value:
        return [(called, machine(plain, role))]
    found = []
    for setting in _settings(node.value["vary"]):
        shown = ", ".join(f"{path.rpartition('.')[2]}={_shown(value)}" for path, value in setting.items())
        found.append((f"{called} {shown}", _set(plain, setting, role)))
    return found


def _settings(node: Node) -> list[Setting]:
    if node.is_mapping and node.value:
        return [
            dict(zip(node.value, each, strict=True)) for each in itertools.product(*map(_values, node.value.values()))
        ]
    if node.is_list and node.value and all(each.is_mapping and each.value for each in node.value):
        return [dict(each.value) for each in node.value]
    raise node.wrong("must be lists of values by parameter, {k: [1, 3]}, or a list of settings, [{k: 1}, {k: 3}]")


def _values(node: Node) -> Sequence[Node]:
    if not node.is_list or not node.value:
        raise node.wrong(f"must be a list of values with at least one, got {node.shown if node.value else 'none'}")
    values: list[Node] = node.value
    return values


def _set(node: Node, setting: Setting, role: type[Machine]) -> Machine:
    """The learner with one setting: its own parameters before it is made, those inside it afterwards."""
    own = {path: value for path, value in setting.items() if "." not in path and "/" not in path}
    lines = {path: value.line for path, value in own.items()}
    made = machine(Node({**node.value, **own}, node.file, node.line, node.path, {**node.key_lines, **lines}), role)
    for path, value in setting.items():
        if path not in own:
            made = _replaced(made, path, value)
    return made


def _replaced(made: Machine, path: str, node: Node) -> Machine:
    try:
        owner, last = made.owner_of(path)
        if isinstance(owner, Component) and last not in owner.part_names():
            raise node.wrong(f"{owner.kind} has no parameter {last!r}; {near(last, owner.part_names())}")
        return made.replace(path, build_value(node, _hint(owner, last)))
    except IntemiError as error:
        raise refused(node, error) from None


def _hint(owner: Any, name: str) -> Any:
    entry = catalogue.entries().get(getattr(type(owner), "registered_name", ""))
    declared = entry.parameters() if entry is not None else {}
    return declared[name].expected if name in declared else Any


def _behind(preprocessing: Node | None, learner: Machine) -> Machine:
    """The learner behind transformations, the first of them first."""
    if preprocessing is None or preprocessing.value is None:
        return learner
    steps = preprocessing.value if preprocessing.is_list else [preprocessing]
    for step in reversed(steps):
        try:
            learner = TransformAndClassify(transformation=machine(step, Transformer), learner=learner)
        except IntemiError as error:
            raise refused(step, error) from None
    return learner


def _tuned(node: Node, learner: Machine) -> Machine:
    """The learner, its parameters chosen in an inner test if it is to be tuned."""
    wanted, how = (node.get(key) if node.is_mapping else None for key in TUNING)
    if wanted is None:
        if how is not None:
            raise how.wrong("there is nothing to be tuned; tune: {k: [1, 5]} says which values to try")
        return learner
    said: dict[str, Any] = {}
    if how is not None:
        how.check_keys(*TUNING_KEYS)
        if (distributor := how.get("distributor")) is not None:
            said["distributor"] = machine(distributor, Distributor)
        if (measure := how.get("measure")) is not None:
            said["measure"] = measure.value
    try:
        return tune(learner, _tried(wanted, learner), **said)
    except IntemiError as error:
        raise refused(wanted, error) from None


def _tried(node: Node, learner: Machine) -> dict[str, list[Any]] | None:
    """The values to try by paths; None for the default ranges."""
    if node.value == "default":
        return None
    if not node.is_mapping or not node.value:
        raise node.wrong("must be lists of values by parameter, {k: [1, 3]}, or default")
    hints = {path: _hint_inside(learner, path) for path in node.value}
    return {path: [build_value(value, hints[path]) for value in _values(each)] for path, each in node.items()}


def _hint_inside(learner: Machine, path: str) -> Any:
    """The type of a parameter that is somewhere inside a learner."""
    for _, part in parts_of(learner):
        try:
            part.get(path)
        except IntemiError:
            continue
        return _hint(*part.owner_of(path))
    return Any


def _own_name(node: Node) -> str:
    if node.is_text:
        return str(node.value)
    kind = node.get("type") if node.is_mapping else None
    if kind is None or not kind.is_text:
        return "learner"
    given = [f"{key}={_shown(each)}" for key, each in node.items() if key != "type"]
    return " ".join([kind.value, ", ".join(given)]).strip()


def _shown(node: Node) -> str:
    """A value in the name of a variant."""
    if node.is_mapping:
        kind = node.get("type")
        rest = ", ".join(f"{key}={_shown(each)}" for key, each in node.items() if key != "type")
        name = kind.value if kind is not None else ""
        return f"{name}({rest})" if rest else str(name)
    if node.is_list:
        return f"[{', '.join(map(_shown, node.value))}]"
    return "none" if node.value is None else f"{node.value:g}" if isinstance(node.value, float) else str(node.value)
