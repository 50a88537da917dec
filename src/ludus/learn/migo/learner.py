"""The learner of strategies: its options, and relearning from all examples after each game."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import pairwise
from random import Random
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.learn.config import Options
from ludus.learn.migo.games import State, StateGraph
from ludus.learn.migo.induction import DependentLearner, ExampleSet, LearnedClauses, MoveEdge
from ludus.learn.migo.inference import CountingReasoner, KnownLevels, Reasoner, Strategy
from ludus.learn.migo.program import Clause, Program

MAX_LEVEL = 20
"""Maximum depth of learned wins, in moves of the winner."""

DEFAULT_PATIENCE = 10

BoardKey = tuple[str, int]
"""A game's id and the number of squares along an edge of its board."""

PUBLISHED_PATIENCE: dict[BoardKey, int] = {
    ("hexapawn", size): 5 if size == 3 else 15 for size in range(3, 9)
}
"""The patience of Muggleton and Hocquette (2019), where it is not the default."""

PUBLISHED_LEVELS: dict[BoardKey, int] = {
    ("noughts_and_crosses", 3): 4,
    ("hexapawn", 3): 2,
    ("hexapawn", 4): 8,
}
"""The deepest level of draws of Muggleton and Hocquette (2019)."""


def _make_board_key(game: AnyGame) -> BoardKey:
    """Return the key of a game, the same for all its other rules."""
    return game.id, getattr(game.rules, "size", 0)


class MigoOptions(Options):
    """How to learn. The mode sets the switches not given: off in faithful mode, else on."""

    mode: Literal["faithful", "improved"] = "faithful"
    """As published, with both defects; or with the switches below turned on."""

    learning: Literal["mixed", "separated"] = "mixed"
    """Wins and draws at once, or draws once the win program has been stable."""

    patience: int = Field(0, ge=0, le=1000)
    """Games for which the win program must be stable; 0: 10 in noughts and crosses, in hexapawn 5
    on 3x3 and 15 on larger boards.
    """

    levels: int = Field(0, ge=0, le=MAX_LEVEL)
    """The deepest level of draws; wins one level less; 0: 4 in noughts and crosses, in hexapawn 2
    on 3x3 and 8 on 4x4, else 20.
    """

    forcing: bool | None = None
    """A win requires a reply: stalemate does not count as won."""

    specific: bool | None = None
    """The draw rule excludes every known win, instead of the first that explains the examples."""

    teacher: bool | None = None
    """Learn from the moves of both sides, as far as the known rules verify them."""

    explore: bool | None = None
    """Choose a random move among those that draw, instead of the first."""

    active: bool = False
    """Choose start positions from which something can be learned."""

    gain: bool = False
    """Choose start positions by expected information: those on which the rules that explain the
    examples disagree most.
    """

    scoring: bool = False
    """Keep the rule with the highest posterior given positive examples, not the first."""

    memo: Literal["yes", "no", "count"] = "yes"
    """Cache proofs and moves; or compute them again, as the authors' program does; or cache them
    and count the inferences it would take without.
    """

    selfplay: bool = False
    """Learn from self-play; games against the opponent are only evaluated."""

    program: str = ""
    """File with an initial program, possibly learned in another game."""

    @model_validator(mode="after")
    def _check_self_play(self) -> Self:
        if self.selfplay and not self.is_on("teacher"):
            raise BadSpec(
                "migo selfplay=yes needs teacher=yes: no optimal opponent vouches for moves"
            )
        return self

    def is_on(self, switch: Literal["forcing", "specific", "teacher", "explore"]) -> bool:
        """Return whether a switch is on, by itself or by the mode."""
        chosen = getattr(self, switch)
        return self.mode == "improved" if chosen is None else bool(chosen)

    def patience_for(self, game: AnyGame | None) -> int:
        """Return the number of games for which wins must be stable before draws are learned."""
        if self.patience or game is None:
            return self.patience or DEFAULT_PATIENCE
        return PUBLISHED_PATIENCE.get(_make_board_key(game), DEFAULT_PATIENCE)

    def levels_for(self, game: AnyGame | None) -> int:
        """Return the deepest level of draws."""
        if self.levels or self.mode == "improved" or game is None:
            return self.levels or MAX_LEVEL
        return PUBLISHED_LEVELS.get(_make_board_key(game), MAX_LEVEL)


