"""A player that follows the level of whoever it meets, so that its win rate stays near a target.

After each game its level moves by `gain` times what the target was missed by: up after a loss, down
after a win. So over n games the mean result differs from the target by no more than the way from
the first level to the last, divided by n times the gain. Between two levels chance decides which
of them plays a game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from ludus.core.errors import BadPosition, BadSpec
from ludus.core.limit import Limit
from ludus.core.marks import Marks
from ludus.core.outcome import Outcome
from ludus.core.pictures import HasPictures, Picture
from ludus.core.player import Choice, Player
from ludus.learn.patterns.ladder import HIGHEST, LADDER
from ludus.learn.patterns.results import points
from ludus.learn.patterns.state import State, load, save
from ludus.players import player as named_player


@dataclass(frozen=True, slots=True)
class Options:
    """What it aims at, and how fast."""

    target: float = 0.5
    """The share of points it wants, a win being 1 and a draw ½; from 0.05 to 0.95."""

    level: float = 5.0
    """Where it begins, if no state says otherwise; 0 is the easiest."""

    gain: float = 0.5
    """Levels it would move if it missed its target by a whole game."""

    state: str = ""
    """A file that keeps the level from day to day; it is written after each move."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("target", 0.05, 0.95),
            ("level", 0, HIGHEST),
            ("gain", 0.01, HIGHEST),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise BadSpec(f"adaptive {name}={value:g} must be from {low:g} to {high:g}")


class AdaptivePlayer(Player):
    """Plays about as well as its opponent."""

    title: ClassVar[str] = "follows its opponent's level to keep its share of points at a target"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        self._file = Path(settings.state) if settings.state else None
        found = load(self._file) if self._file is not None else None
        self.state = State(settings.level) if found is None else found
        self._players: dict[int, Player] = {}
        self._last = self._waiting()
        """The position after the last own move of a game whose result is not known yet."""
        self._rung = self._draw_rung()

    @property
    def name(self) -> str:
        return f"{self.spec} (level {self.state.level:.1f} of {HIGHEST})"

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._settle()
        self._rung = self._draw_rung()
        self._player(self._rung).begin(self.random.getrandbits(62))

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        choice = self._player(self._rung).choose(position, limit)
        comment = f"level {self.state.level:.1f}, plays as {LADDER[self._rung]}: {choice.comment}"
        self._last = position.play(choice.move)
        self._keep(replace(self.state, waiting=str(self._last)))
        return Choice(choice.move, comment, choice.scores)

    def end(self, outcome: Outcome) -> None:
        """Move the level.

        Not even a move of its own that ends the game does: it may have been chosen in vain, by a
        player that is shown a game.
        """
        if self._last is not None:
            side = 1 - self._last.mover
            self._last = None
            self._move_level(0.5 if outcome.winner is None else float(outcome.winner == side))

    @property
    def next_spec(self) -> str:
        """Its spec for the next game, at the level that it has come to."""
        settings = replace(self.settings, level=round(self.state.level, 4))
        changed = (
            f"{field.name}={getattr(settings, field.name)}"
            for field in fields(settings)
            if getattr(settings, field.name) != getattr(self.options, field.name)
        )
        return f"adaptive:{','.join(changed)}".rstrip(":")

    def pictures(self, position: Any) -> Sequence[Picture | tuple[str, Marks]]:
        """Those of the player that it plays as."""
        played_as = self._player(self._rung)
        return played_as.pictures(position) if isinstance(played_as, HasPictures) else ()

    def _settle(self) -> None:
        """Find out what the last game brought, and move the level if it was played to its end."""
        result = None if self._last is None else points(self._last)
        self._last = None
        if result is not None:
            self._move_level(result)
        elif self.state.waiting:
            self._keep(replace(self.state, waiting=""))

    def _move_level(self, result: float) -> None:
        missed = self.settings.target - result
        level = min(max(self.state.level + self.settings.gain * missed, 0.0), float(HIGHEST))
        self._keep(self.state.after(level, result))

    def _keep(self, state: State) -> None:
        """Remember this, also for the next day if there is a file for it."""
        self.state = state
        if self._file is not None:
            save(state, self._file)

    def _waiting(self) -> Any:
        """What an earlier day has left unsettled; a position of other rules is left as it is."""
        try:
            return self.game.parse(self.state.waiting) if self.state.waiting else None
        except BadPosition:
            return None

    def _draw_rung(self) -> int:
        """The level as a whole number, up or down in proportion to what is nearer."""
        whole = int(self.state.level)
        return whole + (self.random.random() < self.state.level - whole)

    def _player(self, rung: int) -> Player:
        """The player of a level, made when it is first needed."""
        if rung not in self._players:
            self._players[rung] = named_player(LADDER[rung], self.game)
        return self._players[rung]
