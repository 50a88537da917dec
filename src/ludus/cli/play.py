"""`ludus play`: play a game in the browser or in the terminal."""

import ipaddress
import os
import random
import socket
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from ludus.cli.options import (
    JsonOption,
    OptionalGameArgument,
    PositionOption,
    RulesOption,
    parse_position,
)
from ludus.cli.output import dataclass_as_json, game_as_json, print_json, print_notice
from ludus.core.errors import BadSpec, CannotWrite, LudusError, quote
from ludus.core.files import data_folder, lock_file, quote_path, read_text, write_text
from ludus.core.game import AnyGame, Position
from ludus.core.spec import parse_spec
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.web.settings import Settings


class HumanSide(StrEnum):
    """The sides played by people."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"
    NONE = "none"


SIDE_NUMBERS = {
    HumanSide.FIRST: (0,),
    HumanSide.SECOND: (1,),
    HumanSide.BOTH: (0, 1),
    HumanSide.NONE: (),
}

DEFAULT_OPPONENT = "playouts"
"""The opponent in the terminal if --opponent is not given."""

DEFAULT_PORT = 8642
"""The port if none is given and this one is free."""

LOOPBACK = "127.0.0.1"

ALL_INTERFACES = ("0.0.0.0", "::")
"""Hosts that mean every address of this machine."""


NamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="HOST",
        help="A name by which browsers reach the page; repeatable.",
        show_default="localhost and the address",
    ),
]

ProxyOption = Annotated[
    str,
    typer.Option(
        "--trust-proxy",
        metavar="ADDRESS",
        help="Address of a proxy that names the clients in X-Forwarded-For.",
        show_default="none",
    ),
]


def play(
    game: OptionalGameArgument = "nine_mens_morris",
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal.")] = False,
    opponent: Annotated[
        str,
        typer.Option(
            "--opponent",
            metavar="PLAYER",
            help="The player of the sides that people do not play.",
            show_default="one suited to beginners",
        ),
    ] = "",
    side: Annotated[
        HumanSide,
        typer.Option(
            "--side",
            metavar="first|second|both|none",
            help="Your side. both: two people play; none: you watch.",
        ),
    ] = HumanSide.FIRST,
    rules: RulesOption = "",
    position: PositionOption = "",
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed of the dice and the players.", show_default="a new one"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65_535,
            help="Port of the web server; 0: any free port.",
            show_default="8642, or any free port",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="Address to listen on.")
    ] = LOOPBACK,
    games: Annotated[
        Path | None,
        typer.Option(
            "--games",
            metavar="FILE",
            help="File in which the page stores its games.",
            show_default="in the user's data folder",
        ),
    ] = None,
    tournament: Annotated[
        Path | None,
        typer.Option("--tournament", metavar="FILE", help="Show this tournament on the page."),
    ] = None,
    curves: Annotated[
        Path | None,
        typer.Option("--curves", metavar="DIR", help="Show the learning curves in DIR."),
    ] = None,
    names: NamesOption = None,
    trust_proxy: ProxyOption = "",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    json: JsonOption = False,
) -> None:
    """Play a game in the browser or, with --text, in the terminal."""
    chosen = named_game(game, rules)
    start = parse_position(chosen, position)
    if text:
        _play_in_terminal(chosen, start, opponent or DEFAULT_OPPONENT, side, seed, json)
        return
    first = make_start_path(game, rules, position, opponent, side, seed)
    own = opponent if opponent and _has_own_options(opponent) else ""
    settings = _make_settings([host, *(names or [])], games, tournament, curves, trust_proxy, own)
    has_own = port or names or tournament or curves or trust_proxy or own or host != LOOPBACK
    if not has_own and (running := find_running_page(settings.games_file)):
        _show_address(f"{running}{first}", "Ludus is running already", browser, json)
        return
    _serve_page(first, host, port, settings, browser, json)


def _play_in_terminal(
    chosen: AnyGame, start: Position, opponent: str, side: HumanSide, seed: int | None, json: bool
) -> None:
    from ludus.cli.screen import Screen
    from ludus.cli.session import GameHistory, TerminalSession

    if seed is None:
        seed = random.SystemRandom().getrandbits(31)
    # With --json the dialogue uses standard error; standard output has only the result.
    screen = Screen(stderr=json)
    session = TerminalSession(
        GameHistory(chosen, start), opponent, SIDE_NUMBERS[side], seed, screen
    )
    session.run()
    if json:
        outcome = session.history.position.outcome()
        print_json(
            **game_as_json(session.game),
            seed=seed,
            start=str(session.history.positions[0]),
            moves=[str(made.move) for made in session.history.moves],
            position=str(session.history.position),
            outcome=None if outcome is None else dataclass_as_json(outcome),
        )


def make_start_path(
    game: str, rules: str, position: str, opponent: str, side: str, seed: int | None
) -> str:
    """Return the path and query that start this game; `/`, for the defaults, resumes the last."""
    name, _, own_rules = game.partition(":")
    if name.strip() not in GAMES:
        raise BadSpec(f"the page plays registered games alone; for {quote(game)} add --text")
    query = {
        "game": name.strip(),
        "rules": ",".join(part for part in (own_rules, rules) if part),
        "position": position,
        **(_make_opponent_query(opponent, game, rules) if opponent else {}),
        "side": side if side != HumanSide.FIRST else "",
        "seed": "" if seed is None else str(seed),
    }
    nonempty = {key: value for key, value in query.items() if value}
    is_default = nonempty == {"game": next(iter(GAMES))}
    return "/" if is_default else f"/new?{urlencode(nonempty)}"


def _make_opponent_query(opponent: str, game: str, rules: str) -> dict[str, str]:
    """Return the query of an opponent: name and level, or the spec of one with other options."""
    named_player(opponent, named_game(game, rules))
    if _has_own_options(opponent):
        return {"opponent": opponent}
    spec = parse_spec(opponent)
    return {"opponent": spec.name, "level": spec.options.get("level", "")}


def _has_own_options(opponent: str) -> bool:
    """Return whether a player has options that the page does not offer for it."""
    spec = parse_spec(opponent)
    return bool(spec.flags or set(spec.options) - {"level"})


def _make_settings(
    names: Sequence[str],
    games: Path | None,
    tournament: Path | None,
    curves: Path | None,
    trusted_proxy: str,
    own_player: str,
) -> "Settings":
    """Return the settings of the server; what it shows must exist, results and curves may not."""
    from ludus.arena.tournament import read_tournament
    from ludus.web.settings import Settings

    if tournament is not None:
        read_tournament(tournament, builds_players=False)
    if curves is not None and not curves.is_dir():
        raise LudusError(f"cannot read {quote_path(curves)}: there is no such folder")
    return Settings(
        games_file=games or _find_games_file(),
        tournament_file=tournament,
        curves_folder=curves,
        own_player=own_player,
        names=Settings().names | {name.lower() for name in names},
        trusted_proxy=_parse_address(trusted_proxy) if trusted_proxy else "",
    )


def _find_games_file() -> Path | None:
    """Return the file of games in the user's data folder; None if nothing can be kept there."""
    if (folder := data_folder()) is None:
        print_notice("no data folder is known; games are not kept when the server stops")
        return None
    file = folder / "games.sqlite"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(file if file.exists() else folder, os.W_OK)
    except OSError:
        is_writable = False
    if is_writable:
        return file
    print_notice(f"cannot write {quote_path(file)}; games are not kept when the server stops")
    return None


