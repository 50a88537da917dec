"""The search for a hypothesis: a small meta-interpreter in the manner of Metagol.

An example is a move. It is proved with the clauses there are, or with new ones, each an instance
of a metarule. New clauses may use background predicates or predicates invented on the way, which
stand lower than the head, so that nothing is recursive. The search deepens from one clause to
four and keeps the first hypothesis that proves all examples. The order is the published one:
metarules as they are listed, background predicates newest first, then invented predicates that
have clauses, then new clauses for them; of the fluents `drawn` before `won`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class _Rule:
    """A clause under construction. Its head is the target, 0, or an invented predicate."""

    head: int
    first: str | int
    """A background predicate by name or an invented one by number."""

    metarule: Metarule
    second: str


Hypothesis = tuple[_Rule, ...]
"""Newest rule first."""


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
        """The clauses of the first hypothesis, lowest predicate first; none if there is none."""
        for most in range(1, max_clauses + 1):
            for found in self._prove_all((), 0, most):
                return _named(found, name)
        return ()

    def _prove_all(self, rules: Hypothesis, begin: int, most: int) -> Iterator[Hypothesis]:
        """The ways to prove the examples from a number on, with at most so many rules."""
        for number in range(begin, len(self._examples)):
            board = self._examples[number]
            if not self._is_proved(0, board, rules):
                for more in self._prove(0, board, rules, most):
                    yield from self._prove_all(more, number + 1, most)
                return
        yield rules

    def _is_proved(self, head: int, board: int, rules: Hypothesis) -> bool:
        """Whether the rules there are prove a move to this board."""
        return next(self._prove(head, board, rules, len(rules)), None) is not None

    def _prove(self, head: int, board: int, rules: Hypothesis, most: int) -> Iterator[Hypothesis]:
        """The ways to prove a move with the rules there are and with new ones."""
        for rule in rules:
            if rule.head == head and self._passes(rule.metarule, rule.second, board):
                if isinstance(rule.first, int):
                    yield from self._prove(rule.first, board, rules, most)
                elif self._holds(rule.first, board):
                    yield rules
        yield from self._prove_with_new_rule(head, board, rules, most)

    def _prove_with_new_rule(
        self, head: int, board: int, rules: Hypothesis, most: int
    ) -> Iterator[Hypothesis]:
        if len(rules) >= most:
            return
        for metarule in self._metarules:
            for first, before in self._firsts(head, board, rules, most - 1):
                for second in self._seconds(metarule):
                    rule = _Rule(head, first, metarule, second)
                    if rule not in before and self._passes(metarule, second, board):
                        yield (rule, *before)

    def _firsts(
        self, head: int, board: int, rules: Hypothesis, most: int
    ) -> Iterator[tuple[str | int, Hypothesis]]:
        """What the first literal of a new rule can be, with the rules that prove it."""
        for name in self._background.newest_first:
            if self._holds(name, board):
                yield name, rules
        invented = sorted({rule.head for rule in rules} - {0})
        for lower in invented:
            if lower > head:
                for found in self._prove(lower, board, rules, most):
                    yield lower, found
        unused = max(head, *invented, 0) + 1
        for found in self._prove_with_new_rule(unused, board, rules, most):
            yield unused, found

    def _seconds(self, metarule: Metarule) -> Sequence[str]:
        return FLUENTS if metarule == "postcond" else self._background.newest_first

    def _holds(self, name: str, board: int) -> bool:
        return self._background.reasoner.holds(self._background.concepts[name], board)

    def _passes(self, metarule: Metarule, second: str, board: int) -> bool:
        if metarule == "postcond":
            test = FLUENT_TESTS[second]
        else:
            test = (metarule, self._background.concepts[second])
        return self._background.reasoner.passes(test, board)


def _named(rules: Hypothesis, name: str) -> tuple[Clause, ...]:
    """The rules as clauses, invented predicates numbered after the one that is learned."""

    def called(symbol: str | int) -> str:
        if isinstance(symbol, str):
            return symbol
        return name if symbol == 0 else f"{name}_{symbol}"

    # The newest clause of a predicate comes first, as in the published program.
    lowest_first = sorted(rules, key=lambda rule: -rule.head)
    return tuple(
        Clause(called(rule.head), called(rule.first), rule.metarule, rule.second)
        for rule in lowest_first
    )
