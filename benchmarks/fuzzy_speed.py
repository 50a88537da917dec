"""The Fuzzy player's speed: whole games in compiled code, and single moves asked from Python.

python benchmarks/fuzzy_speed.py [--json]
"""

import json
import sys
import time

import ludus
from ludus.arena import play_compiled_games

GAMES = 10_000
WANTED_GAMES = 60.0
"""Maximum seconds for `GAMES` games against focused, on two cores."""

WANTED_MOVE = 0.0005
"""Maximum seconds of a move."""


def measure_games() -> float:
    game = ludus.game("nine_mens_morris", "vrajitoru")
    began = time.perf_counter()
    for players in (("fuzzy", "focused"), ("focused", "fuzzy")):
        play_compiled_games(game, players, GAMES // 2, seed=1, threads=2, max_plies=10_000)
    return time.perf_counter() - began


def measure_move() -> float:
    """Return the mean time of the Fuzzy player's moves in a few games."""
    game = ludus.game("nine_mens_morris", "vrajitoru")
    player, other = ludus.player("fuzzy", game), ludus.player("focused", game)
    spent = [
        record.seconds
        for seed in range(40)
        for record in ludus.play_game(game, (player, other), seed=seed).moves
        if record.mover == 0
    ]
    return sum(spent) / len(spent)


def main() -> int:
    found = {"games_seconds": measure_games(), "move_seconds": measure_move()}
    if "--json" in sys.argv[1:]:
        print(json.dumps(found))
    else:
        games, move = found["games_seconds"], 1e6 * found["move_seconds"]
        print(f"{GAMES} games against focused: {games:.2f} s, wanted {WANTED_GAMES:g}")
        print(f"a move: {move:.1f} µs, wanted {1e6 * WANTED_MOVE:g}")
    is_met = found["games_seconds"] < WANTED_GAMES and found["move_seconds"] < WANTED_MOVE
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