def _address_file(games_file: Path) -> Path:
    """Return the file that says where the page of these games is, while a server has them."""
    return games_file.with_suffix(".address")


def find_running_page(games_file: Path | None) -> str | None:
    """Return the address of the server that uses this file of games; None if there is none."""
    if games_file is None or not games_file.exists():
        return None
    try:
        with lock_file(games_file):
            return None
    except CannotWrite:
        with suppress(LudusError):
            return read_text(_address_file(games_file)).strip() or None
    return None


def _parse_address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise BadSpec(f"{quote(text)} is not an IP address such as 127.0.0.1") from None


def _serve_page(
    first: str, host: str, port: int | None, settings: "Settings", wants_browser: bool, json: bool
) -> None:
    """Serve the page until Ctrl-C, by default on DEFAULT_PORT or, if taken, on any free port."""
    from ludus.web.server import serve

    bound = _bind_socket(host, port)
    shown_host = "localhost" if host in ALL_INTERFACES else f"[{host}]" if ":" in host else host
    address = f"http://{shown_host}:{bound.getsockname()[1]}"
    games_file = settings.games_file
    kept = "are not kept" if games_file is None else "are saved"

    def ready() -> None:
        if games_file is not None:
            with suppress(LudusError):
                write_text(_address_file(games_file), address)
        note = f"Ctrl-C stops the server; games {kept}."
        _show_address(f"{address}{first}", "Ludus is", wants_browser, json, note)

    # Ctrl-C is the normal way to stop the server, not an error.
    with bound, suppress(KeyboardInterrupt):
        serve(bound, settings, ready)


def _show_address(address: str, what: str, wants_browser: bool, json: bool, note: str = "") -> None:
    """Print where the page is, and open it in a browser."""
    from ludus.web.server import has_browser, open_browser

    if json:
        print_json(address=address)
    else:
        print("\n".join(filter(None, [f"{what} at {address}", note])), flush=True)
    if wants_browser and has_browser():
        open_browser(address)


def _bind_socket(host: str, port: int | None) -> socket.socket:
    from ludus.web.server import CannotListen, bind_socket

    if port is not None:
        return bind_socket(host, port)
    try:
        return bind_socket(host, DEFAULT_PORT)
    except CannotListen:
        return bind_socket(host, 0)
