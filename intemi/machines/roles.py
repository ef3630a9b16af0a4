"""Roles: what machines have in common that can stand in each other's place, declared once as ports by name and type.

A machine says that it has a role by extending its class, which gives it the ports. What counts wherever machines are
exchanged (placeholders, schemes, searches, experiment files) is the ports themselves: a scheme, or a machine that never
heard of the class, fits a role as well if it has them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, TypeGuard

from intemi.data import Data
from intemi.kernel import (
    BindingError,
    ConfigurationError,
    Input,
    Machine,
    MultiInput,
    MultiOutput,
    Output,
    parameter,
    registry,
)
from intemi.kernel.lineage import Examination
from intemi.kernel.ports import listed, misfit
from intemi.machines.fairness.leaks import stamps_of_held_out_test, stamps_of_test
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, FeatureRanking, Transformation
from intemi.machines.structure.scheme import Scheme


class Role(Machine):
    """What every role is. A class that extends it directly declares a role; machines extend that one.

    A machine has the inputs of its role and no others, so that what binds one machine of the role binds them all. It
    may give more than the role asks for, and the types that it gives may be narrower.

    >>> class Bad(Learner):
    ...     hint = Input(Data)
    ...     def run(self, data, hint): ...
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: Bad: its role Learner takes data (Data) \
and gives classifier (Classifier), but Bad takes hint (Data) as well
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for role in cls.__mro__[1:]:
            if is_role(role) and (wrong := role.misfit(cls._inputs, cls._outputs)):
                own = cls.__qualname__
                raise ConfigurationError(f"{own}: its role {role.kind} {role.described()}, but {own} {wrong}")

    @classmethod
    def fits(cls, machine: Machine) -> bool:
        """Whether a machine, or a scheme, has the ports of this role.

        >>> from intemi.machines import CVDistributor, KNN
        >>> Learner.fits(KNN()), Learner.fits(CVDistributor())
        (True, False)
        """
        if not isinstance(machine, Machine):
            hint = f", the class itself; write {machine.__name__}(...)" if isinstance(machine, type) else ""
            raise ConfigurationError(f"{cls.kind}.fits: only machines can fit a role, got {machine!r}{hint}")
        return not cls.misfit(machine.inputs, machine.outputs)

    @classmethod
    def demand(cls, machine: Machine, place: str) -> None:
        """Refuse a machine that does not fit this role at a place, and say why."""
        if wrong := cls.misfit(machine.inputs, machine.outputs):
            role = f"the role {cls.kind}, which {cls.described()}"
            raise BindingError(f"{place} must have {role}, but {machine.kind} {wrong}")

    @classmethod
    def misfit(cls, inputs: Mapping[str, Input], outputs: Mapping[str, Output]) -> str:
        """What keeps some ports from being those of this role, as the end of a sentence; empty if they are."""
        return misfit(cls._inputs, cls._outputs, inputs, outputs)

    @classmethod
    def described(cls) -> str:
        """Its ports in words."""
        gives = f"gives {listed(cls._outputs)}" if cls._outputs else "leaves results"
        return f"takes {listed(cls._inputs)} and {gives}"

    @classmethod
    def heading(cls) -> str:
        """What machines of this role are listed under.

        >>> ClassifierTest.heading()
        'Classifier tests'
        """
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__).capitalize() + "s"


def is_role(cls: type) -> TypeGuard[type[Role]]:
    """Whether a class declares a role; machines of the role extend it.

    >>> from intemi.machines import KNN
    >>> is_role(Learner), is_role(KNN)
    (True, False)
    """
    return Role in cls.__bases__


class Loader(Role):
    """Brings data in."""

    data = Output(Data)


class Distributor(Role):
    """Divides data into training and test data, as often as it likes: both are collections of one length."""

    reads = Reads.NOTHING
    data = Input(Data)
    training = MultiOutput(Data)
    test = MultiOutput(Data)


