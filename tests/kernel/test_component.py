"""Components as values: declared, compared, shown, changed at any depth, written as plain data."""

from __future__ import annotations

import copy
import dataclasses
import enum
import json
import pickle
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from intemi.kernel import Component, ConfigurationError, EncodingError, Machine, Model, Output, from_plain, parameter
from intemi.kernel.decoding import decode


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Kernel(Component):
    """A family."""


class Linear(Kernel):
    pass


class Gaussian(Kernel):
    sigma: float = parameter(default=1.0, above=0)


class Tree(Component):
    """A bit of everything."""

    depth: int = parameter(default=3, at_least=1)
    kernel: Kernel = Gaussian()
    members: tuple[Kernel, ...] = (Gaussian(1.0), Gaussian(2.0))
    named: Mapping[str, Kernel] = {}
    options: dict[str, Any] = {}  # noqa: RUF012
    colour: Colour = Colour.RED
    tags: frozenset[str] = frozenset()
    inner: Tree | None = None


class Dice(Component):
    random = True


# Values


def test_a_parameter_cannot_be_assigned_or_deleted_or_added() -> None:
    tree = Tree()
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.depth = 5  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del tree.depth  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.other = 5  # type: ignore[attr-defined]
    assert tree == Tree()


def test_components_are_equal_when_they_are_of_one_class_with_equal_parameters() -> None:
    assert Gaussian() == Gaussian(1.0) == Gaussian(sigma=1)
    assert Gaussian() != Gaussian(2.0)
    assert Linear() != Kernel()
    assert Gaussian() != 1.0
    assert Tree(options={"a": 1}) != Tree(options={"a": 1.0})


def test_equal_components_are_one_in_a_set_and_one_key() -> None:
    assert {Tree(), Tree(depth=3), Tree(depth=4)} == {Tree(), Tree(depth=4)}
    assert {Gaussian(2): "a"}[Gaussian(2.0)] == "a"


def test_nan_is_a_value_like_any_other() -> None:
    class Holder(Component):
        x: float

    assert Holder(float("nan")) == Holder(float("nan"))
    assert Holder(0.0) != Holder(-0.0)


def test_a_component_is_shown_as_the_code_that_makes_it() -> None:
    assert repr(Tree(depth=5, kernel=Linear(), members=())) == (
        "Tree(depth=5, kernel=Linear(), members=(), named={}, options={}, colour=<Colour.RED: 1>, "
        "tags=frozenset(), inner=None)"
    )


def test_copies_are_the_same_value() -> None:
    tree = Tree(inner=Tree(options={"a": [1, {"b": 2}]}))
    for same in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree)), decode(tree.encoding)):
        assert same == tree
        assert same.digest == tree.digest
        assert same.parameters() == tree.parameters()


def test_it_is_random_if_any_of_its_parts_is() -> None:
    class Holder(Component):
        part_of_it: Any = None

    assert Dice().is_random
    assert not Holder().is_random
    for holds in (Dice(), (1, (Dice(),)), {"a": {"b": Dice()}}, frozenset({Dice()}), Holder(Dice())):
        assert Holder(holds).is_random


def test_what_was_unpickled_knows_its_parts_although_none_of_its_class_was_constructed_here() -> None:
    class Unpickled(Component):
        part_of_it: Any = None

    holder = Unpickled.__new__(Unpickled)
    holder.__setstate__({"part_of_it": Dice()})
    assert holder.is_random
    assert list(holder.components()) == [Dice()]


def test_its_parts_are_the_components_directly_inside() -> None:
    tree = Tree(named={"a": Linear()}, inner=Tree())
    assert list(tree.components()) == [Gaussian(), Gaussian(1.0), Gaussian(2.0), Linear(), Tree()]
    assert list(Gaussian().components()) == []


# Errors


