"""The text engine: lines come in, lines go out, and a player thinks in between.

The language is that of UCI, which chess programs speak, for every game of Ludus.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence

from ludus.core.errors import MAX_TEXT, quoted
from ludus.core.player import Choice
from ludus.core.spec import suggestion
from ludus.protocol.going import read_go
from ludus.protocol.lines import Line, LineSplitter
from ludus.protocol.speech import Turn
from ludus.protocol.table import BadSetting, Table
from ludus.protocol.telling import one_line, sanmill_answer, uci_answer
from ludus.protocol.thought import Thought

CHUNK = 65_536
LONGEST_COMPLAINT = 400

SECONDS_TO_FINISH = 1.0
"""A player that cannot be stopped is not waited for longer when the program ends."""

HELP = (
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


class Output:
    """Lines to whoever listens, each whole, from any thread. Nobody has to listen."""

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
    """Understands commands, one line each. Whatever a line is, the next one is read."""

    def __init__(self, table: Table, say: Callable[[str], None]) -> None:
        self.table = table
        self._say = say
        self._thought: Thought | None = None
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
        """Follow a line; false if it ends the conversation."""
        name, *words = line.split() or [""]
        if name == "quit":
            return False
        try:
            if name in self.commands:
                self.commands[name](words)
            elif name:
                hint = suggestion(name[:CHUNK], (*self.commands, "quit"))
                raise BadSetting(f"there is no command {quoted(name)}{hint}")
        except Exception as error:  # whoever is at the other end needs an answer, not our end
            self.complain(str(error) or type(error).__name__)
        return True

    def complain(self, text: str) -> None:
        """Say what is wrong."""
        self._say(f"info string error: {one_line(text)[:LONGEST_COMPLAINT]}")

    def close(self) -> bool:
        """Come to an end; false if a player cannot be stopped and still thinks."""
        if self._thought is not None:
            self._thought.stop()
            self._thought.wait(SECONDS_TO_FINISH)
        is_idle = self._thought is None or not self._thought.is_going_on
        self.table.close()
        return is_idle

    def _idle(self) -> Table:
        """What can be changed, as soon as nobody thinks about it."""
        thought = self._thought
        if thought is not None and thought.is_going_on:
            if not thought.is_ending:
                raise BadSetting("still thinking; send stop or wait first")
            thought.wait()
        return self.table

    def _uci(self, words: Sequence[str]) -> None:
        from ludus import __version__

        self._say(f"id name Ludus {__version__}")
        self._say("id author the authors of Ludus")
        for option in self.table.options:
            self._say(one_line(str(option)))
        self._say("uciok")

    def _new_game(self, words: Sequence[str]) -> None:
        self._idle().begin()
        self._thought = None

    def _set_option(self, words: Sequence[str]) -> None:
        if len(words) < 2 or words[0] != "name":
            raise BadSetting("setoption needs name NAME value VALUE")
        place = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:place]), " ".join(words[place + 1 :])
        self._idle().set_option(name, value)
        self._thought = None

    def _set_position(self, words: Sequence[str]) -> None:
        self._idle().set_position(words)

    def _go(self, words: Sequence[str]) -> None:
        table = self._idle()
        turn, speech = table.turn, table.speech
        go = read_go(words, max(turn.position.mover, 0))
        only = [] if turn.begun is None else speech.choices(turn)
        if go.only:
            only = [move for move in speech.choices(turn) if self._is_asked_for(move, go.only)]
            if not only:
                raise BadSetting("none of the moves behind searchmoves is legal")
        planned = self._planned(turn, only)
        answer = sanmill_answer if table.is_sanmill else uci_answer
        self._thought = Thought(
            table.player, speech, turn, go, self._say, answer, only=only, apart=table.is_apart
        )
        self._thought.start(planned)

    def _is_asked_for(self, move: object, only: Sequence[str]) -> bool:
        turn, speech = self.table.turn, self.table.speech
        said = {*speech.words(move, turn.begun), *speech.words(move, turn.begun, apart=True)[:1]}
        return any(word in said for word in only)

    def _planned(self, turn: Turn, only: Sequence[object]) -> Choice | None:
        """The rest of the move of which the last answer was the beginning."""
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
            raise BadSetting("only stop ends this search")
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
        for line in HELP:
            self._say(f"info string {line}")


def serve(table: Table, source: int, target: int) -> bool:
    """Talk until `quit` or the end of what comes in, from and to these open files.

    False if a player that cannot be stopped was left thinking.
    """
    output = Output(target)
    engine = Engine(table, output.say)
    try:
        for line in _lines(source):
            if line.is_cut:
                engine.complain(f"{quoted(line.text)} is longer than {MAX_TEXT} bytes")
            elif not engine.hear(line.text) or output.is_closed:
                break
    finally:
        is_idle = engine.close()
    return is_idle


def _lines(source: int) -> Iterator[Line]:
    splitter = LineSplitter(MAX_TEXT)
    while chunk := _chunk(source):
        yield from splitter.feed(chunk)
    yield from splitter.end()


def _chunk(source: int) -> bytes:
    """Something more; nothing at the end, or where nothing can be read."""
    try:
        return os.read(source, CHUNK)
    except OSError:
        return b""
