"""Check the sentences on 500 mistakes: how many give a reason, and how many are true.

    python -m experiments.reviews.reasons [--scale 1] [--seed 1] [--out FILE]

The mistakes are sampled from games in which a player errs at random. Noughts and crosses, hexapawn
and endings of nine men's morris are solved, so that every value is exact; in whole games of morris
values are exact where a table or a proof has them; in backgammon they are equities of the program
that reviews, and shots are counted. It takes 4 minutes.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ludus import CHANCE, AnyGame, Player, Position
from ludus.analysis import Analyst, ReviewedMove, review_game
from ludus.games import game as named_game
from ludus.oracles import oracle as find_oracle
from ludus.players import player as named_player

from .claims import Judge, Untrue, check_sentence, classify

RESULTS = Path(__file__).parent / "results" / "reasons.json"

MAX_PLIES = 150


class Source(NamedTuple):
    """Games from which mistakes are taken."""

    game: str
    rules: str
    player: str
    error_rate: float
    """Share of moves that are made at random."""

    num_mistakes: int
    from_endings: bool = False
    max_per_game: int = 3


SOURCES = {
    "noughts and crosses": Source("noughts_and_crosses", "standard", "random", 1.0, 80),
    "hexapawn 3x3": Source("hexapawn", "standard", "random", 1.0, 20),
    "hexapawn 4x4": Source("hexapawn", "four", "random", 1.0, 100),
    "morris, endings": Source("nine_mens_morris", "threefold", "random", 1.0, 120, True),
    "morris, whole games": Source(
        "nine_mens_morris", "threefold", "focused", 0.15, 60, max_per_game=8
    ),
    "backgammon": Source(
        "backgammon", "standard", "gammon:net=selfplay,ply=0", 0.15, 120, max_per_game=6
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    report = measure(arguments.scale, arguments.seed)
    text = json.dumps(report, indent=1, ensure_ascii=False)
    arguments.out.write_text(f"{text}\n", encoding="utf-8")
    print(text)


def measure(scale: float, seed: int) -> dict[str, Any]:
    """Return for each source how many sentences are true, and what they say."""
    rows, untrue, total = {}, [], Counter[str]()
    for name, source in SOURCES.items():
        print(name, file=sys.stderr, flush=True)
        game = named_game(source.game, source.rules)
        analyst = Analyst(game)
        judge = Judge(game, find_oracle(game), analyst)
        counts = Counter[str]()
        wanted = max(1, round(scale * source.num_mistakes))
        for made in sample_mistakes(game, analyst, source, wanted, seed):
            counts[classify(made.reason)] += 1
            counts[made.certainty] += 1
            try:
                check_sentence(judge, made)
                counts["true"] += 1
            except Untrue as error:
                untrue.append(f"{made.position}: {made.reason} ({error})")
        counts["mistakes"] = wanted
        total += counts
        rows[name] = {"by": analyst.title, **dict(sorted(counts.items()))}
    reasons = total["fact"] + total["refutation"]
    return {
        "seed": seed,
        "mistakes": total["mistakes"],
        "true": total["true"],
        "share_true": round(total["true"] / total["mistakes"], 4),
        "share_with_a_reason": round(reasons / total["mistakes"], 4),
        "share_with_a_fact": round(total["fact"] / total["mistakes"], 4),
        "sources": rows,
        "untrue": untrue,
    }


def sample_mistakes(
    game: AnyGame, analyst: Analyst, source: Source, wanted: int, seed: int
) -> list[ReviewedMove]:
    """Return mistakes of games, each position once."""
    rng = random.Random(seed)
    player = named_player(source.player, game)
    found: dict[tuple[str, str], ReviewedMove] = {}
    while len(found) < wanted:
        positions = list(play_game(game, player, source, rng))
        moves = [move for _, move in positions[:-1]]
        review = review_game(game, analyst, [each for each, _ in positions], moves, False)
        marked = [each for each in review.moves if each is not None and each.mark]
        for made in rng.sample(marked, min(len(marked), source.max_per_game)):
            found[str(made.position), str(made.move)] = made
    return list(found.values())[:wanted]


def play_game(
    game: AnyGame, player: Player, source: Source, rng: random.Random
) -> Iterator[tuple[Position, Any]]:
    """Yield positions, each with the move that is played in it."""
    player.start_game(rng.randrange(2**30))
    position = next(game.puzzle_positions(rng, False)) if source.from_endings else game.start()
    for _ in range(MAX_PLIES):
        if position.outcome() is not None:
            break
        if position.mover == CHANCE:
            rolls, chances = zip(*game.chances(position), strict=True)
            (move,) = rng.choices(rolls, chances)
        elif rng.random() < source.error_rate:
            move = rng.choice(position.legal_moves())
        else:
            move = player.choose(position).move
        yield position, move
        position = position.play(move)
    yield position, None


if __name__ == "__main__":
    main()
