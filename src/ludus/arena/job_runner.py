"""Run one job in this process; a player's fault forfeits its game and nothing else."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from ludus.arena.jobs import GameConditions, GameResult, Job
from ludus.core.errors import to_one_line
from ludus.core.game import AnyGame, Outcome, Position
from ludus.core.match import PlayedGame, PlayedMove, play_game
from ludus.core.player import Choice, Limit, Player
from ludus.core.record import Record
from ludus.games import game as named_game
from ludus.players import player as named_player

MAX_MESSAGE_LENGTH = 400

TurnCallback = Callable[[int, Any], None]
"""Called with the side to move and the position, or None while a player is being constructed."""


class Forfeit(Exception):
    """A player has lost by a fault outside the rules of the game."""

    def __init__(self, side: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.side = side
        self.reason = reason
        self.message = message


class SupervisedPlayer(Player):
    """A wrapper that turns a player's exceptions and exceeded time limits into a Forfeit."""

    title: ClassVar[str] = "plays under supervision"

    def __init__(self, player: Player, side: int, grace: float, watch: TurnCallback) -> None:
        super().__init__(player.game, player.settings, player.spec)
        self._player = player
        self._side = side
        self._grace = grace
        self._watch = watch

    def check_start(self, position: Position) -> None:
        try:
            self._player.check_start(position)
        except (Exception, SystemExit) as error:
            raise make_crash_forfeit(self._side, error) from error

    def start_game(self, seed: int) -> None:
        self._watch(self._side, None)
        try:
            self._player.start_game(seed)
        except (Exception, SystemExit) as error:
            raise make_crash_forfeit(self._side, error) from error

    def finish_game(self, outcome: Outcome) -> None:
        self._watch(self._side, None)
        # The result is final, whatever the player raises.
        with suppress(Exception, SystemExit):
            self._player.finish_game(outcome)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        self._watch(self._side, position)
        began = time.perf_counter()
        try:
            choice = self._player.choose(position, limit)
            if not (isinstance(choice, Choice) and isinstance(choice.comment, str)):
                raise TypeError(f"{choice!r:.80} is not a Choice")
        except (Exception, SystemExit) as error:
            raise make_crash_forfeit(self._side, error) from error
        seconds = time.perf_counter() - began
        if limit.time is not None and seconds > limit.time + self._grace:
            raise Forfeit(self._side, "timeout", f"took {seconds:.2f} s; {limit.time:g} s are set")
        return choice


def make_crash_forfeit(side: int, error: BaseException) -> Forfeit:
    """Return the forfeit for an uncaught exception of a player."""
    return Forfeit(
        side, "crash", to_one_line(f"{type(error).__name__}: {error}", MAX_MESSAGE_LENGTH)
    )


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
        """Return the player of a side."""
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
    try:
        player = players.get_player(job, side)
    except (Exception, SystemExit) as error:
        raise make_crash_forfeit(side, error) from error
    return SupervisedPlayer(player, side, job.conditions.grace, watch)
