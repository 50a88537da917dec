"""MENACE and HER: a matchbox for each position, in it beads for the moves, drawn blindly.

After a game the boxes it went through are rewarded or punished: each gets beads of the colour that
was drawn, or loses some. MENACE (Michie 1963) plays noughts and crosses, HER (Gardner 1962)
hexapawn; here they have the beads and rewards of Muggleton and Hocquette (2019).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.learn.lessons import Opponent, Played, play_game
from ludus.learn.starts import plies_played
from ludus.learn.tabular.rows import Row, SymmetricRows
from ludus.learn.tabular.table import TableLearner

MOST = 1000
"""No reward and no number of beads needs to be larger."""


@dataclass(frozen=True, slots=True)
class Options:
    """Beads at first, and what a game is worth."""

    beads: int = 4
    """Beads for a move when the game begins; the later in the game, the fewer."""

    win: int = 3
    """Beads given for each move of a game that was won."""

    draw: int = 1

    loss: int = -1

    def __post_init__(self) -> None:
        if not 1 <= self.beads <= MOST:
            raise BadSpec(f"beads={self.beads} must be from 1 to {MOST}")
        for name in ("win", "draw", "loss"):
            if abs(getattr(self, name)) > MOST:
                raise BadSpec(f"{name}={getattr(self, name)} must be from {-MOST} to {MOST}")

    def reward(self, score: int) -> int:
        """For a game with this score."""
        return (self.draw, self.win, self.loss)[score]


class BeadLearner(TableLearner):
    """Draws a bead where it has a choice. A box that is empty leaves the move to chance."""

    options: ClassVar[Options] = Options()
    rows = SymmetricRows

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        self._drawn: list[tuple[Row, str]] = []
        self._plies: dict[Any, int] = {}

    @abstractmethod
    def first_beads(self, ply: int) -> int:
        """Beads for each move of a box that is first opened after so many plies."""

    def play_and_learn(self, start: Any, opponent: Opponent) -> Played:
        self._drawn = []
        if start not in self._plies:
            self._plies[start] = plies_played(self.game, start)
        ply = self._plies[start]

        def choose(position: Any) -> Any:
            nonlocal ply
            move = self.draw(position, ply)
            ply += 2
            return move

        played = play_game(start, choose, opponent)
        reward = self.settings.reward(played.score)
        for box, bead in self._drawn:
            box[bead] = max(0, box[bead] + reward)
        return played

    def draw(self, position: Any, ply: int) -> Any:
        """A move by a bead drawn from the box of a position."""
        key, names = self.places.find(position)
        if len(names) == 1:
            return next(iter(names))
        if key not in self.table:
            self.table[key] = dict.fromkeys(names.values(), max(1, self.first_beads(ply)))
        box = self.table[key]
        beads = list(box.values())
        bead = self.random.choices(list(box), beads if any(beads) else None)[0]
        self._drawn.append((box, bead))
        return next(move for move, name in names.items() if name == bead)


class Menace(BeadLearner):
    """The Matchbox Educable Noughts And Crosses Engine."""

    system = "menace"

    def first_beads(self, ply: int) -> int:
        own_moves = ply // 2
        return int(self.settings.beads) - own_moves


class Her(BeadLearner):
    """The Hexapawn Educable Robot."""

    system = "her"

    def first_beads(self, ply: int) -> int:
        return int(2 * self.settings.beads - ply) // 2
