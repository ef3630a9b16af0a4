"""Whatever can change what a user's machine computes counts in its identity, or is refused with its name.

Each program is run twice in one project folder, and edited in between.
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import re
import sqlite3
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from intemi.kernel import ConfigurationError, Job, Machine, Model, Project, storable
from intemi.kernel.encoding import content_digest, encode
from intemi.kernel.errors import ChanceWarning
from tests.machines import Pass, gate

HEAD = """
import array, contextlib, contextvars, ctypes, functools, itertools, weakref
from dataclasses import dataclass
import numpy as np
from intemi.data import Column, Data, Table
from intemi.kernel import Input, Machine, Model, Output, storable
from intemi.machines.interfaces import Classifier
"""
MACHINE = "class M(Machine):\n    def run(self):\n        return Model(results={'x': HERE})\n"
_numbers = itertools.count()


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """Write a module, import it under the one name `program`."""
    before = sys.modules.get("program")

    def write(text: str) -> Any:
        path = tmp_path / f"{next(_numbers)}" / "program.py"
        path.parent.mkdir()
        path.write_text(textwrap.dedent(HEAD) + textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location("program", path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["program"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield write
    if before is None:
        sys.modules.pop("program", None)


def machine(uses: str) -> str:
    return MACHINE.replace("HERE", uses)


# What counts

COUNTED: dict[str, tuple[str, str, str]] = {
    "a seed sequence": (
        "S = np.random.SeedSequence(0)\n" + machine("int(S.generate_state(1)[0])"),
        "SeedSequence(0)",
        "SeedSequence(1)",
    ),
    "an attribute that __getstate__ hides": (
        "class P:\n  def __init__(self): self.a = 1\n  def __getstate__(self): return {}\np = P()\n" + machine("p.a"),
        "self.a = 1",
        "self.a = int(2)",
    ),
    "a hidden attribute that only an instance has": (
        "class P:\n  def __getstate__(self): return {}\np = P()\np.a = 1\n" + machine("p.a"),
        "p.a = 1",
        "p.a = 2",
    ),
    "a hidden slot": (
        "class P:\n  __slots__ = ('a',)\n  def __getstate__(self): return None\np = P()\np.a = 1\n" + machine("p.a"),
        "p.a = 1",
        "p.a = 2",
    ),
    "a part that __reduce__ hides": (
        "class P:\n  def __reduce__(self): return P, ()\np = P()\np.a = 1\n" + machine("p.a"),
        "p.a = 1",
        "p.a = 2",
    ),
    "a docstring that is read": (
        'class M(Machine):\n    """1"""\n    def run(self): return Model(results={"x": type(self).__doc__})\n',
        '"""1"""',
        '"""2"""',
    ),
    "a table of pandas": (
        "import pandas as pd\nF = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\n" + machine("int(F.a.sum())"),
        "[1, 2]",
        "[1, 3]",
    ),
    "a text in a table of pandas": (
        "import pandas as pd\nF = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\n" + machine("F.b[1]"),
        "'y'",
        "'z'",
    ),
    "a categorical of pandas": (
        "import pandas as pd\nC = pd.Categorical(['p', 'q'])\n" + machine("C[1]"),
        "'q'",
        "'r'",
    ),
    "a timestamp of pandas": (
        "import pandas as pd\nT = pd.Timestamp('2026-01-01')\n" + machine("T.year"),
        "2026",
        "2027",
    ),
    "a library's compiled function": (
        "from scipy.sparse.csgraph import dijkstra as f, johnson as g\n" + machine("f.__name__"),
        "f.__name__",
        "g.__name__",
    ),
    "what the alias of a compiled function means": (
        "from scipy.sparse.csgraph import dijkstra as f\n" + machine("f.__name__"),
        "dijkstra",
        "johnson",
    ),
    "the docstring of a helper": ('def f():\n    "1"\n' + machine("f.__doc__"), '"1"', '"2"'),
}
DECORATED = """
class Own:
    def __init__(self, function): self.function = function
    def __get__(self, instance, owner): return functools.partial(self.function, instance)

def answer(self, data, number=0): return np.eye(2)[np.full(len(data), number)]

@storable
@dataclass(frozen=True, eq=False)
class Mine(Classifier):
    columns: tuple
    labels: tuple
    DECORATION

class M(Machine):
    def run(self):
        data = Data(Table([Column("a")], [[1.0]], Column("c", ("p", "q")), [0]))
        return Model(results={"x": float(Mine(data.columns, data.labels).probabilities(data)[0, 0])})
