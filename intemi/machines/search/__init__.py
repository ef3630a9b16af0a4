"""Scenarios of parameter search: which values of which parameters to try, and what to try next in the light of it.

A scenario is a component; `begin` gives a `Search`, which is asked for candidates and told how good they were. It never
runs anything itself.
"""

from intemi.machines.search.candidate import Candidate
from intemi.machines.search.defaults import default_scenarios
from intemi.machines.search.distributions import Choice, Distribution, Integers, LogUniform, Uniform
from intemi.machines.search.errors import ScenarioError
from intemi.machines.search.multi_line import MultiLineSearch
from intemi.machines.search.optuna_search import OptunaSearch
from intemi.machines.search.parameter_search import ParameterSearch
from intemi.machines.search.random_search import RandomSearch
from intemi.machines.search.scenario import Proposals, Scenario
from intemi.machines.search.session import Search
from intemi.machines.search.stacked import Grid, InSequence, Stacked, Zip
from intemi.machines.search.steps import Steps
from intemi.machines.search.values import Unchanged, Values
from intemi.machines.search.zoom import StepsWithZoom

__all__ = [
    "ParameterSearch",
    "Scenario",
    "Steps",
    "Values",
    "Unchanged",
    "Stacked",
    "InSequence",
    "Grid",
    "Zip",
    "StepsWithZoom",
    "MultiLineSearch",
    "RandomSearch",
    "Distribution",
    "Uniform",
    "LogUniform",
    "Integers",
    "Choice",
    "OptunaSearch",
    "Candidate",
    "Search",
    "Proposals",
    "ScenarioError",
    "default_scenarios",
]
