"""MIGO as a learner that takes lessons."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from ludus.core.game import AnyGame
from ludus.learn.lessons import Learner, Opponent, Played, play_game
from ludus.learn.migo.active import StartChooser
from ludus.learn.migo.program import Program
from ludus.learn.migo.pupil import Pupil
from ludus.learn.migo.settings import Settings
from ludus.learn.migo.text import load_program
from ludus.learn.migo.world import World


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

        before = pupil.learned
        if self.settings.selfplay:
            practice = pupil.play_itself(world.number(start), self.random)
            if practice is not None:
                pupil.learn(*practice)
        played = play_game(start, choose, opponent)
        if not self.settings.selfplay:
            pupil.learn([world.number(each) for each in played.positions], played.score)
        self._chooser.note(start, pupil.learned != before)
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
