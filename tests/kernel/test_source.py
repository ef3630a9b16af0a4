"""The fingerprint of a user's class changes exactly when something that it uses does."""

import importlib
import linecache
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
from intemi.kernel.source import fingerprint

ROOT = Path(__file__).parents[2]
Fingerprint = Callable[..., bytes]

SCALER = """
    def scale(x):
        return 2 * x

    class M:
        def run(self, x):
            return scale(x)
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Write modules into a folder (a new one unless told), import the first, and forget what was loaded before."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names: set[str] = set()
    folders = 0

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] in names]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def write_and_import(text: str, folder: Path | None = None, name: str = "user", **others: str) -> Any:
        nonlocal folders
        folders += 1
        folder = folder or tmp_path / f"version{folders}"
        files = {name: text, **others}
        names.update(each.partition("/")[0] for each in files)
        for each, content in files.items():
            path = folder / f"{each}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(content))
        forget()
        with monkeypatch.context() as context:
            context.syspath_prepend(str(folder))
            module: Any = importlib.import_module(name.replace("/", "."))
            module.print = fingerprint(module.M)
        return module

    yield write_and_import
    forget()


@pytest.fixture
def of(load: Callable[..., Any]) -> Fingerprint:
    """The fingerprint of class M of a module with this text."""
    return lambda text, **others: load(text, **others).print


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


# What changes it


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        pytest.param(SCALER, "return scale(x)", "return -scale(x)", id="a method's body"),
        pytest.param(SCALER, "2 * x", "3 * x", id="a helper's body"),
        pytest.param("K = 1\n" + textwrap.dedent(SCALER), "2 * x", "K * x", id="a constant instead of a number"),
        pytest.param("class M:\n  def run(self, x=1): return x", "x=1", "x=2", id="a default value"),
        pytest.param("class M:\n  def run(self, *, x=1): return x", "x=1", "x=2", id="a keyword's default value"),
        pytest.param("D = 1\nclass M:\n  def run(self, x=D): return x", "D = 1", "D = 2", id="a named default value"),
        pytest.param("class M:\n  alpha = 1", "alpha = 1", "alpha = 2", id="a class attribute"),
        pytest.param("A = 1\nclass M:\n  alpha = A", "A = 1", "A = 2", id="a named class attribute"),
        pytest.param("class M:\n  alpha: int", "int", "float", id="an annotation"),
        pytest.param("class M:\n  def run(self, x: int): ...", "int", "float", id="an argument's annotation"),
        pytest.param("class B:\n  b = 1\nclass M(B): ...", "b = 1", "b = 2", id="a base class"),
        pytest.param(
            "class B:\n  def b(self): return 1\nclass M(B): ...", "return 1", "return 2", id="a base's method"
        ),
        pytest.param("class T(type):\n  t = 1\nclass M(metaclass=T): ...", "t = 1", "t = 2", id="a metaclass"),
        pytest.param("class M:\n  @staticmethod\n  def f(): return 1", "return 1", "return 2", id="a static method"),
        pytest.param("class M:\n  @classmethod\n  def f(cls): return 1", "return 1", "return 2", id="a class method"),
        pytest.param("class M:\n  @property\n  def f(self): return 1", "return 1", "return 2", id="a property"),
        pytest.param("class M:\n  def __f(self): return 1", "return 1", "return 2", id="a private method"),
        pytest.param("class M:\n  async def f(self): return 1", "return 1", "return 2", id="a coroutine"),
        pytest.param("class M:\n  class N:\n    def f(self): return 1", "return 1", "return 2", id="a nested class"),
        pytest.param("class M:\n  f = lambda self: 1", "self: 1", "self: 2", id="a lambda in the class"),
        pytest.param("f = lambda: 1\nclass M:\n  def run(self): return f()", ": 1", ": 2", id="a lambda"),
        pytest.param(
            "T = {'a': lambda: 1, 'b': lambda: 2}\nclass M:\n  def run(self): return T",
            "lambda: 2",
            "lambda: 3",
            id="one of two lambdas in a line",
        ),
        pytest.param(
            "def h(): return 1\nclass M:\n  def run(self):\n    def inner(): return h()\n    return inner()",
            "return 1",
            "return 2",
            id="the helper of a nested function",
        ),
        pytest.param(
            "class M:\n  def f(self): return self._x\n  def s(self, x): self._x = x\n  x = property(f, s)",
            "self._x = x",
            "self._x = -x",
            id="a property's setter",
        ),
        pytest.param(
            "import math\nclass M:\n  def run(self, x): return math.sin(x)", "math.sin", "math.cos", id="a library call"
        ),
        pytest.param(
            "from math import sin as f\nclass M:\n  def run(self, x): return f(x)",
            "sin",
            "cos",
            id="what an alias means",
        ),
        pytest.param(
            "import math as m\nclass M:\n  def run(self, x): return m.sin(x)", "math", "cmath", id="a library's module"
        ),
        pytest.param(
            "import numpy as np\nop = np.add\nclass M:\n  def run(self, x): return op(x, x)",
            "np.add",
            "np.multiply",
            id="a compiled function behind a name",
        ),
        pytest.param(
            "from functools import partial\ndef h(a, x): return a * x\nf = partial(h, 2)\n"
            "class M:\n  def run(self, x): return f(x)",
            "partial(h, 2)",
            "partial(h, 3)",
            id="a partial's argument",
        ),
        pytest.param(
            "from functools import partial\ndef h(a, x): return a * x\nf = partial(h, 2)\n"
            "class M:\n  def run(self, x): return f(x)",
            "a * x",
            "a + x",
            id="a partial's function",
        ),
        pytest.param(
            "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef h(x): return 1\n"
            "class M:\n  def run(self, x): return h(x)",
            "return 1",
            "return 2",
            id="a cached helper",
        ),
        pytest.param(
            "from functools import wraps\ndef twice(f):\n  @wraps(f)\n  def g(x): return 2 * f(x)\n  return g\n"
            "@twice\ndef h(x): return x\nclass M:\n  def run(self, x): return h(x)",
            "2 * f(x)",
            "3 * f(x)",
            id="a decorator",
        ),
        pytest.param(
            "from functools import wraps\ndef twice(f):\n  @wraps(f)\n  def g(x): return 2 * f(x)\n  return g\n"
            "@twice\ndef h(x): return x\nclass M:\n  def run(self, x): return h(x)",
            "return x\n",
            "return -x\n",
            id="a decorated helper",
        ),
        pytest.param(
            "from contextlib import contextmanager\n@contextmanager\ndef h(): yield 1\n"
            "class M:\n  def run(self):\n    with h() as x: return x",
            "yield 1",
            "yield 2",
            id="a helper in a library's wrapper",
        ),
        pytest.param(
            "from functools import singledispatch\n@singledispatch\ndef h(x): return 1\n@h.register\n"
            "def _(x: int): return 2\nclass M:\n  def run(self, x): return h(x)",
            "return 2",
            "return 3",
            id="one case of a generic function",
        ),
        pytest.param(
            "import threading\nh = threading.local()\nh.py_func = lambda x: 1\n"  # cannot be pickled, like numba's own
            "class M:\n  def run(self, x): return h(x)",
            "x: 1",
            "x: 2",
            id="a compiled helper's python function",
        ),
        pytest.param(
            "from dataclasses import dataclass, field\ndef h(): return [1]\n@dataclass\nclass M:\n"
            "  x: list = field(default_factory=h)",
            "return [1]",
            "return [2]",
            id="a field's default factory",
        ),
        pytest.param(
            "from dataclasses import dataclass, field\nD = 1\n@dataclass\nclass M:\n  x: int = field(default=D)",
            "D = 1",
            "D = 2",
            id="a field's default",
        ),
        pytest.param(
            "from dataclasses import dataclass\n@dataclass(order=True)\nclass M:\n  x: int = 1",
            "order=True",
            "order=False",
            id="an option of a dataclass",
        ),
        pytest.param("class M:\n  __array_priority__ = 1", "= 1", "= 2", id="a special attribute"),
        pytest.param(
            "import string\nclass M(string.Template):\n  _private = 1",
            "= 1",
            "= 2",
            id="a private attribute of a subclass",
        ),
        pytest.param(
            "import functools\nclass W:\n  def __init__(self, f, k):\n    functools.update_wrapper(self, f)\n"
            "    self.k = k\ndef h(): ...\nw = W(h, 1)\nclass M:\n  def run(self): return w()",
            "W(h, 1)",
            "W(h, 2)",
            id="a wrapper's own attribute",
        ),
        pytest.param(
            "class S(set): ...\ns = S()\ndef f(): return s, 1\ns.add(f)\nclass M:\n  def run(self): return s",
            "return s, 1",
            "return s, 2",
            id="a function in a set that it names",
        ),
        pytest.param(
            "class P:\n  def __init__(self): self.a = 1\np = P()\nclass M:\n  def run(self): return p.a",
            "self.a = 1",
            "self.a = 2",
            id="an object's class",
        ),
        pytest.param(
            "class P:\n  def __init__(self, a): self.a = a\np = P(1)\nclass M:\n  def run(self): return p.a",
            "P(1)",
            "P(2)",
            id="an object's attribute",
        ),
        pytest.param(
            "class P:\n  def f(self): return 1\nf = P().f\nclass M:\n  def run(self): return f()",
            "return 1",
            "return 2",
            id="a bound method",
        ),
        pytest.param(
            "import re\nP = re.compile('a')\nclass M:\n  def run(self, x): return P.match(x)",
            "'a'",
            "'b'",
            id="a pattern",
        ),
        pytest.param(
            "import enum\nclass E(enum.Enum):\n  A = 1\n  B = 2\nD = E.A\nclass M:\n  def run(self): return D",
            "D = E.A",
            "D = E.B",
            id="a member of an enumeration",
        ),
        pytest.param(
            "import numpy as np\nclass F(np.float64):\n  def f(self): return 1\nC = F(1)\n"
            "class M:\n  def run(self): return C",
            "return 1",
            "return 2",
            id="the class of a number",
        ),
        pytest.param(
            "from intemi.kernel.machine import Machine\nclass M(Machine):\n"
            "  @classmethod\n  def _prepare(cls): return 1",
            "return 1",
            "return 2",
            id="a method that replaces one of the package's own",
        ),
        pytest.param(
            "import enum\nclass E(enum.Enum):\n  A = 1\nD = E.A\nclass M:\n  def run(self): return D",
            "A = 1",
            "A = 2",
            id="the value of a member",
        ),
        pytest.param(
            "def f(): ...\nf.k = 1\nclass M:\n  def run(self): return f.k",
            "k = 1",
            "k = 2",
            id="a function's attribute",
        ),
    ],
)
def test_an_edit_is_noticed(of: Fingerprint, text: str, old: str, new: str) -> None:
    assert of(text) != of(changed(text, old, new))


CONSTANTS = [
    *("None", "True", "1", "1.0", "1j", "'1'", "b'1'", "2**20000", "...", "float('nan')", "0.0", "-0.0", "()", "(1,)"),
    *("[1]", "{1}", "frozenset({1})", "{1: 1}", "{1: 2}", "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "[[1]]", "range(3)"),
    *("np.array([1, 2])", "np.array([1, 2], dtype='int32')", "np.array([[1, 2]])", "np.array([1, 3])", "np.int64(1)"),
    *("np.array([1, None], dtype=object)", "np.array([1, 'a'], dtype=object)", "np.float64", "len", "Path('1')"),
]


def test_constants_that_differ_in_value_type_or_order_differ(of: Fingerprint) -> None:
    text = (
        "import numpy as np\nfrom pathlib import PurePosixPath as Path\nC = HERE\nclass M:\n  def run(self): return C"
    )
    prints = [of(changed(text, "HERE", constant)) for constant in CONSTANTS]
    assert len(set(prints)) == len(CONSTANTS)


def test_equal_constants_are_equal_however_they_were_made(of: Fingerprint) -> None:
    text = "C = [(1, 2), {'a', 'b', 'c'}, {'x': 1.5}]\nclass M:\n  def run(self): return C"
    other = "C = [(1, 1 + 1), set('cbacb'), dict(x=3 / 2)]\nclass M:\n  def run(self): return C"
    assert of(text) == of(other)


SHARED = """
C = [1]
for _ in range(60): C = [C, C]
class Node: pass
N = Node()
for _ in range(20):
    x, y = Node(), Node()
    x.n, y.n = {N}, {N}
    N = Node()
    N.n = {x, y}