def test_an_error_names_the_class_the_parameter_the_value_and_what_is_allowed() -> None:
    with pytest.raises(ConfigurationError, match=r"^Tree: depth must be at least 1, got 0$"):
        Tree(depth=0)
    with pytest.raises(ConfigurationError, match=r"^Tree: kernel must be a Kernel, got 'gaussian'$"):
        Tree(kernel="gaussian")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"^Gaussian: sigma must be above 0, got 0$"):
        Tree(kernel=Gaussian(0))
    with pytest.raises(ConfigurationError, match=r"^Tree: inner must be a Tree or None, got 5$"):
        Tree(inner=5)  # type: ignore[arg-type]


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(TypeError, match=r"Tree.*unexpected keyword argument 'dept'"):
        Tree(dept=3)  # type: ignore[call-arg]
    with pytest.raises(ConfigurationError, match=r"^Gaussian: no parameter is called 'sigm'; there are sigma$"):
        Gaussian.from_parameters({"sigm": 1.0})
    with pytest.raises(ConfigurationError, match=r"^Linear: no parameter is called 'sigm'; there are none$"):
        Linear.from_parameters({"sigm": 1.0})


def test_a_component_may_refuse_combinations() -> None:
    class Range(Component):
        low: int = 0
        high: int = 1

        def check(self) -> None:
            if self.low > self.high:
                raise ConfigurationError(f"Range: low must be at most high, got {self.low} and {self.high}")

    assert Range(1, 2).low == 1
    with pytest.raises(ConfigurationError, match="Range: low must be at most high, got 2 and 1"):
        Range(2, 1)
    with pytest.raises(ConfigurationError, match="Range: low must be at most high, got 5 and 1"):
        Range().replace("low", 5)


# Paths

DEEP = Tree(
    kernel=Gaussian(0.5),
    named={"first": Gaussian(3.0)},
    options={"grid": [1, {"step": 2}]},
    inner=Tree(inner=Tree(depth=9)),
)


@pytest.mark.parametrize(
    ("path", "found", "new"),
    [
        ("depth", 3, 4),
        ("kernel", Gaussian(0.5), Linear()),
        ("kernel.sigma", 0.5, 7.0),
        ("kernel/sigma", 0.5, 7.0),
        ("members.1.sigma", 2.0, 7.0),
        ("members/0", Gaussian(1.0), Linear()),
        ("members", (Gaussian(1.0), Gaussian(2.0)), ()),
        ("named.first.sigma", 3.0, 7.0),
        ("named/first", Gaussian(3.0), Linear()),
        ("options.grid.1.step", 2, "x"),
        ("options.grid.0", 1, None),
        ("inner/inner.depth", 9, 10),
        ("inner.inner/kernel.sigma", 1.0, 2.0),
        ("inner", DEEP.inner, None),
    ],
)
def test_a_part_is_found_and_exchanged_at_any_depth(path: str, found: Any, new: Any) -> None:
    before = DEEP.digest
    assert DEEP.get(path) == found
    changed = DEEP.replace(path, new)
    assert changed.get(path) == new
    assert changed != DEEP
    assert changed.replace(path, found) == DEEP
    assert DEEP.digest == before


def test_exchanging_a_part_leaves_the_others_alone() -> None:
    changed = DEEP.replace("members.1.sigma", 7)
    assert changed.members == (Gaussian(1.0), Gaussian(7.0))
    assert {**changed.parameters(), "members": None} == {**DEEP.parameters(), "members": None}
    assert DEEP.replace("options.grid.1.step", 5).options == {"grid": (1, {"step": 5})}


