"""`ludus train SYSTEM`: teach a learner. Each system brings its own command, found by name."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from ludus.core.registry import Registry

SYSTEMS: Registry[Callable[..., None]] = Registry(
    "system",
    {
        "menace": "ludus.cli.train_lessons:menace",
        "her": "ludus.cli.train_lessons:her",
        "qlearning": "ludus.cli.train_lessons:qlearning",
        "deepq": "ludus.cli.train_lessons:deepq",
        "gammon": "ludus.cli.train_gammon:gammon",
        "scholar": "ludus.cli.train_scholar:scholar",
        "nnmm": "ludus.cli.train_nnmm:nnmm",
    },
)
"""A system's name to the function that is its command, written like any other of `ludus.cli`."""


class SystemGroup(TyperGroup):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(SYSTEMS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = typer.Typer(add_completion=False, rich_markup_mode="rich")
        command.command(cmd_name)(SYSTEMS[cmd_name])
        return typer.main.get_command(command)


app = typer.Typer(
    cls=SystemGroup,
    help="Teach a learner, and keep what it has learned.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
