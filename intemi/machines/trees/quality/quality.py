"""What a split quality measure is: a small function of the class weights of the branches, compiled to machine code.

```python
class Balance(SplitQuality):
    \"\"\"How evenly a split divides the rows.\"\"\"

    @staticmethod
    def measure(table, branches, classes, context):
        smallest = 1e300
        for b in range(branches):
            weight = 0.0
            for c in range(classes):
                weight += table[b * classes + c]
            smallest = min(smallest, weight)
        return smallest
```
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from intemi.kernel import Component
from intemi.machines.interfaces import Floats

if TYPE_CHECKING:
    Address = Any  # of numbers, to be indexed like an array

_compiled: dict[Callable[..., float], Any] = {}


class SplitQuality(Component):
    """How good a split is, larger being better.

    Subclasses write `measure(table, branches, classes, context)`, in what numba compiles: `table[b * classes + c]` is
    the weight of class c in branch b, every branch has some. `context[0]` is the weight of the rows whose value is
    missing, in `context[1]` a measure may write what decides between equal qualities, and `context[2]` and on are what
    `constants` gives.
    """

    convex: ClassVar[bool] = False
    """Whether cuts between rows of one and the same class need not be scored, since one beside them is as good."""
    ordered: ClassVar[bool] = False
    """Whether, of two classes, the best sets of symbols are beginnings of their order by the share of a class."""
    nothing: ClassVar[float] = float("-inf")
    """The quality of a split that separates nothing; unless told otherwise, splitters want more."""

    @staticmethod
    @abstractmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        """The quality of a split."""

    def constants(self) -> tuple[float, ...]:
        """Numbers for the measure, from parameters."""
        return ()

    @property
    def address(self) -> int:
        """Where the machine code of the measure is, made at first use."""
        function = type(self).measure
        if function not in _compiled:
            from intemi.machines.trees.kernels.compiling import compiled_measure

            _compiled[function] = compiled_measure(function)
        return int(_compiled[function].address)

    def context(self) -> Floats:
        """A fresh context for the measure."""
        return np.array([0.0, 0.0, *self.constants()])

    def multi(self, table: Any) -> float:
        """The quality of a split into any number of branches, whose class weights are the rows of a table.

        >>> from intemi.machines.trees.quality import Gini
        >>> round(Gini().multi([[3, 0], [1, 4]]), 6)
        0.3
        """
        table = np.ascontiguousarray(table, dtype=np.float64)
        from intemi.machines.trees.kernels.evaluate import evaluate

        return float(evaluate(self.address, table[None], self.context())[0])

    def binary(self, left: Any, right: Any) -> Floats:
        """The qualities of many splits into two branches, whose class weights are the rows of two tables."""
        from intemi.machines.trees.kernels.evaluate import evaluate

        tables = np.ascontiguousarray(np.stack([left, right], axis=1), dtype=np.float64)
        return np.asarray(evaluate(self.address, tables, self.context()))
