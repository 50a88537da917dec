"""Other programs' backgammon: that of BSD, Tesauro's pubeval, and the networks of bgsage."""

import re
import struct
import tempfile
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final

from ludus.analysis.backgammon import BackgammonEvaluator, check_num_men_of
from ludus.analysis.evaluation import CubeEvaluation, Evaluation
from ludus.core.errors import BadSpec, quote
from ludus.core.extras import require_package
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games.backgammon.batch import NUM_PLACES, BoardRow, generate_afterstates, position_to_row
from ludus.games.backgammon.board import BAR, HOME, OFF, Move, View, make_view
from ludus.games.backgammon.cube import Chances, CubeEquities
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import check_cubeless
from ludus.protocol.gnubg import check_num_men
from ludus.protocol.processes import ProgramFailed, TerminalProcess, find_program

BSD_PROGRAM: Final = "backgammon"
BSD_PACKAGE: Final = "bsdgames"
BSD_RED: Final = 1
NUM_MEN: Final = 15
BSD_MOVE_MESSAGE: Final = re.compile(rb"Red rolls [1-6] [1-6] and moves ([^.]*)\.")
BSD_STEP: Final = re.compile(r"(bar|[0-9]{1,2})-(home|[0-9]{1,2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BsdOptions:
    """Time limit of the program."""

    seconds: float = 10.0
    """Maximum seconds per move before the program is ended."""

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:
            raise BadSpec(f"bsd seconds={self.seconds} must be above 0 and at most 3600")


class BsdPlayer(Player):
    """Plays the moves of BSD's backgammon program; its games are not reproducible by seed.

    The program plays whole games with its own dice, but resumes a saved game in which the
    computer has already rolled. So each decision is a saved game written here, and the program's
    first message is the move. In the file the computer is red, who moves up from point 1. Ties
    between moves are broken by the clock.
    """

    title: ClassVar[str] = "the backgammon of BSD, 1980 (Debian package bsdgames)"
    options: ClassVar[BsdOptions] = BsdOptions()
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: BsdOptions

    def __init__(self, game: Any, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        check_num_men(game)
        check_cubeless(game.rules, "bsd")
        self._program = find_program(BSD_PROGRAM, BSD_PACKAGE)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        seconds = min(self.settings.seconds, limit.time or self.settings.seconds)
        with tempfile.TemporaryDirectory(prefix="ludus-bsd-") as folder:
            file = Path(folder) / "game"
            file.write_bytes(encode_saved_game(position))
            output = _query_first_move(self._program, file, time.monotonic() + seconds)
        return Choice(_parse_bsd_move(output, position))


def encode_saved_game(position: Position) -> bytes:
    """Encode a saved game of BSD's program, with the computer, red, about to play its roll."""
    view = make_view(position.board, position.turn)
    flipped = view.flip()
    # Places 0 and 25 are the bars: red enters from 0, white from 25.
    board = [view.own[BAR - place] - view.other[BAR - place] for place in range(NUM_PLACES)]
    board[OFF], board[BAR] = view.own[BAR], -view.other[OFF]
    assert position.dice is not None
    numbers = (
        *board,
        _encode_men_off(flipped),
        _encode_men_off(view),
        _count_men_at_home(flipped),
        _count_men_at_home(view),
        *position.dice,
        BSD_RED,  # whose turn it is
        0,  # who doubled last
        BSD_RED,  # which side is the computer
        0,  # red's score
        0,  # white's score
        1,  # value of the game in points
        0,  # the dice are rolled
    )
    return struct.pack(f"{len(numbers)}i", *numbers)


def _count_men_at_home(view: View) -> int:
    return sum(view.own[point] for point in HOME)


def _encode_men_off(view: View) -> int:
    """Return the men borne off, minus 15 while there are men outside the home."""
    off = view.own[OFF]
    return off if off + _count_men_at_home(view) == NUM_MEN else off - NUM_MEN


def _query_first_move(program: str, file: Path, deadline: float) -> str:
    """Run the program on a saved game and return the text of its first move."""
    environment = {"TERM": "dumb", "PATH": "/usr/bin:/bin"}
    with TerminalProcess(BSD_PROGRAM, [program, "-s", str(file)], environment) as bsd:
        bsd.read_until([b"-->"], deadline)
        bsd.write(b"\n")
        bsd.read_until([b"computer is red."], deadline)
        output = bsd.read_until([b".\r\n"], deadline)
    found = BSD_MOVE_MESSAGE.search(output)
    if found is None:
        shown = quote(output[-100:].decode("ascii", "replace"))
        raise ProgramFailed(f"{BSD_PROGRAM} answers nonsense: {shown}")
    return found[1].decode("ascii", "replace")


def _parse_bsd_move(text: str, position: Position) -> Move:
    """Return the legal move with the same resulting position as these steps."""
    end = position_to_row(position)
    for part in text.split(","):
        match = BSD_STEP.fullmatch(part.strip())
        if match is None:
            raise ProgramFailed(f"{BSD_PROGRAM} answers nonsense: {quote(text)}")
        start = BAR if match[1].lower() == "bar" else BAR - int(match[1])
        stop = OFF if match[2].lower() == "home" else BAR - int(match[2])
        end[start] -= 1
        end[stop] += 1
        if stop != OFF and end[NUM_PLACES + stop]:
            end[NUM_PLACES + stop] -= 1
            end[NUM_PLACES + OFF] += 1
    legal: list[Move] = position.legal_moves()  # type: ignore[assignment]
    for found, move in zip(generate_afterstates(position), legal, strict=True):
        if (found == end).all():
            return move
    raise ProgramFailed(f"{BSD_PROGRAM} plays {quote(text)}, which is not legal in {position}")


class PubevalPlayer(Player):
    """Plays the move that pubeval, Tesauro's linear evaluation function of 1993, scores highest.

    The package bgsage implements pubeval but does not return its moves. Given the error of every
    resulting board, it returns the error of the board that pubeval prefers: so the board's index
    is passed as its error.
    """

    title: ClassVar[str] = "Tesauro's pubeval, 1993 (PyPI package bgsage)"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    def __init__(self, game: Any, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        check_num_men(game)
        check_cubeless(game.rules, "pubeval")
        self._sage = require_package(BGSAGE_MODULE, "pubeval")

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        after = [
            self._sage.flip_board(to_bgsage_board(end)) for end in generate_afterstates(position)
        ]
        numbers = [float(number) for number in range(len(after))]
        before = to_bgsage_board(position_to_row(position))
        assert position.dice is not None
        scenario = self._sage.make_scenario(before, *position.dice, after, numbers)
        weights = self._sage.PubEvalWeights.TESAURO
        result = self._sage.score_benchmarks_pubeval([scenario], weights, 1)
        number = round(result.total_error)
        if result.count != 1 or not 0 <= number < len(legal):
            raise ProgramFailed(f"bgsage answers nonsense: move {number} of {len(legal)}")
        return Choice(legal[number])


def to_bgsage_board(row: BoardRow) -> list[int]:
    """Convert to bgsage's board: the mover's men positive, the counts on both bars nonnegative."""
    men = [int(row[place]) - int(row[NUM_PLACES + place]) for place in range(NUM_PLACES)]
    men[OFF], men[BAR] = int(row[NUM_PLACES + OFF]), int(row[BAR])
    return men


MAX_PLIES = 2
BGSAGE_MODULE = "bgbot_cpp"


class BgsageEvaluator(BackgammonEvaluator):
    """The networks of the package bgsage."""

    plies: int

    def __init__(self, plies: int = 1) -> None:
        require_package(BGSAGE_MODULE, "this evaluator")
        self.plies = plies
        self.title, self.spec = f"bgsage {plies}-ply", f"bgsage:plies={plies}"

    def rank_moves(self, position: Position) -> dict[Move, Evaluation]:
        assert position.dice is not None
        check_num_men_of(position)
        board = to_bgsage_board(position_to_row(position))
        analyzer = _load_analyzer(self.plies, position.stakes is not None)
        found = analyzer.checker_play(board, *position.dice, **_bgsage_setting(position))
        legal = [move for move in position.legal_moves() if isinstance(move, Move)]
        ends = [tuple(to_bgsage_board(end)) for end in generate_afterstates(position)]
        by_end = dict(zip(ends, legal, strict=True))
        ranked: dict[Move, Evaluation] = {}
        for each in found.moves:
            move = by_end.get(tuple(each.board))
            if move is None:
                raise ProgramFailed(f"bgsage plays a move that is not legal in {position}")
            plies = int(each.eval_level.split("-")[0]) - 1
            chances = Chances(*each.probs.to_list())
            ranked[move] = self._estimate(each.equity, chances, f"{plies}-ply")
        if len(ranked) != len(legal):
            raise ProgramFailed(f"bgsage knows {len(ranked)} moves of {len(legal)} in {position}")
        return ranked

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        check_num_men_of(position)
        board = to_bgsage_board(position_to_row(position))
        found = _load_analyzer(self.plies, True).cube_action(board, **_bgsage_setting(position))
        return CubeEvaluation(
            CubeEquities(found.equity_nd, found.equity_dt, found.equity_dp),
            Chances(*found.probs.to_list()),
            f"{self.plies}-ply",
        )


@lru_cache(maxsize=8)
def _load_analyzer(plies: int, is_cubeful: bool) -> Any:
    analyzer = require_package("bgsage", "this evaluator").BgBotAnalyzer
    return analyzer(eval_level=f"{plies + 1}ply", cubeful=is_cubeful, parallel_threads=1)


def _bgsage_setting(position: Position) -> dict[str, Any]:
    """Return cube and score as bgsage's keywords, from the side on turn."""
    stakes = position.stakes
    if stakes is None:
        return {"jacoby": False, "beaver": False}
    side = position.turn
    owner = "centered" if stakes.owner is None else "player" if stakes.owner == side else "opponent"
    away = [stakes.rules.match - points if stakes.rules.match else 0 for points in stakes.score]
    return {
        "cube_value": stakes.value,
        "cube_owner": owner,
        "away1": away[side],
        "away2": away[1 - side],
        "is_crawford": stakes.crawford,
        "jacoby": stakes.rules.jacoby,
        "beaver": False,
    }


@dataclass(frozen=True, slots=True)
class BgsageOptions:
    """Search depth of bgsage."""

    plies: int = 0
    """As GNU Backgammon counts: 0 is the network alone."""

    def __post_init__(self) -> None:
        check_ranges(self, "bgsage", plies=(0, MAX_PLIES))


class BgsagePlayer(Player):
    """Plays the moves and cube actions that bgsage prefers."""

    title: ClassVar[str] = "bgsage, with cube and match play (PyPI package bgsage)"
    options: ClassVar[BgsageOptions] = BgsageOptions()
    score_unit = "equity"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: BgsageOptions

    def __init__(self, game: Any, settings: BgsageOptions, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_num_men(game)
        self.evaluator = BgsageEvaluator(settings.plies)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.evaluator.choose(position)
