"""The player `adaptive`: adjusts its level so that its mean result stays near a target.

After each game the level changes by `gain` times the difference between target and result: up after
a loss, down after a win. Over n games the mean result differs from the target by at most the change
in level divided by n times the gain. A fractional level is rounded up or down at random for each
game.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from ludus.core.errors import BadPosition, LudusError, quote
from ludus.core.files import parse_json_object, quote_path, read_bytes, write_text
from ludus.core.game import AnyGame, Outcome
from ludus.core.marks import Marks, Picture
from ludus.core.player import Choice, HasPictures, Limit, Player
from ludus.core.spec import check_ranges, format_options
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.players import player as named_player

LEVEL_PLAYERS: tuple[str, ...] = (
    "fuzzy:k=0",
    "fuzzy:preset=tuned,k=0.5",
    "fuzzy:preset=tuned,k=0.75",
    "fuzzy:preset=tuned,k=1",
    "fuzzy:preset=tuned,k=1.5",
    "fuzzy:preset=tuned,k=2",
    "fuzzy:preset=tuned",
    "negascout:level=3",
    "negascout:level=4",
    "negascout:level=5",
    "negascout:level=6",
    "negascout:level=7",
    "negascout:level=8",
    "negascout:level=9",
    "negascout:level=10",
)
"""Player specs by level, the weakest first.

The lower levels are `fuzzy` with a rising power k, which sets how strongly good moves are
preferred: with k = 0 all moves are equally likely, with the tuned power the best are hardly ever
missed. Stronger levels are those of `negascout`.
"""

MAX_LEVEL = len(LEVEL_PLAYERS) - 1


def infer_result(last: MorrisPosition) -> float | None:
    """Infer the result (1, ½ or 0) for the side that moved last in a game that stopped after
    `last`.

    For players whose `end` is not called: they know the position after their own last move and when
    the next game begins. If that move did not end the game, the opponent's reply did, or the game
    was abandoned (None). An opponent that could win at once is assumed to have won, one that could
    only end the game in a draw to have drawn.
    """
    side = 1 - last.mover
    if (outcome := last.outcome()) is not None:
        return _score_for_side(outcome.winner, side)
    ends = [last.play(reply).outcome() for reply in last.legal_moves()]
    scores = [_score_for_side(end.winner, side) for end in ends if end is not None]
    return min(scores, default=None)


def _score_for_side(winner: int | None, side: int) -> float:
    return 0.5 if winner is None else float(winner == side)


STATE_FORMAT, STATE_VERSION = "ludus-adaptive", 1

NUM_RECENT_RESULTS = 20
"""Number of results kept in the state."""

MAX_STATE_BYTES = 100_000


class BadAdaptiveState(LudusError):
    """A file is not the state of an adaptive player, or cannot be read."""


@dataclass(frozen=True, slots=True)
class AdaptiveState:
    """The state of an adaptive player, stored in a JSON file between sessions."""

    level: float
    games: int = 0
    """Number of games with a known result."""

    recent: tuple[float, ...] = ()
    """The last results, the newest last: 1 for a win of the player, ½ or 0."""

    waiting: str = ""
    """The position after the player's last move in a game whose result is unknown."""

    def after(self, level: float, result: float) -> "AdaptiveState":
        """Return the state after one more game."""
        return AdaptiveState(level, self.games + 1, (*self.recent, result)[-NUM_RECENT_RESULTS:])


def save_state(state: AdaptiveState, path: Path) -> None:
    """Write a state atomically."""
    text = json.dumps({"format": STATE_FORMAT, "version": STATE_VERSION, **asdict(state)}) + "\n"
    write_text(path, text)


def load_state(path: Path) -> AdaptiveState | None:
    """Read the state of a file; None if it does not exist."""
    name = quote_path(path)
    try:
        found = parse_json_object(read_bytes(path, MAX_STATE_BYTES, BadAdaptiveState))
    except BadAdaptiveState as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    if found is None or found.get("format") != STATE_FORMAT:
        raise BadAdaptiveState(f"{name} is not the state of an adaptive player")
    if found.get("version") != STATE_VERSION:
        raise BadAdaptiveState(
            f"{name} has version {quote(str(found.get('version')))}, not {STATE_VERSION}"
        )
    level: Any = found.get("level")
    games, recent, waiting = found.get("games"), found.get("recent"), found.get("waiting", "")
    if not (
        type(level) in (int, float)
        and 0 <= level <= MAX_LEVEL
        and type(games) is int
        and games >= 0
        and isinstance(recent, list)
        and len(recent) <= NUM_RECENT_RESULTS
        and all(type(each) in (int, float) and each in (0, 0.5, 1) for each in recent)
        and isinstance(waiting, str)
    ):
        raise BadAdaptiveState(f"{name} is damaged: its level, games or results are invalid")
    return AdaptiveState(float(level), games, tuple(map(float, recent)), waiting)


