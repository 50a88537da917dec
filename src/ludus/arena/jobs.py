"""Games as jobs: what determines a game as a value, and playing it in this process.

The result of a job does not depend on the process or machine that runs it. A player's fault
forfeits its game and nothing else.
"""

import hashlib
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from ludus.core.errors import BadSpec, LudusError, to_one_line
from ludus.core.game import CHANCE, AnyGame, Outcome, Position
from ludus.core.match import MAX_PLIES, PlayedGame, PlayedMove, play_game
from ludus.core.player import Choice, Limit, Player
from ludus.core.record import Record
from ludus.core.spec import check_ranges
from ludus.games import game as named_game
from ludus.players import player as named_player

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
    return whole >> 2


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

MAX_MESSAGE_LENGTH = 400

TurnCallback = Callable[[int, Any], None]
"""Called with the side to move and the position, or None while a player is being constructed."""


class Forfeit(Exception):
    """A player has lost by a fault outside the rules of the game."""

    def __init__(self, side: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.side, self.reason = side, reason
        self.message = to_one_line(message, MAX_MESSAGE_LENGTH)


@contextmanager
def forfeit_on_error(side: int) -> Iterator[None]:
    """Turn whatever a player raises into the loss of its game."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise Forfeit(side, "crash", f"{type(error).__name__}: {error}") from error


class SupervisedPlayer(Player):
    """A wrapper that turns a player's exceptions and exceeded time limits into a Forfeit."""

    title: ClassVar[str] = "plays under supervision"

    def __init__(self, player: Player, side: int, grace: float, watch: TurnCallback) -> None:
        super().__init__(player.game, player.settings, player.spec)
        self._player, self._side, self._grace, self._watch = player, side, grace, watch

    def check_start(self, position: Position) -> None:
        with forfeit_on_error(self._side):
            self._player.check_start(position)

    def start_game(self, seed: int) -> None:
        self._watch(self._side, None)
        with forfeit_on_error(self._side):
            self._player.start_game(seed)

    def finish_game(self, outcome: Outcome) -> None:
        self._watch(self._side, None)
        # The result is final, whatever the player raises.
        with suppress(Exception, SystemExit):
            self._player.finish_game(outcome)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        self._watch(self._side, position)
        began = time.perf_counter()
        with forfeit_on_error(self._side):
            choice = self._player.choose(position, limit)
            if not (isinstance(choice, Choice) and isinstance(choice.comment, str)):
                raise TypeError(f"{choice!r:.80} is not a Choice")
        seconds = time.perf_counter() - began
        if limit.time is not None and seconds > limit.time + self._grace:
            raise Forfeit(self._side, "timeout", f"took {seconds:.2f} s; {limit.time:g} s are set")
        return choice


class PlayerCache:
    """Games and players that are kept from job to job: to make one may be slow.

    `start_game` resets a player. Each side has an object of its own, also if a player meets itself.
    """

    def __init__(
        self, game: AnyGame | None = None, players: Mapping[tuple[str, int], Player] | None = None
    ) -> None:
        """Take the game of all jobs and players, by spec and number in the pairing, if given."""
        self._game, self._given = game, players or {}
        self._games: dict[tuple[str, str], AnyGame] = {}
        self._players: dict[tuple[GameConditions, str, int], Player] = {}

    def get_game(self, job: Job) -> AnyGame:
        if self._game is not None:
            return self._game
        key = job.conditions.game, job.conditions.rules
        if key not in self._games:
            self._games[key] = named_game(*key)
        return self._games[key]

    def get_player(self, job: Job, side: int) -> Player:
        spec, number = job.players[side], side ^ job.is_swapped
        if (spec, number) in self._given:
            return self._given[spec, number]
        key = job.conditions, spec, side
        if key not in self._players:
            self._players[key] = named_player(spec, self.get_game(job))
        return self._players[key]

    def drop_player(self, job: Job, side: int) -> None:
        """Forget a player that has failed."""
        self._players.pop((job.conditions, job.players[side], side), None)


_kept = PlayerCache()
"""Games and players of this process."""


def play_job(job: Job, players: PlayerCache = _kept) -> PlayedGame:
    """Play a game to its end; what a player raises is raised."""
    return _play(job, players, (players.get_player(job, 0), players.get_player(job, 1)))


def _play(
    job: Job,
    players: PlayerCache,
    sides: tuple[Player, Player],
    on_move: Callable[[Position, PlayedMove], None] | None = None,
) -> PlayedGame:
    game = players.get_game(job)
    return play_game(
        game,
        sides,
        seed=job.seed,
        limit=job.conditions.limit,
        start=_parse_start(game, job),
        max_plies=job.conditions.max_plies,
        on_move=on_move,
    )


def run_job(
    job: Job,
    watch: TurnCallback = lambda side, position: None,
    players: PlayerCache = _kept,
) -> GameResult:
    """Play a game to its end; a player that fails loses it."""
    game = players.get_game(job)
    moves: list[PlayedMove] = []
    began = time.perf_counter()
    try:
        sides = _supervise(job, 0, watch, players), _supervise(job, 1, watch, players)
        match = _play(job, players, sides, lambda _, move: moves.append(move))
    except Forfeit as forfeit:
        players.drop_player(job, forfeit.side)
        return make_forfeit_result(job, forfeit, time.perf_counter() - began, tuple(moves), game)
    message = ""
    if match.outcome.reason == "illegal":
        message = to_one_line(f"played {match.moves[-1].move}", MAX_MESSAGE_LENGTH)
    return _make_result(job, game, match, message, time.perf_counter() - began)


def make_forfeit_result(
    job: Job,
    forfeit: Forfeit,
    seconds: float,
    moves: tuple[PlayedMove, ...] = (),
    game: AnyGame | None = None,
) -> GameResult:
    """Return the result of a forfeited game after these moves."""
    game = game or _kept.get_game(job)
    match = PlayedGame(
        game=game.id,
        rules=game.rules,
        players=job.players,
        seed=job.seed,
        start=str(_parse_start(game, job)),
        moves=moves,
        outcome=Outcome(1 - forfeit.side, forfeit.reason),
    )
    return _make_result(job, game, match, forfeit.message, seconds)


def _make_result(
    job: Job, game: AnyGame, match: PlayedGame, message: str, seconds: float
) -> GameResult:
    winner = match.outcome.winner
    record = Record.from_game(match, game)
    headers = {"Round": str(job.key.number + 1), **record.headers}
    if message:
        headers["Message"] = message
    return GameResult(
        key=job.key,
        winner=None if winner is None else winner ^ job.is_swapped,
        reason=match.outcome.reason,
        message=message,
        plies=len(record.line.moves),
        seconds=round(seconds, 6),
        # Comments of players may contain characters that UTF-8 cannot encode.
        record=str(replace(record, headers=headers)).encode("utf-8", "backslashreplace").decode(),
    )


def _parse_start(game: AnyGame, job: Job) -> Any:
    return game.parse(job.start) if job.start else game.start()


def _supervise(job: Job, side: int, watch: TurnCallback, players: PlayerCache) -> SupervisedPlayer:
    watch(side, None)
    with forfeit_on_error(side):
        player = players.get_player(job, side)
    return SupervisedPlayer(player, side, job.conditions.grace, watch)
