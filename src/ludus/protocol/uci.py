"""Parse and format the lines of the UCI-like text protocol: line splitting, `go`, `info` and
`bestmove`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ludus.core.errors import LudusError, quote, to_one_line
from ludus.core.notation import MoveNotation, TurnState
from ludus.core.player import Choice, Limit, PrincipalVariation, SearchProgress
from ludus.core.spec import check_choice


class UciLine(NamedTuple):
    """A line without its terminator."""

    text: str

    is_cut: bool = False
    """Whether the line exceeded the length limit; `text` is then its beginning."""


class LineSplitter:
    """Splits a byte stream into lines, keeping at most the first `longest` bytes of each.

    >>> splitter = LineSplitter(longest=10)
    >>> [line.text for line in splitter.feed(b"uci\\r\\nis")], [*splitter.feed(b"ready\\n")]
    (['uci'], [UciLine(text='isready', is_cut=False)])
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._pending = bytearray()
        self._is_cut = False

    @property
    def is_cut(self) -> bool:
        """Whether the line that has not ended yet is too long already."""
        return self._is_cut

    def feed(self, chunk: bytes) -> Iterator[UciLine]:
        """Yield the lines that end in this chunk."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._append(end)
            yield self._pop_line()
        self._append(rest)

    def end(self) -> Iterator[UciLine]:
        """Yield the unterminated last line of an ended stream, if any."""
        if self._pending:
            yield self._pop_line()

    def _append(self, part: bytes) -> None:
        room = self._longest - len(self._pending)
        self._pending += part[:room]
        self._is_cut |= len(part) > room

    def _pop_line(self) -> UciLine:
        line = UciLine(self._pending.decode(errors="backslashreplace").strip(), self._is_cut)
        self._pending.clear()
        self._is_cut = False
        return line


GO_NUMBERS = ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
GO_KEYWORDS = (*GO_NUMBERS, "infinite", "searchmoves")

UNLIMITED = Limit(time=1e8)
"""The limit of `go infinite`; without any limit, players would apply their default one."""

DEFAULT_MOVES_TO_GO = 30
"""Number of moves still expected when a clock has to last for the whole game."""

CLOCK_RESERVE_SECONDS = 0.05
"""Seconds of the clock reserved for transmitting the response."""

MIN_SEARCH_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class GoCommand:
    """A parsed `go` command: the search limit and the moves to search."""

    limit: Limit = Limit()  # noqa: RUF009 - frozen

    is_infinite: bool = False
    """Whether `bestmove` is withheld until `stop`."""

    search_moves: tuple[str, ...] = ()
    """The moves after `searchmoves`; empty for all legal moves."""


def parse_go(words: Sequence[str], mover: int) -> GoCommand:
    """Parse the words after `go`, with the clock of this side.

    >>> parse_go(["depth", "8", "movetime", "1500"], 0).limit
    Limit(time=1.5, nodes=None, depth=8)
    """
    numbers: dict[str, int] = {}
    search_moves: list[str] = []
    is_infinite = False
    rest = iter(words)
    for word in rest:
        if word in GO_NUMBERS:
            numbers[word] = _parse_go_number(word, rest)
        elif word == "searchmoves":
            search_moves += rest
        elif word == "infinite":
            is_infinite = True
        else:
            check_choice("go has no", word, GO_KEYWORDS, LudusError)
    if is_infinite:
        return GoCommand(UNLIMITED, True, tuple(search_moves))
    limit = Limit(_allot_seconds(numbers, mover), numbers.get("nodes"), numbers.get("depth"))
    return GoCommand(limit, False, tuple(search_moves))


def _parse_go_number(name: str, rest: Iterator[str]) -> int:
    text = next(rest, "")
    is_clock = name in ("wtime", "btime", "winc", "binc")
    # An expired clock may be sent as a negative time.
    if not re.fullmatch(r"-?[0-9]{1,15}" if is_clock else r"[0-9]{1,15}", text):
        raise LudusError(f"go {name} needs a number, not {quote(text)}")
    number = int(text)
    if number == 0 and not is_clock:
        raise LudusError(f"go {name} must be at least 1")
    return number


def _allot_seconds(numbers: dict[str, int], mover: int) -> float | None:
    """Return the seconds for this move: `movetime`, or a fraction of the remaining clock."""
    if "movetime" in numbers:
        return numbers["movetime"] / 1000
    left, more = (numbers.get(f"{'wb'[mover]}{name}") for name in ("time", "inc"))
    if left is None:
        return None
    milliseconds = left / numbers.get("movestogo", DEFAULT_MOVES_TO_GO) + 0.8 * (more or 0)
    return max(min(milliseconds / 1000, left / 1000 - CLOCK_RESERVE_SECONDS), MIN_SEARCH_SECONDS)


SANMILL_MAN_SCORE, SANMILL_WIN_SCORE = 5, 80


def format_progress(
    progress: SearchProgress,
    seconds: float,
    notation: MoveNotation,
    turn: TurnState,
    *,
    separate_captures: bool,
) -> Iterator[str]:
    """Yield one `info` line per principal variation."""
    per_second = int(progress.nodes / seconds) if seconds > 0 else 0
    for number, line in enumerate(progress.lines, 1):
        moves = _format_variation(line, notation, turn, separate_captures)
        yield (
            f"info depth {progress.depth} seldepth {max(progress.max_depth, progress.depth)}"
            f" multipv {number} score {format_score(line)} nodes {progress.nodes} nps {per_second}"
            f" time {int(1000 * seconds)} pv {moves}"
        )


def format_score(line: PrincipalVariation) -> str:
    """Format a score as `cp` in hundredths, or as `mate` in own moves to the end of the game.

    >>> lines = PrincipalVariation((), 29_997, 3), PrincipalVariation((), -29_996, -4)
    >>> format_score(lines[0]), format_score(lines[1])
    ('mate 2', 'mate -2')
    """
    if line.plies_to_end is None:
        return f"cp {line.score}"
    moves = (abs(line.plies_to_end) + 1) // 2
    return f"mate {moves if line.plies_to_end > 0 else -moves}"


def format_choice(choice: Choice, words: tuple[str, ...], *, with_score: bool) -> Iterator[str]:
    """Yield `info` lines for the comment and, for players that report no progress, the score."""
    if choice.comment:
        yield f"info string {to_one_line(choice.comment)}"
    points = choice.scores.get(choice.move) if with_score else None
    if points is not None:
        yield f"info multipv 1 score cp {round(100 * points)} pv {' '.join(words)}"


def format_answer(word: str, choice: Choice | None, turn: TurnState, *, is_sanmill: bool) -> str:
    """Format the response as UCI chess engines do, or as Sanmill with a score before the move.

    The score is in fifths of a man, from White's side.
    """
    if not is_sanmill:
        return f"bestmove {word}"
    points = 0.0 if choice is None else choice.scores.get(choice.move, 0.0)
    score = max(-SANMILL_WIN_SCORE, min(round(SANMILL_MAN_SCORE * points), SANMILL_WIN_SCORE))
    return f"info score {-score if turn.position.mover else score} bestmove {word}"


def _format_variation(
    line: PrincipalVariation, notation: MoveNotation, turn: TurnState, separate_captures: bool
) -> str:
    first, *rest = line.moves
    words = list(
        notation.format_words(first, turn.partial_move, separate_captures=separate_captures)
    )
    for move in rest:
        words += notation.format_words(move, separate_captures=separate_captures)
    return " ".join(words)
