"""Reference implementation of the fuzzy policy; `native/core/patterns` is the compiled twin.

It follows section 5 of Vrajitoru 2015, with these interpretations:

- A step is a man placed, or moved from one point to another; its score begins at 1. The pattern of
  each quadrant with the step's target changes. If the network knows that change as a move, the
  score is raised to that of the new pattern. The quadrant a man leaves does not raise the score.
- The paper sets `moveThr` to 5 without defining it. It is read as the counterpart of rateThr for
  own moves: a new pattern counts only if its score is more than `move_threshold` times the old
  one's. Without it a quadrant with a closed mill gives every idle move in it a high score.
- Where a man comes into a quadrant from another one, over a corner (or flying), the change is
  looked up as that of a man from outside: this is the paper's *corner move*.
- Defence: a step of the other side, were it to move, threatens its target if the network knows the
  change and the new pattern's score is more than `rate_threshold` times the old one's. An own step
  to that target blocks it and scores at least as much as the threatened pattern.
- A closed mill takes a man. The paper does not define which: `random` takes any, `share` each with
  a probability in proportion to the loss in score of the other side's patterns, and `best` the one
  with the greatest loss.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ludus.games.nine_mens_morris.position import MorrisPosition, list_steps
from ludus.learn.patterns.encoding import QUADRANTS_OF_POINT, encode_quadrant

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.board import Move

CaptureRule = Literal["random", "share", "best"]
Edges = frozenset[tuple[int, int]]
Step = tuple[int | None, int]
"""From a point, or None for the hand, to a point."""


@dataclass(frozen=True)
class FuzzyPolicy:
    """Pattern scores and known moves of a network, with the parameters of the policy."""

    scores: tuple[float, ...]
    """Score of each pattern, after the power."""

    edges: Edges
    """The known own moves, as pairs of patterns."""

    threat_edges: Edges | None
    """The known moves of the other side; None: all."""

    rate_threshold: float = 2.0
    """Minimum ratio of new to old score for a move of the other side to be a threat."""

    move_threshold: float = 0.0
    """Minimum ratio of new to old score for an own move to be raised."""

    scores_corner_moves: bool = True
    """Whether a man that comes from another quadrant is scored."""

    scores_left_quadrants: bool = False
    """Whether the pattern of a quadrant that a man leaves is scored."""

    blocks_threats: bool = True
    capture_rule: CaptureRule = "random"


def compute_move_weights(position: MorrisPosition, policy: FuzzyPolicy) -> list[float]:
    """Return the weight of each legal move; probabilities are proportional to weights."""
    moves: list[Move] = position.legal_moves()
    side = position.mover
    own, other = position.bits[side], position.bits[1 - side]
    threats = find_threats(position, policy) if policy.blocks_threats else {}
    removable = sorted({move.take for move in moves if move.take is not None})
    probabilities = _compute_capture_probabilities(other, removable, policy)
    weights = []
    for move in moves:
        if move.to is None:
            weights.append(1.0)
            continue
        step = move.frm, move.to
        found = _iterate_scores(own, step, policy, policy.edges, policy.move_threshold)
        score = max([1.0, threats.get(move.to, 0.0), *found])
        weights.append(score if move.take is None else score * probabilities[move.take])
    return weights


def _iterate_scores(
    men: int, step: Step, policy: FuzzyPolicy, edges: Edges | None, threshold: float
) -> Iterator[float]:
    """Yield the scores of the known patterns that a step of a side with these men creates.

    Only scores of more than `threshold` times the old one count.
    """
    frm, to = step
    moved = men | 1 << to
    if frm is not None:
        moved &= ~(1 << frm)
    left = () if frm is None else QUADRANTS_OF_POINT[frm]
    entered = QUADRANTS_OF_POINT[to]
    scored = [each for each in entered if frm is None or each in left or policy.scores_corner_moves]
    if policy.scores_left_quadrants:
        scored += [each for each in left if each not in entered]
    for quadrant in scored:
        old, new = encode_quadrant(men, quadrant), encode_quadrant(moved, quadrant)
        is_known = edges is None or (old, new) in edges
        if is_known and policy.scores[new] > threshold * policy.scores[old]:
            yield policy.scores[new]


def find_threats(position: MorrisPosition, policy: FuzzyPolicy) -> Mapping[int, float]:
    """Return the points the other side threatens, with the best score it could reach there."""
    other = 1 - position.mover
    found: dict[int, float] = {}
    for step in list_steps(position, other):
        men, edges, threshold = position.bits[other], policy.threat_edges, policy.rate_threshold
        for score in _iterate_scores(men, step, policy, edges, threshold):
            found[step[1]] = max(found.get(step[1], 0.0), score)
    return found


def _compute_capture_probabilities(
    men: int, removable: list[int], policy: FuzzyPolicy
) -> dict[int, float]:
    """Return the probability of each removable man to be taken."""
    if policy.capture_rule == "random":
        return {man: 1 / len(removable) for man in removable}
    losses = {man: max(0.0, _compute_capture_loss(men, man, policy)) for man in removable}
    if policy.capture_rule == "best":
        highest = max(losses.values(), default=0.0)
        losses = {man: float(loss == highest) for man, loss in losses.items()}
    total = 0.0
    for loss in losses.values():  # in this order, so that the compiled twin computes the same sum
        total += loss
    return {man: loss / total if total > 0 else 1 / len(removable) for man, loss in losses.items()}


def _compute_capture_loss(men: int, man: int, policy: FuzzyPolicy) -> float:
    """Return the score that a side's patterns lose with one of its men."""
    without = men & ~(1 << man)
    lost = 0.0
    for quadrant in QUADRANTS_OF_POINT[man]:
        lost += (
            policy.scores[encode_quadrant(men, quadrant)]
            - policy.scores[encode_quadrant(without, quadrant)]
        )
    return lost
