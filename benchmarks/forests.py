"""Forests against scikit-learn's, and against ranger where it is installed: 100 trees with their out-of-bag error.

Ours is a project in memory, and each of its trees a machine with a sample of its own that can be asked for, shared and
tested again; scikit-learn's and ranger's forests leave themselves. All draw ⌊log₂ M + 1⌋ features in each node. Then
all sizes of a forest by three rules and four measures in ten folds, beside ten folds of the forest alone; and what a
forest takes in memory and in a folder, beside scikit-learn's pickle.
"""

from __future__ import annotations

import pickle
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.report import ROOT, Cost, Target, in_new_process, note_progress, print_table, print_targets
from benchmarks.tables import BUILT_IN, SHARED, built_in, fresh
from intemi import Machine, Project
from intemi.data import Column, Data, Table
from intemi.data.arff import read_arff
from intemi.kernel.encoding import encode
from intemi.machines import (
    Average,
    ClassificationTest,
    CommitteeTest,
    CVDistributor,
    MaximumRule,
    RandomForest,
    Repeater,
    Scheme,
    Vote,
)
from intemi.machines.measures import BalancedAccuracy, BrierScore, ClassificationAccuracy, Kappa

LARGE, LETTER = "100,000 × 20", "letter"
HOME = ROOT / "tests" / "reference" / "data"
RULES = Vote(), Average(), MaximumRule()
MEASURES = ClassificationAccuracy(), BalancedAccuracy(), Kappa(), BrierScore()
AT_MOST, AT_MOST_RANGER, AT_MOST_SIZES, AT_MOST_MEMORY = 1 / 3, 1 / 1.5, 1.1, 0.5
RANGER = """
library(ranger)
given <- commandArgs(trailingOnly = TRUE)
data <- read.csv(given[1])
data$class <- factor(data$class)
grow <- function(seed) ranger(class ~ ., data, num.trees = as.integer(given[2]), mtry = as.integer(given[3]),
  num.threads = as.integer(given[4]), min.node.size = 1, write.forest = TRUE,
  seed = seed, verbose = FALSE)
for (round in seq_len(as.integer(given[5]))) {
  spent <- system.time(grow(round))
  cat(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]], "\\n")
}
"""


@dataclass(frozen=True)
class Sizes:
    """What is measured: data sets, trees, and of how many rounds the least counts; of the large one there is one."""

    data: tuple[str, ...]
    trees: int
    rounds: int
    compared: str
    """The data set whose sizes and rules are compared."""


FULL = Sizes(data=(*BUILT_IN, "waveform", "rings", LARGE), trees=100, rounds=3, compared="waveform")
QUICK = Sizes(data=("iris", "rings"), trees=10, rounds=1, compared="rings")


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    targets = [target for cores in (1, 2) for target in _measure_forests(sizes, cores)]
    targets += [_measure_sizes(sizes), *_measure_memory(sizes)]
    print_targets(targets)
    return targets


def data_of(name: str) -> Data:
    """A data set by name; numbers as scikit-learn's trees keep them."""
    if name == LARGE:
        from sklearn.datasets import make_classification

        values, classes = make_classification(100_000, 20, n_informative=10, random_state=0)
        columns = [Column(f"x{index}") for index in range(20)]
        data = Data(Table(columns, values.T, Column("class", ("a", "b")), classes))
    else:
        data = built_in(name) if name in BUILT_IN else read_arff((SHARED if name == LETTER else HOME) / f"{name}.arff")
    return data.with_features(data.columns, data.features.astype(np.float32).astype(np.float64))


# Forests


def _measure_forests(sizes: Sizes, cores: int) -> list[Target]:
    rows: list[list[str | float | None]] = []
    targets = []
    for name in sizes.data:
        note_progress(f"forests: {name}, {cores} cores")
        asked = {"name": name, "trees": sizes.trees, "cores": cores, "rounds": 1 if name == LARGE else sizes.rounds}
        ours, theirs = (Cost(*in_new_process(each, **asked)) for each in (intemi_forest, sklearn_forest))
        rows.append([name, *(each / 1e3 for each in (*ours, *theirs)), theirs.wall / ours.wall, theirs.cpu / ours.cpu])
        what = f"{name}, {cores} cores: ours / scikit-learn's"
        targets.append(Target(what, ours.wall / theirs.wall, AT_MOST, by_cpu=ours.cpu / theirs.cpu))
        if shutil.which("Rscript") is None:
            continue
        ranger = Cost(*in_new_process(ranger_forest, **asked))
        rows[-1] += [*(each / 1e3 for each in ranger), ranger.wall / ours.wall]
        what = f"{name}, {cores} cores: ours / ranger's"
        targets.append(Target(what, ours.wall / ranger.wall, AT_MOST_RANGER, by_cpu=ours.cpu / ranger.cpu))
    header = ["", "ours, ms", "CPU", "scikit-learn, ms", "CPU", "times", "by CPU", "ranger, ms", "CPU", "times"]
    if shutil.which("Rscript") is None:
        header = header[:7]
        print("\nranger is not installed (Debian: r-cran-ranger), so there is no comparison with it.")
    print_table(f"A forest of {sizes.trees} trees with its out-of-bag error, {cores} cores", header, rows)
    return targets


