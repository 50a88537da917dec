"""Whole matches between players whose play is compiled: more than 100,000 games a second."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from ludus.core.game import AnyGame
from ludus.core.spec import parse_spec
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus._native.morris import Tally

HEURISTICS = ("newbie", "basic", "focused")


def compiled_games(
    game: AnyGame, players: tuple[str, str], games: int, seed: int, threads: int, max_plies: int
) -> "Tally | None":
    """What games between two players come to, wins by side; None if one is not compiled."""
    if game.engine != "native" or game.id != "nine_mens_morris":
        return None
    if not all(parse_spec(spec).name in HEURISTICS for spec in players):
        from ludus.learn.patterns.compiled_games import fuzzy_games

        return fuzzy_games(game, players, games, seed, threads, max_plies)
    first, second = (_whole_spec(spec, game) for spec in players)
    tally: Tally = game.start().heuristic_games(first, second, games, seed, threads, max_plies)
    return tally


def _whole_spec(spec: str, game: AnyGame) -> str:
    """A player with all its options written out, as compiled code reads them."""
    settings = asdict(named_player(spec, game).settings)
    options = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{parse_spec(spec).name}:{options}"
