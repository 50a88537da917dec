"""A game to be played as a value: its key, seed, conditions, start position and result.

The result of a job does not depend on the process or machine that runs it.
"""

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ludus.core.errors import BadSpec, LudusError
from ludus.core.game import CHANCE, AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, Player
from ludus.core.spec import check_ranges

SEED_BITS = 62
DEFAULT_GRACE = 0.5


class JobKey(NamedTuple):
    """Unique key of a game. A store holds one result for each key."""

    tournament: str
    first: str
    second: str
    number: int


@dataclass(frozen=True, slots=True)
class GameConditions:
    """The settings that all games of a tournament share."""

    game: str
    """Game spec, for example `hexapawn:size=4`."""

    rules: str = ""
    """Preset and options, in the format of `ludus match --rules`."""

    limit: Limit = Limit()  # noqa: RUF009 - frozen

    grace: float = DEFAULT_GRACE
    """Seconds by which a player may exceed `limit.time` before it loses by `timeout`."""

    max_plies: int = MAX_PLIES
    """Number of plies after which a game is a draw."""


@dataclass(frozen=True, slots=True)
class Job:
    """A game to be played."""

    key: JobKey
    conditions: GameConditions

    is_swapped: bool
    """Whether the second player of the pairing has the side that moves first."""

    start: str = ""
    """The start position; empty for the start of the game."""

    own_seed: int | None = None
    """The seed, where it is not that of the key."""

    @property
    def players(self) -> tuple[str, str]:
        """The players' specs by side."""
        _, first, second, _ = self.key
        return (second, first) if self.is_swapped else (first, second)

    @property
    def seed(self) -> int:
        """Seed of all randomness in the game, by default derived from its key."""
        return derive_seed(*self.key) if self.own_seed is None else self.own_seed


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a job."""

    key: JobKey

    winner: int | None
    """0 if the first player of the pairing won, 1 if the second did, None for a draw."""

    reason: str
    """The game's own outcome reason, or `illegal`, `timeout`, `crash`, `length`."""

    message: str
    """Details of a crash, timeout or illegal move; empty otherwise."""

    plies: int
    seconds: float

    record: str
    """The game in the format of `ludus.core.record`."""


def derive_seed(*parts: str | int) -> int:
    """Derive a seed from `parts`, the same on every machine.

    >>> derive_seed("a", 1) == derive_seed("a", 1) != derive_seed("a", 2)
    True
    """
    data = "\0".join(map(str, parts)).encode()
    whole = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
    return whole >> (64 - SEED_BITS)


MAX_RANDOM_PLIES = 200
MAX_RANDOM_TRIES = 1000
"""Number of random games that may end too early before `random_plies` is rejected."""


@dataclass(frozen=True, slots=True)
class StartPositions:
    """The start positions of a tournament's games; by default the start of the game."""

    positions: tuple[str, ...] = ()
    """Positions that are used in turn."""

    random_plies: int = 0
    """Number of random plies from the start of the game, without rolls of dice."""

    def __post_init__(self) -> None:
        if self.positions and self.random_plies:
            raise BadSpec("games begin at positions or after random_plies, not both")
        check_ranges(self, random_plies=(0, MAX_RANDOM_PLIES))

    def get_position(self, game: AnyGame, seed: int, number: int) -> str:
        """Return start position `number`, which depends on the arguments alone; empty for the
        default.
        """
        if self.positions:
            return self.positions[number % len(self.positions)]
        if not self.random_plies:
            return ""
        return str(_play_random_plies(game, self.random_plies, derive_seed("start", seed, number)))

    def check_player(self, player: Player, seed: int) -> None:
        """Raise a LudusError if a player cannot play from a start position."""
        game = player.game
        for start in self.positions or (self.get_position(game, seed, 0),):
            player.check_start(game.parse(start) if start else game.start())


def schedule_starts(
    game: AnyGame, starts: StartPositions, seed: int, games: int, is_alternating: bool
) -> Iterator[tuple[int, bool, str]]:
    """Yield the number of each game, whether the second player is side 0, and the start position.

    If alternating, both players begin from each start position in turn; otherwise the first begins.
    """
    for number in range(games):
        start = starts.get_position(game, seed, number // 2 if is_alternating else number)
        is_side_1_to_begin = bool(start) and game.parse(start).mover == 1
        yield number, (is_alternating and number % 2 == 1) ^ is_side_1_to_begin, start


def normalize_start(game: AnyGame, text: str) -> str:
    """Return a position in the game's notation; raise BadSpec if the game is over."""
    position = game.parse(text)
    if (outcome := position.outcome()) is not None:
        raise BadSpec(f"the game is over in {position}: {outcome}")
    return str(position)


def _play_random_plies(game: AnyGame, plies: int, seed: int) -> Any:
    source = random.Random(seed)
    for _ in range(MAX_RANDOM_TRIES):
        position, left = game.start(), plies
        while position.outcome() is None and (left or position.mover == CHANCE):
            if position.mover == CHANCE:
                rolls, weights = zip(*game.chances(position), strict=True)
                position = position.play(source.choices(rolls, weights)[0])
            else:
                position = position.play(source.choice(position.legal_moves()))
                left -= 1
        if position.outcome() is None:
            # Parse the text to drop the history of the game.
            return game.parse(str(position))
    raise LudusError(f"games of {game.id} are over before {plies} random plies")


FAULT_REASONS = ("illegal", "timeout", "crash")
"""Outcome reasons outside the rules of the game."""

GameTracker = Callable[[Iterator[GameResult], int], Iterable[GameResult]]
"""Passes on the results of a given number of games, and may show progress or store them."""
