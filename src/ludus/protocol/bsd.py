"""The backgammon of BSD (1980) as a player.

The program plays whole games with dice of its own. But it can go on with a saved game in which the
computer's roll lies on the table: so each decision is a game saved by us, and its first words are
the move. In such a file red, who walks up from point 1, is the computer. Among moves that it likes
equally the program draws by the clock, so no seed repeats its games.
"""

import re
import struct
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from ludus.core.errors import BadSpec, quoted
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.games.backgammon.moves import Move
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.view import BAR, HOME, OFF, View, view_of
from ludus.players.tool.rows import PLACES, ends, row_of
from ludus.protocol.gnubg import check_men
from ludus.protocol.programs import ProgramFailed, find_program
from ludus.protocol.terminal import TerminalProgram

PROGRAM: Final = "backgammon"
PACKAGE: Final = "bsdgames"
RED: Final = 1
MEN: Final = 15
MOVED: Final = re.compile(rb"Red rolls [1-6] [1-6] and moves ([^.]*)\.")
STEP: Final = re.compile(r"(bar|[0-9]{1,2})-(home|[0-9]{1,2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """How long the program is waited for."""

    seconds: float = 10.0
    """The longest it may take for one move before it is given up."""

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:
            raise BadSpec(f"bsd seconds={self.seconds} must be above 0 and at most 3600")


class BsdPlayer(Player):
    """Plays what BSD's program plays."""

    title: ClassVar[str] = "the backgammon of BSD, 1980 (Debian package bsdgames)"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_men(game)
        self._program = find_program(PROGRAM, PACKAGE)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        seconds = min(self.settings.seconds, limit.time or self.settings.seconds)
        with tempfile.TemporaryDirectory(prefix="ludus-bsd-") as folder:
            file = Path(folder) / "game"
            file.write_bytes(saved_game(position))
            said = _first_move(self._program, file, time.monotonic() + seconds)
        return Choice(_move_of(said, position))


def saved_game(position: Position) -> bytes:
    """A game as BSD's program saves it, with the computer, red, about to play its roll."""
    view = view_of(position.board, position.turn)
    turned = view.turned()
    # Places 0 and 25 are the bars: red enters from 0, white from 25.
    board = [view.own[BAR - place] - view.their[BAR - place] for place in range(PLACES)]
    board[OFF], board[BAR] = view.own[BAR], -view.their[OFF]
    assert position.dice is not None
    numbers = (
        *board,
        _off(turned),
        _off(view),
        _at_home(turned),
        _at_home(view),
        *position.dice,
        RED,  # whose turn it is
        0,  # who doubled last
        RED,  # which side is the computer
        0,  # red's score
        0,  # white's score
        1,  # what the game is worth
        0,  # the dice are rolled
    )
    return struct.pack(f"{len(numbers)}i", *numbers)


def _at_home(view: View) -> int:
    return sum(view.own[point] for point in HOME)


def _off(view: View) -> int:
    """Men borne off, less 15 while there are men outside the home."""
    off = view.own[OFF]
    return off if off + _at_home(view) == MEN else off - MEN


def _first_move(program: str, file: Path, deadline: float) -> str:
    """What the program says its first move is."""
    environment = {"TERM": "dumb", "PATH": "/usr/bin:/bin"}
    with TerminalProgram(PROGRAM, [program, "-s", str(file)], environment) as bsd:
        bsd.read_until([b"-->"], deadline)
        bsd.write(b"\n")
        bsd.read_until([b"computer is red."], deadline)
        said = bsd.read_until([b".\r\n"], deadline)
    found = MOVED.search(said)
    if found is None:
        shown = quoted(said[-100:].decode("ascii", "replace"))
        raise ProgramFailed(f"{PROGRAM} answers nonsense: {shown}")
    return found[1].decode("ascii", "replace")


def _move_of(text: str, position: Position) -> Move:
    """The legal move that leads where these steps lead."""
    end = row_of(position)
    for part in text.split(","):
        match = STEP.fullmatch(part.strip())
        if match is None:
            raise ProgramFailed(f"{PROGRAM} answers nonsense: {quoted(text)}")
        start = BAR if match[1].lower() == "bar" else BAR - int(match[1])
        stop = OFF if match[2].lower() == "home" else BAR - int(match[2])
        end[start] -= 1
        end[stop] += 1
        if stop != OFF and end[PLACES + stop]:
            end[PLACES + stop] -= 1
            end[PLACES + OFF] += 1
    legal: list[Move] = position.legal_moves()  # type: ignore[assignment]
    for found, move in zip(ends(position), legal, strict=True):
        if (found == end).all():
            return move
    raise ProgramFailed(f"{PROGRAM} plays {quoted(text)}, which is not legal in {position}")
