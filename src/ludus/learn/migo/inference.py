"""Evaluate logic programs on a state graph, and choose moves by the first rule that holds.

All clauses are about one move from A to B, and their conditions are about B, so a predicate is a
property of the state after the move. Predicates with the same definition share one concept,
whatever their name and program. A program that is learned again from scratch after each game reuses
all memoized answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.games.hexapawn.game import Hexapawn, Rules
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.program import MOVE_PREDICATE, Clause, Program

Concept = int
"""A definition, by number; 0 is `move`."""

Condition = tuple[Literal["won", "drawn", "negation", "forcing"], Concept]
"""The last part of a body. For a fluent the concept is 0 and unused."""

ConceptDefinition = tuple[tuple[Concept, Condition], ...]
"""For each clause, in order: its first literal and the condition."""

MOVE_CONCEPT: Concept = 0


class Reasoner:
    """Proves goals about the states of a state graph; memoizes answers if the graph does."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self._definitions: list[ConceptDefinition] = [()]
        self._numbers: dict[ConceptDefinition, Concept] = {}
        self._holds: list[dict[int, bool]] = [{}]
        self._has_solution: list[dict[int, bool]] = [{}]

    def concepts(self, program: Program) -> dict[str, Concept]:
        """Return the concept of each predicate of a program, and of `move`."""
        found = {MOVE_PREDICATE: MOVE_CONCEPT}
        for predicate in program:
            found[predicate] = self.define(program[predicate], found)
        return found

    def define(self, clauses: tuple[Clause, ...], known: Mapping[str, Concept]) -> Concept:
        """Return the concept that these clauses define."""
        return self._intern(
            tuple((known[each.first], _make_condition(each, known)) for each in clauses)
        )

    def _intern(self, definition: ConceptDefinition) -> Concept:
        if definition not in self._numbers:
            self._numbers[definition] = len(self._definitions)
            self._definitions.append(definition)
            self._holds.append({})
            self._has_solution.append({})
        return self._numbers[definition]

    def holds(self, concept: Concept, state_id: int) -> bool:
        """Return whether a move to this state has the property."""
        if concept == MOVE_CONCEPT:
            return True
        known = self._holds[concept]
        found = known.get(state_id)
        if found is None:
            found = any(
                self.holds(first, state_id) and self.satisfies(condition, state_id)
                for first, condition in self._definitions[concept]
            )
            if self.graph.is_memoized:
                known[state_id] = found
        return found

    def satisfies(self, condition: Condition, state_id: int) -> bool:
        """Return whether the last part of a body holds for this state."""
        kind, concept = condition
        if kind == "won":
            return self.graph.won(state_id)
        if kind == "drawn":
            return self.graph.drawn(state_id)
        if kind == "forcing" and not self.graph.moves(state_id):
            return False
        return not self.has_solution(concept, state_id)

    def has_solution(self, concept: Concept, state_id: int) -> bool:
        """Return whether there is a move from this state with the property."""
        known = self._has_solution[concept]
        found = known.get(state_id)
        if found is None:
            found = any(self.holds(concept, b) for b in self.graph.moves(state_id))
            if self.graph.is_memoized:
                known[state_id] = found
        return found

    def solutions(self, concept: Concept, state_id: int) -> Iterator[int]:
        """Yield the states that such moves lead to, in Prolog's order."""
        if concept == MOVE_CONCEPT:
            yield from self.graph.moves(state_id)
            return
        for first, condition in self._definitions[concept]:
            for after in self.solutions(first, state_id):
                if self.satisfies(condition, after):
                    yield after


