"""A player thinking on a thread of its own, so that whoever asked can still be heard."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ludus.core.game import CHANCE
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.players.thinking import Progress, Thinker
from ludus.protocol.going import Go
from ludus.protocol.speech import Speech, Turn
from ludus.protocol.telling import choice_lines, one_line, progress_lines

Say = Callable[[str], None]

Answer = Callable[[str, Choice | None, Turn], str]
"""The line that gives the move: its word, the choice behind it, and the turn."""

NO_MOVE = "(none)"


class Thought:
    """One `go`, from its beginning to its `bestmove`, which comes whatever happens."""

    def __init__(
        self,
        player: Player,
        speech: Speech,
        turn: Turn,
        go: Go,
        say: Say,
        answer: Answer,
        *,
        only: Sequence[Any] = (),
        apart: bool = False,
    ) -> None:
        self.turn = turn
        self.choice: Choice | None = None
        self.is_infinite = go.is_infinite
        self._player = player
        self._speech = speech
        self._limit = go.limit
        self._only = only
        self._apart = apart
        self._say = say
        self._answer = answer
        self._last: Progress | None = None
        self._is_stopped = threading.Event()
        self.is_answered = False
        self._thread = threading.Thread(target=self._run, name="thought", daemon=True)

    def start(self, planned: Choice | None = None) -> None:
        """Begin to think, or tell what was planned before."""
        self.choice = planned
        self._began = time.perf_counter()
        self._thread.start()

    @property
    def is_going_on(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_ending(self) -> bool:
        """Whether it is about to end, so that one can wait for it."""
        return self.is_answered or self.is_stopped

    @property
    def is_stopped(self) -> bool:
        """Whether it was told to come to an end."""
        return self._is_stopped.is_set()

    def stop(self) -> None:
        """Come to an end: at once if the player can, else when it has made up its mind."""
        # First the event: a search that begins only now sees it after its first depth.
        self._is_stopped.set()
        if isinstance(self._player, Thinker):
            self._player.stop()

    def wait(self, seconds: float | None = None) -> None:
        """Until the answer is given."""
        self._thread.join(seconds)

    def _run(self) -> None:
        word = NO_MOVE
        try:
            word = self._think()
        except (Exception, SystemExit) as error:  # a player may do anything; the answer must come
            self._say(f"info string error: {one_line(f'{type(error).__name__}: {error}')[:400]}")
        if self.is_infinite:
            self._is_stopped.wait()
        # Who hears the answer may go on at once, before this thread has ended.
        self.is_answered = True
        self._say(self._answer(word, self.choice, self.turn))

    def _think(self) -> str:
        position = self.turn.position
        if (outcome := position.outcome()) is not None:
            self._say(f"info string the game is over: {outcome.reason}")
            return NO_MOVE
        if position.mover == CHANCE:
            self._say("info string error: dice are to be rolled; add a roll to the moves")
            return NO_MOVE
        if self.choice is None:
            self.choice = self._choose(position, self._limit)
        words = self._speech.words(self.choice.move, self.turn.begun, apart=self._apart)
        is_watched = isinstance(self._player, Thinker)
        for line in choice_lines(self.choice, words, with_score=not is_watched):
            self._say(line)
        return words[0]

    def _choose(self, position: Any, limit: Limit) -> Choice:
        if isinstance(self._player, Thinker):
            return self._player.think(position, limit, self._tell, self._only)
        choice = self._player.choose(position, limit)
        if not self._only or choice.move in self._only:
            return choice
        # It has chosen another move; what it thinks of those that are asked for decides.
        rated = [move for move in self._only if move in choice.scores]
        if not rated:
            return Choice(self._player.random.choice(list(self._only)), "does not compare moves")
        return Choice(max(rated, key=choice.scores.__getitem__), "", choice.scores)

    def _tell(self, progress: Progress) -> bool:
        if progress == self._last:  # the end of a search that ended with a depth
            return self.is_stopped
        self._last = progress
        seconds = time.perf_counter() - self._began
        lines = progress_lines(progress, seconds, self._speech, self.turn, apart=self._apart)
        for line in lines:
            self._say(line)
        return self.is_stopped
