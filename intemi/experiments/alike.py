"""Like with like: learners that are compared for one of their parts must not differ in any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intemi.kernel.differences import diff, listed
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine


def check_alike(learners: Mapping[str, Machine], vary: str | Sequence[str]) -> None:
    """Refuse learners that differ elsewhere than at the paths `vary`, or below them.

    >>> from intemi.machines import SVM, LinearKernel
    >>> check_alike({"gauss": SVM(), "linear": SVM(kernel=LinearKernel())}, vary="kernel")
    >>> check_alike({"gauss": SVM(), "linear": SVM(C=5, kernel=LinearKernel())}, vary="kernel")
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: learners must differ in kernel only, but gauss and linear differ in \
C: 1.0 ≠ 5.0
    """
    allowed = (vary,) if isinstance(vary, str) else tuple(vary)
    if not learners:
        return
    (first, reference), *others = learners.items()
    for name, learner in others:  # what is like the first one is like any other that is
        elsewhere = [each for each in diff(reference, learner) if not any(map(each.is_at, allowed))]
        if elsewhere:
            raise ConfigurationError(
                f"learners must differ in {' and '.join(allowed)} only, "
                f"but {first} and {name} differ in {listed(elsewhere)}"
            )
