"""The text engine: the UCI protocol of chess engines for every game of Ludus.

The search runs on its own thread, so that commands are processed meanwhile.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ludus.core.errors import MAX_TEXT, LudusError, quote, to_one_line
from ludus.core.game import CHANCE, Position
from ludus.core.notation import MoveNotation, TurnState
from ludus.core.player import Choice, Limit, SearchingPlayer, SearchProgress
from ludus.core.spec import format_suggestion
from ludus.protocol.session import EngineSession
from ludus.protocol.uci import (
    GoCommand,
    LineSplitter,
    UciLine,
    format_answer,
    format_choice,
    format_progress,
    parse_go,
)

if TYPE_CHECKING:
    from ludus.protocol.ubgi import UbgiInterpreter

LineCallback = Callable[[str], None]

NO_MOVE = "(none)"
MAX_ERROR_LENGTH = 400


def format_error(text: str) -> str:
    """Format an error as a line of the protocol."""
    return f"info string error: {to_one_line(text)[:MAX_ERROR_LENGTH]}"


class SearchThread:
    """The execution of one `go` command; it always ends with a `bestmove` line."""

    def __init__(
        self,
        session: EngineSession,
        go: GoCommand,
        search_moves: Sequence[Any],
        write_line: LineCallback,
    ) -> None:
        self.turn = session.turn
        self.choice: Choice | None = None
        self.is_infinite = go.is_infinite
        self.is_answered = False
        self._session, self._player, self._notation = session, session.player, session.notation
        self._limit, self._search_moves = go.limit, search_moves
        self._write_line = write_line
        self._last: SearchProgress | None = None
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)

    def start(self, planned: Choice | None = None) -> None:
        """Start the search, or output the choice that an earlier search has planned."""
        self.choice = planned
        self._began = time.perf_counter()
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_finishing(self) -> bool:
        """Whether the search is about to end, so that waiting for it is safe."""
        return self.is_answered or self._is_stopped.is_set()

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
            word = self._search()
        except (Exception, SystemExit) as error:  # whatever a player raises, a response is due
            self._write_line(format_error(f"{type(error).__name__}: {error}"))
        if self.is_infinite:
            self._is_stopped.wait()
        # Set before sending: the next command may arrive before this thread has ended.
        self.is_answered = True
        self._write_line(
            format_answer(word, self.choice, self.turn, is_sanmill=self._session.is_sanmill)
        )

    def _search(self) -> str:
        position = self.turn.position
        if (outcome := position.outcome()) is not None:
            self._write_line(f"info string the game is over: {outcome.reason}")
            return NO_MOVE
        if position.mover == CHANCE:
            self._write_line("info string error: dice are to be rolled; add a roll to the moves")
            return NO_MOVE
        if self.choice is None:
            self.choice = self._choose(position, self._limit)
        words = self._notation.format_words(
            self.choice.move,
            self.turn.partial_move,
            separate_captures=self._session.has_separate_captures,
        )
        is_watched = isinstance(self._player, SearchingPlayer)
        for line in format_choice(self.choice, words, with_score=not is_watched):
            self._write_line(line)
        return words[0]

    def _choose(self, position: Position, limit: Limit) -> Choice:
        if isinstance(self._player, SearchingPlayer):
            return self._player.think(position, limit, self._report_progress, self._search_moves)
        choice = self._player.choose(position, limit)
        if not self._search_moves or choice.move in self._search_moves:
            return choice
        # The player chose a move outside `search_moves`: take the best-scored move within it.
        rated = [move for move in self._search_moves if move in choice.scores]
        if not rated:
            return Choice(
                self._player.random.choice(list(self._search_moves)), "does not compare moves"
            )
        return Choice(max(rated, key=choice.scores.__getitem__), "", choice.scores)

    def _report_progress(self, progress: SearchProgress) -> bool:
        if progress == self._last:  # final report of a search that ended with a full depth
            return self._is_stopped.is_set()
        self._last = progress
        lines = format_progress(
            progress,
            time.perf_counter() - self._began,
            self._notation,
            self.turn,
            separate_captures=self._session.has_separate_captures,
        )
        for line in lines:
            self._write_line(line)
        return self._is_stopped.is_set()


READ_SIZE = 65_536

SECONDS_TO_FINISH = 1.0
"""Maximum wait at exit for a player that cannot be stopped."""

HELP_LINES = (
    "uci                                identify the engine and list its options",
    "ubgi                               go on with UBGI, the protocol for backgammon",
    "isready                            answer readyok, also during a search",
    "ucinewgame                         start a new game",
    "setoption name NAME value VALUE    Game, Rules, Player, Seed, or an option of the player",
    "position startpos|fen POSITION [moves MOVE...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS btime MS winc MS binc MS movestogo N]",
    "   [infinite] [searchmoves MOVE...]; without a limit the player's own ones hold",
    "stop                               end the search and answer",
    "wait                               process no further command before the answer",
    "d                                  draw the board",
    "quit",
)


class LineWriter:
    """Thread-safe writer of whole lines to a file descriptor; a closed reader is no error."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.is_closed = False

    def write_line(self, text: str) -> None:
        data = f"{text}\n".encode(errors="backslashreplace")
        with self._lock:
            try:
                while data and not self.is_closed:
                    data = data[os.write(self._file, data) :]
            except OSError:
                self.is_closed = True


