"""Simplify a learned program: the same moves from fewer clauses.

A rule from a single example often repeats a condition of the rule it is built on, has a condition
that no board can fail, or says what another rule says; and a level may never decide a move, because
an earlier one holds wherever it does. The learner keeps such clauses, as the authors' program does,
since later rules are found by them; a person who reads the program has no use for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ludus.learn.migo.program import MOVE_PREDICATE, Clause, Metarule, Program

HAS_MOVE = "has move"
"""The condition of metarule forcing that the opponent can move."""

Condition = Any
"""`won`, `drawn`, HAS_MOVE, or the meaning of the predicate that must have no solution."""

Meaning = tuple[frozenset[Condition], ...]
"""For each clause, in order, its conditions on the board after the move."""


def simplify(program: Program) -> Program:
    """Return a program that chooses the same moves, without clauses that add nothing to it.

    In a game that is over there must be no moves, and none is both won and drawn.
    """
    meanings: dict[str, Meaning] = {}
    for predicate in program:
        meanings[predicate] = unfold(program[predicate], meanings)
    levels = _list_useful_levels(program.strategy, meanings)
    names: dict[Meaning, str] = {}
    for predicate in (*levels, *program):
        names.setdefault(meanings[predicate], predicate)
    writer = _Writer(names, meanings)
    if not all(writer.write(meanings[level]) for level in levels):
        return program
    return Program(tuple(writer.clauses))


def unfold(clauses: Iterable[Clause], known: Mapping[str, Meaning]) -> Meaning:
    """Return what a predicate demands of the board after the move, clause by clause."""
    found: list[frozenset[Condition]] = []
    for clause in clauses:
        own: set[Condition] = {HAS_MOVE} if clause.metarule == "forcing" else set()
        own.add(clause.second if clause.metarule == "postcond" else known[clause.second])
        earlier: Meaning = (frozenset(),) if clause.first == MOVE_PREDICATE else known[clause.first]
        for conditions in (_reduce(each | own) for each in earlier):
            if conditions is not None and not any(each <= conditions for each in found):
                found.append(conditions)
    return tuple(found)


def _reduce(conditions: frozenset[Condition]) -> frozenset[Condition] | None:
    """Drop the conditions that always hold; None if the others cannot hold together."""
    ends = conditions & {"won", "drawn"}
    if ends:
        # No moves follow, so nothing is left to be excluded.
        return ends if len(ends) == 1 and HAS_MOVE not in conditions else None
    return conditions - {()}


def _list_useful_levels(strategy: Iterable[str], meanings: Mapping[str, Meaning]) -> list[str]:
    """The levels that can give a move where all earlier ones give none."""
    found: list[str] = []
    seen: list[frozenset[Condition]] = []
    for level in strategy:
        if any(not any(each <= clause for each in seen) for clause in meanings[level]):
            found.append(level)
            seen += meanings[level]
    return found


@dataclass
class _Writer:
    """Writes the clauses of predicates, each after those it uses."""

    names: dict[Meaning, str]
    meanings: Mapping[str, Meaning]

    def __post_init__(self) -> None:
        self.clauses: list[Clause] = []
        self._written: dict[Meaning, bool] = {}

    def write(self, meaning: Meaning) -> bool:
        """Write a predicate and what it needs; False if no metarules give it."""
        if meaning not in self._written:
            own: list[Clause] = []
            self._written[meaning] = all(
                self._write_clause(self.names[meaning], each, own) for each in meaning
            )
            self.clauses += own
        return self._written[meaning]

    def _write_clause(self, head: str, conditions: frozenset[Condition], own: list[Clause]) -> bool:
        first, covered = MOVE_PREDICATE, frozenset[Condition]()
        for meaning in self.names:
            if len(meaning) == 1 and len(covered) < len(meaning[0]) and meaning[0] < conditions:
                first, covered = self.names[meaning], meaning[0]
        left = conditions - covered
        is_forcing = HAS_MOVE in left
        left -= {HAS_MOVE}
        if len(left) != 1:
            return False
        (last,) = left
        if covered and not self.write((covered,)):
            return False
        if isinstance(last, str):
            own.append(Clause(head, first, "postcond", last))
            return not is_forcing
        metarule: Metarule = "forcing" if is_forcing else "negation"
        own.append(Clause(head, first, metarule, self.names[last]))
        return self.write(last)
