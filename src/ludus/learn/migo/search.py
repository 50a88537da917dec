"""The search for a hypothesis: a small meta-interpreter in the manner of Metagol.

An example is a move. It is proved with the clauses there are, or with a new one, an instance of a
metarule over what is known. The search deepens from one clause to four and keeps the first
hypothesis that proves all examples. The order is the published one: metarules as they are listed,
background predicates newest first, of the fluents `drawn` before `won`.

Metagol also invents predicates on the way. Here one could only put a further condition between a
rule and what it builds on. Examples are positive, so the rule without that condition proves them
too, with fewer clauses, and is found before: what is invented is left to dependent learning.
"""

from collections.abc import Iterator, Sequence

from ludus.learn.migo.program import FLUENTS, MOVE, Clause, Metarule
from ludus.learn.migo.reasoner import ANY_MOVE, Concept, Reasoner, Test

MAX_CLAUSES = 4

PUBLISHED: tuple[Metarule, ...] = ("postcond", "negation")

FLUENT_TESTS: dict[str, Test] = {"drawn": ("drawn", ANY_MOVE), "won": ("won", ANY_MOVE)}


class Background:
    """What is known when something is learned: predicates by name, newest first."""

    def __init__(self, reasoner: Reasoner) -> None:
        self.reasoner = reasoner
        self.concepts: dict[str, Concept] = {MOVE: ANY_MOVE}
        self.newest_first: list[str] = [MOVE]

    def add(self, clauses: Sequence[Clause]) -> None:
        """Make learned predicates known; the clauses of each one follow those it uses."""
        known = self.concepts_with(clauses)
        for head in dict.fromkeys(clause.head for clause in clauses):
            self.newest_first.insert(0, head)
        self.concepts = known

    def concepts_with(self, clauses: Sequence[Clause]) -> dict[str, Concept]:
        """What would be known with these clauses."""
        known = dict(self.concepts)
        for head in dict.fromkeys(clause.head for clause in clauses):
            own = tuple(clause for clause in clauses if clause.head == head)
            known[head] = self.reasoner.define(own, known)
        return known


class Search:
    """One learning task: a predicate that is to hold for all examples."""

    def __init__(
        self, background: Background, metarules: Sequence[Metarule], examples: Sequence[int]
    ) -> None:
        """The examples are the boards that positive moves lead to."""
        self._background = background
        self._metarules = metarules
        self._examples = examples

    def run(self, name: str, max_clauses: int = MAX_CLAUSES) -> tuple[Clause, ...]:
        """The clauses of the first hypothesis; none if there is none.

        The newest comes first, as in the published program.
        """
        if not all(any(True for _ in self._new(name, board)) for board in self._examples):
            return ()  # no number of clauses helps
        for most in range(1, max_clauses + 1):
            for found in self._prove(name, (), 0, most):
                return found
        return ()

    def _prove(
        self, name: str, clauses: tuple[Clause, ...], begin: int, most: int
    ) -> Iterator[tuple[Clause, ...]]:
        """The ways to prove the examples from a number on, with at most so many clauses."""
        for number in range(begin, len(self._examples)):
            board = self._examples[number]
            if any(self._proves(clause, board) for clause in clauses):
                continue
            if len(clauses) < most:
                for clause in self._new(name, board):
                    yield from self._prove(name, (clause, *clauses), number + 1, most)
            return
        yield clauses

    def _new(self, name: str, board: int) -> Iterator[Clause]:
        """The clauses that prove a move to this board."""
        for metarule in self._metarules:
            seconds = FLUENTS if metarule == "postcond" else self._background.newest_first
            for first in self._background.newest_first:
                for second in seconds:
                    clause = Clause(name, first, metarule, second)
                    if self._proves(clause, board):
                        yield clause

    def _proves(self, clause: Clause, board: int) -> bool:
        reasoner, concepts = self._background.reasoner, self._background.concepts
        if clause.metarule == "postcond":
            test = FLUENT_TESTS[clause.second]
        else:
            test = (clause.metarule, concepts[clause.second])
        return reasoner.holds(concepts[clause.first], board) and reasoner.passes(test, board)
