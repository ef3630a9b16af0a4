"""The experiment as a value: data sets × learners × protocol × measures × comparison.

It stands for a short program: for each data set and learner, a repeater runs a distributor and, on each pair of
training and test data, a scheme of two machines, the learner and its test. `cross_validation` draws it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from intemi.data import Data
from intemi.experiments import catalogue
from intemi.experiments.alike import check_alike
from intemi.experiments.comparison import Comparison, UnknownTest
from intemi.experiments.errors import near
from intemi.experiments.plan import digest_of, plan_of
from intemi.experiments.unknown import is_known, restored, unknown_among
from intemi.kernel import encoding
from intemi.kernel.adoption import adopted
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Best, Machine
from intemi.kernel.project import Given
from intemi.machines.classifiers import ClassificationTest
from intemi.machines.distributors import CVDistributor
from intemi.machines.measures import Measure
from intemi.machines.roles import ClassifierTest, Distributor, Learner, Loader
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme
from intemi.markup import for_notebook, table
from intemi.series.display import counted

SPENT: Mapping[str, Best] = {"wall": "lowest", "cpu": "lowest", "memory": "lowest"}
"""What is known of every machine; here, of the learner."""

MAX_FILE_NAME = 80
"""Characters of a file's name that come from the name of an experiment."""
TEN_FOLDS, CLASSIFICATION_TEST, PLAIN_COMPARISON = CVDistributor(), ClassificationTest(), Comparison()
LEARNER, TEST = "learner", "learner test"
"""The names of the two machines of the test scheme."""


