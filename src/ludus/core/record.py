"""Game records as text: headers, numbered moves and a result, in the form of chess's PGN.

Comments are in braces, alternatives to a move in parentheses after it:

>>> record = Record.parse('[Game "hexapawn"] 1. b1-b2 {bold} (1. a1-a2 b3xa2) a3xb2 *')
>>> print(record)
[Game "hexapawn"]
<BLANKLINE>
1. b1-b2 {bold} (1. a1-a2 b3xa2) 1... a3xb2 *

Spaces within a move are written as commas (`8/5,6/5`). A number counts two moves; in games with
dice these are a roll and the move made with it. `str` and `Record.parse` are exact inverses; other
layouts are parsed, too, and written in the normal one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ludus.core.errors import MAX_TEXT, BadMove, BadPosition, BadRecord, check_length, quote
from ludus.core.game import CHANCE, AnyGame, Game, Outcome, P
from ludus.core.match import PlayedGame
from ludus.core.movetext import (
    HEADER_NAME,
    RESULTS,
    Line,
    Node,
    check_depth,
    escape,
    format_move_number,
    format_words,
    parse_games,
    wrap_words,
)

__all__ = ["RESULTS", "Line", "Node", "Record"]

MAX_FIRST_PLY = 100_000
"""Maximum ply at which a record begins, which keeps move numbers short."""

MAX_FILE = 100 * MAX_TEXT
"""Longest text with several games, each of which may have MAX_TEXT characters."""


@dataclass(frozen=True, repr=False)
class Record:
    """One game: headers, moves and result."""

    headers: Mapping[str, str] = field(default_factory=dict)
    """`Game`, `Rules`, the players by the names of their sides, `Start`, `Result`, `Reason`, …"""

    line: Line = Line()  # noqa: RUF009 - frozen
    """The moves of the game, with comments and variations."""

    first_ply: int = 0
    """Number of plies before the first move; odd where the second side begins."""

    def __post_init__(self) -> None:
        for name in self.headers:
            if not re.fullmatch(HEADER_NAME, name):
                raise BadRecord(f"{quote(name)} cannot be the name of a header")
        if self.result not in RESULTS:
            raise BadRecord(f"result {quote(self.result)} is none of {', '.join(RESULTS)}")
        if not 0 <= self.first_ply <= (MAX_FIRST_PLY if self.line.moves else 0):
            moves = len(self.line.moves)
            raise BadRecord(f"a record of {moves} moves cannot begin at ply {self.first_ply}")
        check_depth(self.line)

    @property
    def result(self) -> str:
        """One of RESULTS; `*` without a Result header."""
        return self.headers.get("Result", "*")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a text with exactly one game; BadRecord otherwise."""
        games = list(parse_games(check_length(text, BadRecord, MAX_TEXT)))
        if len(games) != 1:
            raise BadRecord(f"{quote(text)} holds {len(games) or 'no'} games instead of one")
        return cls(*games[0])

    @classmethod
    def parse_many(cls, text: str) -> list[Self]:
        """Parse all games of a text."""
        return [cls(*game) for game in parse_games(check_length(text, BadRecord, MAX_FILE))]

    @classmethod
    def from_game(cls, match: PlayedGame, game: AnyGame) -> Self:
        """Convert a match with the players' comments."""
        return cls.from_line(
            game,
            match.players,
            match.start,
            match.moves[0].mover if match.moves else 0,
            _convert_match(match),
            match.outcome,
            match.seed,
        )

    @classmethod
    def from_line(
        cls,
        game: AnyGame,
        players: tuple[str, str],
        start: str,
        first_mover: int,
        line: Line,
        outcome: Outcome | None,
        seed: int | None = None,
    ) -> Self:
        """Make the record of a game; `outcome` is None if it is unfinished."""
        first, second = (side.capitalize() for side in game.sides)
        headers = {
            "Game": game.id,
            "Rules": game.format_rules(game.rules),
            first: players[0],
            second: players[1],
        }
        if seed is not None:
            headers["Seed"] = str(seed)
        if start != str(game.start()):
            headers["Start"] = start
        if outcome is not None:
            headers |= _format_outcome(outcome)
        is_second_first = bool(line.moves) and first_mover == 1
        return cls(headers, line, first_ply=int(is_second_first))

    def replay(self, game: Game[P, Any]) -> list[P]:
        """Return the positions of the game from its start; BadRecord unless every move is legal.

        Variations are replayed, too, and the end must agree with the headers.
        """
        name = self.headers.get("Game", game.id)
        if name != game.id:
            raise BadRecord(f"this is a record of {quote(name)}, not of {game.id}")
        positions = _replay_line(self.line, self._start(game), self.first_ply, game)
        self._check_end(positions[-1].outcome())
        return positions

    def end_at_illegal(self, game: AnyGame) -> Self:
        """Return the record up to its first illegal move, which loses, as `from_game` writes it."""
        position = self._start(game)
        for number, node in enumerate(self.line.moves):
            try:
                position = position.play(game.parse_move(node.move, position))
            except BadMove:
                if position.mover == CHANCE or position.outcome() is not None:
                    break  # this is a mistake of the file, and `replay` says so
                kept = replace(self.line, moves=self.line.moves[:number])
                first_ply = self.first_ply if number else 0
                legal = replace(self, line=kept, first_ply=first_ply)
                return legal.forfeit(position.mover, "illegal", node.move, node.comment)
        return self

    def forfeit(self, loser: int, reason: str, tried: str = "", comment: str = "") -> Self:
        """Return the record with the loss of a side by an illegal move, a timeout or a crash."""
        headers = {**self.headers, **_format_outcome(Outcome(1 - loser, reason))}
        line = _add_illegal(self.line, tried, comment) if tried else self.line
        return replace(self, headers=headers, line=line)

    def _start(self, game: Game[P, Any]) -> P:
        if "Start" not in self.headers:
            return game.start()
        try:
            return game.parse(self.headers["Start"])
        except BadPosition as error:
            raise BadRecord(f"header Start: {error}") from error

    def _check_end(self, outcome: Outcome | None) -> None:
        """Check that the end agrees with the headers; a game may stop before its end."""
        if outcome is None:
            return
        for name, found in {"Points": "1", **_format_outcome(outcome)}.items():
            stated = self.headers.get(name, "*")
            if stated not in ("*", found):
                raise BadRecord(
                    f"header {name} says {quote(stated)}, but the moves lead to {found}"
                )

    def __repr__(self) -> str:
        game = self.headers.get("Game", "a game")
        return f"<Record of {game}: {len(self.line.moves)} moves, {self.result}>"

    def __str__(self) -> str:
        headers = [f'[{name} "{escape(value, chr(34))}"]' for name, value in self.headers.items()]
        moves = wrap_words([*format_words(self.line, self.first_ply), self.result])
        return "\n".join([*headers, "", moves] if headers else [moves])