"""
BODY = "def _probabilities(self, data): return np.eye(2)[np.full(len(data), 0)]"
DECORATIONS = {
    "functools.cache": f"@functools.cache\n    {BODY}",
    "functools.lru_cache": f"@functools.lru_cache(maxsize=3)\n    {BODY}",
    "functools.partialmethod": "_probabilities = functools.partialmethod(answer, number=0)",
    "functools.singledispatchmethod": f"@functools.singledispatchmethod\n    {BODY}",
    "a class of one's own": f"@Own\n    {BODY}",
}
for _name, _decoration in DECORATIONS.items():
    _old = "number=0)" if "partialmethod" in _name else "len(data), 0)"
    _text = DECORATED.replace("DECORATION", _decoration)
    COUNTED[f"a method decorated by {_name}"] = (_text, _old, _old.replace("0)", "1)"))


@pytest.mark.parametrize("what", COUNTED)
def test_an_edit_runs_the_machine_again(what: str, load: Callable[[str], Any], tmp_path: Path) -> None:
    text, old, new = COUNTED[what]
    assert old in text
    results = []
    for each in (text, text, text.replace(old, new)):
        with Project(tmp_path / "folder", workers=1) as project:
            results.append((project.run(load(each).M()).results["x"], project.counts().physical.total()))
    (first, ran), (same, ran_again), (other, ran_edited) = results
    assert (ran, ran_again, ran_edited) == (1, 0, 1)
    assert first == same != other


@pytest.mark.parametrize("what", DECORATIONS)
def test_a_classifier_with_another_decorated_method_is_another_one(what: str, load: Callable[[str], Any]) -> None:
    text, old, new = COUNTED[f"a method decorated by {what}"]
    digests = {content_digest(load(each).Mine((), ())) for each in (text, text, text.replace(old, new))}
    assert len(digests) == 2


def test_docstrings_that_are_not_read_do_not_matter(load: Callable[[str], Any]) -> None:
    text = 'def f():\n    "1"\n    return 1\n' + machine("f()")
    assert load(text).M().digest == load(text.replace('"1"', '"2"')).M().digest


# What is refused

REFUSED: dict[str, str] = {
    "a generator": "G = (i for i in range(3))",
    "an iterator": "G = iter([1, 2])",
    "an iterator of a library": "G = itertools.count(3)",
    "a zip": "G = zip([1], [2])",
    "a context variable": "G = contextvars.ContextVar('v', default=1)",
    "a weak reference": "class K: pass\nK.k = K()\nG = weakref.ref(K.k)",
    "a memoryview": "G = memoryview(b'12')",
    "a function of C": "G = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)",
    "a flat iterator": "G = np.arange(3).flat",
    "an open file": "G = open(__file__)\nG.close()",
    "an object that refuses to be pickled": "class K:\n  def __reduce__(self): raise TypeError\nG = K()",
    "a function for arrays": "G = np.frompyfunc(lambda a: a + 1, 1, 1)",
    "one of these in a list": "G = [1, (i for i in ())]",
    "one of these in an object": "class K: pass\nG = K()\nG.inside = (i for i in ())",
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("where", ["run", "helper", "attribute"])
def test_what_cannot_be_known_is_refused_with_its_name(what: str, where: str, load: Callable[[str], Any]) -> None:
    text = REFUSED[what] + "\n" + MACHINE.replace("HERE", "G is None")
    if where == "helper":
        text = REFUSED[what] + "\ndef helper(): return G is None\n" + machine("helper()")
    elif where == "attribute":
        text = REFUSED[what] + "\n" + machine("self.G is None") + "    G = G\n"
    module = load(text)
    with Project(workers=1) as project, pytest.raises(ConfigurationError) as caught:
        project.run(module.M())
    message = str(caught.value)
    named = {"run": "M.run uses G", "helper": "helper uses G", "attribute": "M uses G"}[where]
    assert message.startswith("M: ")
    assert named in message
    assert "version = 1" in message
    versioned = load(text.replace("class M(Machine):\n", "class M(Machine):\n    version = 1\n"))
    with Project(workers=1) as project:
        assert project.run(versioned.M()).results == {"x": False}


def test_functions_for_arrays_of_libraries_count_by_their_names(load: Callable[[str], Any]) -> None:
    texts = [f"import scipy.special\nG = {name}\n" + machine("float(G(1.0))") for name in ("np.exp", "np.log")]
    texts.append(texts[0].replace("np.exp", "scipy.special.expit"))
    assert len({load(text).M().digest for text in texts}) == 3


ACCEPTED = {
    "a compiled function": "from numpy.random import default_rng as G",
    "a compiled method": "from pandas import Timestamp\nG = Timestamp.isoformat",
    "what is no time": "from pandas import NaT as G",
    "an empty table of pandas": "import pandas\nG = pandas.DataFrame()",
    "a logger": "import logging\nG = logging.getLogger('mine')",
    "a handler of a logger": "import logging\nG = logging.StreamHandler()",
    "a lock": "import threading\nG = threading.Lock()",
    "an event": "import threading\nG = threading.Event()",
    "a progress bar": "from tqdm import tqdm\nG = tqdm(range(3), disable=True)",
    "the standard output": "import sys\nG = sys.stdout",
    "the standard error": "import sys\nG = sys.stderr",
}


@pytest.mark.parametrize("what", ACCEPTED)
@pytest.mark.filterwarnings("error")
def test_ordinary_globals_are_accepted(what: str, load: Callable[[str], Any]) -> None:
    texts = [f"{ACCEPTED[what]}\n" + machine(uses) for uses in ("G is None", "G is None", "G is not None")]
    with Project(workers=1) as project:
        assert [project.run(load(text).M()).results["x"] for text in texts] == [False, False, True]


def test_the_standard_streams_are_the_same_wherever_they_lead(
    load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import sys\nG = sys.stderr\n" + machine("G is None")
    before = load(text).M().digest
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert load(text).M().digest == before


def test_a_refusal_says_what_the_global_is_and_what_it_holds(load: Callable[[str], Any]) -> None:
    text = "class Holder:\n  def __init__(self): self.file = open(__file__)\nH = Holder()\nH.file.close()\n"
    for given, said in (("H", "M.run uses H (Holder), which holds a"), ("[H]", "M.run uses G (list), which holds a")):
        module = load(f"{text}G = {given}\n" + machine("H is None" if given == "H" else "G is None"))
        with pytest.raises(ConfigurationError, match=f"^M: it cannot be known whether .*{re.escape(said)} _io.Text"):
            module.M().digest  # noqa: B018


GENERATORS = {
    "a generator": ("G = np.random.default_rng(0)", "uses G, of the type numpy.random"),
    "one of the standard library": ("import random\nG = random.Random(0)", "uses G, of the type random.Random,"),
    "numpy's own": ("G = np.random.normal", r"uses G \(method\), which holds a numpy"),
    "one in an object": (
        "class K: pass\nG = K()\nG.rng = np.random.default_rng(0)",
        r"uses G \(K\), which holds a numpy",
    ),
}


@pytest.mark.parametrize("what", GENERATORS)
def test_a_generator_outside_of_the_machine_gets_one_warning(what: str, load: Callable[[str], Any]) -> None:
    text, said = GENERATORS[what]
    module = load(f"{text}\n" + machine("G is None"))
    with Project(workers=1) as project:
        with pytest.warns(ChanceWarning, match=f"M.run {said}.*the argument `rng` in run"):
            project.run(module.M())
        project.run(module.M())  # a second warning would be an error


def test_a_seed_sequence_counts_and_gets_no_warning(load: Callable[[str], Any]) -> None:
    with warnings.catch_warnings(action="error"):
        load("S = np.random.SeedSequence(0)\n" + machine("S is None")).M().digest  # noqa: B018


# In one process


class Limited(Machine):
    """Says what its class says."""

    LIMIT: ClassVar[int] = 1

    def run(self) -> Model:
        return Model(results={"x": type(self).LIMIT + offset()})


def offset() -> int:
    return CONSTANT


CONSTANT = 10


def test_what_is_rebound_after_the_first_use_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    with Project(workers=1) as project:
        kept = Limited()

        def seen() -> list[Any]:
            return [project.run(each).results["x"] for each in (Limited(), kept)]

        assert seen() == [11, 11]
        monkeypatch.setattr(Limited, "LIMIT", 2)
        assert seen() == [12, 12]
        monkeypatch.setattr(sys.modules[__name__], "CONSTANT", 20)
        assert seen() == [22, 22]
        monkeypatch.setattr(sys.modules[__name__], "offset", lambda: 30)
        assert seen() == [32, 32]
        monkeypatch.setattr(Limited, "run", lambda self: Model(results={"x": -1}))
        assert seen() == [-1, -1]
        monkeypatch.undo()
        assert seen() == [11, 11]
        assert project.counts().physical.total() == 5


class Twice(Machine):
    """Requests the same machine before and after a gate."""

    version = 1
    gate: str
    inner: Limited

    async def run(self, job: Job) -> Model:
        job.request(self.inner, name="before")
        await job.request(Pass(self.gate))
        after = job.request(self.inner, name="after")
        await after
        return Model()


def test_what_is_rebound_while_a_composite_runs_is_noticed_by_its_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what the new code makes would be on record as what the old code makes."""
    name = "rebound while it runs"
    with Project(workers=1) as project:
        twice = project.request(Twice(name, Limited()))
        assert gate(name).reached.wait(30)
        monkeypatch.setattr(sys.modules[__name__], "CONSTANT", 20)
        gate(name).opened.set()
        twice.wait()
        assert [child.results["x"] for child in twice.children if child.name != "Pass"] == [11, 21]
        monkeypatch.undo()
        assert project.run(Limited()).results["x"] == 11


