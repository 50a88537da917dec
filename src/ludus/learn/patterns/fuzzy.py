"""How the Fuzzy player weighs its moves, to be read; `native/core/patterns` is the compiled twin.

Vrajitoru's paper (section 5), with what it leaves open read as follows:

- A step is a man placed, or moved from one point to another; its score begins at 1. The pattern of
  each quadrant with the step's target changes. If the network knows that change as a move, the
  score is raised to that of the new pattern. The quadrant a man leaves does not raise the score.
- The paper sets `moveThr` to 5 without saying what it is. It is read as the counterpart of rateThr
  for own moves: a new pattern counts only if its score is more than `move_threshold` times the old
  one's. Without it a quadrant with a closed mill makes every idle move in it look splendid.
- Where a man comes into a quadrant from another one, over a corner (or flying), the change is known
  as that of a man from outside: this is the paper's *corner move*.
- The defence: a step of the other side, were it to move, threatens its target if the network knows
  the change and the new pattern's score is more than `rate_threshold` times the old one's. An own
  step to that target blocks it and is worth at least the threatened pattern.
- A closed mill takes a man. The paper does not say which: `random` takes any, `share` each with a
  probability in proportion to what the other side's patterns lose in score with it, and `best` the
  one with which they lose most.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ludus.games.nine_mens_morris.board import neighbours
from ludus.learn.patterns.quadrants import HOMES, pattern

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.move import Move

Take = Literal["random", "share", "best"]
Step = tuple[int | None, int]
"""From a point, or None for the hand, to a point."""


@dataclass(frozen=True)
class Knowledge:
    """What a network says with given weights, and how a player uses it."""

    scores: tuple[float, ...]
    """Pattern to score, the power taken."""

    edges: frozenset[tuple[int, int]]
    """The moves that count as known."""

    rate_threshold: float = 2.0
    """How many times the old score a move of the other side must reach to be worth blocking."""

    move_threshold: float = 0.0
    """How many times the old score an own move must reach to be raised."""

    corners: bool = True
    """Whether a man that comes from another quadrant is scored."""

    defends: bool = True
    take: Take = "random"


def weigh(position: Any, known: Knowledge) -> list[float]:
    """The weight of each legal move; probabilities are in proportion to them."""
    moves: list[Move] = position.legal_moves()
    side = position.mover
    own, other = position.bits[side], position.bits[1 - side]
    threats = threats_to(position, known) if known.defends else {}
    booty = sorted({move.take for move in moves if move.take is not None})
    shares = _take_shares(other, booty, known)
    weights = []
    for move in moves:
        if move.to is None:
            weights.append(1.0)
            continue
        found = _scores(own, (move.frm, move.to), known, known.move_threshold)
        score = max([1.0, threats.get(move.to, 0.0), *found])
        weights.append(score if move.take is None else score * shares[move.take])
    return weights


def _scores(men: int, step: Step, known: Knowledge, threshold: float) -> Iterator[float]:
    """The scores of the patterns that a step of a side with these men is known to make.

    Only those count that are more than `threshold` times what they were.
    """
    frm, to = step
    moved = men | 1 << to
    if frm is not None:
        moved &= ~(1 << frm)
    for quadrant in HOMES[to]:
        comes_in = frm is not None and quadrant not in HOMES[frm]
        if comes_in and not known.corners:
            continue
        old, new = pattern(men, quadrant), pattern(moved, quadrant)
        if (old, new) in known.edges and known.scores[new] > threshold * known.scores[old]:
            yield known.scores[new]


def threats_to(position: Any, known: Knowledge) -> Mapping[int, float]:
    """Point to the best score that the other side could reach by a step there, if it threatens."""
    other = 1 - position.mover
    found: dict[int, float] = {}
    for step in _steps(position, other):
        for score in _scores(position.bits[other], step, known, known.rate_threshold):
            found[step[1]] = max(found.get(step[1], 0.0), score)
    return found


def _steps(position: Any, side: int) -> Iterator[Step]:
    """What a side could do if it were to move."""
    rules, own = position.rules, position.men[side]
    free = set(range(24)) - position.men[0] - position.men[1]
    if position.hands[side] > 0:
        yield from ((None, to) for to in free)
        if not rules.place_or_move:
            return
    flies = rules.flying and position.hands[side] == 0 and len(own) <= 3
    for frm in own:
        near = free if flies else free.intersection(neighbours(rules.diagonals)[frm])
        yield from ((frm, to) for to in near)


def _take_shares(men: int, booty: list[int], known: Knowledge) -> dict[int, float]:
    """Each man that may be taken from a side, with the probability that it is the one."""
    if known.take == "random":
        return {man: 1 / len(booty) for man in booty}
    losses = {man: max(0.0, _loss(men, man, known)) for man in booty}
    if known.take == "best":
        highest = max(losses.values(), default=0.0)
        losses = {man: float(loss == highest) for man, loss in losses.items()}
    total = 0.0
    for loss in losses.values():  # in this order, so that the twin comes to the same sum
        total += loss
    return {man: loss / total if total > 0 else 1 / len(booty) for man, loss in losses.items()}


def _loss(men: int, man: int, known: Knowledge) -> float:
    """What the patterns of a side lose in score with one of its men."""
    without = men & ~(1 << man)
    lost = 0.0
    for quadrant in HOMES[man]:
        lost += known.scores[pattern(men, quadrant)] - known.scores[pattern(without, quadrant)]
    return lost
