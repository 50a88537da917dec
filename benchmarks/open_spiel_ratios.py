"""Speed of our Nine Men's Morris and of OpenSpiel's, measured in one run on one machine.

Both sides are driven from Python; each figure is the best of several short rounds in which the
two take turns, so that a noisy machine disturbs both alike.
"""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import pyspiel

import ludus

ROUNDS = 5
SECONDS = 0.6
"""Length of one round of one side."""

Work = Callable[[], int]
"""Does a little work and returns how much it was."""


def measure_ratios() -> dict[str, float]:
    """Return the ratios of our rates to theirs: perft nodes, random games and single moves."""
    return {
        "perft": _measure_ratio(_our_perft(), _their_perft()),
        "random_games": _measure_ratio(_our_games(), _their_games()),
        "python_moves": _measure_ratio(_our_moves(), _their_moves()),
    }


def _measure_ratio(ours: Work, theirs: Work) -> float:
    best = [0.0, 0.0]
    for _ in range(ROUNDS):
        for side, work in enumerate((ours, theirs)):
            best[side] = max(best[side], _measure_rate(work))
    return best[0] / best[1]


def _measure_rate(work: Work) -> float:
    done, began = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - began) < SECONDS:
        done += work()
    return done / elapsed


def _our_perft() -> Work:
    game = ludus.game("nine_mens_morris")
    return lambda: game.perft(game.start(), 5)


def _their_perft() -> Work:
    game = pyspiel.load_game("nine_mens_morris")

    def nodes(state: Any, depth: int) -> int:
        """Count whole turns; a capture, in OpenSpiel a second action, belongs to its turn."""
        mover, total = state.current_player(), 0
        for action in state.legal_actions():
            after = state.child(action)
            turns = [after]
            if after.current_player() == mover:
                turns = [after.child(capture) for capture in after.legal_actions()]
            total += len(turns) if depth == 1 else sum(nodes(turn, depth - 1) for turn in turns)
        return total

    return lambda: nodes(game.new_initial_state(), 3)


def _our_games() -> Work:
    start: Any = ludus.game("nine_mens_morris").start()
    seeds = iter(range(10**9))
    cores = os.cpu_count() or 1

    def play() -> int:
        return start.playouts(50_000, seed=next(seeds), threads=cores)["games"]

    return play


def _their_games() -> Work:
    play = _their_moves()
    return lambda: 1 if play() else 0


def _our_moves() -> Work:
    start = ludus.game("nine_mens_morris").start()

    def play() -> int:
        position, moves = start, 0
        while position.outcome() is None:
            position = position.play(random.choice(position.legal_moves()))
            moves += 1
        return moves

    return play


def _their_moves() -> Work:
    game = pyspiel.load_game("nine_mens_morris")

    def play() -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            moves += 1
        return moves

    return play