class M:
  def run(self): return C, N
"""


def test_what_is_shared_is_walked_once(of: Fingerprint) -> None:
    assert of(SHARED) != of(changed(SHARED, "C = [1]", "C = [2]"))


def test_cycles_that_lead_to_other_objects_differ(of: Fingerprint) -> None:
    text = "C = [1, [2]]\nC[1].append(C)\nclass M:\n  def run(self): return C"
    assert of(text) == of(text)
    assert of(text) != of(changed(text, "append(C)", "append(C[1])"))


def test_objects_that_all_refer_to_each_other_are_refused_by_name(of: Fingerprint) -> None:
    text = "C = [[] for _ in range(12)]\nfor i in C: i.extend(C)\nclass M:\n  def run(self): return C"
    with pytest.raises(ConfigurationError, match=r"M\.run uses C"):
        of(text)


def test_the_environment_counts_by_name(of: Fingerprint, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from os import environ\nclass M:\n  def run(self): return environ.get('X')"
    before = of(text)
    monkeypatch.setenv("X", "1")
    assert of(text) == before


def test_the_helper_of_a_helper_in_another_module_is_noticed(of: Fingerprint) -> None:
    user = "from helpers import scale\nclass M:\n  def run(self, x): return scale(x)"
    helpers = "import deeper\ndef scale(x): return deeper.inner.factor() * x"
    deeper = "import inner"
    inner = "def factor(): return {}\ndef unrelated(): return {}"
    first = of(user, helpers=helpers, deeper=deeper, inner=inner.format(1, 1))
    assert first != of(user, helpers=helpers, deeper=deeper, inner=inner.format(2, 1))
    assert first == of(user, helpers=helpers, deeper=deeper, inner=inner.format(1, 2))


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("from . import helpers", "helpers.scale"),
        ("from .helpers import scale", "scale"),
        ("import package.helpers as h", "h.scale"),
        ("import package.helpers", "package.helpers.scale"),
    ],
)
@pytest.mark.parametrize("inside", [False, True], ids=["at the top", "in the method"])
def test_helpers_in_a_package_are_noticed(of: Fingerprint, statement: str, call: str, inside: bool) -> None:
    top, local = ("pass", statement) if inside else (statement, "pass")
    user = f"{top}\nclass M:\n  def run(self, x):\n    {local}\n    return {call}(x)"

    def package(helper: str) -> bytes:
        files = {"package/__init__": "", "package/helpers": f"def scale(x): return {helper}"}
        return of(user, name="package/user", **files)

    assert package("x") == package("x")
    assert package("x") != package("2 * x")


def test_helpers_in_a_folder_without_init_are_noticed(of: Fingerprint) -> None:
    user = "import folder.helpers\nclass M:\n  def run(self): return folder.helpers.f()"
    versions = [of(user, **{"folder/helpers": f"def f(): return {value}"}) for value in (1, 2)]
    assert versions[0] != versions[1]


def test_a_module_passed_as_a_value_counts_as_a_whole(of: Fingerprint) -> None:
    user = "import helpers\nclass M:\n  def run(self): return getattr(helpers, 'f')()"
    assert of(user, helpers="def f(): return 1") != of(user, helpers="def f(): return 2")


def test_a_library_imported_in_a_method_is_not_loaded_and_counts_by_name(of: Fingerprint) -> None:
    text = "class M:\n  def run(self):\n    import {} as library\n    return library"
    assert "turtledemo" not in sys.modules
    assert of(text.format("turtledemo")) != of(text.format("this"))
    assert not {"turtledemo", "this"} & set(sys.modules)


def test_values_of_a_closure_are_noticed(load: Callable[..., Any]) -> None:
    text = """
        def make(k, table):
            class M:
                limit = k
                def run(self):
                    return table
            return M
        M = make(1, {"a": 1})
    """
    make = load(text).make
    one, same, other_attribute, other_cell = (make(k, {"a": a}) for k, a in [(1, 1), (1, 1), (2, 1), (1, 2)])
    assert fingerprint(one) == fingerprint(same)
    assert len({fingerprint(cls) for cls in (one, other_attribute, other_cell)}) == 3


def test_an_empty_closure_and_an_undefined_name_are_no_obstacle(of: Fingerprint) -> None:
    text = """
        def make():
            class M:
                def run(self):
                    return later, undefined
            return M
            later = 1
        M = make()
    """
    assert len(of(text)) == 16


def test_helpers_that_call_each_other_are_noticed(of: Fingerprint) -> None:
    text = """
        TABLE = {}
        def even(n):
            return n == 0 or odd(n - 1)
        def odd(n):
            return n != 0 and TABLE["even"](n - 1)
        TABLE["even"] = even
        TABLE["itself"] = TABLE
        SET = {even, odd}
        class M:
            def run(self, n):
                return M, even(n), SET
    """
    assert of(text) == of(text)
    assert of(text) != of(changed(text, "n != 0", "n > 0"))


def test_a_chain_of_helpers_may_be_longer_than_the_stack(of: Fingerprint) -> None:
    chain = "\n".join(f"def f{i}(): return f{i + 1}()" for i in range(3000))
    text = f"{chain}\ndef f3000(): return 1\nclass M:\n  def run(self): return f0()"
    assert of(text) != of(changed(text, "return 1\n", "return 2\n"))


# What does not


REFORMATTED = """
    '''A module's docstring.'''

    import os

    class M:
        '''What it does.'''

        def run( self,
                 x ):  # a comment
            '''How.'''
            return (scale(
                x))

    def unrelated():
        return os


    def scale(x):
        'Another docstring.'
        # a comment
        return 2*x
