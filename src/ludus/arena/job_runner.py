"""Run one job in this process; a player's fault forfeits its game and nothing else."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
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


def run_job(
    job: Job,
    watch: TurnCallback = lambda side, position: None,
    players: Mapping[str, Player] = MappingProxyType({}),
) -> GameResult:
    """Play a game to its end; `players` holds those that are given as objects, by their specs."""
    game = _load_game(job.conditions.game, job.conditions.rules)
    moves: list[PlayedMove] = []
    began = time.perf_counter()
    try:
        sides = (
            _make_supervised_player(game, job, 0, watch, players),
            _make_supervised_player(game, job, 1, watch, players),
        )
        match = play_game(
            game,
            sides,
            seed=job.seed,
            limit=job.conditions.limit,
            start=_parse_start(game, job),
            max_plies=job.conditions.max_plies,
            on_move=lambda _, move: moves.append(move),
        )
    except Forfeit as forfeit:
        return make_forfeit_result(job, forfeit, time.perf_counter() - began, tuple(moves))
    message = ""
    if match.outcome.reason == "illegal":
        message = to_one_line(f"played {match.moves[-1].move}", MAX_MESSAGE_LENGTH)
    return _make_result(job, game, match, message, time.perf_counter() - began)


def make_forfeit_result(
    job: Job, forfeit: Forfeit, seconds: float, moves: tuple[PlayedMove, ...] = ()
) -> GameResult:
    """Return the result of a forfeited game after these moves."""
    game = _load_game(job.conditions.game, job.conditions.rules)
    _player_cache.pop((job.conditions, job.players[forfeit.side], forfeit.side), None)
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


_load_game = lru_cache(maxsize=8)(named_game)


def _parse_start(game: AnyGame, job: Job) -> Any:
    return game.parse(job.start) if job.start else game.start()


_player_cache: dict[tuple[GameConditions, str, int], Player] = {}
"""Players by conditions, spec and side; making one may be slow, and `start_game` resets it."""


def _make_supervised_player(
    game: AnyGame, job: Job, side: int, watch: TurnCallback, players: Mapping[str, Player]
) -> SupervisedPlayer:
    spec = job.players[side]
    if spec in players:
        return SupervisedPlayer(players[spec], side, job.conditions.grace, watch)
    key = job.conditions, spec, side
    if key not in _player_cache:
        watch(side, None)
        try:
            _player_cache[key] = named_player(spec, game)
        except (Exception, SystemExit) as error:
            raise make_crash_forfeit(side, error) from error
    return SupervisedPlayer(_player_cache[key], side, job.conditions.grace, watch)
