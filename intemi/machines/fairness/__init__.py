"""Fairness: rules over lineage. Which rows a machine has learned from, and whether a test is worth what it claims."""

from intemi.machines.fairness.leaks import LeakageError as LeakageError
from intemi.machines.fairness.leaks import TransductiveWarning as TransductiveWarning
from intemi.machines.fairness.reads import Reads as Reads
