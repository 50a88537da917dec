"""The commands, in the order in which the help lists them."""

from typing import Annotated

import typer

from ludus.cli import (
    backgammon,
    bench,
    choose,
    dataset,
    engine,
    games,
    match,
    menace,
    migo,
    patterns,
    perft,
    play,
    regret,
    reproduce,
    serve,
    solve,
    tournament,
    train,
    value,
    verify,
)

app = typer.Typer(
    name="ludus",
    help="A school for machines that learn classic board games.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from ludus import __version__

        typer.echo(f"ludus {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for command in (
    play.play,
    games.games,
    games.players,
    perft.perft,
    match.match,
    tournament.tournament,
    regret.regret,
    choose.choose,
    reproduce.reproduce,
    solve.solve,
    value.value,
    verify.verify,
    engine.engine,
    bench.bench,
):
    app.command()(command)

app.add_typer(dataset.app, name="dataset")
app.add_typer(patterns.app, name="patterns")
app.add_typer(train.app, name="train")
app.add_typer(backgammon.app, name="backgammon")
app.add_typer(migo.app, name="migo")
app.add_typer(menace.app, name="menace")
app.add_typer(serve.app, name="serve")
