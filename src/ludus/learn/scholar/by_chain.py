"""The chain's way to play: TO, FROM and REMOVE in turn, with the rules held up to each or not."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.marks import Marks
from ludus.core.pictures import Picture
from ludus.core.player import Choice
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.move import Move
from ludus.learn.scholar.asking import columns
from ludus.learn.scholar.chain import NO_POINT, Chain, Ranked

Rule = Literal["parts", "joint"]

NAMES = ("TO", "FROM", "REMOVE")
MEANINGS = ("where a man goes", "which man moves", "which man is taken")
NONE = ("nowhere", "the hand", "nobody")
"""What it means that there is no such part."""


class Decision(NamedTuple):
    """What the chain makes of one position."""

    parts: NDArray[np.int64]
    """Shape (3,): the points of its move, or NO_POINT."""

    chances: list[float]
    """How likely it held each of them for."""

    changed: tuple[int, ...]
    """Parts in which the rules did not allow what it held for likeliest."""

    scores: dict[Move, float]
    """How likely every legal move is as a whole."""

    @property
    def move(self) -> Move:
        to, frm, take = (None if part == NO_POINT else part for part in self.parts.tolist())
        return Move(frm, to, take)

    def told(self) -> str:
        """One sentence for a person."""
        said = (
            f"{name} {_point(int(part), NONE[number])} {chance:.0%}"
            for number, (name, part, chance) in enumerate(
                zip(NAMES, self.parts, self.chances, strict=True)
            )
        )
        refused = " and ".join(NAMES[part] for part in self.changed)
        return ", ".join(said) + (f"; the check has changed {refused}" if refused else "")


class ByChain:
    """One chain at play."""

    def __init__(self, chain: Chain, has_check: bool = True, rule: Rule = "parts") -> None:
        self._chain = chain
        self._has_check = has_check
        self._rule = rule

    def choices(self, positions: Sequence[Any]) -> list[Choice]:
        return [Choice(each.move, each.told(), each.scores) for each in self._decisions(positions)]

    def pictures(self, position: Any) -> list[Picture]:
        """How likely each point is as a part of the move, given the parts chosen before it."""
        decision = self._decisions([position])[0]
        said = self._chain.said(columns([position]), decision.parts[None])[0]
        return [_picture(decision, part, chances) for part, chances in enumerate(said.tolist())]

    def _decisions(self, positions: Sequence[Any]) -> list[Decision]:
        seen = columns(positions)
        moves = [position.legal_moves() for position in positions]
        ends = [0, *accumulate(map(len, moves))]
        owner = np.repeat(np.arange(len(moves)), [len(each) for each in moves])
        parts = np.array([_parts(move) for each in moves for move in each]).reshape(-1, 3)
        ranked = self._chain.ranked(seen, owner, parts)
        found = [
            _checked(its_moves, parts[first:end], ranked.some(first, end), self._rule)
            for its_moves, (first, end) in zip(moves, pairwise(ends), strict=True)
        ]
        return found if self._has_check else self._unchecked(seen, found)

    def _unchecked(self, seen: Any, checked: Sequence[Decision]) -> list[Decision]:
        """The same without a look at the rules, which only the scores know."""
        choices, chances = self._chain.choose(seen)
        likely = chances.max(axis=2).tolist()
        return [
            Decision(choices[number], likely[number], (), each.scores)
            for number, each in enumerate(checked)
        ]


def _checked(
    moves: Sequence[Move], parts: NDArray[np.int64], ranked: Ranked, rule: Rule
) -> Decision:
    """The legal move whose parts are the likeliest legal ones, one after the other or together."""
    whole = ranked.chances.prod(axis=1)
    left = np.arange(len(moves))
    if rule == "parts":
        for part in range(len(NAMES)):
            first = left[ranked.chances[left, part].argmax()]
            left = left[parts[left, part] == parts[first, part]]
        chosen = left[0]
    else:
        chosen = whole.argmax()
    changed = tuple(np.flatnonzero(ranked.likeliest[chosen] != parts[chosen]).tolist())
    scores = dict(zip(moves, whole.tolist(), strict=True))
    return Decision(parts[chosen], ranked.chances[chosen].tolist(), changed, scores)


def _picture(decision: Decision, part: int, chances: Sequence[float]) -> Picture:
    heat = dict(zip(POINTS, chances, strict=False))
    changed = ", as the rules demand" if part in decision.changed else ""
    text = f"It chooses {_point(int(decision.parts[part]), NONE[part])}{changed}."
    if part:  # a man goes somewhere in every move
        text += f" For {NONE[part]}: {chances[NO_POINT]:.0%}."
    return Picture(f"{NAMES[part]}: {MEANINGS[part]}", Marks(heat=heat), text)


def _parts(move: Move) -> list[int]:
    return [NO_POINT if part is None else part for part in (move.to, move.frm, move.take)]


def _point(part: int, none: str) -> str:
    return none if part == NO_POINT else POINTS[part]