def cross_validation(
    learner: Machine, distributor: Machine, test: Machine, repetitions: int = 1, seed: int | None = None
) -> Repeater:
    """Run a learner and a test on everything that a distributor gives out.

    >>> from intemi.machines import KNN
    >>> cross_validation(KNN(k=3), CVDistributor(5), ClassificationTest()).get("test/learner.k")
    3
    """
    scheme = Scheme(training=Data, test=Data)
    learned = scheme.add(learner, data=scheme.training, name=LEARNER)
    scheme.add(test, data=scheme.test, classifier=learned.classifier, name=TEST)
    return Repeater(distributor=distributor, test=scheme, repetitions=repetitions, seed=seed)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Learners tested on data sets in one way, and compared.

    `data` are loaders, data or pandas frames (with the target last) by name, `learners` machines that take data and
    give a classifier. `requests` are other machines to be run on each data set, such as a parameter search.

    >>> from intemi.machines import KNN, NaiveBayes, SklearnDataset
    >>> flowers = Experiment(
    ...     data={"iris": SklearnDataset("iris")},
    ...     learners={"5nn": KNN(k=5), "bayes": NaiveBayes()},
    ...     distributor=CVDistributor(folds=5),
    ... )
    >>> [(data, learner) for data, learner, _ in flowers.cells()]
    [('iris', '5nn'), ('iris', 'bayes')]
    """

    data: Mapping[str, Any]
    learners: Mapping[str, Machine] = field(default_factory=dict)
    distributor: Machine = TEN_FOLDS
    repetitions: int = 1
    seed: int | None = 1
    test: Machine = CLASSIFICATION_TEST
    measures: Sequence[str | Measure] = ("Accuracy",)
    """Names of results, or measures, which become names. The test gets those that it does not measure yet."""
    comparison: Comparison = PLAIN_COMPARISON
    requests: Mapping[str, Machine] = field(default_factory=dict)
    name: str = "experiment"
    project: str | None = None
    """The folder of the project; without one, one with the name of the experiment."""
    unification: int = 2
    """How the command recognises machines: 1, by the origin of their inputs; 2, by the contents as well."""

    def __post_init__(self) -> None:
        for what in _MACHINES:
            if not isinstance(getattr(self, what), Mapping):
                given = type(getattr(self, what)).__name__
                raise ConfigurationError(
                    f"Experiment: {what} must be a mapping of names, {{'name': ...}}, got a {given}"
                )
        values: dict[str, Data] = {}
        sources: dict[str, Machine] = {}
        for name, given in self.data.items():
            sources[name] = given if isinstance(given, Machine) else _given(name, given, values)
        machines = {what: {name: adopted(each) for name, each in getattr(self, what).items()} for what in _ADOPTED}
        self._set(data=sources, _values=values, **machines)
        self._set(measures=tuple(self.measures))
        self._check()
        self._add_measures()

    def _set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        if not self.data:
            raise ConfigurationError("Experiment: data must name at least one data set, got none")
        if not self.learners and not self.requests:
            raise ConfigurationError("Experiment: learners must name at least one learner, got none")
        for what in ("data", "learners", "requests"):
            for name in getattr(self, what):
                if not isinstance(name, str) or not name or "/" in name:
                    raise ConfigurationError(f"Experiment: names of {what} must be texts without '/', got {name!r}")
        for name, source in self.data.items():
            check_source(source, f"data {name}")
        for name, learner in self.learners.items():
            check_learner(learner, f"learner {name}")
        for name, machine in self.requests.items():
            check_request(machine, f"request {name}")
        if type(self.repetitions) is not int or self.repetitions < 1:
            raise ConfigurationError(f"Experiment: repetitions must be at least 1, got {self.repetitions!r}")
        if type(self.unification) is not int or self.unification not in (1, 2):
            raise ConfigurationError(f"Experiment: unification must be 1 or 2, got {self.unification!r}")
        check_distributor(self.distributor)
        check_test(self.test)
        if not self.measures:
            raise ConfigurationError("Experiment: measures must name at least one measure, got none")
        measures = self.known_measures
        for measure in (*self.measures, *filter(None, [self.comparison.measure])):
            if not isinstance(measure, str | Measure):
                raise ConfigurationError(f"Experiment: measures must be names or measures, got {measure!r}")
            if isinstance(measure, str) and measures is not None and measure not in measures:
                raise ConfigurationError(f"Experiment: no measure is called {measure!r}; {near(measure, measures)}")
        if self.comparison.control is not None and self.comparison.control not in self.learners:
            control = self.comparison.control
            raise ConfigurationError(f"Experiment: no learner is called {control!r}; {near(control, self.learners)}")
        if self.comparison.vary:
            known = {name: learner for name, learner in self.learners.items() if is_known(learner)}
            check_alike(known, self.comparison.vary)
        if self.learners and is_known(self.distributor) and not isinstance(self.comparison.test, UnknownTest):
            self.comparison.test_for(self.distributor)

    def _add_measures(self) -> None:
        """Let the test measure all that is wanted, and keep the names."""
        reported, known = self._reports(), measures_by_name()
        added: list[Measure] = []
        for each in (*self.measures, *filter(None, [self.comparison.measure])):
            wanted = each if isinstance(each, Measure) else None if each in reported else known.get(each)
            if wanted is None or wanted in added:
                continue
            if isinstance(self.test, ClassificationTest):
                added += [wanted] if wanted not in self.test.measures else []
            elif isinstance(each, Measure):
                raise ConfigurationError(
                    f"Experiment: the measure {wanted!r} needs a ClassificationTest, but the test is {self.test.kind}"
                )
        if added:
            assert isinstance(self.test, ClassificationTest)
            self._set(test=self.test.replace("measures", (*self.test.measures, *added)))
        self._set(measures=tuple(_name_of(each) for each in self.measures))

    def _reports(self) -> dict[str, Best]:
        """What its machines declare of their results, those of the test first."""
        found: dict[str, Best] = {**SPENT}
        for machine in (*self.learners.values(), self.test):
            found |= machine.reports
        return found

    @property
    def known_measures(self) -> tuple[str, ...] | None:
        """The measures that there can be; None where machines of the user may leave others."""
        machines = [self.test, *self.learners.values()]
        if not all(type(each).__module__.startswith("intemi.") and is_known(each) for each in machines):
            return None
        more = measures_by_name() if isinstance(self.test, ClassificationTest) else {}
        return tuple(dict.fromkeys((*self.test.reports, *self._reports(), *more)))

    def best_of(self, measure: str) -> Best:
        """Which values of a measure are best, as the comparison or the machine that leaves it says; None if unknown."""
        if self.comparison.best is not None and measure == self.main_measure:
            return self.comparison.best
        reports = self._reports()
        if measure in reports:
            return reports[measure]
        known = measures_by_name().get(measure)  # a test of the user may leave a result that has the name of a measure
        return None if known is None else known.best

    def __repr__(self) -> str:
        parts = [counted(len(self.learners), "learner")] if self.learners else []
        parts += [counted(len(self.requests), "request")] if self.requests else []
        on = counted(len(self.data), "data set")
        return f"<Experiment {self.name!r}: {' and '.join(parts)} on {on}, {self.repetitions} × {self.distributor!r}>"

    def _repr_html_(self) -> str:
        named = {"data set": self.data, "learner": self.learners, "request": self.requests}
        rows = [[what, name, repr(machine)] for what, each in named.items() for name, machine in each.items()]
        protocol = {"protocol": self.distributor, "repetitions": self.repetitions, "seed": self.seed, "test": self.test}
        rows += [[what, "", repr(value)] for what, value in protocol.items()]
        rows.append(["measures", "", ", ".join(self.all_measures)])
        shown = table([], rows, classes={(row, 2): "text" for row in range(len(rows))})
        return for_notebook(f"<b>{escape(self.name)}</b>", shown)

    @property
    def folder(self) -> str:
        """Where its project is."""
        return self.project or self.name

    @property
    def file_name(self) -> str:
        """Its name as that of a file, without an extension: no part of it leads to another folder."""
        return re.sub(r"[^\w.-]+", "-", self.name).strip("-.")[:MAX_FILE_NAME] or "experiment"

    @property
    def main_measure(self) -> str:
        """The measure by which learners are compared."""
        return self.comparison.measure or _name_of(self.measures[0])

    @property
    def all_measures(self) -> tuple[str, ...]:
        """The main measure, then the others."""
        return tuple(dict.fromkeys((self.main_measure, *map(_name_of, self.measures))))

    @property
    def values(self) -> Mapping[str, Data]:
        """Data that were given as such, by the digests of their contents."""
        found: Mapping[str, Data] = self.__dict__["_values"]
        return found

    def machine(self, learner: str) -> Repeater:
        """What is requested for a learner on every data set."""
        return cross_validation(self.learners[learner], self.distributor, self.test, self.repetitions, self.seed)

    def cells(self) -> list[tuple[str, str, Machine]]:
        """Data set, learner (or request) and the machine that is requested, in the order of the requests."""
        machines: dict[str, Machine] = {name: self.machine(name) for name in self.learners}
        machines |= self.requests
        return [(data, name, machine) for data in self.data for name, machine in machines.items()]

    @property
    def tests_of_a_cell(self) -> int | None:
        """How many tests a repeater runs for each learner on each data set, if that is known beforehand."""
        parameters = self.distributor.parameters()
        count = parameters.get("folds", parameters.get("samples"))
        return self.repetitions * count if type(count) is int else None

    @property
    def digest(self) -> str:
        """The identity of the whole plan: data sets, learners, protocol, measures and comparison."""
        return digest_of(plan_of(self))

    def to_plain(self) -> dict[str, Any]:
        """The experiment as plain data; `Experiment.from_plain` makes the same one of them."""
        return {
            "name": self.name,
            "project": self.project,
            "unification": self.unification,
            **{what: {name: each.to_plain() for name, each in getattr(self, what).items()} for what in _MACHINES},
            **{what: getattr(self, what).to_plain() for what in ("distributor", "test", "comparison")},
            "repetitions": self.repetitions,
            "seed": self.seed,
            "measures": list(self.measures),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Experiment:
        """The experiment that plain data describe; machines of classes that are not loaded stay as written."""
        parts = dict(plain)
        for what in _MACHINES:
            parts[what] = {name: restored(what, each) for name, each in plain[what].items()}
        for what in ("distributor", "test"):
            parts[what] = restored(what, plain[what])
        return cls(**{**parts, "comparison": Comparison.from_plain(plain["comparison"])})

    @property
    def unknown(self) -> str | None:
        """One sentence about machines, and a test, that are not known here, and what helps; None if all are known."""
        machines = [*self.data.values(), *self.learners.values(), *self.requests.values(), self.distributor, self.test]
        return unknown_among(machines, [self.comparison.test] if isinstance(self.comparison.test, UnknownTest) else [])


def _name_of(measure: str | Measure) -> str:
    return measure.name if isinstance(measure, Measure) else measure


def measures_by_name() -> dict[str, Measure]:
    """Every registered measure that needs no parameters, by the label of its result."""
    found: dict[str, Measure] = {}
    for entry in catalogue.entries().values():
        if issubclass(entry.gives, Measure) and not entry.is_abstract and not entry.needs:
            made = entry.make({})
            assert isinstance(made, Measure)
            found.setdefault(made.name, made)
    return found


_ADOPTED = ("learners", "requests")
_MACHINES = ("data", *_ADOPTED)


def check_source(machine: Machine, what: str) -> None:
    """Refuse what gives no data, or needs something itself."""
    if not isinstance(machine, Given):
        Loader.demand(machine, f"{what}:")


def check_learner(machine: Machine, what: str) -> None:
    """Refuse what does not learn a classifier from data."""
    _check_feasible(machine, what)
    Learner.demand(machine, f"{what}:")


def check_request(machine: Machine, what: str) -> None:
    """Refuse what does not run on data alone."""
    _check_feasible(machine, what)
    if [*machine.inputs] != ["data"]:
        takes = ", ".join(machine.inputs) or "nothing"
        raise ConfigurationError(f"{what}: must be a machine that takes data, but {machine.kind} takes {takes}")


def check_distributor(machine: Machine) -> None:
    """Refuse what does not divide data into training and test data."""
    Distributor.demand(machine, "distributor:")


def check_test(machine: Machine) -> None:
    """Refuse what does not test a classifier on data."""
    ClassifierTest.demand(machine, "test:")


def _check_feasible(machine: Machine, what: str) -> None:
    if not isinstance(machine, Machine):
        hint = f"; write {machine.__name__}(...)" if isinstance(machine, type) else ""
        raise ConfigurationError(f"{what}: a machine or an estimator of scikit-learn is needed, got {machine!r}{hint}")
    if missing := machine.missing():
        raise ConfigurationError(f"{what}: {machine.kind} is not complete: {missing[0]}")


def _given(name: str, given: Any, values: dict[str, Data]) -> Machine:
    data = given
    if hasattr(given, "iloc"):
        from intemi.data.exchange import from_pandas

        data = from_pandas(given, name=name)
    if not isinstance(data, Data):
        raise ConfigurationError(
            f"Experiment: data {name} must be a machine that gives data, Data or a pandas frame, "
            f"got {type(given).__name__}"
        )
    content = encoding.content_digest(data).hex()
    values[content] = data
    return Given(content)
