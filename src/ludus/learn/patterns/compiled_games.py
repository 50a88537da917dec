"""Whole games of Fuzzy players in compiled code: thousands a second."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ludus._native import patterns as native
from ludus.core.game import AnyGame
from ludus.core.spec import parse_spec
from ludus.learn.patterns.player import FuzzyPlayer
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus._native.morris import Tally

HEURISTICS = ("newbie", "basic", "focused")


@dataclass(frozen=True, slots=True)
class Score:
    """What some games came to, by player and not by side."""

    wins: tuple[int, int]
    draws: int
    reasons: dict[str, int]


def both_ways(
    game: AnyGame, players: tuple[str, str], games: int, seed: int, threads: int, max_plies: int
) -> Score | None:
    """Games that both players begin equally often, one more by the first if they are odd."""
    halves = (games + 1) // 2, games // 2
    found = [
        fuzzy_games(game, sides, half, 2 * seed + number, threads, max_plies)
        for number, (sides, half) in enumerate(zip((players, players[::-1]), halves, strict=True))
    ]
    begun, other = found
    if begun is None or other is None:
        return None
    return Score(
        (begun["wins"][0] + other["wins"][1], begun["wins"][1] + other["wins"][0]),
        begun["draws"] + other["draws"],
        dict(Counter(begun["reasons"]) + Counter(other["reasons"])),
    )


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