def test_a_part_that_is_put_in_is_checked_like_any_other() -> None:
    with pytest.raises(ConfigurationError, match="Gaussian: sigma must be above 0, got -1"):
        DEEP.replace("inner/kernel.sigma", -1)
    with pytest.raises(ConfigurationError, match=r"Tree: members must be a tuple of Kernels, got \(5, "):
        DEEP.replace("members.0", 5)
    with pytest.raises(ConfigurationError, match="Tree: named must be a mapping to Kernels"):
        DEEP.replace("named.first", 5)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("kernel.gamma", r"Gaussian: no part is called 'gamma'; there are sigma \(in the path 'kernel.gamma'\)"),
        ("kernel.sigma.x", r"'x' \(in the path 'kernel.sigma.x'\) is not a part of 0.5"),
        ("members.2", r"'2' \(in the path 'members.2'\) is not a part of \(Gaussian"),
        ("members.-1", r"'-1' \(in the path 'members.-1'\) is not a part of \(Gaussian"),
        ("members.first", r"'first' \(in the path 'members.first'\) is not a part of \(Gaussian"),
        ("named.second", r"'second' \(in the path 'named.second'\) is not a part of \{'first'"),
        ("inner/inner/inner/depth", r"'depth' \(in the path 'inner/inner/inner/depth'\) is not a part of None"),
        ("", r"the path '' has an empty step; write it like 'test/svm.kernel.sigma'"),
        ("kernel..sigma", r"the path 'kernel..sigma' has an empty step"),
        ("/kernel", r"the path '/kernel' has an empty step"),
        ("digest", r"Tree: no part is called 'digest'"),
    ],
)
def test_a_path_that_leads_nowhere_says_where_it_ends(path: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        DEEP.get(path)
    with pytest.raises(ConfigurationError, match=said):
        DEEP.replace(path, 1)


# Plain data


@pytest.mark.parametrize(
    "component",
    [
        Linear(),
        Gaussian(0.25),
        DEEP,
        Tree(tags=frozenset({"b", "a"}), colour=Colour.BLUE),
        Tree(options={"deep": [[], {}, None, True, 1, 1.0, -0.0, "x", 10**30]}),
        Tree(options={"part": Gaussian(), "parts": [Linear(), {"a": Linear()}]}),
    ],
    ids=repr,
)
def test_a_configuration_goes_through_json_and_comes_back(component: Component) -> None:
    back = from_plain(json.loads(json.dumps(component.to_plain())))
    assert type(back) is type(component)
    assert back == component


def test_plain_data_name_classes_and_parameters() -> None:
    assert Tree(members=[Gaussian(2)], tags={"b", "a"}, colour="BLUE").to_plain() == {  # type: ignore[arg-type]
        "type": "tests.kernel.test_component.Tree",
        "depth": 3,
        "kernel": {"type": "tests.kernel.test_component.Gaussian", "sigma": 1.0},
        "members": [{"type": "tests.kernel.test_component.Gaussian", "sigma": 2.0}],
        "named": {},
        "options": {},
        "colour": "BLUE",
        "tags": ["a", "b"],
        "inner": None,
    }


def test_plain_data_need_to_say_only_what_is_not_default() -> None:
    assert from_plain({"type": "tests.kernel.test_component.Tree", "depth": 7}) == Tree(depth=7)


def test_plain_data_without_a_type_stay_plain() -> None:
    assert from_plain({"a": [1, {"type": "tests.kernel.test_component.Linear"}]}) == {"a": (1, Linear())}


@pytest.mark.parametrize(
    ("plain", "error", "said"),
    [
        ({"type": "tests.kernel.test_component.Gausian"}, EncodingError, r"did you mean '.*Gaussian'\?"),
        ({"type": "nothing like it"}, EncodingError, "import the module that defines it first"),
        ({"type": 5}, ConfigurationError, "must be its name, got 5"),
        ({"type": None}, ConfigurationError, "must be its name, got None"),
        ({"type": "tests.kernel.test_component.Gaussian", "s": 1}, ConfigurationError, "no parameter is called 's'"),
        ({"type": "tests.kernel.test_component.Gaussian", "sigma": 0}, ConfigurationError, "must be above 0, got 0"),
    ],
)
def test_plain_data_that_describe_no_component_say_why(plain: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        from_plain({"inside": [plain]})


class Anything(Component):
    value: Any = None


@pytest.mark.parametrize(
    "value", [frozenset({1}), Colour.RED, int, b"bytes", {"type": "x"}, {"type": 5}, ({"a": frozenset()},)], ids=repr
)
def test_what_plain_data_would_turn_into_something_else_is_refused(value: Any) -> None:
    with pytest.raises(ConfigurationError, match="Anything: value cannot be written as plain data, got "):
        Anything(value).to_plain()
    with pytest.raises(ConfigurationError, match="Anything: value cannot be written as plain data, got "):
        Tree(options={"deep": [Anything(value)]}).to_plain()


# Declarations


def test_a_class_attribute_without_a_type_is_no_parameter() -> None:
    class Sample(Component):
        table = {"a": [1]}  # noqa: RUF012
        other: ClassVar[list[int]] = [1]
        size: int = 1

    assert Sample.parameter_names() == ("size",)
    assert Sample.table == {"a": [1]}
    assert Sample.other == [1]


@pytest.mark.parametrize(
    "name",
    ["type", "kind", "digest", "encoding", "parameters", "part", "get", "replace", "check", "to_plain", "is_random"],
)
def test_a_parameter_cannot_hide_what_every_component_has(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"Sample: '{name}' cannot be a parameter, the name is taken$"):
        type("Sample", (Component,), {"__annotations__": {name: int}, "__module__": __name__})


@pytest.mark.parametrize("name", ["version", "random"])
def test_what_is_said_about_the_class_needs_no_type(name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=f"'{name}' cannot be a parameter.*write `{name} = ...` without a type"
    ):
        type("Sample", (Component,), {"__annotations__": {name: int}, name: 1, "__module__": __name__})


def test_a_parameter_cannot_be_private() -> None:
    with pytest.raises(ConfigurationError, match="'_size' cannot be a parameter, its name begins with an underscore"):

        class Sample(Component):
            _size: int = 1


def test_a_constraint_without_a_type_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Sample: 'size' is a field but has no type annotation"):

        class Sample(Component):
            size = parameter(default=1)


def test_a_required_parameter_after_an_optional_one_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Sample: non-default argument 'second' follows default argument"):

        class Sample(Component):
            first: int = 1
            second: int


def test_a_subclass_adds_and_declares_again() -> None:
    class Small(Gaussian):
        sigma: float = 0.1
        cut: int = 3

    assert Small() == Small(0.1, 3)
    assert Small(-1.0).sigma == -1.0  # declared again, without the constraint
    assert Small() != Gaussian(0.1)
    assert isinstance(Tree(kernel=Small()).kernel, Small)
    assert Gaussian().sigma == 1.0


def test_a_new_default_without_a_type_is_refused_instead_of_being_ignored() -> None:
    with pytest.raises(ConfigurationError, match="sigma is a parameter of a base class; write its type as well"):

        class Small(Gaussian):
            sigma = 0.1


def test_types_may_be_written_as_text_and_refer_to_what_comes_later() -> None:
    class Node(Component):
        children: tuple[Node, ...] = ()
        leaf: Later | None = None

    class Later(Component):
        size: int = 1

    globals()["Later"] = Later
    try:
        assert Node((Node(), Node(leaf=Later(2)))).get("children.1.leaf.size") == 2
    finally:
        del globals()["Later"]


def test_types_may_be_those_of_the_function_around() -> None:
    class Local(Component):
        size: int = 1

    class Holder(Component):
        local: Local = Local()
        many: dict[str, tuple[Local, ...]] = {}  # noqa: RUF012

    assert Holder(Local(2), {"a": [Local(3)]}).get("many.a.0.size") == 3  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="Holder: local must be a Local, got 5"):
        Holder(5)  # type: ignore[arg-type]


def test_a_type_that_does_not_exist_is_named() -> None:
    class Sample(Component):
        first: int = 1
        second: Nowhere = None  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(
        ConfigurationError, match="Sample: the type of second, 'Nowhere', cannot be used: name 'Nowhere'"
    ):
        Sample()


def test_parameters_of_a_class_in_another_module_keep_their_meaning() -> None:
    from tests.machines import Remainder

    class Special(Remainder):
        extra: Colour = Colour.RED

    assert Special(7, extra="BLUE").parameters() == {"seed": None, "divisor": 7, "extra": Colour.BLUE}  # type: ignore[arg-type]


# What a class is known by


def test_a_class_that_is_defined_again_the_same_is_the_same() -> None:
    def define(factor: int) -> type[Component]:
        class Local(Component):
            size: int = 1

            def scaled(self) -> int:
                return factor * self.size

        return Local

    assert define(2)().digest == define(2)().digest
    assert define(2)().digest != define(3)().digest


def test_a_version_speaks_for_its_own_class_only() -> None:
    def define(result: int) -> tuple[Component, Component]:
        class Base(Component):
            version = 1

            def value(self) -> int:
                return result

        class Sub(Base):
            def other(self) -> int:
                return result

        return Base(), Sub()

    (one, first), (two, second) = define(1), define(2)
    assert one.digest == two.digest
    assert first.digest != second.digest


def test_classes_and_members_of_enumerations_given_as_parameters_are_known_by_their_source() -> None:
    class Holder(Component):
        version = 1
        held: Any = None

    def define(result: int) -> list[Any]:
        class Mode(enum.Enum):
            ADD = result

        class Tool:
            def use(self) -> int:
                return result

        return [Holder(Mode.ADD), Holder(Tool), Holder((Mode.ADD, {"tool": Tool}))]

    for one, same, other in zip(define(1), define(1), define(2), strict=True):
        assert one.digest == same.digest
        assert one.digest != other.digest
        assert decode(one.encoding).registered_name == Holder.registered_name


def test_a_registered_name_survives_a_move() -> None:
    def define(module: str) -> type[Component]:
        space = {"__module__": module, "registered_name": "sample.moved", "version": 1}
        return type("Moved", (Component,), space)

    here = define(__name__)()
    assert here.to_plain() == {"type": "sample.moved"}
    with pytest.raises(ConfigurationError, match=r"'sample\.moved' belongs to tests\.kernel\.test_component\.Moved; "):
        define("elsewhere")
    assert from_plain({"type": "sample.moved"}) == here


def test_numpy_numbers_and_plain_ones_are_the_same_anywhere_inside() -> None:
    assert Anything({"a": [np.int64(1), {"b": np.float64(2)}]}) == Anything({"a": (1, {"b": 2.0})})
    assert type(Anything(np.float64(2)).value) is float


# Abstract components


class Norm(Component):
    """A way to measure lengths."""

    @abstractmethod
    def length(self, vector: Sequence[float]) -> float:
        """How long a vector is."""

    @staticmethod
    @abstractmethod
    def unit() -> str:
        """What it is measured in."""


class Longest(Norm):
    """The largest number."""

    scale: float = 1.0

    def length(self, vector: Sequence[float]) -> float:
        return self.scale * max(vector)


class LongestInMetres(Longest):
    """The same, in metres."""

    @staticmethod
    def unit() -> str:
        return "m"


class Family(Component, abstract=True):
    """What some components have in common: only a name."""


class Member(Family):
    """One of them."""


class WithNorm(Component):
    norm: Norm = LongestInMetres()


@pytest.mark.parametrize(
    ("cls", "says"),
    [
        (Norm, "Norm: it is abstract, a subclass must define length, unit"),
        (Longest, "Longest: it is abstract, a subclass must define unit"),
        (Family, "Family: it is abstract, use one of its subclasses"),
    ],
)
def test_an_abstract_component_cannot_be_made(cls: type[Component], says: str) -> None:
    assert cls.is_abstract()
    for _ in range(2):
        with pytest.raises(ConfigurationError) as caught:
            cls()
        assert str(caught.value) == says
        cls.holds_components()  # what is asked of the class does not make it less abstract


def test_what_writes_everything_is_not_abstract() -> None:
    assert not LongestInMetres.is_abstract()
    assert not Member.is_abstract()
    assert LongestInMetres(scale=2).length([1, 3]) == 6
    assert isinstance(Member(), Family)
    assert WithNorm().replace("norm.scale", 3.0).norm.length([1, 2]) == 6


def test_a_machine_is_abstract_until_it_has_a_process() -> None:
    assert Machine.is_abstract()
    assert not SquareMachine.is_abstract()


class SquareMachine(Machine):
    """The square of a number."""

    square = Output(int)

    def run(self) -> Model:
        return Model(square=4)
