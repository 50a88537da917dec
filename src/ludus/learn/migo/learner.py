"""The learner: plays with what it has learned, labels the game, and learns everything anew."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from ludus.core.game import AnyGame
from ludus.learn.lessons import Learner, Opponent, Played, play_game
from ludus.learn.migo.active import StartChooser
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
from ludus.learn.migo.text import load_program
from ludus.learn.migo.world import World

MAX_PLIES = 500
"""A game against oneself that goes on for longer is not learned from."""


class Migo(Learner):
    """Learns strategies as logic programs, from the games it plays."""

    options = Settings()

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        self.pupil = Pupil(World(), self.settings, game)
        if self.settings.program:
            self.pupil.transfer(load_program(Path(self.settings.program)).program)
        self._chooser = StartChooser()

    @property
    def program(self) -> Program:
        """What it plays by."""
        return self.pupil.program

    def play_and_learn(self, start: Any, opponent: Opponent) -> Played:
        pupil, world = self.pupil, self.pupil.reasoner.world

        def choose(position: Any) -> Any:
            after = pupil.choose(world.number(position), self.random)
            return _move_to(position, world.states[after])

        version = pupil.examples.version
        if self.settings.selfplay:
            practice = pupil.play_itself(world.number(start), self.random)
            if practice is not None:
                pupil.learn(*practice)
        played = play_game(start, choose, opponent)
        if not self.settings.selfplay:
            pupil.learn([world.number(each) for each in played.positions], played.score)
        self._chooser.note(start, pupil.examples.version > version)
        return played

    def pick_start(self, starts: Sequence[Any], source: Random) -> Any:
        if not self.settings.active:
            return super().pick_start(starts, source)
        world = self.pupil.reasoner.world
        return self._chooser.pick(
            starts, source, lambda start: self.pupil.wins(world.number(start))
        )


def _move_to(position: Any, after: Any) -> Any:
    """The move that leads from one position to another."""
    return next(move for move in position.legal_moves() if position.play(move) == after)


class Pupil:
    """Examples, and the program that follows from them, in any world."""

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
        """Begin with a program that was learned elsewhere, until rules of the same name replace it."""
        self._transferred = program.clauses
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
        self._transferred = tuple(each for each in self._transferred if each.head not in own)
        self.strategy = Strategy(self.reasoner, own + self._transferred)
        concepts = self.reasoner.concepts(own)
        wins = [concepts[name] for name in own.levels("win")]
        draws = [concepts[name] for name in own.levels("draw")]
        self._known = Known(self.reasoner, wins, draws)
