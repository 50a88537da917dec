"""What the experiments on codings, data and connections share."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ludus.analysis import ReviewedMove, find_evaluator, judge_move
from ludus.games.backgammon import Backgammon, Position, position_to_row
from ludus.learn.gammon import GammonNetwork, encode_moves
from ludus.reproduce import Conclusion, Measurement, compute_difference_interval


def score_positions(
    network: GammonNetwork, positions: Sequence[Position]
) -> tuple[np.ndarray, np.ndarray]:
    """The scores of all moves of all positions, and the offsets of each position's moves."""
    boards = np.array([position_to_row(each) for each in positions], np.int8)
    rolls = np.array([each.dice for each in positions], np.int8)
    offsets, _, encoded = encode_moves(boards, rolls, network.encoding)
    return network.scores(encoded), offsets


def choose_moves(network: GammonNetwork, positions: Sequence[Position]) -> list[int]:
    """The number of the move that the network plays in each position."""
    scores, offsets = score_positions(network, positions)
    return [int(scores[a:b].argmax()) for a, b in pairwise(offsets)]


def judge_decisions(
    game: Backgammon, moves: Sequence[Any], own: int, plies: int
) -> list[ReviewedMove]:
    """The decisions of one side of a game, judged by GNU Backgammon.

    `moves` are those of a match, rolls of the dice included.
    """
    evaluator = find_evaluator(game, "gnubg", plies)
    position, found = game.start(), []
    for made in moves:
        if made.mover == own and game.classify_decision(position, made.move):
            reviewed = judge_move(game, position, evaluator.analyse(position), made.move)
            assert reviewed is not None
            found.append(reviewed)
        position = position.play(made.move)
    return found


def conclude_higher(
    text: str, higher: Sequence[float], lower: Sequence[float], unit: str = "points"
) -> Conclusion:
    """Decide whether the first mean over trainings is higher, by the interval of the difference."""
    (low, high), evidence = compare_means(higher, lower, unit)
    return Conclusion(text, True if low > 0 else False if high < 0 else None, evidence)


def compare_means(
    ours: Sequence[float], others: Sequence[float], unit: str = "points"
) -> tuple[tuple[float, float], str]:
    """Return the interval of the difference of two means over trainings, and a text with both."""
    first, second = (Measurement.mean("", values) for values in (ours, others))
    low, high = compute_difference_interval(
        first.value, _get_interval(first), second.value, _get_interval(second)
    )
    text = f"{first.value:.1f} against {second.value:.1f}, a difference of "
    text += f"{first.value - second.value:+.1f} {unit} ({low:+.1f} to {high:+.1f})"
    return (low, high), text


def _get_interval(measurement: Measurement) -> tuple[float, float]:
    """The interval over trainings; a single training may be off by any amount."""
    if measurement.low is None or measurement.high is None:
        return -float("inf"), float("inf")
    return measurement.low, measurement.high


def make_row(context: Any, coding: str, hidden: Sequence[int], **more: Any) -> dict[str, Any]:
    """A row of settings as `make_config` takes it, with cycles and positions of the size."""
    return {
        "hidden": hidden,
        "coding": coding,
        "cycles": context.setting("cycles"),
        "positions": context.setting("positions"),
        "noise": True,
        **more,
    }
