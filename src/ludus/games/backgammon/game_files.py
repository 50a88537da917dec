"""Games of backgammon between records and the turns that other programs write."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal

from ludus.core.errors import BadMove, BadPosition, BadRecord, quote
from ludus.core.game import Outcome
from ludus.core.movetext import Line, Node
from ludus.core.record import RESULTS, Record
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.game import Backgammon
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import MAX_MATCH, Rules
from ludus.games.backgammon.stakes import (
    ACCEPT,
    BEAVER,
    DOUBLE,
    DROP,
    RACCOON,
    RESIGN,
    TAKE,
    CubeAction,
)
from ludus.games.registry import game as named_game

MAX_GAMES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Turn:
    """A roll with its move, or a cube action: what other programs write as one entry."""

    side: int
    action: str
    """Dice as `31`, or `double`, `take`, `drop`."""

    move: str = ""
    """The move in any notation that `Game.parse_move` knows; empty for a pass."""

    comment: str = ""
    where: str = ""
    """The place in the file, for errors."""


@dataclass(frozen=True, slots=True)
class FileGame:
    """One game of a session or match."""

    players: tuple[str, str]
    turns: tuple[Turn, ...]
    length: int = 0
    """Points of the match; 0 for a session."""

    score: tuple[int, int] = (0, 0)
    is_crawford: bool = False
    winner: int | None = None
    points: int = 0
    """Points that the winner got; 0 if the game is unfinished."""

    resigned: int = 0
    """1 if a single game was resigned, 2 for a gammon, 3 for a backgammon."""

    is_jacoby: bool | None = None
    """Whether the Jacoby rule was in force; None if the file does not tell."""

    layout: Literal["standard", "hyper"] = "standard"
    """The start, as `Rules.layout`."""

    has_stakes: bool = True
    """Whether a match is played with the cube and with resignations."""


def make_records(games: Sequence[FileGame]) -> list[Record]:
    """Check games by the rules, and return a record of each."""
    return [_make_record(game, number) for number, game in enumerate(games, 1)]


def _make_record(played: FileGame, number: int) -> Record:
    """Return the record of a game; a session with a cube may have been by the Jacoby rule."""
    if not played.turns and played.winner is None:
        raise BadRecord(f"game {number} has no moves")
    *others, last = _list_rules(played)
    for rules in others:
        with suppress(_WrongPoints):
            return _replay(played, number, Backgammon(rules))
    return _replay(played, number, Backgammon(last))


class _WrongPoints(BadRecord):
    """The stated points are not those of the moves."""


def _list_rules(played: FileGame) -> list[Rules]:
    rules = Rules(layout=played.layout)
    if played.length:
        if played.length > MAX_MATCH:
            raise BadRecord(f"a match to {played.length} points is too long; {MAX_MATCH} are known")
        has_stakes = played.has_stakes
        return [replace(rules, cube=has_stakes, match=played.length, resign=has_stakes)]
    has_cube = any(turn.action == "double" for turn in played.turns)
    plain = [] if has_cube or played.is_jacoby or played.resigned else [rules]
    jacoby = replace(rules, cube=True, jacoby=True, resign=True)
    staked = [replace(rules, cube=True, resign=True), jacoby]
    if played.is_jacoby is not None:
        staked = [jacoby] if played.is_jacoby else staked[:1]
    return [*plain, *staked]


def _replay(played: FileGame, number: int, game: Backgammon) -> Record:
    position = start = _start(played, game)
    nodes: list[Node] = []

    def play(text: str, comment: str = "") -> None:
        nonlocal position
        move = game.parse_move(text, position)
        nodes.append(Node(str(move), comment))
        position = position.play(move)

    for turn in played.turns:
        try:
            if position.opening and len(turn.action) == 2:
                high, low = sorted(turn.action, reverse=True)
                play(f"{low}{high}" if turn.side else f"{high}{low}")
            elif len(turn.action) == 2:
                if position.phase == "cube":
                    play("roll")
                play(turn.action)
            else:
                play(turn.action, turn.comment)
                continue
            if position.turn != turn.side:
                raise BadMove(f"it is {game.sides[position.turn]}'s turn")
            play(turn.move or "pass", turn.comment)
        except BadMove as error:
            raise BadRecord(f"game {number}{turn.where}: {error}") from error
    stated = _finish(played, number, game, position, start, play, bool(nodes))
    ended = position.outcome() or stated
    return Record.from_line(game, played.players, str(start), 0, Line(tuple(nodes)), ended)


def _start(played: FileGame, game: Backgammon) -> Position:
    start = game.start()
    if start.stakes is None or not played.length:
        return start
    try:
        stakes = replace(start.stakes, score=played.score, crawford=played.is_crawford)
    except BadPosition as error:
        raise BadRecord(str(error)) from error
    return replace(start, stakes=stakes)


def _finish(
    played: FileGame,
    number: int,
    game: Backgammon,
    position: Position,
    start: Position,
    play: Any,
    has_moves: bool,
) -> Outcome | None:
    """Check the stated result, and play a resignation where the loser can offer it."""
    is_over = position.outcome() is not None or (has_moves and bool(position.opening))
    if played.winner is None:
        return None
    if is_over:
        points = _count_points(start, position)
        if played.points and points != (played.winner, played.points):
            sides = game.sides[points[0]], game.sides[played.winner]
            raise _WrongPoints(
                f"game {number}: {sides[1]} wins {played.points} by the file, and {sides[0]} "
                f"{points[1]} by the moves"
            )
        return Outcome(played.winner, "game", points[1])
    stakes = position.stakes
    unit = 1 if stakes is None else stakes.value
    level = played.resigned or max(1, min(3, played.points // unit))
    points_won = played.points or level * unit
    if points_won != (level * unit if stakes is None else stakes.compute_points(level)):
        raise _WrongPoints(f"game {number} ends with {points_won} points at a cube of {unit}")
    if position.phase == "cube" and position.turn != played.winner:
        play(str(RESIGN[level - 1]))
        play(str(ACCEPT))
    return Outcome(played.winner, "resigned", points_won)


def _count_points(start: Position, end: Position) -> tuple[int, int]:
    """Return the side that won a finished game, and its points."""
    outcome = end.outcome()
    if start.stakes is None or end.stakes is None or not start.stakes.rules.match:
        assert outcome is not None
        assert outcome.winner is not None
        return outcome.winner, outcome.points
    scores = zip(start.stakes.score, end.stakes.score, strict=True)
    gained = [after - before for before, after in scores]
    winner = int(gained[1] > gained[0])
    return winner, gained[winner]


def split_record(record: Record, number: int) -> list[FileGame]:
    """Return the games of a record; a match has several. BadRecord if it is no legal game."""
    game = named_game("backgammon", record.headers.get("Rules", ""))
    positions = record.replay(game)
    names = [record.headers.get(side.capitalize(), side) for side in game.sides]
    starts = [0, *(n for n, each in enumerate(positions) if n and each.opening)]
    bounds = [*starts, len(record.line.moves)]
    games: list[FileGame] = []
    for begin, end in pairwise(bounds):
        if begin == end:
            continue
        part = range(begin, end)
        moves = [game.parse_move(record.line.moves[ply].move, positions[ply]) for ply in part]
        comments = [record.line.moves[ply].comment for ply in part]
        turns, resigned = _collect_turns(positions[begin:end], moves, comments)
        first, last = positions[begin], positions[end]
        result = _find_result(record, first, last, is_last=end == bounds[-1], number=number)
        stakes = first.stakes
        games.append(
            FileGame(
                (names[0], names[1]),
                tuple(turns),
                0 if stakes is None else stakes.rules.match,
                (0, 0) if stakes is None else stakes.score,
                stakes is not None and stakes.crawford,
                *result,
                resigned=resigned,
                is_jacoby=stakes is not None and stakes.rules.jacoby,
            )
        )
    return games


def _find_result(
    record: Record, first: Position, last: Position, is_last: bool, number: int
) -> tuple[int | None, int]:
    """Return winner and points by the moves, or by the headers of a game that was resigned."""
    if last.outcome() is not None or (last is not first and last.opening):
        return _count_points(first, last)
    if is_last and record.result in RESULTS[:2]:
        points = record.headers.get("Points", "1")
        return RESULTS.index(record.result), int(points) if points.isdecimal() else 1
    raise BadRecord(f"game {number} was not played to its end")


def _collect_turns(
    positions: Sequence[Position], moves: Sequence[Any], comments: Sequence[str]
) -> tuple[list[Turn], int]:
    """Join rolls and moves to turns; return them and the level of a resignation, if any."""
    turns: list[Turn] = []
    offered = resigned = 0
    # A roll is a part of the turn with the move that follows.
    for before, move, comment in zip(positions, moves, comments, strict=True):
        if isinstance(move, Move):
            assert before.dice is not None
            dice = f"{before.dice[0]}{before.dice[1]}"
            written = " ".join(f"{s.start}/{s.end}{'*' * s.hit}" for s in move.steps)
            turns.append(Turn(before.turn, dice, written, comment))
        elif isinstance(move, CubeAction):
            if move in (BEAVER, RACCOON):
                raise BadRecord("files for other programs cannot hold beavers and raccoons")
            if move in (DOUBLE, TAKE, DROP):
                side = before.turn if move == DOUBLE else 1 - before.turn
                turns.append(Turn(side, str(move), comment=comment))
            elif move in RESIGN:
                offered = RESIGN.index(move) + 1
            elif move == ACCEPT:
                resigned = offered
    return turns, resigned


def join_sessions(records: Sequence[Record]) -> list[FileGame]:
    """Return the games of all records, which must be by the same two players, in their columns.

    The players may swap sides between games, but each keeps the same column; the score of a session
    is added up.
    """
    games: list[FileGame] = []
    score = [0, 0]
    for number, record in enumerate(records, 1):
        for played in split_record(record, number):
            first = games[0].players if games else played.players
            if sorted(played.players) != sorted(first):
                raise BadRecord(f"game {number} has other players than the first one")
            if games and played.length != games[0].length:
                raise BadRecord(f"game {number} belongs to another match than the first one")
            shown = played if played.players == first else _swap(played)
            if not shown.length:
                shown = replace(shown, score=(score[0], score[1]))
            games.append(shown)
            if shown.winner is not None:
                score[shown.winner] += shown.points
    return games


def _swap(played: FileGame) -> FileGame:
    return replace(
        played,
        players=played.players[::-1],
        turns=tuple(replace(turn, side=1 - turn.side) for turn in played.turns),
        score=played.score[::-1],
        winner=None if played.winner is None else 1 - played.winner,
    )


def quote_line(text: str) -> str:
    """Return the beginning of a line of a file, for errors."""
    return quote(text.strip()[:60])
