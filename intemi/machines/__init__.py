"""Everything that is a machine or a component."""

from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme

__all__ = ["Repeater", "Scheme"]
