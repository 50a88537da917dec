"""`ludus engine` and `ludus serve`: players and games for other programs, by text or socket."""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import JsonOption, OptionalGameArgument, RulesOption
from ludus.cli.output import game_as_json, print_json
from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.extras import require_package
from ludus.core.match import MAX_PLIES
from ludus.core.spec import check_choice
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.envs.environments import SideOption
    from ludus.protocol.thesis_socket import Dialect


SIDES: "dict[str, SideOption]" = {"first": 0, "second": 1, "alternate": "alternate"}
"""The sides of a model, as they are typed."""


def engine(
    game: OptionalGameArgument = "nine_mens_morris",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            metavar="PLAYER",
            help="The player, optionally with options: negascout:level=5.",
            show_default="negascout, playouts or perfect, depending on the game",
        ),
    ] = "",
    rules: RulesOption = "",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same moves.")] = 0,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print the player and the engine's options, and exit.",
            show_default=False,
        ),
    ] = False,
) -> None:
    """Run a UCI-like engine on standard input and output."""
    from ludus.protocol.engine import run_engine
    from ludus.protocol.session import EngineSession

    session = EngineSession(game, rules, player, seed)
    if json:
        print_json(
            **game_as_json(session.game),
            player=session.player.spec,
            seed=seed,
            options=[
                {"name": option.name, "default": option.default} for option in session.options
            ],
        )
        session.close()
        return
    # The original streams: `main` replaces closed ones.
    if sys.__stdin__ is None or sys.__stdout__ is None:
        raise LudusError("an engine needs standard input and standard output")
    if not run_engine(session, sys.stdin.fileno(), sys.stdout.fileno()):
        # A thread may still run compiled code or an external player; no cleanup is needed.
        os._exit(0)


def serve_nnmm(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")
    ] = 5802,
    host: Annotated[
        str,
        typer.Option("--host", metavar="HOST", help="Address to listen on; 0.0.0.0: all of them."),
    ] = "127.0.0.1",
    compat: Annotated[
        str,
        typer.Option(
            "--compat",
            metavar="2018",
            help="Use the protocol of Galassi's program of 2018: three lines of numbers.",
            show_default=False,
        ),
    ] = "",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            metavar="PLAYER",
            help="The player, optionally with options: nnmm:symmetries=16.",
        ),
    ] = "nnmm",
    line_time: Annotated[
        float, typer.Option(help="Seconds to receive a state or send a response.")
    ] = 10.0,
    idle_time: Annotated[
        float, typer.Option(help="Seconds until a silent client is dropped.")
    ] = 3600.0,
    clients: Annotated[
        int, typer.Option(min=1, help="Maximum number of clients; others wait.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same moves.")] = 0,
    json: JsonOption = False,
) -> None:
    """Serve the play mode of Galassi 2018: read states, respond with moves, one per line.

    A state is the 28 characters of the dataset, a move the points after its hyphen: d6d5c3. The
    response to an invalid line begins with error:. Ctrl-C stops the server.
    """
    from ludus.protocol.thesis_socket import ServerSettings, ThesisServer

    if compat not in ("", "2018"):
        raise BadSpec(f"--compat {quote(compat)} must be 2018")
    dialect: Dialect = "2018" if compat else "lines"
    settings = ServerSettings(host, port, dialect, line_time, idle_time, clients)
    player_ = named_player(player, named_game("nine_mens_morris"))
    player_.start_game(seed)

    def ready(address: str, bound_port: int) -> None:
        if json:
            print_json(host=address, port=bound_port, dialect=dialect, player=player_.spec)
        else:
            print(f"{player_.name} listens at {address}, port {bound_port}; Ctrl-C stops it")
        sys.stdout.flush()

    server = ThesisServer(player_, settings)
    counts = server.serve(ready)
    if not json:
        print(f"{counts.moves} moves and {counts.errors} errors for {counts.clients} clients")
    if server.is_choosing:
        # Python cannot end while a thread runs compiled code, and that may take long.
        sys.stdout.flush()
        os._exit(0)