"""


def test_comments_docstrings_layout_order_and_unrelated_code_do_not_matter(of: Fingerprint) -> None:
    assert of(SCALER) == of(REFORMATTED)


def test_the_docstring_of_anything_in_the_class_does_not_matter(of: Fingerprint) -> None:
    text = """
        import functools
        class M:
            \"\"\"DOC\"\"\"
            a: int = 1
            \"\"\"DOC\"\"\"
            @functools.cached_property
            def p(self):
                \"\"\"DOC\"\"\"
                return 1
            @property
            def q(self):
                \"\"\"DOC\"\"\"
                def inner():
                    \"\"\"DOC\"\"\"
                return inner
            class N:
                \"\"\"DOC\"\"\"
    """
    assert of(text) == of(text.replace("DOC", "Another text."))
    assert of(text) == of(text.replace('"""DOC"""', "pass"))


def test_the_order_of_methods_does_not_matter(of: Fingerprint) -> None:
    methods = ["  def a(self): return 1\n", "  def b(self): return 2\n"]
    assert of("class M:\n" + "".join(methods)) == of("class M:\n" + "".join(reversed(methods)))


def test_a_global_named_like_a_local_or_an_attribute_is_unrelated(of: Fingerprint) -> None:
    text = "class M:\n  def run(self, x):\n    y = x.z\n    return [w for w in y], lambda: y"
    assert of(text) == of(text + "\nx = y = z = w = 1")


def test_the_place_of_the_file_and_its_name_do_not_matter(of: Fingerprint, tmp_path: Path) -> None:
    text = "import helpers\nclass M:\n  def run(self): return __file__, __name__, helpers.__file__"
    here, there = tmp_path / "here", tmp_path / "a" / "there"
    assert of(text, folder=here, helpers="") == of(text, folder=there, name="other", helpers="")


@pytest.mark.filterwarnings("ignore::intemi.ChanceWarning")
def test_what_a_helper_has_cached_and_drawn_does_not_matter(load: Callable[..., Any]) -> None:
    text = """
        import functools, random
        import numpy as np
        rng, old = np.random.default_rng(), random.Random()
        @functools.lru_cache
        def helper(x):
            return rng.random() + old.random()
        class M:
            def run(self, x):
                return helper(x), random.random()
    """
    module = load(text)
    module.M().run(1)
    assert fingerprint(module.M) == module.print == load(text).print


def test_locks_count_by_their_class(of: Fingerprint) -> None:
    text = """
        import threading
        LOCK = threading.Lock()
        class M:
            def run(self):
                return LOCK
    """
    assert of(text) == of(text)
    assert of(text) != of(changed(text, "Lock()", "RLock()"))


def test_two_processes_with_different_hash_seeds_agree(tmp_path: Path) -> None:
    text = """
        import enum
        class Colour(enum.Enum):
            RED = "red"
            BLUE = "blue"
        def f(): return {"x", "y", "z"}
        def g(): return f
        WORDS = {"one", "two", "three", "four"}
        MIXED = frozenset({f, g, Colour.RED, Colour.BLUE, ("a", frozenset({"b", "c"})), len, Colour, None, 1.5})
        def make(a, b):
            return lambda x: x in {"p", "q", "r"} or a or b
        CLOSURES = {make(1, 2), make(2, 1), make("s", WORDS)}
        class M:
            def run(self):
                return WORDS, MIXED, CLOSURES, "p" in {"p", "q", "r"}
    """
    (tmp_path / "user.py").write_text(textwrap.dedent(text))
    program = "from intemi.kernel.source import fingerprint; import user; print(fingerprint(user.M).hex())"
    prints = set()
    for seed in ("0", "1", "12345"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        prints.add(done.stdout)
    assert len(prints) == 1


PINNED = """
    from abc import abstractmethod
    from dataclasses import dataclass, field

    LIMIT = 3

    @dataclass(frozen=True)
    class Base:
        size: int = 1

    @dataclass(frozen=True)
    class M(Base):
        names: list = field(default_factory=list)

        @abstractmethod
        def run(self, x):
            def inner(y: int) -> int:
                return y if y < LIMIT else scale(x)
            return inner(x) + sum(y for y in range(self.size))

    def scale(x):
        return abstractmethod, f"{2 * x:.3f}"
