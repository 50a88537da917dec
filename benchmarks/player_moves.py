"""Digests of the moves and scores of every shipped player, to compare two versions of the code.

    python benchmarks/player_moves.py [--positions N] [--only TEXT] [--json]

Positions are taken from seeded random games. Players that need another program or a solved game are
left out; slow ones get fewer positions. Two versions play alike where the digests are equal. Only
names that old and new versions have are used, so the file can be copied beside another version.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import ludus

STEP = 3
"""Every third position of a random game is taken."""

MORRIS, BACKGAMMON = "nine_mens_morris", "backgammon"
SMALL = ("noughts_and_crosses", "hexapawn")

CASES: tuple[tuple[str, str, int], ...] = (
    *((spec, MORRIS, 1) for spec in ("random", "newbie", "basic", "focused", "fuzzy")),
    ("basic", f"{MORRIS}:lasker", 1),
    ("playouts:games=20", MORRIS, 10),
    ("negascout:level=1", MORRIS, 1),
    ("negascout:level=4", MORRIS, 5),
    ("negascout:level=6", MORRIS, 50),
    ("negascout:nodes=20000", MORRIS, 50),
    ("fuzzy:preset=paper", MORRIS, 4),
    ("fuzzy:preset=tuned", MORRIS, 4),
    ("negascout:level=2", f"{MORRIS}:morabaraba", 5),
    ("adaptive", MORRIS, 10),
    ("nnmm", MORRIS, 1),
    ("nnmm:size=thesis", MORRIS, 1),
    ("nnmm:check=no", MORRIS, 4),
    ("nnmm:rule=joint", MORRIS, 4),
    ("nnmm:symmetries=16", MORRIS, 10),
    ("hybrid", MORRIS, 4),
    ("scholar", MORRIS, 1),
    ("scholar:exceptions=no", MORRIS, 4),
    ("scholar:size=compact", MORRIS, 1),
    ("scholar:size=small", MORRIS, 1),
    ("scholar:loss_aversion=1", MORRIS, 4),
    ("scholar:kind=chain", MORRIS, 1),
    ("scholar:kind=chain,rule=joint", MORRIS, 4),
    *((spec, BACKGAMMON, 1) for spec in ("random", "tool", "gammon")),
    ("playouts:games=20", BACKGAMMON, 50),
    ("gammon:weights=comparison", BACKGAMMON, 1),
    ("gammon:net=selfplay", BACKGAMMON, 1),
    ("gammon:net=expert", BACKGAMMON, 1),
    ("gammon:net=expert,ply=1", BACKGAMMON, 20),
    ("gammon:net=selfplay,ply=1", BACKGAMMON, 20),
    *(
        (spec, game, 1)
        for game in SMALL
        for spec in ("random", "perfect", "migo", "menace", "her", "qlearning", "deepq")
    ),
    *(("playouts:games=20", game, 10) for game in SMALL),
)
"""Player, game, and by how much its number of positions is divided."""

FORMER_NAMES = {"kind=": "way=", "loss_aversion=": "care="}
"""Options as versions before 0.3 know them."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--only", default="", help="players and games whose line has this text")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    found = []
    for spec, game, divisor in CASES:
        if options.only in f"{spec} {game}":
            began = time.perf_counter()
            result = digest_player(spec, game, max(1, options.positions // divisor))
            found.append(result)
            if not options.json:
                seconds = f"{time.perf_counter() - began:.1f} s"
                print(*result.values(), seconds, flush=True)
    if options.json:
        print(json.dumps({"players": found}, indent=1))


def digest_player(spec: str, game_name: str, count: int) -> dict[str, Any]:
    """Let a player choose a move in some positions, and return digests of what it says."""
    game = ludus.game(game_name)
    player = make_player(spec, game)
    moves, scores = blake2b(digest_size=8), blake2b(digest_size=8)
    positions = random_positions(game)
    for number in range(count):
        position = next(positions)
        player.start_game(number)
        choice = player.choose(position)
        moves.update(f"{position} {choice.move}\n".encode())
        valued = sorted((str(move), repr(value)) for move, value in (choice.scores or {}).items())
        scores.update(f"{position} {valued}\n".encode())
    return {
        "player": spec,
        "game": game_name,
        "positions": count,
        "moves": moves.hexdigest(),
        "scores": scores.hexdigest(),
    }


def make_player(spec: str, game: Any) -> Any:
    try:
        return ludus.player(spec, game)
    except ludus.LudusError:
        for new, old in FORMER_NAMES.items():
            spec = spec.replace(new, old)
        return ludus.player(spec, game)


def random_positions(game: Any) -> Iterator[Any]:
    """Yield positions in which a side has a choice, of random games without end."""
    source = random.Random(f"positions of {game.id}")
    while True:
        position = game.start()
        ply = 0
        while position.outcome() is None:
            moves = position.legal_moves()
            if position.mover >= 0 and len(moves) > 1:
                if ply % STEP == 0:
                    yield position
                ply += 1
            position = position.play(source.choice(moves))


if __name__ == "__main__":
    main()
