"""Examples, the program that follows from them, and how games add to both."""

from collections import Counter
from random import Random

from ludus.core.game import AnyGame
from ludus.learn.migo.dependent import DependentLearning, Learned
from ludus.learn.migo.examples import Examples
from ludus.learn.migo.labels import (
    Known,
    add_proved,
    add_published,
    drop_refuted_draws,
    drop_won_draws,
)
from ludus.learn.migo.program import Clause, Program
from ludus.learn.migo.reasoner import Reasoner
from ludus.learn.migo.settings import Settings
from ludus.learn.migo.strategy import Strategy
from ludus.learn.migo.world import World

MAX_PLIES = 500
"""A game against oneself that goes on for longer is not learned from."""


class Pupil:
    """Plays with what it has learned, and learns everything anew after each game."""

    def __init__(self, world: World, settings: Settings, game: AnyGame | None = None) -> None:
        """`game` tells published numbers of games and levels; nothing else of it is looked at."""
        self.settings = settings
        self.reasoner = Reasoner(world)
        self.examples = Examples()
        self.learned = Learned()
        self.strategy = Strategy(self.reasoner, Program())
        self._teaching = DependentLearning(
            self.reasoner,
            settings.levels_for(game),
            settings.is_on("forcing"),
            settings.is_on("specific"),
        )
        self._patience = settings.patience_for(game) if settings.learning == "separated" else 0
        self._transferred: tuple[Clause, ...] = ()
        self._known = Known(self.reasoner)
        self._version = 0
        self._num_stable = 0
        self._has_new_wins = False

    @property
    def program(self) -> Program:
        """What it plays by: what it has learned, and of what it was given what it has not."""
        return self.strategy.program

    def transfer(self, program: Program) -> None:
        """Begin with a program from elsewhere, until rules of the same names replace its own."""
        self._transferred = _set_apart(program)
        self._take_up()

    def choose(self, board: int, random: Random) -> int:
        """The board that its move leads to."""
        return self.strategy.choose(board, random, is_exploring=self.settings.is_on("explore"))

    def wins(self, board: int) -> bool:
        """Whether it knows how the side to move wins."""
        return self._known.win_level(board) is not None

    def play_itself(self, start: int, random: Random) -> tuple[list[int], int] | None:
        """A game in which it has both sides: the boards and the score of the side that began."""
        world = self.reasoner.world
        boards = [start]
        while world.moves(boards[-1]):
            if len(boards) > MAX_PLIES:
                return None
            boards.append(self.choose(boards[-1], random))
        is_won = world.won(boards[-1])
        return boards, 0 if not is_won else 1 if len(boards) % 2 == 0 else -1

    def learn(self, boards: list[int], score: int) -> None:
        """Learn from a finished game; `score` is that of the side that began."""
        if self.settings.is_on("teacher"):
            self._learn_what_is_proved(boards, score)
            return
        add_published(self.examples, self._known, boards, score, self._takes())
        if self._has_new_wins and self.settings.learning == "mixed":
            drop_won_draws(self.examples, self._known)
        self._relearn()

    def _learn_what_is_proved(self, boards: list[int], score: int) -> None:
        """Each level that is learned may prove moves of the next, in the same game."""
        while True:
            add_proved(self.examples, self._known, boards, score)
            drop_refuted_draws(self.examples, self._known)
            if self.examples.version == self._version:
                return
            self._relearn()

    def _takes(self) -> tuple[bool, bool]:
        """Whether examples of wins and of draws are collected now."""
        if self.settings.learning == "mixed":
            return True, True
        is_stable = self._num_stable >= self._patience
        return not is_stable, is_stable

    def _relearn(self) -> None:
        before = self._signature()
        if self.examples.version != self._version:
            self._version = self.examples.version
            self.learned = self._teaching.learn(self.examples)
            self._take_up()
        is_same = before == self._signature()
        self._has_new_wins = not is_same
        if self._num_stable <= self._patience and self.learned.wins:
            self._num_stable = self._num_stable + 1 if is_same else 0

    def _signature(self) -> Counter[int]:
        """The win program up to the names of its predicates."""
        wins = Program(self.learned.wins)
        concepts = self.reasoner.concepts(wins)
        return Counter(concepts[predicate] for predicate in wins)

    def _take_up(self) -> None:
        """Play by what was learned."""
        own = self.learned.program
        given = [each for each in self._transferred if each.head not in own]
        self.strategy = Strategy(self.reasoner, own + given)
        concepts = self.reasoner.concepts(own)
        wins = [concepts[name] for name in own.levels("win")]
        draws = [concepts[name] for name in own.levels("draw")]
        self._known = Known(self.reasoner, wins, draws)


def _set_apart(program: Program) -> tuple[Clause, ...]:
    """The clauses, with names for invented predicates that will not be invented again.

    `win_2` may be replaced by a rule that is learned here; what `win_2_1_1` stands for in a rule
    that is not replaced must stay.
    """
    levels = program.strategy

    def name(predicate: str) -> str:
        is_invented = predicate in program and predicate not in levels
        return f"given_{predicate}" if is_invented else predicate

    return tuple(
        Clause(name(each.head), name(each.first), each.metarule, name(each.second))
        for each in program.clauses
    )
