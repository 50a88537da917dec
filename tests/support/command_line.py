"""Running the program: within the test, or as a process of its own."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import typer

from ludus.cli.main import app
from support.waiting import PATIENCE

PROGRAM = (sys.executable, "-m", "ludus.cli")


class Result(NamedTuple):
    """Result of a command line."""

    status: int
    out: str
    err: str


def process(*arguments: str | bytes, text: str = "", **environment: str) -> Result:
    """Run a command line as a process that reads this text."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=text.encode(),
        capture_output=True,
        env={**os.environ, **environment},
        timeout=PATIENCE,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def list_commands(*, has_groups: bool = False) -> dict[str, Any]:
    """Return every command by its words, `dataset label`, on request groups of commands too."""
    found: dict[str, Any] = {}

    def walk(words: str, command: Any) -> None:
        names = command.list_commands(None) if hasattr(command, "list_commands") else []
        if words and (has_groups or not names):
            found[words] = command
        for name in names:
            walk(f"{words} {name}".strip(), command.get_command(None, name))

    walk("", typer.main.get_command(app))
    return found
