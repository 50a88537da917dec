"""Whole games of Fuzzy players in compiled code: thousands a second."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from ludus._native import patterns as native
from ludus.core.game import AnyGame
from ludus.core.spec import parse_spec
from ludus.learn.patterns.player import FuzzyPlayer
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus._native.morris import Tally

HEURISTICS = ("newbie", "basic", "focused")


def fuzzy_games(
    game: AnyGame, players: tuple[str, str], games: int, seed: int, threads: int, max_plies: int
) -> "Tally | None":
    """What games between two players come to, wins by side; None if one is not compiled."""
    if game.id != "nine_mens_morris":
        return None
    first, second = (_compiled(spec, game) for spec in players)
    if first is None or second is None:
        return None
    start = game.start()
    return native.games(
        game.rules,
        start.bits,
        start.hands,
        start.mover,
        first,
        second,
        games,
        seed % 2**64,
        threads,
        max_plies,
    )


def _compiled(spec: str, game: AnyGame) -> str | native.Fuzzy | None:
    """A heuristic's spec, a Fuzzy player that does not learn, or None."""
    name = parse_spec(spec).name
    if name not in (*HEURISTICS, "fuzzy"):
        return None
    player = named_player(spec, game)
    if not isinstance(player, FuzzyPlayer):
        options = ",".join(f"{key}={value}" for key, value in asdict(player.settings).items())
        return f"{name}:{options}"
    return None if player.settings.learn else player.compiled
