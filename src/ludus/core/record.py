"""Games as text that people can read, keep and paste: headers, numbered moves, a result.

The form is that of chess's PGN, for every game. Comments stand in braces, and what could have been
played instead of a move stands in parentheses behind it:

>>> record = Record.parse('[Game "hexapawn"] 1. b1-b2 {bold} (1. a1-a2 b3xa2) a3xb2 *')
>>> print(record)
[Game "hexapawn"]
<BLANKLINE>
1. b1-b2 {bold} (1. a1-a2 b3xa2) 1... a3xb2 *

Spaces within a move are written as commas (`8/5,6/5`). A number counts two moves; in games with
dice these are a roll and the move made with it. `str` and `Record.parse` are exact inverses; other
layouts are read too and come out in the normal one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from ludus.core.errors import MAX_TEXT, BadMove, BadPosition, BadRecord, check_length, quoted
from ludus.core.game import AnyGame
from ludus.core.match import MatchRecord
from ludus.core.outcome import Outcome
from ludus.core.record_line import (
    RESULTS,
    Line,
    Node,
    check_depth,
    escaped,
    filled,
    move_number,
    words,
)
from ludus.core.record_reader import NAME, read_games

__all__ = ["RESULTS", "Line", "Node", "Record"]

MAX_FIRST_PLY = 100_000
"""The latest a record may begin; it keeps move numbers short."""

MAX_FILE = 100 * MAX_TEXT
"""Longest text with several games, each of which may have MAX_TEXT characters."""


@dataclass(frozen=True)
class Record:
    """One game: what is known about it, its moves, and its result."""

    headers: Mapping[str, str] = field(default_factory=dict)
    """`Game`, `Rules`, the players by the names of their sides, `Start`, `Result`, `Reason`, …"""

    line: Line = Line()  # noqa: RUF009 - frozen
    """The moves that were played, with everything said about them."""

    first_ply: int = 0
    """Moves before the first one here; odd where the second side begins."""

    def __post_init__(self) -> None:
        for name in self.headers:
            if not re.fullmatch(NAME, name):
                raise BadRecord(f"{quoted(name)} cannot be the name of a header")
        if self.result not in RESULTS:
            raise BadRecord(f"result {quoted(self.result)} is none of {', '.join(RESULTS)}")
        if not 0 <= self.first_ply <= (MAX_FIRST_PLY if self.line.moves else 0):
            moves = len(self.line.moves)
            raise BadRecord(f"a record of {moves} moves cannot begin at ply {self.first_ply}")
        check_depth(self.line)

    @property
    def result(self) -> str:
        """One of RESULTS; without a header that says so a game has no end."""
        return self.headers.get("Result", "*")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The one game in a text; BadRecord otherwise."""
        games = list(read_games(check_length(text, BadRecord, MAX_TEXT)))
        if len(games) != 1:
            raise BadRecord(f"{quoted(text)} holds {len(games) or 'no'} games instead of one")
        return cls(*games[0])

    @classmethod
    def parse_many(cls, text: str) -> list[Self]:
        """All the games in a text, one behind the other."""
        return [cls(*game) for game in read_games(check_length(text, BadRecord, MAX_FILE))]

    @classmethod
    def from_match(cls, match: MatchRecord, game: AnyGame) -> Self:
        """What the match loop left, with the comments of the players."""
        first, second = (side.capitalize() for side in game.sides)
        headers = {
            "Game": match.game,
            "Rules": _rules_text(match.rules, game),
            first: match.players[0],
            second: match.players[1],
            "Seed": str(match.seed),
        }
        if match.start != str(game.start()):
            headers["Start"] = match.start
        headers |= _ending(match.outcome)
        line = _match_line(match)
        is_second_first = bool(line.moves) and match.moves[0].mover == 1
        return cls(headers, line, first_ply=int(is_second_first))

    def replay(self, game: AnyGame) -> list[Any]:
        """The positions of the game from its start on; BadRecord unless every move is legal.

        Variations are played too, and the end must not contradict the headers.
        """
        name = self.headers.get("Game", game.id)
        if name != game.id:
            raise BadRecord(f"this is a record of {quoted(name)}, not of {game.id}")
        positions = _play(self.line, self._start(game), self.first_ply, game)
        self._check_end(positions[-1].outcome())
        return positions

    def _start(self, game: AnyGame) -> Any:
        if "Start" not in self.headers:
            return game.start()
        try:
            return game.parse(self.headers["Start"])
        except BadPosition as error:
            raise BadRecord(f"header Start: {error}") from error

    def _check_end(self, outcome: Outcome | None) -> None:
        """A game may stop before its end, but it cannot end in another way than it says."""
        if outcome is None:
            return
        for name, found in {"Points": "1", **_ending(outcome)}.items():
            said = self.headers.get(name, "*")
            if said not in ("*", found):
                raise BadRecord(f"header {name} says {quoted(said)}, but the moves lead to {found}")

    def __str__(self) -> str:
        headers = [f'[{name} "{escaped(value, chr(34))}"]' for name, value in self.headers.items()]
        moves = filled([*words(self.line, self.first_ply), self.result])
        return "\n".join([*headers, "", moves] if headers else [moves])


def _ending(outcome: Outcome) -> dict[str, str]:
    """The headers that tell how a game ended."""
    result = "1/2-1/2" if outcome.winner is None else RESULTS[outcome.winner]
    points = {"Points": str(outcome.points)} if outcome.points != 1 else {}
    return {"Result": result, "Reason": outcome.reason, **points}


def _match_line(match: MatchRecord) -> Line:
    """The moves of a match; an illegal move that lost it is told in a comment."""
    is_legal = match.outcome.reason != "illegal"
    legal = match.moves if is_legal else match.moves[:-1]
    line = Line(tuple(Node(str(move.move), move.comment) for move in legal))
    if is_legal:
        return line
    wrong = match.moves[-1]
    remarks = [f"then came {quoted(str(wrong.move))}, which is illegal", wrong.comment]
    if not line.moves:
        return Line(comment=_joined(remarks))
    *others, last = line.moves
    return Line((*others, replace(last, comment=_joined([last.comment, *remarks]))))


def _joined(remarks: list[str]) -> str:
    return "; ".join(filter(None, remarks))


def _rules_text(rules: Any, game: AnyGame) -> str:
    """The nearest preset and what differs from it, as a game's spec has them."""
    differences = {
        name: [
            f"{option.name}={getattr(rules, option.name)}"
            for option in fields(rules)
            if getattr(rules, option.name) != getattr(preset, option.name)
        ]
        for name, preset in game.presets.items()
    }
    nearest = min(differences, key=lambda name: len(differences[name]))
    return ",".join([nearest, *differences[nearest]])


def _play(line: Line, position: Any, first_ply: int, game: AnyGame, where: str = "") -> list[Any]:
    """The positions along a line, once its variations have been played as well."""
    positions = [position]
    for ply, node in enumerate(line.moves, first_ply):
        before = positions[-1]
        try:
            positions.append(before.play(game.parse_move(node.move, before)))
        except BadMove as error:
            raise BadRecord(f"move {move_number(ply)}{where}: {error}") from error
        for variation in node.variations:
            _play(variation, before, ply, game, " of a variation")
    return positions
