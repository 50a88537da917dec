"""Speed of backgammon's move generator and of whole games on this machine.

    python benchmarks/backgammon_moves.py

Moves are listed for every second roll of a game, by one core; games are played by all.
"""

import time

import ludus
from ludus.learn.gammon import load_network, play_native_games


def main() -> None:
    game = ludus.game("backgammon")
    start = game.start()
    # Counting to depth 4 lists the moves of every position that depth 3 counts.
    rolls = game.perft(start, 3)
    began = time.process_time()
    game.perft(start, 4)
    seconds = time.process_time() - began
    print(f"moves listed for {rolls / seconds / 1e6:.2f} million positions a second (one core)")
    for name in ("paper", "comparison"):
        began, used = time.perf_counter(), time.process_time()
        result = play_native_games(load_network(name), "tool", 1000, seed=1)
        wall, used = time.perf_counter() - began, time.process_time() - used
        print(
            f"1000 games of the {name} network against tool: {wall:.1f} s, {used:.1f} s of "
            f"processor time, {result.win_rate:.1%} won"
        )


if __name__ == "__main__":
    main()