def intemi_forest(name: str, trees: int, cores: int, rounds: int) -> Cost:
    """In a process of its own: the least of several rounds, each with a new project and a table that is not sorted."""
    data = data_of(name)
    with Project(workers=cores) as project:  # kernels are loaded before anything is measured
        project.run(RandomForest(trees=2), data=project.given(fresh(built_in("iris"))))

    def grow() -> Cost:
        with Project(workers=cores) as project:
            given = project.given(fresh(data))
            return Cost.of(lambda: project.run(RandomForest(trees=trees, seed=1), data=given).results, 1)

    return min(grow() for _ in range(rounds))


def sklearn_forest(name: str, trees: int, cores: int, rounds: int) -> Cost:
    """The same with `RandomForestClassifier`."""
    from sklearn.ensemble import RandomForestClassifier

    data = data_of(name)
    values, classes = np.ascontiguousarray(data.features.T), data.classes
    forest = RandomForestClassifier(
        trees, max_features=len(data.columns).bit_length(), oob_score=True, n_jobs=cores, random_state=1
    )
    warnings.simplefilter("ignore")  # few trees leave rows without an answer
    return min(Cost.of(lambda: forest.fit(values, classes), 1) for _ in range(rounds))


def ranger_forest(name: str, trees: int, cores: int, rounds: int) -> Cost:
    """The same with R's ranger, by the clock of R."""
    data = data_of(name)
    with tempfile.TemporaryDirectory() as folder:
        table, program = Path(folder, "table.csv"), Path(folder, "program.R")
        header = ",".join([*(f"x{index}" for index in range(len(data.columns))), "class"])
        np.savetxt(table, np.vstack([data.features, data.classes]).T, delimiter=",", header=header, comments="")
        program.write_text(RANGER)
        asked = [str(each) for each in (table, trees, len(data.columns).bit_length(), cores, rounds)]
        printed = subprocess.run(["Rscript", program, *asked], stdout=subprocess.PIPE, text=True, check=True).stdout
    return min(Cost(*(float(seconds) * 1e6 for seconds in line.split())) for line in printed.splitlines())


# All sizes, rules and measures


def _measure_sizes(sizes: Sizes) -> Target:
    note_progress("forests: all sizes")
    asked = {"name": sizes.compared, "trees": sizes.trees, "rounds": sizes.rounds}
    alone, every = in_new_process(folds_of_forests, **asked)
    count = sizes.trees * len(RULES) * len(MEASURES)
    print_table(
        f"Ten folds of a forest of {sizes.trees} trees on {sizes.compared}, one core, CPU ms",
        ["", "CPU ms"],
        [["one forest, by accuracy", alone / 1e3], [f"{count:,} combinations of size, rule and measure", every / 1e3]],
    )
    return Target("all sizes, rules and measures / one forest, by CPU time", every / alone, AT_MOST_SIZES)


def folds_of_forests(name: str, trees: int, rounds: int) -> tuple[float, float]:
    """CPU time of ten folds of a forest: tested once, and by all sizes, rules and measures."""
    data = data_of(name)
    tests: tuple[Machine, ...] = (
        ClassificationTest(measures=(ClassificationAccuracy(),)),
        CommitteeTest(RULES, measures=MEASURES),
    )
    once, every = (_repeated(test, trees) for test in tests)
    _cpu(once, built_in("iris"))
    pairs = [(_cpu(once, fresh(data)), _cpu(every, fresh(data))) for _ in range(rounds)]
    return min(first for first, _ in pairs), min(second for _, second in pairs)


def _repeated(test: Machine, trees: int) -> Repeater:
    scheme = Scheme(training=Data, test=Data)
    forest = scheme.add(RandomForest(trees=trees), data=scheme.training)
    scheme.add(test, data=scheme.test, classifier=forest.classifier)
    return Repeater(CVDistributor(10), scheme, seed=1)


def _cpu(asked: Machine, data: Data) -> float:
    with Project(workers=1) as project:
        given = project.given(data)
        return Cost.of(lambda: project.run(asked, data=given), 1).cpu


# Memory


def _measure_memory(sizes: Sizes) -> list[Target]:
    if not (SHARED / f"{LETTER}.arff").exists():
        print(f"\n{SHARED / LETTER}.arff is not there, so memory is not compared.")
        return []
    note_progress("forests: memory")
    memory, kept, pickled = in_new_process(bytes_of_forests, trees=sizes.trees)
    rows = [["ours, in memory", memory / 1e6], ["in a folder", kept / 1e6], ["scikit-learn's pickle", pickled / 1e6]]
    print_table(f"A forest of {sizes.trees} trees on {LETTER}, MB", ["", "MB"], rows)
    return [
        Target(f"memory of a forest on {LETTER} / scikit-learn's pickle", memory / pickled, AT_MOST_MEMORY),
        Target(f"a forest on {LETTER} in a folder / scikit-learn's pickle", kept / pickled, AT_MOST_MEMORY),
    ]


def bytes_of_forests(trees: int) -> tuple[int, int, int]:
    """Bytes of our trees, in memory and as a folder keeps them, and of scikit-learn's pickle."""
    from sklearn.ensemble import RandomForestClassifier

    data = data_of(LETTER)
    with Project(workers=1) as project:
        members = project.run(RandomForest(trees=trees, seed=1), data=project.given(data)).outputs["members"]
        grown = [member.tree for member in members]
    memory, kept = sum(tree.nbytes for tree in grown), sum(len(encode(tree)) for tree in grown)
    forest = RandomForestClassifier(trees, max_features=len(data.columns).bit_length(), random_state=1)
    return memory, kept, len(pickle.dumps(forest.fit(data.features.T, data.classes)))
