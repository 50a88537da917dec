"""Positive examples of winning and drawing moves by depth, and the labelling of games."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from ludus.learn.migo.inference import Concept, Reasoner

ExampleKind = Literal["win", "draw"]

MoveEdge = tuple[int, int]
"""A move, as the states before and after it."""


@dataclass
class ExampleSet:
    """Positive examples by kind and level, without repeats, newest first."""

    _moves: dict[tuple[ExampleKind, int], list[MoveEdge]] = field(
        default_factory=lambda: defaultdict(list)
    )

    version: int = 0
    """Increases with every change, so that unchanged examples are not learned again."""

    def add(self, kind: ExampleKind, level: int, edge: MoveEdge) -> bool:
        """Add a move; return whether it is new."""
        moves = self._moves[kind, level]
        if edge in moves:
            return False
        moves.insert(0, edge)
        self.version += 1
        return True

    def filter(self, kind: ExampleKind, is_wanted: Callable[[int, MoveEdge], bool]) -> None:
        """Drop the moves of a kind for which `is_wanted(level, move)` is false."""
        for (own, level), moves in self._moves.items():
            kept = [edge for edge in moves if own != kind or is_wanted(level, edge)]
            if len(kept) < len(moves):
                moves[:] = kept
                self.version += 1

    def state_ids(self, kind: ExampleKind, level: int) -> list[int]:
        """Return the states that the moves of a level lead to."""
        return [after for _, after in self._moves.get((kind, level), [])]

    def all_state_ids(self, kind: ExampleKind) -> list[int]:
        """Return the states that the moves of all levels lead to."""
        levels = sorted(level for own, level in self._moves if own == kind)
        return [state_id for level in levels for state_id in self.state_ids(kind, level)]

    def to_json(self) -> list[Any]:
        """Return the version and all moves, as JSON has them."""
        rows = [[kind, level, moves] for (kind, level), moves in self._moves.items()]
        return [self.version, rows]

    @classmethod
    def from_json(cls, found: Sequence[Any]) -> Self:
        """Return the examples of `to_json`."""
        version, rows = found
        examples = cls(version=version)
        for kind, level, moves in rows:
            examples._moves[kind, level] = [(before, after) for before, after in moves]
        return examples

    def count_levels(self, kind: ExampleKind, most: int) -> int:
        """Return the number of consecutive levels from 1 on with examples, at most `most`."""
        number = 0
        while number < most and self._moves.get((kind, number + 1)):
            number += 1
        return number


def compute_depth(states_left: int) -> int:
    """Return the number of full moves to the end, given the states left including this one."""
    return states_left // 2


def iterate_moves_with_depth(state_ids: list[int]) -> Iterator[tuple[int, MoveEdge]]:
    """Yield the moves of a game in order, each with the depth of the state it starts from."""
    for number in range(len(state_ids) - 1):
        yield compute_depth(len(state_ids) - number), (state_ids[number], state_ids[number + 1])


@dataclass(frozen=True, slots=True)
class KnownLevels:
    """The learned levels in order, as concepts: `win_1`, `win_2`, … and `draw_1`, …"""

    reasoner: Reasoner
    wins: Sequence[Concept] = ()
    draws: Sequence[Concept] = ()

    def win_level(self, state_id: int, most: int | None = None) -> int | None:
        """Return the first level, up to `most`, at which the side to move wins, or None."""
        for level, concept in enumerate(self.wins[:most], 1):
            if self.reasoner.has_solution(concept, state_id):
                return level
        return None

    def can_draw(self, state_id: int, level: int) -> bool:
        """Return whether the draw rule of exactly this level gives a move."""
        return level <= len(self.draws) and self.reasoner.has_solution(
            self.draws[level - 1], state_id
        )

    def prove_level(self, state_id: int) -> int | None:
        """Return the number of the mover's moves to the end if a move to this state provably wins.

        It wins at once, or one of the known levels wins after every reply. Otherwise None.
        """
        graph = self.reasoner.graph
        if graph.won(state_id):
            return 1
        levels = [self.win_level(reply) for reply in graph.moves(state_id)]
        known = [level for level in levels if level is not None]
        return max(known) + 1 if levels and len(known) == len(levels) else None


def label_by_outcome(
    examples: ExampleSet,
    known: KnownLevels,
    state_ids: list[int],
    score: int,
    collected_kinds: tuple[bool, bool],
) -> None:
    """Label a game that the learner began against an optimal opponent.

    If it was won, every move of the learner wins; if it was drawn from a state without a known win,
    every move of both sides draws: a mistake would have been punished. `collected_kinds` tells
    whether wins and whether draws are collected. A loss gives no examples.
    """
    deepest = compute_depth(len(state_ids))
    is_win_known = known.win_level(state_ids[0], deepest) is not None
    if score > 0 and collected_kinds[0] and not is_win_known:
        for level, edge in list(iterate_moves_with_depth(state_ids))[::2]:
            examples.add("win", level, edge)
    if (
        score == 0
        and collected_kinds[1]
        and not is_win_known
        and not known.can_draw(state_ids[0], deepest)
    ):
        for level, edge in iterate_moves_with_depth(state_ids):
            examples.add("draw", level, edge)


def remove_won_draws(examples: ExampleSet, known: KnownLevels) -> None:
    """Remove draws from states that are now known to be won: these moves were mistakes."""
    examples.filter("draw", lambda level, edge: known.win_level(edge[0], level) is None)


def label_by_proof(
    examples: ExampleSet, known: KnownLevels, state_ids: list[int], score: int
) -> None:
    """Label a game of any two players by proofs from the known rules.

    Provably winning moves of either side are examples of winning, whatever the result. All other
    moves of a side that did not lose are examples of drawing, unless the opponent is known to win
    after them. `score` is that of the side that began.
    """
    for number, (level, edge) in enumerate(iterate_moves_with_depth(state_ids)):
        proved = known.prove_level(edge[1])
        if proved is not None:
            examples.add("win", proved, edge)
            continue
        has_lost = score != 0 and (score > 0) != (number % 2 == 0)
        if not has_lost and known.win_level(edge[1]) is None:
            examples.add("draw", level, edge)


def remove_refuted_draws(examples: ExampleSet, known: KnownLevels) -> None:
    """Remove draws after which the opponent is now known to win."""
    examples.filter("draw", lambda level, edge: known.win_level(edge[1]) is None)
