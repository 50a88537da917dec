"""`ludus tune SYSTEM`: search for the best setting of a learner."""

import typer

from ludus.cli.tune_nnmm import nnmm

app = typer.Typer(
    help="Search for the best setting of a learner.",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(nnmm)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