def iterate_moves_with_depth(state_ids: list[int]) -> Iterator[tuple[int, MoveEdge]]:
    """Yield the moves of a game in order, each with the number of full moves to the end."""
    for number, edge in enumerate(pairwise(state_ids)):
        yield (len(state_ids) - number) // 2, edge


MAX_SELF_PLAY_PLIES = 500
"""Longer self-play games are not learned from."""


class StrategyLearner:
    """Plays by the learned program, and relearns it from all examples after each game."""

    def __init__(
        self, graph: StateGraph, settings: MigoOptions, game: AnyGame | None = None
    ) -> None:
        """`game` only selects the published patience and levels."""
        self.settings = settings
        self.reasoner = CountingReasoner(graph) if settings.memo == "count" else Reasoner(graph)
        self.examples = ExampleSet()
        self.learned = LearnedClauses()
        self.strategy = Strategy(self.reasoner, Program())
        self._dependent_learner = DependentLearner(
            self.reasoner,
            settings.levels_for(game),
            settings.is_on("forcing"),
            settings.is_on("specific"),
            settings.scoring,
            settings.gain,
        )
        self._sampled_states: dict[int, None] = {}
        self._patience = settings.patience_for(game) if settings.learning == "separated" else 0
        self._transferred: tuple[Clause, ...] = ()
        self._known = KnownLevels(self.reasoner)
        self._version = 0
        self._num_stable = 0
        self._has_new_wins = False

    @property
    def program(self) -> Program:
        """The learned program, with those transferred clauses that it does not replace."""
        return self.strategy.program

    def transfer(self, program: Program) -> None:
        """Begin with a given program, until learned rules of the same names replace its rules."""
        self._transferred = _rename_invented_predicates(program)
        self._update_strategy()

    def choose(self, state_id: int, random: Random) -> int:
        """Return the state that its move leads to."""
        return self.strategy.choose(state_id, random, is_exploring=self.settings.is_on("explore"))

    def state(self) -> dict[str, Any]:
        """Return what it has learned from, as JSON has it; states are numbers of the graph."""
        return {
            "states": [str(each) for each in self.reasoner.graph.states],
            "examples": self.examples.to_json(),
            "sampled": list(self._sampled_states),
            "transferred": [astuple(each) for each in self._transferred],
            "stable": self._num_stable,
            "new_wins": self._has_new_wins,
        }

    def load(
        self, state: Mapping[str, Any], parse_states: Callable[[Sequence[str]], list[State]]
    ) -> None:
        """Take over a state; `parse_states` returns the states with these texts."""
        graph = self.reasoner.graph
        for each in parse_states(state["states"]):
            graph.state_id(each)  # numbered in the same order again
        self.examples = ExampleSet.from_json(state["examples"])
        self._sampled_states = dict.fromkeys(state["sampled"])
        self._transferred = tuple(Clause(*each) for each in state["transferred"])
        self._version = self.examples.version
        self.learned = self._dependent_learner.learn(self.examples, self._sampled_states)
        self._update_strategy()
        self._num_stable, self._has_new_wins = state["stable"], state["new_wins"]

    def has_known_win(self, state_id: int) -> bool:
        """Return whether a win for the side to move is known."""
        return self._known.win_level(state_id) is not None

    def expected_information(self, state_id: int) -> float:
        """Return the expected information of a game from this state about the rules, in bits.

        Each rule that explains the examples predicts whether its level gives a move here, so the
        game tells as much as the entropy of the prediction, all rules of a level equally likely.
        """
        return sum(
            _compute_entropy(
                sum(self.reasoner.has_solution(each, state_id) for each in level) / len(level)
            )
            for level in self.learned.alternatives
            if level
        )

    def play_self(self, start: int, random: Random) -> tuple[list[int], int] | None:
        """Play a self-play game; return its states and the score of the side that began."""
        graph = self.reasoner.graph
        state_ids = [start]
        while graph.moves(state_ids[-1]):
            if len(state_ids) > MAX_SELF_PLAY_PLIES:
                return None
            state_ids.append(self.choose(state_ids[-1], random))
        is_won = graph.won(state_ids[-1])
        return state_ids, 0 if not is_won else 1 if len(state_ids) % 2 == 0 else -1

    def learn(self, state_ids: list[int], score: int) -> None:
        """Learn from a finished game; `score` is that of the side that began."""
        if self.settings.scoring:
            for state_id in state_ids:
                self._sampled_states |= dict.fromkeys(self.reasoner.graph.moves(state_id))
        if self.settings.is_on("teacher"):
            self._learn_what_is_proved(state_ids, score)
            return
        self._label_by_outcome(state_ids, score)
        if self._has_new_wins and self.settings.learning == "mixed":
            # Draws from states that are now known to be won: these moves were mistakes.
            known = self._known
            self.examples.filter_draws(lambda level, edge: known.win_level(edge[0], level) is None)
        self._relearn()

    def _label_by_outcome(self, state_ids: list[int], score: int) -> None:
        """Label a game that the learner began against an optimal opponent.

        If it was won, every move of the learner wins; if it was drawn from a state without a known
        win, every move of both sides draws: a mistake would have been punished. A loss gives no
        examples. If learning is separated, there are draws only once wins are stable.
        """
        deepest = len(state_ids) // 2
        if self._known.win_level(state_ids[0], deepest) is not None:
            return
        is_mixed = self.settings.learning == "mixed"
        is_stable = self._num_stable >= self._patience
        moves = list(iterate_moves_with_depth(state_ids))
        if score > 0 and (is_mixed or not is_stable):
            for level, edge in moves[::2]:
                self.examples.add("win", level, edge)
        may_add_draws = score == 0 and (is_mixed or is_stable)
        if may_add_draws and not self._known.can_draw(state_ids[0], deepest):
            for level, edge in moves:
                self.examples.add("draw", level, edge)

    def _learn_what_is_proved(self, state_ids: list[int], score: int) -> None:
        """Repeat labelling and learning: each new level may prove moves of the next."""
        while True:
            self._label_by_proof(state_ids, score)
            self.examples.filter_draws(lambda level, edge: self._known.win_level(edge[1]) is None)
            if self.examples.version == self._version:
                return
            self._relearn()

    def _label_by_proof(self, state_ids: list[int], score: int) -> None:
        """Label a game of any two players by proofs from the known rules.

        Provably winning moves of either side are examples of winning, whatever the result. All
        other moves of a side that did not lose are examples of drawing, unless the opponent is
        known to win after them.
        """
        for number, (level, edge) in enumerate(iterate_moves_with_depth(state_ids)):
            proved = self._known.prove_level(edge[1])
            if proved is not None:
                self.examples.add("win", proved, edge)
                continue
            has_lost = score != 0 and (score > 0) != (number % 2 == 0)
            if not has_lost and self._known.win_level(edge[1]) is None:
                self.examples.add("draw", level, edge)

    def _relearn(self) -> None:
        before = self._signature()
        if self.examples.version != self._version:
            self._version = self.examples.version
            self.learned = self._dependent_learner.learn(self.examples, self._sampled_states)
            self._update_strategy()
        is_same = before == self._signature()
        self._has_new_wins = not is_same
        if self._num_stable <= self._patience and self.learned.wins:
            self._num_stable = self._num_stable + 1 if is_same else 0

    def _signature(self) -> Counter[int]:
        """Return the win program up to the names of its predicates."""
        wins = Program(self.learned.wins)
        concepts = self.reasoner.concepts(wins)
        return Counter(concepts[predicate] for predicate in wins)

    def _update_strategy(self) -> None:
        """Update the strategy and the known levels from the learned program."""
        own = self.learned.program
        given = [each for each in self._transferred if each.head not in own]
        self.strategy = Strategy(self.reasoner, own + given)
        concepts = self.reasoner.concepts(own)
        wins = [concepts[name] for name in own.levels("win")]
        draws = [concepts[name] for name in own.levels("draw")]
        self._known = KnownLevels(self.reasoner, wins, draws)


def _compute_entropy(probability: float) -> float:
    """Return the entropy of a binary outcome, in bits."""
    if probability in (0, 1):
        return 0.0
    other = 1 - probability
    return -probability * math.log2(probability) - other * math.log2(other)


def _rename_invented_predicates(program: Program) -> tuple[Clause, ...]:
    """Return the clauses with unique names for invented predicates.

    `win_2` may be replaced by a rule that is learned here, but `win_2_1_1` must keep its meaning in
    a rule that is not replaced.
    """
    levels = program.strategy

    def name(predicate: str) -> str:
        is_invented = predicate in program and predicate not in levels
        return f"given_{predicate}" if is_invented else predicate

    return tuple(
        Clause(name(each.head), name(each.first), each.metarule, name(each.second))
        for each in program.clauses
    )
