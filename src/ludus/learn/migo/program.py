"""Strategies as logic programs: clauses over moves, each an instance of a metarule.

    postcond    P(A,B) ← Q(A,B), R(B).
    negation    P(A,B) ← Q(A,B), not R(B,_).
    forcing     P(A,B) ← Q(A,B), move(B,_), not R(B,_).

Q is `move` or another predicate of the program and R a fluent (`won`, `drawn`) or such a predicate.
The first two are the published ones. *Negation* holds on any board without moves; *forcing* asks
for a move first, so that a game that has ended is not taken for one where nothing can be done.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ludus.core.errors import LudusError

Metarule = Literal["postcond", "negation", "forcing"]

MOVE = "move"
FLUENTS = ("drawn", "won")
"""In the order in which the learner tries them."""


class BadProgram(LudusError):
    """A text is not a program, or a program does not hang together."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule: the head holds for a move from A to B if the body does."""

    head: str

    first: str
    """The predicate of the first literal, about the same move: `move` or a learned one."""

    metarule: Metarule

    second: str
    """A fluent for postcond, else a predicate about the moves from B."""

    def __str__(self) -> str:
        body = {
            "postcond": f"{self.second}(B)",
            "negation": f"not({self.second}(B,_))",
            "forcing": f"move(B,_), not({self.second}(B,_))",
        }[self.metarule]
        return f"{self.head}(A,B) :- {self.first}(A,B), {body}."


@dataclass(frozen=True)
class Program:
    """Clauses in the order in which they were learned: each uses earlier predicates alone."""

    clauses: tuple[Clause, ...] = ()
    _by_head: Mapping[str, tuple[Clause, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_head: dict[str, tuple[Clause, ...]] = {}
        for clause in self.clauses:
            by_head[clause.head] = (*by_head.get(clause.head, ()), clause)
        object.__setattr__(self, "_by_head", by_head)
        _check(self)

    def __getitem__(self, predicate: str) -> tuple[Clause, ...]:
        """The clauses of a predicate, in order."""
        return self._by_head[predicate]

    def __contains__(self, predicate: object) -> bool:
        return predicate in self._by_head

    def __iter__(self) -> Iterator[str]:
        """The predicates, in the order in which they were learned."""
        return iter(self._by_head)

    def __len__(self) -> int:
        return len(self.clauses)

    def __add__(self, clauses: Iterable[Clause]) -> "Program":
        return Program((*self.clauses, *clauses))

    def levels(self, name: str) -> list[str]:
        """`win_1`, `win_2`, … or `draw_1`, … as far as they are there, in that order."""
        found = [each for each in self if each.startswith(f"{name}_") and each.count("_") == 1]
        return sorted(found, key=level)

    @property
    def strategy(self) -> list[str]:
        """What is tried in turn to find a move: wins by their depth, then draws."""
        return [*self.levels("win"), *self.levels("draw")]


def level(predicate: str) -> int:
    """The k of `win_k` or `draw_k`."""
    return int(predicate.partition("_")[2])


def _check(program: Program) -> None:
    """Predicates are defined before they are used, so that no proof runs in a circle."""
    known = {MOVE}
    for head in program:
        for clause in program[head]:
            used = (
                {clause.first} if clause.metarule == "postcond" else {clause.first, clause.second}
            )
            for name in sorted(used - known):
                raise BadProgram(f"{head} uses {name}, which is not defined before it")
            if clause.metarule == "postcond" and clause.second not in FLUENTS:
                raise BadProgram(f"{clause.second} in {head} is none of {', '.join(FLUENTS)}")
        known.add(head)
