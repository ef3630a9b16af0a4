"""Estimators of scikit-learn in experiment files, by the dotted name of their class.

```yaml
forest: {type: sklearn.ensemble.RandomForestClassifier, n_estimators: 200}
chain:
  type: sklearn.pipeline.Pipeline
  steps: [[scale, sklearn.preprocessing.StandardScaler], [svm, {type: sklearn.svm.SVC, C: 10}]]
```
"""

from __future__ import annotations

from typing import Any

from intemi.experiments.document import Node
from intemi.kernel.component import Component
from intemi.kernel.errors import IntemiError
from intemi.kernel.machine import Machine
from intemi.machines.classifiers import Estimator, SklearnFunction
from intemi.machines.classifiers.sklearn_objects import machine_of

PACKAGE = "sklearn."


def is_of_sklearn(node: Node | None) -> bool:
    """Whether a value names something of scikit-learn."""
    return node is not None and node.is_text and node.value.startswith(PACKAGE)


def build_estimator(node: Node, expected: type) -> Component:
    """The machine around an estimator, or where no machine is expected, the estimator among the options of another."""
    from intemi.experiments.building import refused

    path = node.value["type"].value
    options = {name: _option(each) for name, each in node.items() if name != "type"}
    try:
        return machine_of(path, options) if issubclass(expected, Machine) else Estimator(path, options)
    except IntemiError as error:
        raise refused(node, error) from None


def _option(node: Node) -> Any:
    """The value of an option; what names a class or function of scikit-learn is one."""
    from intemi.experiments.building import build, refused

    if node.is_list:
        return tuple(map(_option, node.value))
    if node.is_mapping:
        if is_of_sklearn(node.get("type")):
            return build_estimator(node, Estimator)
        return build(node) if "type" in node.value else {name: _option(each) for name, each in node.items()}
    if not is_of_sklearn(node):
        return node.value
    try:
        is_class = node.value.rpartition(".")[2][:1].isupper()
        return Estimator(node.value) if is_class else SklearnFunction(node.value)
    except IntemiError as error:
        raise refused(node, error) from None
