"""Play one job in this process. Whatever a player does wrong costs it this game and no more."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from ludus.arena.jobs import Conditions, GameResult, Job
from ludus.core.game import AnyGame
from ludus.core.limit import Limit
from ludus.core.match import MatchRecord, MoveRecord, play_match
from ludus.core.outcome import Outcome
from ludus.core.player import Choice, Player
from ludus.core.record import Record
from ludus.games import game as named_game
from ludus.players import player as named_player

LONGEST_MESSAGE = 400

Watch = Callable[[int, Any], None]
"""Told whose turn it is, and the position; None for the position while a player is made."""


class Forfeit(Exception):
    """A player has lost by what it did outside the rules of the game."""

    def __init__(self, side: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.side = side
        self.reason = reason
        self.message = message


class Guarded(Player):
    """A player under supervision: its errors and its dawdling become a Forfeit."""

    title: ClassVar[str] = "plays under supervision"

    def __init__(self, player: Player, side: int, grace: float, watch: Watch) -> None:
        super().__init__(player.game, player.settings, player.spec)
        self._player = player
        self._side = side
        self._grace = grace
        self._watch = watch

    def begin(self, seed: int) -> None:
        self._watch(self._side, None)
        try:
            self._player.begin(seed)
        except (Exception, SystemExit) as error:
            raise crash(self._side, error) from error

    def end(self, outcome: Outcome) -> None:
        self._watch(self._side, None)
        # The result stands, whatever a player makes of it.
        with suppress(Exception, SystemExit):
            self._player.end(outcome)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        self._watch(self._side, position)
        began = time.perf_counter()
        try:
            choice = self._player.choose(position, limit)
            if not (isinstance(choice, Choice) and isinstance(choice.comment, str)):
                raise TypeError(f"{choice!r:.80} is not a Choice")
        except (Exception, SystemExit) as error:
            raise crash(self._side, error) from error
        seconds = time.perf_counter() - began
        if limit.time is not None and seconds > limit.time + self._grace:
            raise Forfeit(self._side, "timeout", f"took {seconds:.2f} s; {limit.time:g} s are set")
        return choice


def crash(side: int, error: BaseException) -> Forfeit:
    """The end of a game by an error that a player did not catch."""
    return Forfeit(side, "crash", one_line(f"{type(error).__name__}: {error}"))


def one_line(text: str) -> str:
    """A text as it may stand in a table."""
    line = " ".join(text.split())
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
    return shown if len(shown) <= LONGEST_MESSAGE else f"{shown[:LONGEST_MESSAGE]}…"


def play(job: Job, watch: Watch = lambda side, position: None) -> GameResult:
    """Play a game to its end, whichever way it comes."""
    game = _game(job.conditions.game, job.conditions.rules)
    moves: list[MoveRecord] = []
    began = time.perf_counter()
    try:
        players = _guarded(game, job, 0, watch), _guarded(game, job, 1, watch)
        match = play_match(
            game,
            players,
            seed=job.seed,
            limit=job.conditions.limit,
            start=_start(game, job),
            max_plies=job.conditions.max_plies,
            watch=lambda _, move: moves.append(move),
        )
    except Forfeit as forfeit:
        return forfeited(job, forfeit, time.perf_counter() - began, tuple(moves))
    message = ""
    if match.outcome.reason == "illegal":
        message = one_line(f"played {match.moves[-1].move}")
    return _result(job, game, match, message, time.perf_counter() - began)


def forfeited(
    job: Job, forfeit: Forfeit, seconds: float, moves: tuple[MoveRecord, ...] = ()
) -> GameResult:
    """The result of a game that a player has lost outside the rules, after these moves."""
    game = _game(job.conditions.game, job.conditions.rules)
    _players.pop((job.conditions, job.players[forfeit.side], forfeit.side), None)
    match = MatchRecord(
        game=game.id,
        rules=game.rules,
        players=job.players,
        seed=job.seed,
        start=str(_start(game, job)),
        moves=moves,
        outcome=Outcome(1 - forfeit.side, forfeit.reason),
    )
    return _result(job, game, match, forfeit.message, seconds)


def _result(
    job: Job, game: AnyGame, match: MatchRecord, message: str, seconds: float
) -> GameResult:
    winner = match.outcome.winner
    record = Record.from_match(match, game)
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
        record=_encodable(str(replace(record, headers=headers))),
    )


def _encodable(text: str) -> str:
    """A text that can be stored, whatever a player has put into its comments."""
    return text.encode("utf-8", "backslashreplace").decode()


@lru_cache(maxsize=8)
def _game(spec: str, rules: str) -> AnyGame:
    return named_game(spec, rules)


def _start(game: AnyGame, job: Job) -> Any:
    return game.parse(job.start) if job.start else game.start()


_players: dict[tuple[Conditions, str, int], Player] = {}
"""Players that have been made, which may have cost much; `begin` makes them forget a game."""


def _guarded(game: AnyGame, job: Job, side: int, watch: Watch) -> Guarded:
    spec = job.players[side]
    key = job.conditions, spec, side
    if key not in _players:
        watch(side, None)
        try:
            _players[key] = named_player(spec, game)
        except (Exception, SystemExit) as error:
            raise crash(side, error) from error
    return Guarded(_players[key], side, job.conditions.grace, watch)
