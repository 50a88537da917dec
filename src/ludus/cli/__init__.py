"""The command line: `ludus COMMAND …`, one module per subject."""

from ludus.cli.main import main

__all__ = ["main"]