def _format_outcome(outcome: Outcome) -> dict[str, str]:
    """Return the headers that describe the outcome."""
    result = "1/2-1/2" if outcome.winner is None else RESULTS[outcome.winner]
    points = {"Points": str(outcome.points)} if outcome.points != 1 else {}
    return {"Result": result, "Reason": outcome.reason, **points}


def _convert_match(match: PlayedGame) -> Line:
    """Return the moves of a match; an illegal move that lost it becomes a comment."""
    is_legal = match.outcome.reason != "illegal"
    legal = match.moves if is_legal else match.moves[:-1]
    line = Line(tuple(Node(str(move.move), move.comment) for move in legal))
    if is_legal:
        return line
    wrong = match.moves[-1]
    return _add_illegal(line, str(wrong.move), wrong.comment)


def _add_illegal(line: Line, move: str, comment: str) -> Line:
    """Say after the last move which illegal one came then."""
    remarks = [f"then came {quote(move)}, which is illegal", comment]
    if not line.moves:
        return Line(comment=_join_remarks([line.comment, *remarks]))
    *others, last = line.moves
    commented = replace(last, comment=_join_remarks([last.comment, *remarks]))
    return replace(line, moves=(*others, commented))


def _join_remarks(remarks: list[str]) -> str:
    return "; ".join(filter(None, remarks))


def _replay_line(
    line: Line, position: P, first_ply: int, game: Game[P, Any], where: str = ""
) -> list[P]:
    """Return the positions along a line; its variations are replayed, too."""
    positions = [position]
    for ply, node in enumerate(line.moves, first_ply):
        before = positions[-1]
        try:
            positions.append(before.play(game.parse_move(node.move, before)))
        except BadMove as error:
            raise BadRecord(f"move {format_move_number(ply)}{where}: {error}") from error
        for variation in node.variations:
            _replay_line(variation, before, ply, game, " of a variation")
    return positions