class Engine:
    """The command interpreter, one command per line; an invalid line never ends it."""

    def __init__(self, session: EngineSession, write_line: LineCallback) -> None:
        self.session = session
        self._write_line = write_line
        self._search: SearchThread | None = None
        self._ubgi_interpreter: UbgiInterpreter | None = None
        self.commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._uci,
            "ubgi": self._ubgi,
            "isready": lambda words: self._write_line("readyok"),
            "ucinewgame": self._new_game,
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "wait": self._wait,
            "d": self._draw,
            "help": self._help,
        }

    def handle_line(self, line: str) -> bool:
        """Execute a line; return false for `quit`."""
        if self._ubgi_interpreter is not None:
            return self._ubgi_interpreter.handle_line(line)
        name, *words = line.split() or [""]
        if name == "quit":
            return False
        try:
            if name in self.commands:
                self.commands[name](words)
            elif name:
                hint = format_suggestion(name[:READ_SIZE], (*self.commands, "quit"))
                raise LudusError(f"there is no command {quote(name)}{hint}")
        except Exception as error:  # the client needs an error message; the engine keeps running
            self._write_line(format_error(str(error) or type(error).__name__))
        return True

    def close(self) -> bool:
        """Stop the search and close the session; return false if the player is still searching."""
        if self._search is not None:
            self._search.stop()
            self._search.wait(SECONDS_TO_FINISH)
        is_idle = self._search is None or not self._search.is_running
        self.session.close()
        return is_idle

    def _require_idle_session(self) -> EngineSession:
        """Return the session, waiting for a search that is ending.

        Raise LudusError if the search goes on.
        """
        search = self._search
        if search is not None and search.is_running:
            if not search.is_finishing:
                raise LudusError("still thinking; send stop or wait first")
            search.wait()
        return self.session

    def _uci(self, words: Sequence[str]) -> None:
        from ludus import __version__

        self._write_line(f"id name Ludus {__version__}")
        self._write_line("id author the authors of Ludus")
        for option in self.session.options:
            self._write_line(to_one_line(str(option)))
        self._write_line("uciok")

    def _ubgi(self, words: Sequence[str]) -> None:
        """Go on with the protocol for backgammon."""
        from ludus.protocol.ubgi import UbgiInterpreter

        interpreter = UbgiInterpreter(self._require_idle_session(), self._write_line)
        interpreter.identify()
        self._ubgi_interpreter = interpreter

    def _new_game(self, words: Sequence[str]) -> None:
        self._require_idle_session().start_game()
        self._search = None

    def _set_option(self, words: Sequence[str]) -> None:
        if len(words) < 2 or words[0] != "name":
            raise LudusError("setoption needs name NAME value VALUE")
        place = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:place]), " ".join(words[place + 1 :])
        self._require_idle_session().set_option(name, value)
        self._search = None

    def _set_position(self, words: Sequence[str]) -> None:
        self._require_idle_session().set_position(words)

    def _go(self, words: Sequence[str]) -> None:
        session = self._require_idle_session()
        turn, notation = session.turn, session.notation
        go = parse_go(words, max(turn.position.mover, 0))
        search_moves = [] if turn.partial_move is None else notation.list_continuations(turn)
        if go.search_moves:
            search_moves = [
                move
                for move in notation.list_continuations(turn)
                if not _list_words(notation, turn, move).isdisjoint(go.search_moves)
            ]
            if not search_moves:
                raise LudusError("none of the moves behind searchmoves is legal")
        planned = self._find_planned_choice(turn, search_moves)
        self._search = SearchThread(session, go, search_moves, self._write_line)
        self._search.start(planned)

    def _find_planned_choice(
        self, turn: TurnState, search_moves: Sequence[object]
    ) -> Choice | None:
        """Return the rest of the move whose beginning was the last response, if any."""
        last = self._search
        if last is None or last.choice is None or turn.partial_move is None:
            return None
        is_same = last.turn.position == turn.position and last.choice.move in search_moves
        return Choice(last.choice.move, "as planned") if is_same else None

    def _stop(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _wait(self, words: Sequence[str]) -> None:
        if self._search is None or not self._search.is_running:
            return
        if self._search.is_infinite and not self._search.is_finishing:
            raise LudusError("only stop ends this search")
        self._search.wait()

    def _draw(self, words: Sequence[str]) -> None:
        position = self.session.turn.position
        for line in position.text().splitlines():
            self._write_line(line.rstrip())
        self._write_line(f"position {position}")
        foreign = self.session.notation.format_position(position)
        if foreign != str(position):
            self._write_line(f"fen {foreign}")
        if self.session.turn.partial_move is not None:
            self._write_line(f"begun {self.session.turn.partial_move}")

    def _help(self, words: Sequence[str]) -> None:
        for line in HELP_LINES:
            self._write_line(f"info string {line}")


def _list_words(notation: MoveNotation, turn: TurnState, move: Any) -> set[str]:
    """Return the words for a move, and the first one where captures are words of their own."""
    return {
        *notation.format_words(move, turn.partial_move),
        *notation.format_words(move, turn.partial_move, separate_captures=True)[:1],
    }


def run_engine(session: EngineSession, source: int, target: int) -> bool:
    """Run the engine on these file descriptors until `quit` or the end of the input.

    Return false if a player that cannot be stopped is still searching.
    """
    output = LineWriter(target)
    engine = Engine(session, output.write_line)
    try:
        for line in _read_lines(source):
            if line.is_cut:
                output.write_line(
                    format_error(f"{quote(line.text)} is longer than {MAX_TEXT} bytes")
                )
            elif not engine.handle_line(line.text) or output.is_closed:
                break
    finally:
        is_idle = engine.close()
    return is_idle


def _read_lines(source: int) -> Iterator[UciLine]:
    """Yield lines until the input ends or cannot be read."""
    splitter = LineSplitter(MAX_TEXT)
    with suppress(OSError):
        while chunk := os.read(source, READ_SIZE):
            yield from splitter.feed(chunk)
    yield from splitter.end()
