"""Opening the page: where it is, what it begins with, and how it ends."""

import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from ludus.cli.output import print_json
from ludus.core.errors import BadSpec, quoted
from ludus.core.spec import parse_spec
from ludus.core.user_folders import data_folder
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.web.server import CannotServe, bind, has_browser, open_browser, serve
from ludus.web.settings import Settings

ANYBODY = ("0.0.0.0", "::")
"""Hosts that stand for every address of this machine."""


PORT = 8642
"""Where the page is if nobody says and nobody else is there."""


def first_address(
    game: str, rules: str, position: str, opponent: str, side: str, seed: int | None
) -> str:
    """The part of the address behind the host that begins this game; `/` goes on with the last."""
    asked: dict[str, object] = {}
    name, _, own_rules = game.partition(":")
    asked["game"] = name.strip()
    asked["rules"] = ",".join(part for part in (own_rules, rules) if part)
    asked["position"] = position
    if opponent:
        asked |= _named(opponent, game, rules)
    asked["side"] = side if side != "first" else ""
    asked["seed"] = "" if seed is None else seed
    given = {key: value for key, value in asked.items() if value != ""}
    is_usual = given == {"game": next(iter(GAMES))}
    return "/" if is_usual else f"/new?{urlencode(given)}"


def _named(opponent: str, game: str, rules: str) -> dict[str, object]:
    """A player by name and level, which is all that the page can be told about it."""
    spec = parse_spec(opponent)
    named_player(opponent, named_game(game, rules))
    if set(spec.options) - {"level"}:
        raise BadSpec(f"the page takes a player and its level; for {quoted(opponent)} add --text")
    return {"opponent": spec.name, "level": spec.options.get("level", "")}


def open_page(
    first: str, host: str, port: int | None, settings: Settings, wants_browser: bool, json: bool
) -> None:
    """Serve the page until Ctrl-C. Without a port it is the usual one, or any if that is taken."""
    bound = _bound(host, port)
    shown_host = "localhost" if host in ANYBODY else f"[{host}]" if ":" in host else host
    address = f"http://{shown_host}:{bound.getsockname()[1]}{first}"

    def ready() -> None:
        if json:
            print_json(address=address)
        else:
            print(f"Ludus is at {address}\nCtrl-C ends it; games are kept.", flush=True)
        if wants_browser and has_browser():
            open_browser(address)

    # Ctrl-C is the usual way to end it, and no failure.
    with bound, suppress(KeyboardInterrupt):
        serve(bound, settings, ready)


def _bound(host: str, port: int | None) -> socket.socket:
    if port is not None:
        return bind(host, port)
    try:
        return bind(host, PORT)
    except CannotServe:
        return bind(host, 0)


def settings_for(
    host: str, games: Path | None, tournament: Path | None, curves: Path | None
) -> Settings:
    """The settings of a server that a person has started."""
    folder = data_folder()
    usual = None if folder is None else folder / "games.sqlite"
    plain = Settings()
    named = frozenset({host, f"[{host}]"}) if host not in ANYBODY else frozenset({"*"})
    return Settings(
        games_file=games or usual,
        tournament_file=tournament,
        curves_folder=curves,
        hosts=plain.hosts | named,
    )
