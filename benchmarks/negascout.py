"""The searching player: positions a second, time to a depth, and how often it keeps the value.

python benchmarks/negascout.py [--player SPEC] [--positions FILE] [--oracle DIR] [--count N]

The value is judged in critical positions, where some legal move gives something away: those of
the file, or else of random games, as far as the oracle reaches. Solved endings are not looked up
while it is judged, so that it is the search that is measured.
"""

import argparse
import json
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ludus
from ludus import Record
from ludus._native import search as native
from ludus.arena import RegretStatistics
from ludus.oracles import Oracle, Unsolved
from ludus.oracles import oracle as find_oracle

WANTED_NODES = 5_000_000
"""Positions a second that we ask of one thread, in the moving phase."""

WANTED_KEPT = 0.97
"""Share of critical positions whose value should be kept with a second for each."""

DEPTHS = (8, 10, 12, 14)
MIDDLE_GAMES = 8
MEGABYTES = 16


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--player", default="negascout:time=1,endings=false")
    parser.add_argument("--positions", type=Path)
    parser.add_argument("--oracle", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    game = ludus.game("nine_mens_morris")
    speed, seconds = measure_search(game)
    oracle = find_oracle(game, options.oracle)
    found = RegretStatistics(game, oracle)
    player = ludus.player(options.player, game)
    player.start_game(0)
    for position in find_critical_positions(game, oracle, options.positions, options.count):
        found.add_moves([position], [player.choose(position).move])
    kept = found.total.critical_kept_rate or 0.0
    if options.json:
        times = {str(depth): round(spent, 4) for depth, spent in seconds.items()}
        shares = {name: part.critical_kept_rate for name, part in found.phases.items()}
        result = {"nodes_a_second": round(speed), "seconds_to_depth": times, "kept": kept}
        print(json.dumps({**result, "critical": found.total.critical, "by_phase": shares}))
    else:
        print(f"positions a second, one thread  {speed:12,.0f}   wanted {WANTED_NODES:,}")
        for depth, spent in seconds.items():
            print(f"seconds to depth {depth:2}             {spent:12.3f}")
        number = found.total.critical
        print(f"value kept, {number} critical       {kept:12.1%}   wanted {WANTED_KEPT:.0%}")
        for name, part in found.phases.items():
            print(
                f"  {name:8} {part.critical:5} critical       {part.critical_kept_rate or 0:12.1%}"
            )
    return 0 if speed >= WANTED_NODES and kept >= WANTED_KEPT else 1


def measure_search(game: Any) -> tuple[float, dict[int, float]]:
    """Return positions a second at the greatest depth, and the median time to each depth."""
    middle = list(sample_middle_games(game))
    medians, speed = {}, 0.0
    for depth in DEPTHS:
        spent, nodes = [], 0
        for position in middle:
            search = native.Search(game.rules, MEGABYTES)
            began = time.perf_counter()
            found = search.run(position.bits, position.hands, position.mover, depth=depth)
            spent.append(time.perf_counter() - began)
            nodes += found["nodes"]
        medians[depth] = statistics.median(spent)
        speed = nodes / sum(spent)
    return speed, medians


def sample_middle_games(game: Any) -> Iterator[Any]:
    """Return positions of the moving phase with most men on the board, from games of `focused`."""
    focused = ludus.player("focused", game)
    for seed in range(MIDDLE_GAMES):
        match = ludus.play_game(game, (focused, focused), seed=seed, max_plies=22)
        record = Record.from_game(match, game)
        *_, last = record.replay(game)
        yield last


def find_critical_positions(
    game: Any, oracle: Oracle, file: Path | None, count: int
) -> Iterator[Any]:
    """Yield `count` different critical positions."""
    seen: set[Any] = set()
    for position in read_positions(game, file) if file else sample_positions(game, oracle):
        if position in seen or position.outcome() is not None:
            continue
        try:
            values = {each.value for each in oracle.rate_moves(position)}
        except Unsolved:
            continue
        if len(values) > 1:
            seen.add(position)
            yield position
        if len(seen) == count:
            return


def read_positions(game: Any, file: Path) -> Iterator[Any]:
    """Yield the positions of a file, in a random order that is always the same."""
    lines = file.read_text().splitlines()
    random.Random(0).shuffle(lines)
    return map(game.parse, lines)


def sample_positions(game: Any, oracle: Oracle) -> Iterator[Any]:
    """Yield positions of random games that the oracle has solved."""
    source = random.Random(0)
    while True:
        position = game.start()
        while position.outcome() is None:
            if oracle.has_value(position):
                yield position
            position = position.play(source.choice(position.legal_moves()))


if __name__ == "__main__":
    raise SystemExit(main())
