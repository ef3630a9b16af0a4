"""Intemi: declare machines and how their ports connect; the engine never computes the same thing twice."""

from intemi.kernel import *  # noqa: F403
from intemi.kernel import __all__ as __all__

__version__ = "0.1.0"
