"""A player that runs another program speaking the protocol of `ludus engine`."""

import dataclasses
import shlex
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from urllib.parse import unquote

from ludus.core.errors import BadMove, BadSpec, quote, to_one_line
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.notation import MoveNotation, TurnState
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges, list_options
from ludus.protocol.processes import EngineProcess, ProgramFailed, ResponseTimeout


@dataclass(frozen=True, slots=True)
class ExternalOptions:
    """The program, its search limits (the first one reached stops it), timeouts and notation.

    In strings a comma is written `%2C`, and a percent sign before two hexadecimal digits `%25`.
    """

    cmd: str = ""
    """The program and its arguments, quoted as in a shell; no shell is used."""

    time: float | None = None
    """Seconds per move; 1 if no limit is set."""

    nodes: int | None = None
    """Maximum number of positions to visit."""

    depth: int | None = None
    """Maximum search depth in plies."""

    options: str = ""
    """Engine options set at startup, as in `MultiPV=3;Hash=64`."""

    startup: float = 10.0
    """Maximum seconds until `uciok` at startup, and until `readyok` before a game."""

    patience: float = 2.0
    """Seconds of grace after the time for a move before the program is killed."""

    longest: float = 300.0
    """Maximum seconds for a move without a time limit."""

    captures: Literal["suffix", "token"] = "suffix"
    """How captures are written: suffix, `d6-d7xa1`; or token, two moves `d6-d7 xa1`."""

    fen: Literal["ludus", "sanmill"] = "ludus"
    """Notation of positions of the Morris family."""

    def __post_init__(self) -> None:
        longest = 1_000_000
        ranges = {"startup": (0.01, longest), "patience": (0, longest), "longest": (0.01, longest)}
        check_ranges(self, "external", **ranges)
        for name in ("time", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 10**15:
                raise BadSpec(f"external {name}={value} must be more than 0 and at most 10^15")
        if self.time is not None and self.time > 1_000_000:
            raise BadSpec(f"external time={self.time} must be at most 1000000")
        # Raise if they are invalid.
        self.pairs  # noqa: B018
        if self.cmd:
            self.command  # noqa: B018

    @property
    def command(self) -> list[str]:
        """The program and its arguments.

        >>> ExternalOptions(cmd="engine --x=1%2C2 'a b'").command
        ['engine', '--x=1,2', 'a b']
        """
        text = unquote(self.cmd)
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise BadSpec(f"external cmd={quote(text)}: {error}") from None
        if not words or "\0" in text:
            raise BadSpec(f"external cmd={quote(text)} names no program")
        return words

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the engine options set at startup.

        >>> ExternalOptions(options="MultiPV=3;Rules=men=9%2Cflying=no").pairs
        [('MultiPV', '3'), ('Rules', 'men=9,flying=no')]
        """
        found = []
        for part in filter(None, self.options.split(";")):
            name, equals, value = (unquote(text).strip() for text in part.partition("="))
            if not name or not equals or not (name + value).isprintable():
                raise BadSpec(f"external options: {quote(part)} is not name=value")
            found.append((name, value))
        return found


MAX_COMMENT_LENGTH = 300
MAX_MOVE_LENGTH = 200


class SearchOutputParser:
    """Parser of the output of one search; keeps the last `info` line about the best move."""

    def __init__(self) -> None:
        self._info = ""
        self._error = ""

    def parse_line(self, line: str) -> str | None:
        """Parse a line; return the move if it has `bestmove`, else None."""
        words = line.split()
        # Sanmill sends a single line: `info score 5 bestmove d6`.
        if "bestmove" in words and words[:2] != ["info", "string"]:
            return self._parse_best_move(words[words.index("bestmove") :])
        if words == ["nobestmove"]:
            raise ProgramFailed("has no move")
        if line.startswith("info string error:"):
            self._error = line.removeprefix("info string error:").strip()
        elif line.startswith("info ") and " score " in line and _is_best_line(line):
            self._info = line
        return None

    def _parse_best_move(self, words: list[str]) -> str:
        word = words[1] if len(words) > 1 else ""
        if self._error:  # its move, if any, may belong to another position
            raise ProgramFailed(f"says {quote(self._error, 300)}")
        if word in ("", "(none)", "none", "0000", "-"):
            raise ProgramFailed("has no move")
        return word[:MAX_MOVE_LENGTH]

    @property
    def comment(self) -> str:
        """Score, depth and principal variation of the last `info` line."""
        words = self._info.split()
        if not words:
            return ""
        depth = f" at depth {_get_word_after(words, 'depth')}" if "depth" in words else ""
        line = f": {' '.join(words[words.index('pv') + 1 :])}" if "pv" in words else ""
        kind = _get_word_after(words, "score")
        score = f"{kind} {_get_word_after(words, kind)}"
        return to_one_line(f"{score}{depth}{line}")[:MAX_COMMENT_LENGTH]

    def scores(self, move: Move) -> Mapping[Move, float]:
        """Return the score of the move in points, if the engine gave one in centipoints."""
        words = self._info.split()
        try:
            return {move: int(_get_word_after(words, "cp")[:9]) / 100}
        except ValueError:
            return {}


def _is_best_line(line: str) -> bool:
    """Return whether an `info` line is about the best move, not the second or third."""
    words = line.split(" pv ", maxsplit=1)[0].split()
    return "multipv" not in words or _get_word_after(words, "multipv") == "1"


def _get_word_after(words: list[str], name: str) -> str:
    """Return the word after `name`; empty if there is none."""
    place = words.index(name) + 1 if name in words else len(words)
    return words[place] if place < len(words) else ""


class MoveHistory:
    """The moves of a game, reconstructed from the positions that a player receives.

    A player receives single positions, but an engine needs the moves: repetition rules depend on
    them, and some programs parse only positions in their own notation.
    """

    def __init__(
        self, notation: MoveNotation, *, separate_captures: bool = False, foreign: bool = False
    ) -> None:
        self._notation = notation
        self._has_separate_captures = separate_captures
        self._is_foreign = foreign
        self.reset()

    def reset(self) -> None:
        """Reset to the start position of the game."""
        self._start: Position = self._notation.game.start()
        self._position: Position = self._start
        self._words: list[str] = []

    def advance_to(self, position: Position) -> None:
        """Append the move that leads to this position; without one, restart from the position."""
        if position == self._position:
            return
        if self._position.mover not in (CHANCE, position.mover):
            for move in self._position.legal_moves():
                if self._position.play(move) == position:
                    self.play(move)
                    return
        self._start = self._position = position
        self._words = []

    def play(self, move: Move) -> None:
        """Append a move."""
        self._words += self._notation.format_words(
            move, separate_captures=self._has_separate_captures
        )
        self._position = self._position.play(move)

    def format_position_command(self, partial_words: Sequence[str] = ()) -> str:
        """Return the `position` command, with the words of a partial move appended."""
        words = [*self._words, *partial_words]
        moves = f" moves {' '.join(words)}" if words else ""
        if self._start == self._notation.game.start():
            return f"position startpos{moves}"
        text = self._notation.format_position(self._start) if self._is_foreign else str(self._start)
        return f"position fen {text}{moves}"


DEFAULT_MOVE_SECONDS = 1.0
"""Seconds per move if no limit is set."""

MIN_MOVE_SECONDS = 0.01
MAX_OPTIONS, MAX_OPTION_LENGTH = 1000, 1000


class ExternalPlayer(Player):
    """Starts a program, sends it positions, and plays the moves it returns.

    Every failure raises ProgramFailed within the time that the options allow; the program is then
    ended and started again when it is next needed.
    """

    title: ClassVar[str] = "another program that speaks the protocol of ludus engine"
    options: ClassVar[ExternalOptions] = ExternalOptions()
    main_option: ClassVar[str] = "cmd"

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        if not settings.cmd:
            raise BadSpec("external needs a program: external:CMD or external:cmd=CMD,time=1")
        self._notation = game.move_notation()
        self._history = MoveHistory(
            self._notation,
            separate_captures=settings.captures == "token",
            foreign=settings.fen == "sanmill",
        )
        self._process: EngineProcess | None = None
        self._engine_name = ""
        self._engine_options: dict[str, str] = {}
        self._end: Callable[[], object] = lambda: None

    @property
    def name(self) -> str:
        """The name that the program reported, or the spec before it was started."""
        return self._engine_name or self.spec

    def close(self) -> None:
        """End the program; it is restarted when it is next needed."""
        self._process = None
        self._end()

    def start_game(self, seed: int) -> None:
        super().start_game(seed)
        self._history.reset()
        with self._end_on_error():
            process = self._get_process()
            if "seed" in self._engine_options:
                process.send(f"setoption name Seed value {seed}")
            process.send("ucinewgame")
            self._wait_ready(process, time.monotonic() + self.settings.startup)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        with self._end_on_error():
            process = self._get_process()
            self._history.advance_to(position)
            settings = self.settings
            budget = limit.tighten(settings.time, settings.nodes, settings.depth)
            if budget == Limit():
                budget = Limit(time=DEFAULT_MOVE_SECONDS)
            seconds = settings.longest
            if budget.time is not None:
                seconds = budget.time + settings.patience
            until = time.monotonic() + seconds
            choice = self._query_move(process, TurnState(position), (), budget, until)
        self._history.play(choice.move)
        return choice

    @contextmanager
    def _end_on_error(self) -> Iterator[None]:
        """End the program on any error within the block, and name it in the message."""
        name = quote(self.settings.command[0], 100)
        try:
            yield
        except ResponseTimeout as error:
            self.close()
            raise ProgramFailed(f"{name} {error} in time and was ended") from None
        except ProgramFailed as error:
            self.close()
            raise ProgramFailed(f"{name} {error}") from None
        except BaseException:  # Ctrl-C, too: a late response would be taken for the next one
            self.close()
            raise

    def _query_move(
        self,
        process: EngineProcess,
        turn: TurnState,
        partial_words: tuple[str, ...],
        budget: Limit,
        until: float,
    ) -> Choice:
        self._wait_ready(process, until)  # discards earlier output
        began = time.monotonic()
        process.send(self._history.format_position_command(partial_words))
        process.send(_format_go(budget))
        parser = SearchOutputParser()
        while (word := parser.parse_line(process.receive(until))) is None:
            pass
        try:
            move, is_whole = self._notation.parse(turn, word)
        except BadMove as error:
            raise ProgramFailed(f"answered {quote(word)}: {error}") from None
        if is_whole:
            return Choice(move, parser.comment, parser.scores(move))
        if budget.time is not None:
            left = budget.time - (time.monotonic() - began)
            budget = dataclasses.replace(budget, time=max(left, MIN_MOVE_SECONDS))
        return self._query_move(process, TurnState(turn.position, move), (word,), budget, until)

    def _get_process(self) -> EngineProcess:
        """Return the running program, starting it if necessary."""
        if self._process is None:
            process = EngineProcess(self.settings.command)
            self._end = weakref.finalize(self, process.end)
            self._process = process
            self._handshake(process, time.monotonic() + self.settings.startup)
        return self._process

    def _handshake(self, process: EngineProcess, until: float) -> None:
        process.send("uci")
        self._engine_options = {}
        while (line := process.receive(until)) != "uciok":
            if line.startswith("id name ") and len(line) < 200:
                self._engine_name = line.removeprefix("id name ")
            elif line.startswith("option ") and len(self._engine_options) < MAX_OPTIONS:
                name = line.partition(" name ")[2].partition(" type ")[0]
                self._engine_options[name.strip().lower()] = line[:MAX_OPTION_LENGTH]
        if self._engine_name.startswith("Ludus"):
            self._set_game(process)
        for name, value in self.settings.pairs:
            if name.lower() not in self._engine_options:
                raise ProgramFailed(f"offers no option {quote(name)}")
            process.send(f"setoption name {name} value {value}")

    def _set_game(self, process: EngineProcess) -> None:
        """Set game and rules of another Ludus engine, which can play any of them."""
        if f" default {self.game.id} " not in self._engine_options.get("game", ""):
            process.send(f"setoption name Game value {self.game.id}")
        rules = ",".join(list_options(self.game.rules))
        process.send(f"setoption name Rules value {rules}")

    def _wait_ready(self, process: EngineProcess, until: float) -> None:
        process.send("isready")
        while (line := process.receive(until)) != "readyok":
            if line.startswith("info string error:"):
                raise ProgramFailed(f"says {quote(line.removeprefix('info string '), 300)}")


def _format_go(budget: Limit) -> str:
    milliseconds = None if budget.time is None else max(int(1000 * budget.time), 1)
    limits = {"depth": budget.depth, "nodes": budget.nodes, "movetime": milliseconds}
    return " ".join(
        ["go", *(f"{key} {value}" for key, value in limits.items() if value is not None)]
    )
