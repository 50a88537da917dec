"""`ludus play` in the browser: the start address, the server's settings and socket.

This module imports uvicorn: import it only when it is needed.
"""

import ipaddress
import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from ludus.arena.tournament import read_tournament
from ludus.cli.output import print_json
from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.files import data_folder, quote_path
from ludus.core.spec import parse_spec
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.web.server import CannotListen, bind_socket, has_browser, open_browser, serve
from ludus.web.settings import Settings

ALL_INTERFACES = ("0.0.0.0", "::")
"""Hosts that mean every address of this machine."""


DEFAULT_PORT = 8642
"""The port if none is given and this one is free."""


def make_start_path(
    game: str, rules: str, position: str, opponent: str, side: str, seed: int | None
) -> str:
    """Return the path and query that start this game; `/`, for the defaults, resumes the last."""
    query: dict[str, object] = {}
    name, _, own_rules = game.partition(":")
    if name.strip() not in GAMES:
        raise BadSpec(f"the page plays registered games alone; for {quote(game)} add --text")
    query["game"] = name.strip()
    query["rules"] = ",".join(part for part in (own_rules, rules) if part)
    query["position"] = position
    if opponent:
        query |= _make_opponent_query(opponent, game, rules)
    query["side"] = side if side != "first" else ""
    query["seed"] = "" if seed is None else seed
    nonempty = {key: value for key, value in query.items() if value != ""}
    is_default = nonempty == {"game": next(iter(GAMES))}
    return "/" if is_default else f"/new?{urlencode(nonempty)}"


def _make_opponent_query(opponent: str, game: str, rules: str) -> dict[str, object]:
    """Return the query of an opponent: name and level, the only options the page supports."""
    spec = parse_spec(opponent)
    named_player(opponent, named_game(game, rules))
    if set(spec.options) - {"level"}:
        raise BadSpec(f"the page takes a player and its level; for {quote(opponent)} add --text")
    return {"opponent": spec.name, "level": spec.options.get("level", "")}


def serve_page(
    first: str, host: str, port: int | None, settings: Settings, wants_browser: bool, json: bool
) -> None:
    """Serve the page until Ctrl-C, by default on DEFAULT_PORT or, if taken, on any free port."""
    bound = _bind_socket(host, port)
    shown_host = "localhost" if host in ALL_INTERFACES else f"[{host}]" if ":" in host else host
    address = f"http://{shown_host}:{bound.getsockname()[1]}{first}"

    def ready() -> None:
        if json:
            print_json(address=address)
        else:
            print(f"Ludus is at {address}\nCtrl-C stops the server; games are saved.", flush=True)
        if wants_browser and has_browser():
            open_browser(address)

    # Ctrl-C is the normal way to stop the server, not an error.
    with bound, suppress(KeyboardInterrupt):
        serve(bound, settings, ready)


def _bind_socket(host: str, port: int | None) -> socket.socket:
    if port is not None:
        return bind_socket(host, port)
    try:
        return bind_socket(host, DEFAULT_PORT)
    except CannotListen:
        return bind_socket(host, 0)


LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches."""


def make_settings(
    host: str, games: Path | None, tournament: Path | None, curves: Path | None, trusted_proxy: str
) -> Settings:
    """Return the settings of a server started by `ludus play`."""
    _check_shown(tournament, curves)
    folder = data_folder()
    default_file = None if folder is None else folder / "games.sqlite"
    defaults = Settings()
    host_names = frozenset({host, f"[{host}]"}) if host not in ALL_INTERFACES else frozenset({"*"})
    return Settings(
        games_file=games or default_file,
        tournament_file=tournament,
        curves_folder=curves,
        hosts=defaults.hosts | host_names,
        trusted_proxy=check_address(trusted_proxy) if trusted_proxy else "",
        can_solve=host in LOOPBACK_HOSTS,
        shows_runs=host in LOOPBACK_HOSTS,
    )


def _check_shown(tournament: Path | None, curves: Path | None) -> None:
    """Raise LudusError if a file or folder to be shown does not exist; later only the page could.

    Results and curves may be written later.
    """
    if tournament is not None:
        read_tournament(tournament, builds_players=False)
    if curves is not None and not curves.is_dir():
        raise LudusError(f"cannot read {quote_path(curves)}: there is no such folder")


def check_address(text: str) -> str:
    """Return the IP address that a text is; BadSpec if it is none."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise BadSpec(f"{quote(text)} is not an IP address such as 127.0.0.1") from None
