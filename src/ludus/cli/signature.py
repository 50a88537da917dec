"""One number that changes when a rule, a random game or a move of a player changes.

It is the first 32 bits of the SHA-256 of a text. The text has a line for every perft count in
PERFT; a line for random games in every preset of every game that has them compiled; and a line with
every move of a seeded match between `playouts` and `random` in every preset of every game.
"""

import hashlib
import random
from collections.abc import Iterator

from ludus.core.match import play_match
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.players.random_games import is_compiled, random_games

PERFT = (
    ("nine_mens_morris", "", 5),
    ("nine_mens_morris", "BB./.BW/..W/..BWWB/.B./.WW/W.. w 0 0", 6),
    ("nine_mens_morris", "W.W/W../.../...BBB/.../.../... w 0 0", 3),
    ("nine_mens_morris:vrajitoru", "BB./.BW/..W/..BWWB/.B./.WW/W.. w 0 0", 6),
    ("nine_mens_morris:lasker", "", 4),
    ("nine_mens_morris:morabaraba", "", 5),
    ("backgammon", "", 3),
    ("backgammon:hyper", "", 4),
    ("noughts_and_crosses", "", 6),
    ("noughts_and_crosses:size=4", "", 3),
    ("hexapawn", "", 7),
    ("hexapawn:five", "", 5),
)
"""Game, position (the start where none is given), depth."""

RANDOM_GAMES = 1000
MATCH = ("playouts:games=100", "random")
SEED = 1


def signature() -> int:
    """The number."""
    return int.from_bytes(hashlib.sha256("\n".join(lines()).encode()).digest()[:4])


def lines() -> Iterator[str]:
    """What the number is made of."""
    for spec, text, depth in PERFT:
        game = named_game(spec)
        position = game.parse(text) if text else game.start()
        yield f"perft {spec} {position} {depth} {game.perft(position, depth)}"
    for spec in _every_preset():
        yield from _played(spec)


def _every_preset() -> Iterator[str]:
    for name in GAMES:
        for preset in GAMES[name].presets:
            yield f"{name}:{preset}"


def _played(spec: str) -> Iterator[str]:
    game = named_game(spec)
    if is_compiled(game):
        ended = random_games(game, game.start(), RANDOM_GAMES, random.Random(SEED))
        yield f"random {spec} {sorted(ended.scores.items())}"
    first, second = (named_player(name, game) for name in MATCH)
    match = play_match(game, (first, second), seed=SEED)
    moves = " ".join(str(made.move) for made in match.moves)
    yield f"match {spec} {moves} {match.outcome}"
