"""Dependent learning: simple predicates first, each level built on those below.

For each level, rules are learned from single examples; then one predicate, `win_k` or `draw_k`,
from all of them. What was learned joins the background for the next. Wins come before draws,
and draws are not learned for levels for which there is no win: a learner that knew how to draw
alone would never win.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ludus.learn.migo.examples import Examples, Kind
from ludus.learn.migo.program import MOVE, Clause, Metarule, Program
from ludus.learn.migo.reasoner import Reasoner
from ludus.learn.migo.search import PUBLISHED, Background, Search

MAX_PASSES = 4
"""Over the examples of a level, each with what was learned in the one before."""

FORCING: tuple[Metarule, ...] = ("postcond", "forcing")


@dataclass(frozen=True)
class Learned:
    """What a relearning has found."""

    wins: tuple[Clause, ...] = ()
    draws: tuple[Clause, ...] = ()

    @property
    def program(self) -> Program:
        return Program((*self.wins, *self.draws))


@dataclass(frozen=True, slots=True)
class DependentLearning:
    """Learns a program from examples, always from scratch."""

    reasoner: Reasoner

    levels: int
    """The deepest draws that are learned; wins end one level before."""

    is_forcing: bool = False
    """Whether a win rule asks for a reply of the opponent."""

    is_specific: bool = False
    """Whether the draw rule excludes every win that is known."""

    def learn(self, examples: Examples) -> Learned:
        background = Background(self.reasoner)
        num_wins = examples.num_levels("win", self.levels - 1)
        wins = self._learn_levels(background, examples, "win", num_wins)
        if self.is_specific:
            draws = self._most_specific_draw(background, examples.all_boards("draw"))
        else:
            num_draws = self._num_draws(examples, num_wins)
            draws = self._learn_levels(background, examples, "draw", num_draws)
        return Learned(wins, draws)

    def _num_draws(self, examples: Examples, num_wins: int) -> int:
        """As many levels as there are of wins; one more if both have all they can have."""
        found = examples.num_levels("draw", self.levels)
        is_complete = num_wins == self.levels - 1 and found == self.levels
        return found if is_complete else min(found, num_wins)

    def _learn_levels(
        self, background: Background, examples: Examples, kind: Kind, levels: int
    ) -> tuple[Clause, ...]:
        found: list[Clause] = []
        general = FORCING if self.is_forcing and kind == "win" else PUBLISHED
        for level in range(1, levels + 1):
            name, boards = f"{kind}_{level}", examples.boards(kind, level)
            rules, unexplained = self._one_shot(background, name, boards)
            found += rules
            boards = [board for board in boards if board not in unexplained]
            clauses = Search(background, general, boards).run(name) if boards else ()
            if not clauses:
                break
            background.add(clauses)
            found += clauses
        return tuple(found)

    def _one_shot(
        self, background: Background, name: str, boards: Sequence[int]
    ) -> tuple[list[Clause], list[int]]:
        """Rules from single examples, and the examples for which there is none.

        There is none where the game was drawn although a known rule would have won it.
        """
        found: list[Clause] = []
        left = list(boards)
        for number in range(1, MAX_PASSES + 1):
            if not left:
                break
            clauses, left = self._one_pass(background, f"{name}_{number}", left)
            background.add(clauses)
            found += clauses
        return found, left

    def _one_pass(
        self, background: Background, prefix: str, boards: list[int]
    ) -> tuple[list[Clause], list[int]]:
        """The rules of one pass, and the examples for which there was none."""
        found: list[Clause] = []
        unexplained: list[int] = []
        while boards:
            name = f"{prefix}_{len(boards)}"
            clauses = Search(background, PUBLISHED, boards[:1]).run(name)
            if not clauses:
                unexplained.append(boards[0])
                boards = boards[1:]
                continue
            rule = background.concepts_with(clauses)[name]
            boards = [board for board in boards if not self.reasoner.holds(rule, board)]
            found += clauses
        return found, unexplained

    def _most_specific_draw(
        self, background: Background, boards: Sequence[int]
    ) -> tuple[Clause, ...]:
        """Exclude every win that is known, as long as all examples agree.

        Examples are positive, so the first rule that covers them may cover too much: published
        draws exclude quick wins alone. Of all chains of negations this covers the least.
        """
        wins = [name for name in reversed(background.newest_first) if name.count("_") == 1]
        excluded = [
            name
            for name in wins
            if not any(self.reasoner.can(background.concepts[name], board) for board in boards)
        ]
        if not boards or not excluded:
            return ()
        heads = [f"draw_1_1_{number}" for number in range(1, len(excluded))] + ["draw_1"]
        firsts = [MOVE, *heads]
        return tuple(
            Clause(head, first, "negation", name)
            for head, first, name in zip(heads, firsts, excluded, strict=False)
        )
