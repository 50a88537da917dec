"""Induction of a program from positive examples: metarule search and dependent learning.

The search is a small meta-interpreter in the manner of Metagol. It proves each example, a move,
with the clauses found so far or with a new instance of a metarule, deepening from one clause to
four, and keeps the first hypothesis that proves all examples. The order is the published one:
metarules as listed, background predicates newest first, `drawn` before `won`. Predicate invention
is not needed: with positive examples only, the rule without an invented condition has fewer clauses
and is found first.

Dependent learning proceeds by level. Rules are learned from single examples, then one predicate,
`win_k` or `draw_k`, from all of them; both join the background of the next level. Wins come before
draws, and draws are learned only for levels with a win: a learner that can only draw would never
win.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, Self

from ludus.learn.migo.inference import MOVE_CONCEPT, Concept, Condition, Reasoner
from ludus.learn.migo.program import FLUENTS, MOVE_PREDICATE, Clause, Metarule, Program

MAX_CLAUSES = 4

PUBLISHED_METARULES: tuple[Metarule, ...] = ("postcond", "negation")

FLUENT_CONDITIONS: dict[str, Condition] = {
    "drawn": ("drawn", MOVE_CONCEPT),
    "won": ("won", MOVE_CONCEPT),
}


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

    def add(self, kind: ExampleKind, level: int, edge: MoveEdge) -> None:
        """Add a move unless it is known."""
        moves = self._moves[kind, level]
        if edge not in moves:
            moves.insert(0, edge)
            self.version += 1

    def filter_draws(self, is_wanted: Callable[[int, MoveEdge], bool]) -> None:
        """Drop the drawing moves for which `is_wanted(level, move)` is false."""
        for (kind, level), moves in self._moves.items():
            kept = [edge for edge in moves if kind != "draw" or is_wanted(level, edge)]
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


class BackgroundKnowledge:
    """The background predicates of a learning task by name, newest first."""

    def __init__(self, reasoner: Reasoner) -> None:
        self.reasoner = reasoner
        self.concepts: dict[str, Concept] = {MOVE_PREDICATE: MOVE_CONCEPT}
        self.names_newest_first: list[str] = [MOVE_PREDICATE]

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add learned predicates; the clauses of each follow those it uses."""
        known = self.concepts_with(clauses)
        for head in dict.fromkeys(clause.head for clause in clauses):
            self.names_newest_first.insert(0, head)
        self.concepts = known

    def concepts_with(self, clauses: Sequence[Clause]) -> dict[str, Concept]:
        """Return the known concepts together with those of these clauses."""
        known = dict(self.concepts)
        for head in dict.fromkeys(clause.head for clause in clauses):
            own = tuple(clause for clause in clauses if clause.head == head)
            known[head] = self.reasoner.define(own, known)
        return known


class HypothesisSearch:
    """One learning task: find a predicate that holds for all examples."""

    def __init__(
        self,
        background: BackgroundKnowledge,
        metarules: Sequence[Metarule],
        examples: Sequence[int],
    ) -> None:
        """`examples` are the states that positive moves lead to."""
        self._background = background
        self._metarules = metarules
        self._examples = examples

    def run(self, name: str) -> tuple[Clause, ...]:
        """Return the clauses of the first hypothesis, newest first as in the published program.

        The result is empty if there is no hypothesis.
        """
        return next(self.iterate(name), ())

    def iterate(self, name: str) -> Iterator[tuple[Clause, ...]]:
        """Yield the hypotheses that prove all examples, those with the fewest clauses first."""
        if not all(
            any(True for _ in self._candidate_clauses(name, state_id))
            for state_id in self._examples
        ):
            return  # no number of clauses helps
        for most in range(1, MAX_CLAUSES + 1):
            for found in self._prove(name, (), 0, most):
                if len(found) == most:  # shorter ones were yielded before
                    yield found

    def _prove(
        self, name: str, clauses: tuple[Clause, ...], begin: int, most: int
    ) -> Iterator[tuple[Clause, ...]]:
        """Yield the ways to prove the examples from `begin` on with at most `most` clauses."""
        for number in range(begin, len(self._examples)):
            state_id = self._examples[number]
            if any(self._proves(clause, state_id) for clause in clauses):
                continue
            if len(clauses) < most:
                for clause in self._candidate_clauses(name, state_id):
                    yield from self._prove(name, (clause, *clauses), number + 1, most)
            return
        yield clauses

    def _candidate_clauses(self, name: str, state_id: int) -> Iterator[Clause]:
        """Yield the clauses that prove a move to this state."""
        for metarule in self._metarules:
            seconds = FLUENTS if metarule == "postcond" else self._background.names_newest_first
            for first in self._background.names_newest_first:
                for second in seconds:
                    clause = Clause(name, first, metarule, second)
                    if self._proves(clause, state_id):
                        yield clause

    def _proves(self, clause: Clause, state_id: int) -> bool:
        reasoner, concepts = self._background.reasoner, self._background.concepts
        if clause.metarule == "postcond":
            condition = FLUENT_CONDITIONS[clause.second]
        else:
            condition = (clause.metarule, concepts[clause.second])
        return reasoner.holds(concepts[clause.first], state_id) and reasoner.satisfies(
            condition, state_id
        )


