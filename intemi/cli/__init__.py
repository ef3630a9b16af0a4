"""The command `intemi`. Each subcommand is a file of its own, loaded when it is called."""

from intemi.cli.main import main

__all__ = ["main"]