def serve_mcp(
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Serve HTTP at this port; 0: any free port.",
            show_default="standard input and output",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="Address to listen on, with --port.")
    ] = "127.0.0.1",
    hints: Annotated[
        bool,
        typer.Option(
            "--hints/--no-hints",
            help="Give values and explanations during a game, not only at its end.",
        ),
    ] = True,
    json: JsonOption = False,
) -> None:
    """Serve games to language models as tools (Model Context Protocol).

    Tools give rules, games against a player, legal moves, exact values and explanations.
    """
    for package in ("mcp", "gymnasium", "pettingzoo"):
        require_package(package, "ludus serve mcp")

    from ludus.envs.mcp_server import make_server

    server = make_server(hints)
    if port is None:
        if sys.__stdin__ is None or sys.__stdout__ is None:
            raise LudusError("the server needs standard input and standard output")
        if json:
            raise BadSpec("standard output belongs to the client; --json needs --port")
        with suppress(KeyboardInterrupt):
            server.run("stdio")
        return
    _serve_http(server.streamable_http_app(host=host), host, port, "/mcp", json)


def serve_openenv(
    game: OptionalGameArgument = "hexapawn",
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="PLAYER", help="The player of the other side.")
    ] = "random",
    rules: RulesOption = "",
    side: Annotated[
        str,
        typer.Option("--side", metavar="first|second|alternate", help="The side of the model."),
    ] = "alternate",
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="plain|turned|renamed",
            help="Show the game as it is, turned, or turned and with other names.",
        ),
    ] = "plain",
    start: Annotated[
        str,
        typer.Option(
            "--start",
            metavar="start|puzzles",
            help="Begin games at the start, or at positions where a move is a mistake.",
        ),
    ] = "start",
    moves: Annotated[
        int, typer.Option("--moves", min=1, max=MAX_PLIES, help="Moves of an episode, at most.")
    ] = MAX_PLIES,
    reward: Annotated[
        str,
        typer.Option(
            "--reward",
            metavar="regret|outcome",
            help="Minus what each move gives away, or the points at the end.",
        ),
    ] = "regret",
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Say in the text what each move gave away.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")
    ] = 8000,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="Address to listen on.")
    ] = "127.0.0.1",
    json: JsonOption = False,
) -> None:
    """Serve a game as text to trainers of language models (OpenEnv).

    The reward is exact: minus the points that each move gives away, compared with perfect play.
    """
    for package in ("gymnasium", "pettingzoo"):
        require_package(package, "ludus serve openenv")

    from ludus.envs.openenv import make_app
    from ludus.envs.text import TextEnv

    check_choice("there is no side", side, SIDES)

    def make_env() -> TextEnv:
        return TextEnv(
            game,
            opponent,
            rules=rules,
            side=SIDES[side],
            variant=variant,  # type: ignore[arg-type] # checked there
            start=start,  # type: ignore[arg-type]
            moves=moves,
            reward=reward,  # type: ignore[arg-type]
            feedback=feedback,
        )

    make_env().reset(seed=0)  # which fails here, and not for each client, if it cannot be played
    _serve_http(make_app(make_env), host, port, "", json)


MAX_MESSAGE = 2**20
"""Bytes of a message through a WebSocket."""


def _serve_http(app: Any, host: str, port: int, path: str, json: bool) -> None:
    """Serve an application until Ctrl-C, and print its address when it listens."""
    import uvicorn

    from ludus.web.server import bind_socket

    with bind_socket(host, port) as bound:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{bound.getsockname()[1]}{path}"
        bound.listen()
        if json:
            print_json(address=address)
        else:
            print(f"Ludus serves {address}; Ctrl-C stops it", flush=True)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", access_log=False, ws_max_size=MAX_MESSAGE)
        )
        with suppress(KeyboardInterrupt):
            server.run(sockets=[bound])
