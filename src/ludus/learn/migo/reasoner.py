"""Running programs on a world, with every answer kept.

All clauses speak about one move from A to B, and what they ask of it they ask of B. So a predicate
is a property of the board that was moved to. Predicates with the same definition are one concept,
whatever they are called and whichever program they stand in: a program that is learned again from
scratch after each game finds everything that was proved for the last one.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from ludus.learn.migo.program import MOVE, Clause, Program
from ludus.learn.migo.world import World

Concept = int
"""A definition, by number; 0 is `move`."""

Test = tuple[Literal["won", "drawn", "negation", "forcing"], Concept]
"""The last part of a body. The concept of a fluent is 0 and means nothing."""

Definition = tuple[tuple[Concept, Test], ...]
"""For each clause, in order: its first literal and the test."""

ANY_MOVE: Concept = 0


class Reasoner:
    """Proves goals about the states of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._definitions: list[Definition] = [()]
        self._numbers: dict[Definition, Concept] = {}
        self._holds: list[dict[int, bool]] = [{}]
        self._can: list[dict[int, bool]] = [{}]

    def concepts(self, program: Program) -> dict[str, Concept]:
        """The concept of each predicate of a program, and of `move`."""
        found = {MOVE: ANY_MOVE}
        for predicate in program:
            found[predicate] = self.define(program[predicate], found)
        return found

    def define(self, clauses: tuple[Clause, ...], known: Mapping[str, Concept]) -> Concept:
        """The concept that these clauses define."""
        return self._intern(tuple((known[each.first], _test(each, known)) for each in clauses))

    def _intern(self, definition: Definition) -> Concept:
        if definition not in self._numbers:
            self._numbers[definition] = len(self._definitions)
            self._definitions.append(definition)
            self._holds.append({})
            self._can.append({})
        return self._numbers[definition]

    def holds(self, concept: Concept, board: int) -> bool:
        """Whether a move to this board has the property."""
        if concept == ANY_MOVE:
            return True
        known = self._holds[concept]
        found = known.get(board)
        if found is None:
            found = known[board] = any(
                self.holds(first, board) and self.passes(test, board)
                for first, test in self._definitions[concept]
            )
        return found

    def passes(self, test: Test, board: int) -> bool:
        """Whether the last part of a body holds for this board."""
        kind, concept = test
        if kind == "won":
            return self.world.won(board)
        if kind == "drawn":
            return self.world.drawn(board)
        if kind == "forcing" and not self.world.moves(board):
            return False
        return not self.can(concept, board)

    def can(self, concept: Concept, board: int) -> bool:
        """Whether there is a move from this board with the property."""
        known = self._can[concept]
        found = known.get(board)
        if found is None:
            found = known[board] = any(self.holds(concept, b) for b in self.world.moves(board))
        return found

    def solutions(self, concept: Concept, board: int) -> Iterator[int]:
        """The boards that such moves lead to, in the order in which Prolog finds them."""
        if concept == ANY_MOVE:
            yield from self.world.moves(board)
            return
        for first, test in self._definitions[concept]:
            for after in self.solutions(first, board):
                if self.passes(test, after):
                    yield after

    def first(self, concept: Concept, board: int) -> int | None:
        """The first of them, or None."""
        return next(self.solutions(concept, board), None)


def _test(clause: Clause, known: Mapping[str, Concept]) -> Test:
    if clause.metarule != "postcond":
        return clause.metarule, known[clause.second]
    return ("won" if clause.second == "won" else "drawn"), ANY_MOVE
