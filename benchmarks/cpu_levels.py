"""Speed of the portable build's levels, as ratios to a build for this processor alone.

python benchmarks/cpu_levels.py [--rounds N] [--compiler CXX] [--json]

Builds the native core with LUDUS_MARCH=native into build/levels, starts one process per level and
measures them in turn, so that a busy machine slows all of them alike. Times are processor times;
each ratio is between the best rounds.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "levels"

WANTED = 0.95
"""Least ratio of the selected level to the native build."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        serve(options.worker)
        return 0
    import ludus._native as package
    from ludus._native.cpu import supported_levels

    parents = [Path(folder).parent for folder in package.__path__]
    folders = {
        level: parent / level
        for level in supported_levels()
        for parent in parents
        if (parent / level).is_dir()
    }
    folders["native"] = build_native(options.compiler)
    found = measure(folders, options.rounds)
    ratios = {
        level: {name: rate / found["native"][name] for name, rate in rates.items()}
        for level, rates in found.items()
    }
    if options.json:
        print(json.dumps({"selected": package.LEVEL, "peer": "native", "ratios": ratios}))
    else:
        names = list(found["native"])
        print(f"{'speed / native build':<22}" + "".join(f"{name:>18}" for name in names))
        for level, row in ratios.items():
            mark = " *" if level == package.LEVEL else ""
            print(f"{level + mark:<22}" + "".join(f"{row[name]:18.3f}" for name in names))
        print(f"* selected on this processor; wanted at least {WANTED}")
    return 0 if min(ratios[package.LEVEL].values()) >= WANTED else 1


def build_native(compiler: str) -> Path:
    """Build the core for this processor alone; return the folder with its modules."""
    configure = [
        *("cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DLUDUS_MARCH=native"),
        *("-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}"),
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    for command in (configure, ["cmake", "--build", str(BUILD)]):
        environment = {**os.environ, "PATH": path}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return BUILD / "custom"


def measure(folders: dict[str, Path], rounds: int) -> dict[str, dict[str, float]]:
    """Return the best rate of every work for every level, in units a second."""
    workers = {
        level: subprocess.Popen(
            [sys.executable, __file__, "--worker", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for level, folder in folders.items()
    }
    best: dict[str, dict[str, float]] = {level: {} for level in folders}
    for _ in range(rounds):
        for name in WORKS:
            for level, worker in workers.items():
                assert worker.stdin is not None
                assert worker.stdout is not None
                print(name, file=worker.stdin, flush=True)
                rate = float(worker.stdout.readline())
                best[level][name] = max(rate, best[level].get(name, 0.0))
    for worker in workers.values():
        worker.communicate()
    return best


def serve(folder: str) -> None:
    """Answer each name of a work on standard input with its rate, using the modules of a folder."""
    import ludus._native as package

    package.__path__[:] = [folder]
    for line in sys.stdin:
        began = time.process_time()
        done = WORKS[line.strip()]()
        print(done / (time.process_time() - began), flush=True)


def count_perft() -> int:
    import ludus

    game = ludus.game("nine_mens_morris")
    return sum(game.perft(game.start(), 6) for _ in range(2))


def play_out_morris() -> int:
    import ludus

    start: Any = ludus.game("nine_mens_morris").start()
    start.playouts(20_000, 1)
    return 20_000


def play_out_backgammon() -> int:
    import random

    import ludus
    from ludus.players import play_random_games

    game = ludus.game("backgammon")
    play_random_games(game, game.start(), 3_000, random.Random(1))
    return 3_000


def search() -> int:
    import ludus
    from ludus._native.search import Search

    game = ludus.game("nine_mens_morris")
    nodes = 0
    for seed in range(4):
        position: Any = game.start()
        focused = ludus.player("focused", game)
        for played in ludus.play_game(game, (focused, focused), seed=seed, max_plies=22).moves:
            position = position.play(played.move)
        found = Search(game.rules, 16).run(position.bits, position.hands, position.mover, depth=10)
        nodes += found["nodes"]
    return nodes


def solve() -> int:
    import ludus
    from ludus._native.solver import Solver
    from ludus.oracles import moving_sectors

    rules = ludus.game("nine_mens_morris").rules
    solver = Solver(rules)
    slots = 0
    for sector in moving_sectors(rules, 4):
        solver.solve(sector)
        rows, columns = solver.shape(sector)
        slots += 2 * rows * columns
    return slots


def infer_backgammon() -> int:
    from ludus.learn.gammon import load_network, play_native_games

    paper = load_network("paper")
    play_native_games(paper, paper, 100, seed=1, threads=1)
    return 100


WORKS: dict[str, Callable[[], int]] = {
    "perft": count_perft,
    "playouts": play_out_morris,
    "backgammon_games": play_out_backgammon,
    "search_nodes": search,
    "solver_slots": solve,
    "gammon_network": infer_backgammon,
}

if __name__ == "__main__":
    sys.exit(main())
