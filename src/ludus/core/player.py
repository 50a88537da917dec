"""The interface of every player: Limit for one decision, Choice, Player, SearchingPlayer."""

import operator
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, runtime_checkable

from ludus.core.errors import BadArgument, BadPosition, BadSpec, quote_value
from ludus.core.game import CHANCE, AnyGame, Game, M, Move, Outcome, P, Position
from ludus.core.marks import Marks, Picture


@dataclass(frozen=True, slots=True)
class Limit:
    """Budget of one decision. Fields that are None do not limit; the first limit reached counts."""

    time: float | None = None
    """Seconds of wall-clock time. Results under a time limit are not reproducible."""

    nodes: int | None = None
    """Positions that a search may visit, or random games that a playout player may play."""

    depth: int | None = None
    """Depth of a search in plies."""

    def __post_init__(self) -> None:
        for name in ("time", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadSpec(f"limit {name}={value} must be greater than zero")

    def tighten(
        self, time: float | None = None, nodes: int | None = None, depth: int | None = None
    ) -> "Limit":
        """Return the limit that keeps to this one and to the given bounds.

        >>> Limit(nodes=100).tighten(time=2.0, nodes=50)
        Limit(time=2.0, nodes=50, depth=None)
        """
        pairs = ((self.time, time), (self.nodes, nodes), (self.depth, depth))
        return Limit(*(min(filter(None, pair), default=None) for pair in pairs))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False)
class Choice(Generic[M]):
    """A player's decision and, where the player can give one, an explanation."""

    move: M
    """A move of the position's game."""

    comment: str = ""
    """Explanation in one sentence."""

    scores: Mapping[M, float] = field(default_factory=lambda: MappingProxyType({}))
    """Move to the player's score of it, higher is better; empty if it does not compare moves."""

    def __str__(self) -> str:
        return f"{self.move}: {self.comment}" if self.comment else str(self.move)

    def __repr__(self) -> str:
        return f"<Choice {self.move}>"


class Player(ABC, Generic[P, M]):
    """A player: chooses a move in a position. Created from a spec string by `ludus.player`."""

    title: ClassVar[str]
    """One line that describes the player."""

    options: ClassVar[Any] = None
    """A frozen dataclass with the default options, or None for a player without options."""

    score_unit: str = ""
    """Unit of `Choice.scores`: `equity` for mean points in good play, `points` for mean points of
    random games, empty for scores that only rank moves."""

    page_options: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options that the page sets; it shows the name of each player, and so what it can do."""

    games: ClassVar[frozenset[str] | None] = None
    """Ids of the games that it can play; None for all. See `can_play`."""

    def __init__(self, game: Game[P, M], settings: Any = None, spec: str = "") -> None:
        """Create a player of a game, by default with the default options."""
        self.game = game
        self.settings = self.options if settings is None else settings
        self.spec = spec or f"{type(self).__module__}:{type(self).__qualname__}"
        self.random = random.Random(0)

    def __repr__(self) -> str:
        return f"ludus.player({self.spec!r}, {self.game!r})"

    @classmethod
    def can_play(cls, game: type[AnyGame]) -> bool:
        """Return whether it can play a game, with some rules at least."""
        return cls.games is None or game.id in cls.games

    @property
    def name(self) -> str:
        """Display name; a player that changes from game to game includes its current state."""
        return self.spec

    @property
    def notice(self) -> str:
        """What users should know before it plays, in a clause; empty for most players."""
        return ""

    def check_start(self, position: P) -> None:
        """Raise a LudusError if it cannot play a game from this position."""

    def start_game(self, seed: int) -> None:
        """Start a new game: reset the state and the random generator with this seed."""
        self.random.seed(check_seed(seed))

    def finish_game(self, outcome: Outcome) -> None:
        """Note the outcome of the current game. Not every game is played to its end."""

    def native_twin(self) -> Any:
        """Return its compiled counterpart for `Game.play_native_games`; None if there is none."""
        return None

    @abstractmethod
    def choose(self, position: P, limit: Limit = Limit()) -> Choice[M]:  # noqa: B008 - frozen
        """Choose a legal move; the game must not be over and the mover not CHANCE."""

    def choose_many(self, positions: Sequence[P], limit: Limit = Limit()) -> list[Choice[M]]:  # noqa: B008
        """Return one choice per position; overridden by players that are faster in batches."""
        return [self.choose(position, limit) for position in positions]


def check_seed(seed: Any) -> int:
    """Return a seed; BadArgument unless it is a whole number: others give other games each time."""
    try:
        return operator.index(seed)
    except TypeError:
        raise BadArgument(f"seed={quote_value(seed)} must be a whole number") from None


def check_decision(position: Position) -> None:
    """Raise BadPosition unless a side is to move: for a roll of dice and the end of a game."""
    if position.mover == CHANCE:
        raise BadPosition(f"dice are rolled in {position}; no player moves")
    if (outcome := position.outcome()) is not None:
        raise BadPosition(f"the game is over in {position}: {outcome}")


@dataclass(frozen=True, slots=True)
class PrincipalVariation:
    """The moves that a search expects, with the score of the first one."""

    moves: tuple[Move, ...]

    score: int
    """Score from the mover's side, in hundredths of a man or of the game's unit."""

    plies_to_end: int | None = None
    """Plies to a proven end of the game, negative for a loss; None if unproven."""


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """The state of a search after a completed depth."""

    depth: int
    """Plies that are searched completely."""

    max_depth: int
    """Length of the longest line searched, in plies."""

    nodes: int
    """Positions visited."""

    lines: tuple[PrincipalVariation, ...]
    """Principal variations, best first."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """How a player expects a game to end: probabilities for the side to move."""

    win: float
    draw: float
    loss: float

    plies: float | None = None
    """Expected number of plies to the end if the game is not drawn."""

    @property
    def points(self) -> float:
        """Expected result: 1 for a win, 0 for a draw, -1 for a loss."""
        return self.win - self.loss

    def for_previous_mover(self) -> "Forecast":
        """Return the forecast for the side that made the move that led here."""
        plies = None if self.plies is None else self.plies + 1
        return Forecast(self.loss, self.draw, self.win, plies)


@runtime_checkable
class ForecastingPlayer(Protocol):
    """A player that predicts the results of positions."""

    def forecast_many(self, positions: Sequence[Any]) -> list[Forecast]:
        """Return a forecast for each position, which may be that of a finished game."""


ProgressCallback = Callable[[SearchProgress], bool]
"""Called after every completed depth; returning true stops the search."""


@runtime_checkable
class SearchingPlayer(Protocol):
    """A player whose search reports progress and can be stopped."""

    def start_game(self, seed: int) -> None:
        """Start a new game: reset the state and the random generator with this seed."""

    def think(
        self,
        position: Position,
        limit: Limit,
        watch: ProgressCallback | None = None,
        search_moves: Sequence[Any] = (),
    ) -> Choice:
        """Choose a move, of `search_moves` if there are any, and report progress."""

    def stop(self) -> None:
        """Stop a search running on another thread; it returns the best move found so far."""


@runtime_checkable
class HasPictures(Protocol):
    """A player that illustrates its decisions.

    `pictures` is called right after `choose` with the same position, so a player may reuse what it
    computed there. The caller draws the pictures over the board; a player uses only names of
    places.
    """

    def pictures(self, position: Position) -> Sequence[Picture | tuple[str, Marks]]:
        """Return pictures of the position whose move was just chosen, the most informative first.

        A tuple of title and marks is a picture, too.
        """
