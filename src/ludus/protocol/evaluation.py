"""Equities of moves and of cube actions in backgammon, and choices by them.

Plies are counted as GNU Backgammon does: 0 is a network alone, which eXtreme Gammon and bgsage call
1-ply. Equities are in points of the present cube; in a match they are normalized so that winning a
single game is 1. Without a cube they are cubeless.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ludus.core.player import Choice
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.cube import Chances, CubeEquities, choose_action
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.stakes import (
    ACCEPT,
    DOUBLE,
    DROP,
    OFFERS,
    REJECT,
    RESIGN,
    ROLL,
    TAKE,
    CubeAction,
)


@dataclass(frozen=True, slots=True)
class MoveEvaluation:
    """The equity of a move, and the mover's chances after it where they are known."""

    equity: float
    chances: Chances | None
    depth: str
    """`2-ply`, `exact`, …"""


@dataclass(frozen=True, slots=True)
class CubeEvaluation:
    """The equities of cube actions, and the chances of the side that may double."""

    equities: CubeEquities
    chances: Chances
    depth: str


class Evaluator(ABC):
    """Evaluates positions with dice, and decisions about the cube."""

    title: str

    plies: int | None
    """Search depth; None without a search."""

    @abstractmethod
    def rank_moves(self, position: Position) -> dict[Move, MoveEvaluation]:
        """Evaluate the legal moves of a position with dice, best first."""

    @abstractmethod
    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        """Evaluate the cube before a roll, for the side on turn."""

    def quick(self) -> "Evaluator":
        """Return a faster evaluator of the same kind, for the luck of all rolls."""
        return self


def choose_by(evaluator: Evaluator, position: Position) -> Choice:
    """Choose the best move or action by an evaluator."""
    legal = position.legal_moves()
    if len(legal) == 1:
        return Choice(legal[0], "has no choice")
    if position.phase != "play":
        found = evaluator.evaluate_cube(position)
        return choose_cube_action(position, found.equities, found.chances)
    ranked = evaluator.rank_moves(position)
    move, best = next(iter(ranked.items()))
    comment = f"equity {best.equity:+.3f} ({best.depth})"
    if best.chances is not None:
        chances = best.chances
        comment += f", wins {chances.win:.1%}, gammons {chances.win_gammon:.1%}"
    return Choice(move, comment, {move: each.equity for move, each in ranked.items()})


def choose_cube_action(position: Position, equities: CubeEquities, chances: Chances) -> Choice:
    """Choose an action by its equity; resignations are answered by the chances."""
    stakes = position.stakes
    assert stakes is not None
    if stakes.phase in OFFERS:
        points = stakes.compute_points(OFFERS.index(stakes.phase) + 1) / stakes.value
        action = choose_action(position, chances)
        # In a match the equity of playing on is only near what it counts for.
        return Choice(action, "", {ACCEPT: points, REJECT: -equities.no_double})
    if stakes.phase == "cube":
        doubled = min(equities.double_take, equities.double_drop)
        known = {ROLL: equities.no_double, DOUBLE: doubled}
        known |= {offer: -float(level) for level, offer in enumerate(RESIGN, 1)}
    else:
        known = {TAKE: -equities.double_take, DROP: -equities.double_drop}
    legal = [action for action in position.legal_moves() if isinstance(action, CubeAction)]
    scores = {action: known[action] for action in legal}
    if stakes.phase == "cube":
        action = DOUBLE if DOUBLE in scores and equities.is_double else ROLL
    else:
        action = TAKE if equities.is_take else DROP
    comment = (
        f"{equities.best_action}: no double {equities.no_double:+.3f}, "
        f"double and take {equities.double_take:+.3f}, drop {equities.double_drop:+.3f}"
    )
    return Choice(action, comment, scores)