_table: Any = None
_connection: Any = None
calls = 0


def table() -> Any:
    global _table
    if _table is None:
        _table = np.arange(10.0)
    return _table


class Lazy(Machine):
    """Loads a table, opens a database and counts, all of it in globals and in the class."""

    _names: ClassVar[Any] = None
    number: int = 0

    def run(self) -> Model:
        global calls, _connection
        calls += 1
        if _connection is None:
            _connection = sqlite3.connect(":memory:", check_same_thread=False)
        type(self)._names = type(self)._names or _connection.execute("select 1")
        Lazy._last = self.number
        return Model(results={"x": float(table()[self.number])})

    _last: ClassVar[int] = 0


def test_code_that_rebinds_names_of_its_own_keeps_its_identity(tmp_path: Path) -> None:
    before = Lazy(1).digest
    for runs in (4, 0):
        with Project(tmp_path / "folder", workers=1) as project:
            assert [project.run(Lazy(number)).results["x"] for number in (3, 1, 2, 0)] == [3, 1, 2, 0]
            assert project.counts().physical.total() == runs
    assert calls == 4
    assert Lazy(1).digest == before
    Lazy._header = None
    assert Lazy(1).digest == before


REBINDING = """
from intemi import Machine, Model
import state

CACHE = None
SCALE = 1

def closing(held=None):
    def get():
        nonlocal held
        held = held or 1
        return held
    return get

get = closing()

def load():
    global CACHE
    CACHE = 1

def configure(value):
    global SCALE
    SCALE = value

class M(Machine):
    def run(self):
        state.counter += 1
        if CACHE is None:
            load()
        return Model(results={"x": [CACHE, SCALE, get(), state.counter]})
"""


