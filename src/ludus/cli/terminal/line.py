"""The game so far: every position, every move, and the way back."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Self

from ludus.core.game import CHANCE, AnyGame
from ludus.core.match import MatchRecord, MoveRecord
from ludus.core.outcome import Outcome
from ludus.core.record import Record

ENDING = ("Result", "Reason")
"""Headers that a game without an end does not have."""


class Line:
    """One game from its start to where it stands."""

    def __init__(self, game: AnyGame, start: Any = None) -> None:
        self.game = game
        self.positions = [game.start() if start is None else start]
        self.moves: list[MoveRecord] = []

    @property
    def position(self) -> Any:
        """Where the game stands."""
        return self.positions[-1]

    def play(self, move: Any, comment: str = "") -> None:
        """Go one move further."""
        self.positions.append(self.position.play(move))
        self.moves.append(MoveRecord(self.positions[-2].mover, move, 0.0, comment))

    def back(self, people: Collection[int]) -> bool:
        """Return to where one of these sides last had a choice; False if there is no such place."""
        for ply in range(len(self.moves) - 1, -1, -1):
            position = self.positions[ply]
            if position.mover in people and any(map(self.game.steps, position.legal_moves())):
                del self.positions[ply + 1 :], self.moves[ply:]
                return True
        return False

    def last_places(self) -> list[str]:
        """The places that the last move touched, rolls of the dice left aside."""
        made = next((made for made in reversed(self.moves) if made.mover != CHANCE), None)
        return [] if made is None else list(self.game.steps(made.move))

    def record(self, players: tuple[str, str], seed: int) -> Record:
        """The game as text for a file; without a result while it goes on."""
        outcome = self.position.outcome()
        match = MatchRecord(
            game=self.game.id,
            rules=self.game.rules,
            players=players,
            seed=seed,
            start=str(self.positions[0]),
            moves=tuple(self.moves),
            outcome=outcome or Outcome(None, "unfinished"),
        )
        record = Record.from_match(match, self.game)
        if outcome is not None:
            return record
        known = {name: text for name, text in record.headers.items() if name not in ENDING}
        return replace(record, headers=known)

    @classmethod
    def replayed(cls, record: Record, game: AnyGame) -> Self:
        """A recorded game, ready to go on; BadRecord unless every move is legal."""
        positions = record.replay(game)
        line = cls(game, positions[0])
        for node, position in zip(record.line.moves, positions, strict=False):
            line.play(game.parse_move(node.move, position), node.comment)
        return line