@dataclass(frozen=True, slots=True)
class AdaptiveOptions:
    """The target and the rate of adaptation."""

    target: float = 0.5
    """Target mean score, where a win is 1 and a draw ½; from 0.05 to 0.95."""

    level: float = 5.0
    """Initial level if there is no saved state; 0 is the easiest."""

    gain: float = 0.5
    """Change of level per point of difference between target and result."""

    state: str = ""
    """File that stores the level between sessions; it is written after each move."""

    def __post_init__(self) -> None:
        ranges = {"target": (0.05, 0.95), "level": (0, MAX_LEVEL), "gain": (0.01, MAX_LEVEL)}
        check_ranges(self, "adaptive", **ranges)


class AdaptivePlayer(Player):
    """Plays about as well as its opponent."""

    title: ClassVar[str] = "follows its opponent's level to keep its share of points at a target"
    options: ClassVar[AdaptiveOptions] = AdaptiveOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        self._file = Path(settings.state) if settings.state else None
        found = load_state(self._file) if self._file is not None else None
        self.state = AdaptiveState(settings.level) if found is None else found
        self._players: dict[int, Player] = {}
        self._last = self._load_pending()
        """The position after the last own move of a game whose result is unknown."""
        self._level_index = self._sample_level_index()

    @property
    def name(self) -> str:
        return f"{self.spec} (level {self.state.level:.1f} of {MAX_LEVEL})"

    def start_game(self, seed: int) -> None:
        super().start_game(seed)
        self._finish_last_game()
        self._level_index = self._sample_level_index()
        self._player(self._level_index).start_game(self.random.getrandbits(62))

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        choice = self._player(self._level_index).choose(position, limit)
        comment = f"level {self.state.level:.0f} of {MAX_LEVEL}: {choice.comment}"
        self._last = position.play(choice.move)
        self._save_state(replace(self.state, waiting=str(self._last)))
        return Choice(choice.move, comment, choice.scores)

    def finish_game(self, outcome: Outcome) -> None:
        """Update the level.

        Only here, and not after an own move that ends the game: that move may have been a
        suggestion that was never played.
        """
        if self._last is not None:
            side = 1 - self._last.mover
            self._last = None
            self._move_level(_score_for_side(outcome.winner, side))

    @property
    def next_spec(self) -> str:
        """The spec for the next game, with the current level."""
        settings = replace(self.settings, level=round(self.state.level, 4))
        changed = format_options(settings, self.options)
        return f"adaptive:{','.join(changed)}".rstrip(":")

    def pictures(self, position: MorrisPosition) -> Sequence[Picture | tuple[str, Marks]]:
        """Return the pictures of the player of the current level."""
        played_as = self._player(self._level_index)
        return played_as.pictures(position) if isinstance(played_as, HasPictures) else ()

    def _finish_last_game(self) -> None:
        """Infer the result of the last game and update the level if it was finished."""
        result = None if self._last is None else infer_result(self._last)
        self._last = None
        if result is not None:
            self._move_level(result)
        elif self.state.waiting:
            self._save_state(replace(self.state, waiting=""))

    def _move_level(self, result: float) -> None:
        missed = self.settings.target - result
        level = min(max(self.state.level + self.settings.gain * missed, 0.0), float(MAX_LEVEL))
        self._save_state(self.state.after(level, result))

    def _save_state(self, state: AdaptiveState) -> None:
        """Set the state, and save it if there is a file."""
        self.state = state
        if self._file is not None:
            save_state(state, self._file)

    def _load_pending(self) -> Any:
        """Return the pending position of an earlier session; None if it belongs to other rules."""
        try:
            return self.game.parse(self.state.waiting) if self.state.waiting else None
        except BadPosition:
            return None

    def _sample_level_index(self) -> int:
        """Round the level up or down at random, with the level as the expected value."""
        whole = int(self.state.level)
        return whole + (self.random.random() < self.state.level - whole)

    def _player(self, level_index: int) -> Player:
        """Return the player of a level, constructed when first needed."""
        if level_index not in self._players:
            self._players[level_index] = named_player(LEVEL_PLAYERS[level_index], self.game)
        return self._players[level_index]
