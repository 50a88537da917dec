"""How well a review without tables finds the moves that give the value away.

    python benchmarks/review_accuracy.py [--oracle DIR] [--games 200] [--json]

Players of several strengths play games with seeds. Each game is reviewed as on a fresh install, and
each verdict is compared with exact values: those of a solved game in DIR, or else those of endings
with up to four men a side; in these the review itself uses no tables at all. A move is found if its
mark is a mistake or a blunder that is exact or very likely. Estimated mistakes and blunders are
counted apart, and inaccuracies are unclear. Printed are the shares of moves that lose value and are
found, and of good moves that are marked (false alarms), each also with estimates and with unclear
ones.
"""

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import ludus
from ludus.analysis import Analyst, review_game
from ludus.oracles import Oracle, Value
from ludus.reproduce import Proportion

PLAYERS = ("random", "negascout:level=2", "negascout:level=4", "negascout:level=6", "scholar")
MAX_PLIES = 200


class NoTables(Oracle):
    """An oracle that knows nothing."""

    @property
    def coverage(self) -> str:
        return "nowhere"

    def has_value(self, position: Any) -> bool:
        return False

    def value_if_known(self, position: Any) -> Value | None:
        return None

    def values(self, positions: Any) -> list[Value]:
        raise NotImplementedError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--oracle", type=Path, help="folder of the solved game")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = ludus.game("nine_mens_morris")
    exact = ludus.oracle(game, options.oracle)
    endings = ludus.oracle(game) if options.oracle is not None else NoTables()
    analyst = Analyst(game, endings)
    counts: Counter[tuple[bool, str]] = Counter()
    seconds = []
    for number in range(options.games):
        positions, moves = play_game(game, options.seed + number)
        if options.oracle is None:
            known = [each for each in range(len(moves)) if exact.has_value(positions[each])]
            if not known:
                continue
            positions, moves = positions[known[0] :], moves[known[0] :]
        began = time.perf_counter()
        review = review_game(game, analyst, positions, moves)
        seconds.append(time.perf_counter() - began)
        for position, move, reviewed in zip(positions, moves, review.moves, strict=False):
            if reviewed is not None and exact.has_value(position):
                is_mistake = exact.verdict(position).cost(move) > 0
                counts[is_mistake, classify_mark(reviewed.mark, reviewed.certainty)] += 1
    report = make_report(counts, seconds)
    if options.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name:24} {value}")


def play_game(game: Any, seed: int) -> tuple[list[Any], list[Any]]:
    """Play a game between two players that the seed selects."""
    rng = random.Random(seed)
    players = [ludus.player(rng.choice(PLAYERS), game) for _ in range(2)]
    for each in players:
        each.start_game(rng.getrandbits(32))
    positions, moves = [game.start()], []
    while positions[-1].outcome() is None and len(moves) < MAX_PLIES:
        moves.append(players[positions[-1].mover].choose(positions[-1]).move)
        positions.append(positions[-1].play(moves[-1]))
    return positions, moves


def classify_mark(mark: str, certainty: str) -> str:
    """Return how clearly a review calls a move a mistake."""
    if mark in ("?", "??"):
        return "estimated" if certainty == "estimate" else "marked"
    return "unclear" if mark else "good"


def make_report(counts: Counter[tuple[bool, str]], seconds: list[float]) -> dict[str, Any]:
    report: dict[str, Any] = {"games": len(seconds)}
    titles = {True: ("found", "mistakes"), False: ("false_alarms", "good_moves")}
    for is_mistake, (title, whole) in titles.items():
        total = sum(count for (kind, _), count in counts.items() if kind == is_mistake)
        report[whole] = total
        marked = counts[is_mistake, "marked"]
        report[title] = describe_share(marked, total)
        marked += counts[is_mistake, "estimated"]
        report[f"{title}_or_estimated"] = describe_share(marked, total)
        marked += counts[is_mistake, "unclear"]
        report[f"{title}_or_unclear"] = describe_share(marked, total)
    report["seconds_per_game"] = round(sum(seconds) / max(len(seconds), 1), 2)
    report["slowest_seconds"] = round(max(seconds, default=0), 2)
    return report


def describe_share(part: int, whole: int) -> str:
    share = Proportion(part, max(whole, 1))
    return f"{share.value:.2%} ± {share.margin:.2%}"


if __name__ == "__main__":
    main()
