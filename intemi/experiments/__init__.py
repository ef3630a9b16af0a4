"""Experiments: learners on data sets, tested in one way and compared; from a file or from Python.

`reading` makes an `Experiment` of a YAML file: `document` knows lines, `catalogue` what can be named, `building` makes
machines of names and parameters. `running` runs it in a project, after `frozen` has written its `plan`, and `outcome`
is what came of it: `comparison` compares its learners, and `tables` and `report` show what was `compared`. `fitting`
trains one learner on all rows. `standard` has whole experiments in one line.
"""

from intemi.experiments.alike import check_alike
from intemi.experiments.compared import Compared
from intemi.experiments.comparison import Comparison
from intemi.experiments.errors import ExperimentError
from intemi.experiments.experiment import Experiment, cross_validation
from intemi.experiments.fitting import fit
from intemi.experiments.outcome import Cell, Outcome
from intemi.experiments.pictures import picture
from intemi.experiments.progress import Progress
from intemi.experiments.reading import parse_experiment, read_experiment
from intemi.experiments.running import found, run, save, saved
from intemi.experiments.standard import compare_learners, learning_curve, ten_by_ten

__all__ = [
    "Experiment",
    "Comparison",
    "read_experiment",
    "parse_experiment",
    "run",
    "found",
    "fit",
    "save",
    "saved",
    "Progress",
    "Outcome",
    "Cell",
    "Compared",
    "cross_validation",
    "compare_learners",
    "ten_by_ten",
    "learning_curve",
    "check_alike",
    "picture",
    "ExperimentError",
]
