"""`ludus serve SYSTEM`: a player for other programs, through a socket."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json

if TYPE_CHECKING:
    from ludus.protocol.thesis_states import Dialect

app = typer.Typer(
    help="Answer other programs through a socket.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def nnmm(
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Where to listen; 0 takes any that is free."),
    ] = 5802,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="HOST", help="The address to listen at; 0.0.0.0 lets anybody in."
        ),
    ] = "127.0.0.1",
    compat: Annotated[
        str,
        typer.Option(
            "--compat",
            metavar="2018",
            help="Speak like the author's program of 2018: three lines of numbers.",
            show_default=False,
        ),
    ] = "",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            metavar="PLAYER",
            help="Who answers, with options if you like: nnmm:order=FTR.",
        ),
    ] = "nnmm",
    line_time: Annotated[
        float,
        typer.Option(
            "--line-time", help="Seconds for a state to come, and for an answer to be taken."
        ),
    ] = 10.0,
    idle_time: Annotated[
        float, typer.Option("--idle-time", help="Seconds for which a client may be silent.")
    ] = 3600.0,
    clients: Annotated[
        int, typer.Option("--clients", min=1, help="Clients at a time; more have to wait.")
    ] = 1000,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="The same seed gives the same moves.")
    ] = 0,
    json: Json = False,
) -> None:
    """Play mode of the thesis: a state comes in, the move goes out, a line each.

    States are the 28 characters of the dataset, moves the points behind its hyphen: d6d5c3. Lines
    that are no state are answered with a line that begins with error:. Ctrl-C ends it.
    """
    from ludus.core.errors import BadSpec, quoted
    from ludus.games import game as named_game
    from ludus.players import player as named_player
    from ludus.protocol.thesis_socket import Settings, ThesisSocket

    if compat not in ("", "2018"):
        raise BadSpec(f"--compat {quoted(compat)} must be 2018")
    dialect: Dialect = "2018" if compat else "lines"
    settings = Settings(host, port, dialect, line_time, idle_time, clients)
    answering = named_player(player, named_game("nine_mens_morris"))
    answering.begin(seed)

    def ready(where: str, bound: int) -> None:
        if json:
            print_json(host=where, port=bound, dialect=dialect, player=answering.spec)
        else:
            print(f"{answering.name} listens at {where}, port {bound}; Ctrl-C ends it")
        sys.stdout.flush()

    tally = ThesisSocket(answering, settings).serve(ready)
    if not json:
        print(f"{tally.moves} moves and {tally.errors} errors for {tally.clients} clients")
