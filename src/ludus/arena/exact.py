"""Mean regret without playing: the expectation over everything that can happen.

For a player whose moves have known probabilities, against an opponent that always plays the
oracle's first move: the best value, then the quickest win or the slowest loss, then the first
in the order of legal moves.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ludus.arena.regret import POINTS
from ludus.oracle import Oracle

Policy = Callable[[Any], Mapping[Any, float]]
"""The probability of each move in a position."""


def uniform(position: Any) -> dict[Any, float]:
    """The policy of the player `random`."""
    moves = position.legal_moves()
    return dict.fromkeys(moves, 1 / len(moves))


def exact_regret(oracle: Oracle, policy: Policy, starts: Iterable[Any]) -> float:
    """The mean regret of a game from these positions, in each of which the player is to move."""
    known: dict[Any, float] = {}
    found = [_expected(oracle, policy, start, known) for start in starts]
    return sum(found) / len(found)


def _expected(oracle: Oracle, policy: Policy, position: Any, known: dict[Any, float]) -> float:
    if position.outcome() is not None:
        return 0.0
    if position not in known:
        worth = {each.move: POINTS[each.value] for each in oracle.moves(position)}
        most = max(worth.values())
        total = 0.0
        for move, probability in policy(position).items():
            after = position.play(move)
            if after.outcome() is None:
                after = after.play(oracle.moves(after)[0].move)
            rest = _expected(oracle, policy, after, known)
            total += probability * (most - worth[move] + rest)
        known[position] = total
    return known[position]
