"""The text engine: the UCI protocol of chess engines for every game of Ludus.

The search runs on its own thread, so that commands are processed meanwhile.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ludus.core.errors import MAX_TEXT, quote
from ludus.core.game import CHANCE
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import format_suggestion
from ludus.players.search import SearchingPlayer, SearchProgress
from ludus.protocol.notation import MoveNotation, TurnState
from ludus.protocol.session import BadCommand, EngineSession
from ludus.protocol.uci import (
    GoCommand,
    Line,
    LineSplitter,
    format_choice,
    format_progress,
    format_sanmill_answer,
    format_uci_answer,
    parse_go,
    to_one_line,
)

LineCallback = Callable[[str], None]

AnswerFormatter = Callable[[str, Choice | None, TurnState], str]
"""Formats the `bestmove` line from the move's word, the choice and the turn."""

NO_MOVE = "(none)"


class SearchThread:
    """The execution of one `go` command; it always ends with a `bestmove` line."""

    def __init__(
        self,
        player: Player,
        speech: MoveNotation,
        turn: TurnState,
        go: GoCommand,
        say: LineCallback,
        answer: AnswerFormatter,
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
        self._last: SearchProgress | None = None
        self._is_stopped = threading.Event()
        self.is_answered = False
        self._thread = threading.Thread(target=self._run, name="thought", daemon=True)

    def start(self, planned: Choice | None = None) -> None:
        """Start the search, or output the choice that an earlier search has planned."""
        self.choice = planned
        self._began = time.perf_counter()
        self._thread.start()

    @property
    def is_going_on(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_ending(self) -> bool:
        """Whether the search is about to end, so that waiting for it is safe."""
        return self.is_answered or self.is_stopped

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._is_stopped.is_set()

    def stop(self) -> None:
        """Stop the search: at once if the player supports it, else after its decision."""
        # The event first: a search that is just starting checks it after its first depth.
        self._is_stopped.set()
        if isinstance(self._player, SearchingPlayer):
            self._player.stop()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the response has been sent."""
        self._thread.join(seconds)

    def _run(self) -> None:
        word = NO_MOVE
        try:
            word = self._think()
        except (Exception, SystemExit) as error:  # whatever a player raises, a response is due
            self._say(f"info string error: {to_one_line(f'{type(error).__name__}: {error}')[:400]}")
        if self.is_infinite:
            self._is_stopped.wait()
        # Set before sending: the next command may arrive before this thread has ended.
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
        is_watched = isinstance(self._player, SearchingPlayer)
        for line in format_choice(self.choice, words, with_score=not is_watched):
            self._say(line)
        return words[0]

    def _choose(self, position: Any, limit: Limit) -> Choice:
        if isinstance(self._player, SearchingPlayer):
            return self._player.think(position, limit, self._tell, self._only)
        choice = self._player.choose(position, limit)
        if not self._only or choice.move in self._only:
            return choice
        # The player chose a move outside `only`: take the best-scored move within it.
        rated = [move for move in self._only if move in choice.scores]
        if not rated:
            return Choice(self._player.random.choice(list(self._only)), "does not compare moves")
        return Choice(max(rated, key=choice.scores.__getitem__), "", choice.scores)

    def _tell(self, progress: SearchProgress) -> bool:
        if progress == self._last:  # final report of a search that ended with a full depth
            return self.is_stopped
        self._last = progress
        seconds = time.perf_counter() - self._began
        lines = format_progress(progress, seconds, self._speech, self.turn, apart=self._apart)
        for line in lines:
            self._say(line)
        return self.is_stopped


READ_SIZE = 65_536
MAX_ERROR_LENGTH = 400

SECONDS_TO_FINISH = 1.0
"""Maximum wait at exit for a player that cannot be stopped."""

HELP_LINES = (
    "uci                                who I am, and what can be set",
    "isready                            readyok, also while I think",
    "ucinewgame                         forget the last game",
    "setoption name NAME value VALUE    Game, Rules, Player, Seed, or an option of the player",
    "position startpos|fen POSITION [moves MOVE...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS btime MS winc MS binc MS movestogo N]",
    "   [infinite] [searchmoves MOVE...]; without a limit the player's own ones hold",
    "stop                               answer now",
    "wait                               read on when the answer is given",
    "d                                  draw the board",
    "quit",
)


class LineWriter:
    """Thread-safe writer of whole lines to a file descriptor; a closed reader is no error."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.is_closed = False

    def say(self, text: str) -> None:
        data = f"{text}\n".encode(errors="backslashreplace")
        with self._lock:
            try:
                while data and not self.is_closed:
                    data = data[os.write(self._file, data) :]
            except OSError:
                self.is_closed = True


class Engine:
    """The command interpreter, one command per line; an invalid line never ends it."""

    def __init__(self, table: EngineSession, say: Callable[[str], None]) -> None:
        self.table = table
        self._say = say
        self._thought: SearchThread | None = None
        self.commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._uci,
            "isready": lambda words: self._say("readyok"),
            "ucinewgame": self._new_game,
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "wait": self._wait,
            "d": self._draw,
            "help": self._help,
        }

    def hear(self, line: str) -> bool:
        """Execute a line; return false for `quit`."""
        name, *words = line.split() or [""]
        if name == "quit":
            return False
        try:
            if name in self.commands:
                self.commands[name](words)
            elif name:
                hint = format_suggestion(name[:READ_SIZE], (*self.commands, "quit"))
                raise BadCommand(f"there is no command {quote(name)}{hint}")
        except Exception as error:  # the client needs an error message; the engine keeps running
            self.complain(str(error) or type(error).__name__)
        return True

    def complain(self, text: str) -> None:
        """Send an error message."""
        self._say(f"info string error: {to_one_line(text)[:MAX_ERROR_LENGTH]}")

    def close(self) -> bool:
        """Stop the search and close the session; return false if the player is still searching."""
        if self._thought is not None:
            self._thought.stop()
            self._thought.wait(SECONDS_TO_FINISH)
        is_idle = self._thought is None or not self._thought.is_going_on
        self.table.close()
        return is_idle

    def _idle(self) -> EngineSession:
        """Return the session, waiting for a search that is ending.

        Raise BadCommand if the search goes on.
        """
        thought = self._thought
        if thought is not None and thought.is_going_on:
            if not thought.is_ending:
                raise BadCommand("still thinking; send stop or wait first")
            thought.wait()
        return self.table

    def _uci(self, words: Sequence[str]) -> None:
        from ludus import __version__

        self._say(f"id name Ludus {__version__}")
        self._say("id author the authors of Ludus")
        for option in self.table.options:
            self._say(to_one_line(str(option)))
        self._say("uciok")

    def _new_game(self, words: Sequence[str]) -> None:
        self._idle().begin()
        self._thought = None

    def _set_option(self, words: Sequence[str]) -> None:
        if len(words) < 2 or words[0] != "name":
            raise BadCommand("setoption needs name NAME value VALUE")
        place = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:place]), " ".join(words[place + 1 :])
        self._idle().set_option(name, value)
        self._thought = None

    def _set_position(self, words: Sequence[str]) -> None:
        self._idle().set_position(words)

    def _go(self, words: Sequence[str]) -> None:
        table = self._idle()
        turn, speech = table.turn, table.speech
        go = parse_go(words, max(turn.position.mover, 0))
        only = [] if turn.begun is None else speech.choices(turn)
        if go.only:
            only = [move for move in speech.choices(turn) if self._is_asked_for(move, go.only)]
            if not only:
                raise BadCommand("none of the moves behind searchmoves is legal")
        planned = self._planned(turn, only)
        answer = format_sanmill_answer if table.is_sanmill else format_uci_answer
        self._thought = SearchThread(
            table.player, speech, turn, go, self._say, answer, only=only, apart=table.is_apart
        )
        self._thought.start(planned)

    def _is_asked_for(self, move: object, only: Sequence[str]) -> bool:
        turn, speech = self.table.turn, self.table.speech
        said = {*speech.words(move, turn.begun), *speech.words(move, turn.begun, apart=True)[:1]}
        return any(word in said for word in only)

    def _planned(self, turn: TurnState, only: Sequence[object]) -> Choice | None:
        """Return the rest of the move whose beginning was the last response, if any."""
        last = self._thought
        if last is None or last.choice is None or turn.begun is None:
            return None
        is_same = last.turn.position == turn.position and last.choice.move in only
        return Choice(last.choice.move, "as planned") if is_same else None

    def _stop(self, words: Sequence[str]) -> None:
        if self._thought is not None:
            self._thought.stop()

    def _wait(self, words: Sequence[str]) -> None:
        if self._thought is None or not self._thought.is_going_on:
            return
        if self._thought.is_infinite and not self._thought.is_ending:
            raise BadCommand("only stop ends this search")
        self._thought.wait()

    def _draw(self, words: Sequence[str]) -> None:
        position = self.table.turn.position
        for line in position.text().splitlines():
            self._say(line.rstrip())
        self._say(f"position {position}")
        foreign = self.table.speech.foreign_text(position)
        if foreign != str(position):
            self._say(f"fen {foreign}")
        if self.table.turn.begun is not None:
            self._say(f"begun {self.table.turn.begun}")

    def _help(self, words: Sequence[str]) -> None:
        for line in HELP_LINES:
            self._say(f"info string {line}")


def run_engine(table: EngineSession, source: int, target: int) -> bool:
    """Run the engine on these file descriptors until `quit` or the end of the input.

    Return false if a player that cannot be stopped is still searching.
    """
    output = LineWriter(target)
    engine = Engine(table, output.say)
    try:
        for line in _read_lines(source):
            if line.is_cut:
                engine.complain(f"{quote(line.text)} is longer than {MAX_TEXT} bytes")
            elif not engine.hear(line.text) or output.is_closed:
                break
    finally:
        is_idle = engine.close()
    return is_idle


def _read_lines(source: int) -> Iterator[Line]:
    splitter = LineSplitter(MAX_TEXT)
    while chunk := _read_chunk(source):
        yield from splitter.feed(chunk)
    yield from splitter.end()


def _read_chunk(source: int) -> bytes:
    """Return the next bytes; empty at the end of the input or on a read error."""
    try:
        return os.read(source, READ_SIZE)
    except OSError:
        return b""
