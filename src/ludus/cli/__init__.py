"""The command line: `ludus COMMAND …`, one file per command."""

from ludus.cli.main import main

__all__ = ["main"]