class CountingReasoner(Reasoner):
    """Counts the inferences that proofs without memoized answers would take.

    An inference is a goal `holds` or `has_solution`. The cost of an answer does not depend on when
    it is asked for, so it is memoized with the answer and added each time.
    """

    def __init__(self, graph: StateGraph) -> None:
        super().__init__(graph)
        self.num_inferences = 0
        self._costs: dict[tuple[bool, Concept, int], int] = {}

    def holds(self, concept: Concept, state_id: int) -> bool:
        return self._count(True, concept, state_id)

    def has_solution(self, concept: Concept, state_id: int) -> bool:
        return self._count(False, concept, state_id)

    def _count(self, is_about_move: bool, concept: Concept, state_id: int) -> bool:
        prove = super().holds if is_about_move else super().has_solution
        key = is_about_move, concept, state_id
        before = self.num_inferences
        found = prove(concept, state_id)
        # Known answers add nothing on the way; for new ones, the goals within have been added.
        cost = self._costs.setdefault(key, self.num_inferences - before + 1)
        self.num_inferences = before + cost
        return found


class HexapawnReasoner(Reasoner):
    """Proves goals about positions of hexapawn in native code; answers are those of Reasoner."""

    def __init__(self, graph: StateGraph, rules: Rules) -> None:
        from ludus._native.migo import HexapawnProver

        if rules.no_move != "draws":
            raise BadSpec("migo plays hexapawn only where a side that has no move draws")
        super().__init__(graph)
        self._prover = HexapawnProver(rules.size, rules.no_pawns == "loses")

    def _intern(self, definition: ConceptDefinition) -> Concept:
        is_new = definition not in self._numbers
        concept = super()._intern(definition)
        if is_new:
            self._prover.define([(first, *condition) for first, condition in definition])
        return concept

    def holds(self, concept: Concept, state_id: int) -> bool:
        position = self.graph.states[state_id]
        return self._prover.holds(concept, position.cells, position.mover)

    def has_solution(self, concept: Concept, state_id: int) -> bool:
        position = self.graph.states[state_id]
        return self._prover.has_solution(concept, position.cells, position.mover)


MAX_NATIVE_CONCEPTS = 60
"""Predicates of a program that the native prover takes."""


def make_reasoner(game: AnyGame, program: Program) -> Reasoner:
    """Return the fastest reasoner for a program about the positions of a game."""
    if isinstance(game, Hexapawn) and len(list(program)) <= MAX_NATIVE_CONCEPTS:
        return HexapawnReasoner(StateGraph(), game.rules)
    return Reasoner(StateGraph())


def _make_condition(clause: Clause, known: Mapping[str, Concept]) -> Condition:
    if clause.metarule != "postcond":
        return clause.metarule, known[clause.second]
    return ("won" if clause.second == "won" else "drawn"), MOVE_CONCEPT


@dataclass(frozen=True, slots=True)
class RuleDecision:
    """A rule, and the states its moves lead to, in Prolog's order."""

    rule: str | None
    """The predicate that holds, for example `win_2`; None for all moves if none does."""

    state_ids: tuple[int, ...]


class Strategy:
    """A program as a policy: the first provable win, else the first draw, else any move."""

    def __init__(self, reasoner: Reasoner, program: Program) -> None:
        self.reasoner = reasoner
        self.program = program
        self.concepts: dict[str, Concept] = reasoner.concepts(program)
        self._rules = [(name, self.concepts[name]) for name in program.strategy]

    def decide(self, state_id: int) -> RuleDecision:
        """Return the first rule that holds in this state, which must have moves."""
        for name, concept in self._rules:
            if self.reasoner.has_solution(concept, state_id):
                return RuleDecision(
                    name, tuple(dict.fromkeys(self.reasoner.solutions(concept, state_id)))
                )
        return RuleDecision(None, self.reasoner.graph.moves(state_id))

    def choose(self, state_id: int, random: Random, *, is_exploring: bool = False) -> int:
        """Return the state of the chosen move: that of the first solution.

        When exploring, choose a random move among those that draw, so that the learner may discover
        that another one wins.
        """
        decision = self.decide(state_id)
        is_open = decision.rule is None or (is_exploring and decision.rule.startswith("draw"))
        return random.choice(decision.state_ids) if is_open else decision.state_ids[0]


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
