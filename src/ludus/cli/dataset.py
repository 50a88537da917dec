"""`ludus dataset`: positions with good moves."""

import typer

from ludus.cli import (
    dataset_expand,
    dataset_fetch,
    dataset_generate,
    dataset_label,
    dataset_stats,
)

app = typer.Typer(
    name="dataset",
    help="Positions with good moves: describe, check, expand, label, generate, fetch.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

for command in (
    dataset_stats.stats,
    dataset_stats.check,
    dataset_expand.expand,
    dataset_label.label,
    dataset_generate.generate,
    dataset_fetch.fetch,
):
    app.command()(command)