def test_names_count_by_name_if_code_of_the_machine_rebinds_them_and_by_value_if_other_code_does(
    load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "state.py").write_text("counter = 0")
    monkeypatch.syspath_prepend(tmp_path)
    module = load(REBINDING)
    before = module.M().digest
    module.CACHE = open(__file__)  # noqa: SIM115
    module.CACHE.close()
    module.state.counter = 5
    module.get()
    assert module.M().digest == before
    module.M._header = None
    assert module.M().digest == before
    module.configure(2)
    assert module.M().digest != before
    module.configure(1)
    assert module.M().digest == before
    module.configure(1.0)
    assert module.M().digest != before


# Values of one's own


@storable
@dataclass(frozen=True)
class Small:
    """A small value that occurs again and again."""

    low: Any
    caches_encoding: ClassVar[bool] = True


def test_equal_values_of_other_types_are_told_apart_though_their_encoding_is_remembered() -> None:
    for values in ((0.0, -0.0), (1, True, 1.0), ((1,), (True,))):
        for _ in range(2):
            encoded = [encode((Small(value), Small(value))) for value in values]
            assert len(set(encoded)) == len(values)
            assert len({content_digest(Small(value)) for value in values}) == len(values)


def test_a_digest_of_ones_own_does_not_replace_the_source(load: Callable[[str], Any]) -> None:
    text = """
        @storable
        @dataclass(frozen=True)
        class V:
            n: int = 1
            def content_digest(self): return b"0123456789abcdef"
            def answer(self): return 1
    """
    digests = [content_digest(load(each).V()) for each in (text, text, text.replace("return 1", "return 2"))]
    assert digests[0] == digests[1] != digests[2]


PROGRAM = """
import sys
from intemi.kernel import Machine, Model, Project

class M(Machine):
    version = 1
    def run(self):
        return Model(results={"x": NUMBER})

if __name__ == "__main__":
    with Project(sys.argv[1], workers=1) as project:
        print(project.run(M()).results["x"])
"""


def test_two_programs_do_not_share_machines_of_one_name_and_version(tmp_path: Path) -> None:
    import subprocess

    answers = []
    for name, number in (("first", 1), ("second", 2), ("first", 3)):
        path = tmp_path / f"{name}.py"
        path.write_text(PROGRAM.replace("NUMBER", str(number)))
        command = [sys.executable, str(path), str(tmp_path / "folder")]
        answers.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    assert answers == ["1", "2", "1"]  # the version speaks for the third: the program has the name of the first


def test_arrays_count_as_they_are(load: Callable[[str], Any]) -> None:
    text = "A = np.array([0.0, np.nan])\n" + machine("float(A[0])")
    assert load(text).M().digest != load(text.replace("0.0", "-0.0")).M().digest