class Transformer(Role):
    """Makes other data of data, and gives the way to do the same to any other data.

    One that does not learn from targets says so by `reads = Reads.FEATURES`.
    """

    reads = Reads.TARGETS
    keeps_rows = True

    data = Input(Data)
    transformed = Output(Data)
    transformation = Output(Transformation)


class Ranker(Role):
    """Orders features by their use for telling classes apart."""

    reads = Reads.TARGETS

    data = Input(Data)
    ranking = Output(FeatureRanking)


class Learner(Role):
    """Learns a classifier from data.

    One that lets rows count as their weights say tells so by `uses_weights = True`; to another one committees that
    weigh rows give samples drawn by the weights.
    """

    reads = Reads.TARGETS
    compares_distances: ClassVar[bool] = False
    """Whether columns of large numbers count for more, so that they have to be brought to one scale before."""

    data = Input(Data)
    classifier = Output(Classifier)

    @property
    def uses_weights(self) -> bool:
        """Whether rows count as their weights say."""
        return False


class FairTest(Machine):
    """Tells how good something is on data; what it finds are results.

    It looks at the lineage of both before it runs, and refuses what could not be fair: see `docs/fairness.md`. Rows are
    tested that its input `data` has, unless it says otherwise by an `examine` of its own.
    """

    allow_leak: bool = parameter(default=False, kw_only=True)
    """Test also if targets of tested rows were learned from; the result "Leak" says so then."""
    oracle: bool = parameter(default=False, kw_only=True)
    """What is tested looks at test targets on purpose; the result "Oracle" says so, and it competes with nothing."""

    @property
    def allows_leaks(self) -> bool:
        """Whether it tests what is not fair, and says so."""
        return self.allow_leak or self.oracle

    def examine(self, examination: Examination) -> Mapping[str, str]:
        return stamps_of_test(examination, self.allow_leak, self.oracle)


class ClassifierTest(FairTest, Role):
    """Tells how good a classifier is on data; what it finds are results."""

    data = Input(Data)
    classifier = Input(Classifier)


class HeldOutTest(FairTest):
    """Tells how good members are on the rows that each of them never saw: one item of `left` for each of `members`.

    It refuses a member that has learned from the targets of its rows, as the leaves of a tree have after `Backfit`.
    """

    members = MultiInput(Classifier)
    left = MultiInput(Data)

    def examine(self, examination: Examination) -> Mapping[str, str]:
        return stamps_of_held_out_test(examination, self.allow_leak, self.oracle)


ROLES: tuple[type[Role], ...] = (Learner, Transformer, Ranker, Distributor, ClassifierTest, Loader)
"""Every role that the package ships, in the order in which they are listed."""


def placeholder(role: type[Role]) -> Scheme:
    """An empty scheme with the ports of a role: whatever fits the role fills it.

    >>> placeholder(Learner).missing()
    ['an empty placeholder that takes data (Data) and gives classifier (Classifier)']
    """
    if not isinstance(role, type) or not issubclass(role, Role):
        raise ConfigurationError(f"placeholder: the role must be a class, such as Learner, got {role!r}")
    return Scheme(**dict[str, Any](role._inputs), **dict[str, Any](role._outputs))


def sequence(role: type[Role], *machines: Machine) -> Machine:
    """Machines one after another as one machine of a role: each gets what those before it give.

    >>> from intemi.machines import FeatureSelection, FScoreRanking
    >>> ranked = sequence(Transformer, FScoreRanking(), FeatureSelection())
    >>> ranked.missing(), Transformer.fits(ranked)
    ([], True)
    """
    return placeholder(role).filled_with(machines)


def roles_of(machine: Machine) -> list[type[Role]]:
    """The roles that a machine fits, of those that are known.

    >>> from intemi.machines import KNN, DecisionTree
    >>> [role.kind for role in roles_of(DecisionTree())]
    ['Learner', 'Ranker']
    """
    return [role for role in known_roles() if role.fits(machine)]


def known_roles() -> tuple[type[Role], ...]:
    """The roles of the package, and those that users have declared."""
    own = [cls for cls in registry.components().values() if is_role(cls) and cls not in ROLES]
    return (*ROLES, *own)
