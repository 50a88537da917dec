"""Whole matches between players whose play is compiled: thousands of games a second."""

from typing import TYPE_CHECKING

from ludus.core.game import AnyGame

if TYPE_CHECKING:
    from ludus._native.morris import Tally

HEURISTICS = ("newbie", "basic", "focused")


def compiled_games(
    game: AnyGame, players: tuple[str, str], games: int, seed: int, threads: int, max_plies: int
) -> "Tally | None":
    """What games between two players come to, wins by side; None if one is not compiled."""
    if game.engine != "native" or game.id != "nine_mens_morris":
        return None
    if not all(name in HEURISTICS for name in players):
        from ludus.learn.patterns.compiled_games import fuzzy_games

        return fuzzy_games(game, players, games, seed, threads, max_plies)
    first, second = players
    tally: Tally = game.start().heuristic_games(first, second, games, seed, threads, max_plies)
    return tally