"""


def test_fingerprints_stay_what_they_are_in_every_version_of_python(of: Fingerprint) -> None:
    assert of(SCALER).hex() == "bd2c3b8a7c24dad60b88899036a596ec"
    assert of(PINNED).hex() == "26274a899297f395d665599782d32c3d"


# Where the source is missing, stale or ambiguous


def execute(text: str) -> type:
    namespace: dict[str, Any] = {}
    exec(textwrap.dedent(text), namespace)
    cls: type = namespace["M"]
    return cls


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("2 * x", "3 * x", id="a helper"),
        pytest.param("alpha = 1", "alpha = 2", id="an attribute"),
        pytest.param("inner(y): return y", "inner(y): return -y", id="a nested function"),
        pytest.param("x=1", "x=2", id="a default"),
        pytest.param("p, q", "q, p", id="the order of arguments"),
        pytest.param("__call__(self): return 1", "__call__(self): return 2", id="a special method"),
        pytest.param("{'u', 'v'}", "{'u', 'w'}", id="a constant set"),
        pytest.param("beta: int", "beta: float", id="an annotation"),
    ],
)
def test_a_class_without_source_counts_by_its_code(old: str, new: str) -> None:
    text = """
        def scale(x):
            return 2 * x
        class M:
            '''A docstring.'''
            alpha = 1
            beta: int
            def __call__(self): return 1
            def unused(self, p, q): return 1
            def run(self, x=1):
                '''A docstring.'''
                def inner(y): return y
                return scale(x) if x in {'u', 'v'} else inner(x)
    """
    assert fingerprint(execute(text)) == fingerprint(execute("\n\n# moved\n" + textwrap.dedent(text)))
    assert fingerprint(execute(text)) == fingerprint(execute(changed(text, "A docstring.", "Another.")))
    assert fingerprint(execute(text)) == fingerprint(execute(changed(text, "'''A docstring.'''", "# none")))
    assert fingerprint(execute(text)) != fingerprint(execute(changed(text, old, new)))


def test_a_local_class_without_source_is_no_library() -> None:
    text = "def make():\n  class M:\n    k = 1\n  return M\nM = make()"
    assert fingerprint(execute(text)) != fingerprint(execute(changed(text, "k = 1", "k = 2")))


def test_a_special_method_borrowed_from_a_function_without_source_is_noticed() -> None:
    text = "def call(self): return 1\nclass M:\n  __call__ = call"
    assert fingerprint(execute(text)) != fingerprint(execute(changed(text, "return 1", "return 2")))


def test_a_cell_of_a_notebook_is_read_as_source(of: Fingerprint) -> None:
    text = textwrap.dedent(SCALER)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert fingerprint(namespace["M"]) == of(SCALER)


def test_a_class_without_source_and_methods_counts_by_its_values() -> None:
    one, same, other, renamed = (type(name, (), {"k": k}) for name, k in [("M", 1), ("M", 1), ("M", 2), ("N", 1)])
    assert fingerprint(one) == fingerprint(same)
    assert len({fingerprint(cls) for cls in (one, other, renamed)}) == 3


def test_classes_of_one_name_in_one_file_are_told_apart(load: Callable[..., Any]) -> None:
    text = """
        class M:
            def run(self): return 1
        First = M
        class M:
            def run(self): return 2
        def make(flag):
            if flag:
                class Local:
                    k = 1
            else:
                class Local:
                    k = 2
            return Local
        Made = type("M", (), {"run": lambda self: 3})
    """
    module = load(text)
    classes = [module.First, module.M, module.make(True), module.make(False), module.Made]
    assert len({fingerprint(cls) for cls in classes}) == len(classes)


def test_classes_made_by_a_factory_of_the_library_are_told_apart(load: Callable[..., Any]) -> None:
    text = """
        import collections, dataclasses, enum
        def f(): return 1
        def g(): return 2
        CLASSES = [dataclasses.make_dataclass("D", [("x", int, k)]) for k in (1, 2)]
        CLASSES += [dataclasses.make_dataclass("D", [("x", int)], namespace={"run": k}) for k in (f, g)]
        CLASSES += [collections.namedtuple("D", names) for names in ("x y", "x z")]
        CLASSES += [enum.Enum("D", names) for names in ("x y", "x z")]
        M = CLASSES[0]
    """
    classes = load(text).CLASSES
    assert len({fingerprint(cls) for cls in classes}) == len(classes)


def test_a_file_edited_after_it_was_loaded_does_not_lend_its_name_to_the_old_code(
    load: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "edited"
    old = load(SCALER, folder=folder)
    new_text = changed(SCALER, "2 * x", "3 * x")
    (folder / "user.py").write_text(textwrap.dedent(new_text))
    assert fingerprint(old.M) != load(new_text, folder=folder).print


def test_a_file_that_was_edited_and_loaded_again_counts_as_it_now_is(load: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "edited"
    texts = [changed(SCALER, "2 * x", f"{k} * x") for k in (2, 3, 2)]
    assert [load(text, folder=folder).print for text in texts] == [load(text).print for text in texts]


# Machines


def test_a_machine_knows_its_source_before_and_after_its_first_use(load: Callable[..., Any]) -> None:
    text = """
        from intemi.kernel.component import Component
        from intemi.kernel.machine import Machine, Model
        from intemi.kernel.parameters import parameter
        from intemi.kernel.ports import Input, Output
        class Base(Machine):
            shift: int = parameter(default=LOW, at_least=LOW)
        class M(Base):
            left = Input(int)
            total = Output(int)
            def run(self, left):
                return Model(total=left + self.shift)
    """
    module = load(changed(text, "LOW", "1"))
    assert module.Base(shift=2).digest
    assert module.M(shift=2).digest
    assert fingerprint(module.M) == module.print
    assert module.print != load(changed(text, "LOW", "2")).print
    assert module.print != load(changed(changed(text, "LOW", "1"), "left = Input(int)", "left = Input(float)")).print


def test_a_class_of_this_package_counts_by_name() -> None:
    assert fingerprint(Machine) == fingerprint(Machine) != fingerprint(int)
