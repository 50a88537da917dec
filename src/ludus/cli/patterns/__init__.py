"""`ludus patterns`: train networks of patterns, look at them, search for settings."""

import typer

from ludus.cli.patterns.showing import show
from ludus.cli.patterns.training import train
from ludus.cli.patterns.tuning import tune

app = typer.Typer(
    help="Networks of board patterns and the Fuzzy player (Vrajitoru 2015).",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

for command in (show, train, tune):
    app.command()(command)