MAX_PASSES = 4
"""Maximum number of passes over the examples of a level, each using the rules of the one before."""

FORCING_METARULES: tuple[Metarule, ...] = ("postcond", "forcing")

MAX_HYPOTHESES = 16
"""Maximum number of consistent hypotheses of a level that are compared."""


def compute_posterior(
    num_literals: int, num_examples: int, num_covered: int, num_sampled: int
) -> float:
    """Return the log posterior of a hypothesis given positive examples only, up to a constant.

    Muggleton 1996: each example is drawn from what the hypothesis covers, so that its likelihood is
    1 / generality, the covered part of a sample of moves. The prior halves with each literal.
    """
    generality = (num_covered + 1) / (num_sampled + 2)
    return -num_literals * math.log(2) - num_examples * math.log(generality)


@dataclass(frozen=True)
class LearnedClauses:
    """The win and draw clauses of a learned program."""

    wins: tuple[Clause, ...] = ()
    draws: tuple[Clause, ...] = ()

    alternatives: tuple[tuple[Concept, ...], ...] = field(default=(), compare=False)
    """For each level the hypotheses that also explain its examples, if they were asked for."""

    @property
    def program(self) -> Program:
        return Program((*self.wins, *self.draws))


@dataclass(frozen=True, slots=True)
class DependentLearner:
    """Learns a program from examples, always from scratch."""

    reasoner: Reasoner

    levels: int
    """The deepest level of draws; wins end one level before."""

    is_forcing: bool = False
    """Whether a win rule requires a reply of the opponent."""

    is_specific: bool = False
    """Whether the draw rule excludes every known win."""

    is_scored: bool = False
    """Whether a level keeps the hypothesis with the highest posterior, not the first."""

    has_alternatives: bool = False
    """Whether to return the other hypotheses of each level."""

    def learn(self, examples: ExampleSet, sample: Collection[int] = ()) -> LearnedClauses:
        """Learn from scratch; `sample` has states after legal moves, to estimate generality."""
        background = BackgroundKnowledge(self.reasoner)
        alternatives: list[tuple[Concept, ...]] = []
        task = _LearningTask(background, examples, sample, alternatives)
        num_wins = examples.count_levels("win", self.levels - 1)
        wins = self._learn_levels(task, "win", num_wins)
        if self.is_specific:
            draws = self._most_specific_draw(background, examples.all_state_ids("draw"))
        else:
            num_draws = examples.count_levels("draw", self.levels)
            # Draws have as many levels as wins; one more if both kinds have all their levels.
            if num_wins < self.levels - 1 or num_draws < self.levels:
                num_draws = min(num_draws, num_wins)
            draws = self._learn_levels(task, "draw", num_draws)
        return LearnedClauses(wins, draws, tuple(alternatives))

    def _learn_levels(
        self, task: "_LearningTask", kind: ExampleKind, levels: int
    ) -> tuple[Clause, ...]:
        background, examples = task.background, task.examples
        found: list[Clause] = []
        general = FORCING_METARULES if self.is_forcing and kind == "win" else PUBLISHED_METARULES
        for level in range(1, levels + 1):
            name, state_ids = f"{kind}_{level}", examples.state_ids(kind, level)
            rules, unexplained = self._learn_single_examples(background, name, state_ids)
            found += rules
            state_ids = [state_id for state_id in state_ids if state_id not in unexplained]
            clauses = self._learn_level(task, general, name, state_ids) if state_ids else ()
            if not clauses:
                break
            background.add(clauses)
            found += clauses
        return tuple(found)

    def _learn_level(
        self,
        task: "_LearningTask",
        metarules: Sequence[Metarule],
        name: str,
        state_ids: Sequence[int],
    ) -> tuple[Clause, ...]:
        """Return the first hypothesis that proves all examples, or the one with the best score."""
        search = HypothesisSearch(task.background, metarules, state_ids)
        if not (self.is_scored or self.has_alternatives):
            return search.run(name)
        hypotheses = list(islice(search.iterate(name), MAX_HYPOTHESES))
        concepts = [task.background.concepts_with(each)[name] for each in hypotheses]
        if self.has_alternatives:
            task.alternatives.append(tuple(concepts))
        if not self.is_scored or not hypotheses:
            return hypotheses[0] if hypotheses else ()
        scores = [
            compute_posterior(
                3 * len(clauses),
                len(state_ids),
                sum(self.reasoner.holds(concept, state_id) for state_id in task.sample),
                len(task.sample),
            )
            for clauses, concept in zip(hypotheses, concepts, strict=True)
        ]
        return hypotheses[scores.index(max(scores))]

    def _learn_single_examples(
        self, background: BackgroundKnowledge, name: str, state_ids: Sequence[int]
    ) -> tuple[list[Clause], list[int]]:
        """Learn rules from single examples; return them and the examples without a rule.

        An example has no rule where the game was drawn although a known rule would have won it.
        """
        found: list[Clause] = []
        left = list(state_ids)
        for number in range(1, MAX_PASSES + 1):
            if not left:
                break
            clauses, left = self._run_pass(background, f"{name}_{number}", left)
            background.add(clauses)
            found += clauses
        return found, left

    def _run_pass(
        self, background: BackgroundKnowledge, prefix: str, state_ids: list[int]
    ) -> tuple[list[Clause], list[int]]:
        """Return the rules of one pass, and the examples without a rule."""
        found: list[Clause] = []
        unexplained: list[int] = []
        while state_ids:
            name = f"{prefix}_{len(state_ids)}"
            clauses = HypothesisSearch(background, PUBLISHED_METARULES, state_ids[:1]).run(name)
            if not clauses:
                unexplained.append(state_ids[0])
                state_ids = state_ids[1:]
                continue
            rule = background.concepts_with(clauses)[name]
            state_ids = [
                state_id for state_id in state_ids if not self.reasoner.holds(rule, state_id)
            ]
            found += clauses
        return found, unexplained

    def _most_specific_draw(
        self, background: BackgroundKnowledge, state_ids: Sequence[int]
    ) -> tuple[Clause, ...]:
        """Return the draw rule that excludes every known win, as long as all examples agree.

        Examples are positive, so the first rule that covers them may be too general: published
        draws exclude only quick wins. Of all chains of negations this one covers the least.
        """
        wins = [name for name in reversed(background.names_newest_first) if name.count("_") == 1]
        excluded = [
            name
            for name in wins
            if not any(
                self.reasoner.has_solution(background.concepts[name], state_id)
                for state_id in state_ids
            )
        ]
        if not state_ids or not excluded:
            return ()
        heads = [f"draw_1_1_{number}" for number in range(1, len(excluded))] + ["draw_1"]
        firsts = [MOVE_PREDICATE, *heads]
        return tuple(
            Clause(head, first, "negation", name)
            for head, first, name in zip(heads, firsts, excluded, strict=False)
        )


@dataclass(frozen=True, slots=True)
class _LearningTask:
    """What all levels of one call of `learn` share."""

    background: BackgroundKnowledge
    examples: ExampleSet
    sample: Collection[int]
    alternatives: list[tuple[Concept, ...]]
