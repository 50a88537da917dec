"""Executors of games: this process, worker processes on this machine, or a Ray cluster.

Players are given by specs, or as objects of any class, which play in this process.

A worker leaves a note of whose turn it is. If it dies or hangs, the player whose turn it was loses.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Protocol, Self

from ludus.arena.jobs import Forfeit, GameResult, Job, PlayerCache, make_forfeit_result, run_job
from ludus.core.errors import BadArgument
from ludus.core.executors import LocalProcesses, RayTasks
from ludus.core.game import AnyGame, Position
from ludus.core.player import Player
from ludus.core.processes import count_cores
from ludus.core.spec import parse_spec
from ludus.core.workers import Worker, leave_note
from ludus.players import find_player_class
from ludus.players import player as named_player

KILL_AFTER_SECONDS = 2.0
"""Seconds after a player's time and grace at which its process is killed."""


class Executor(Protocol):
    """Runs jobs and yields results in order of completion."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


def play_in_worker(job: Job) -> GameResult:
    """Play a game; note whose turn it is, and when the game and the turn began.

    The clock is one that all processes share. Making players and beginning games is not timed.
    """
    began = time.monotonic()

    def watch(side: int, position: Position) -> None:
        since, text = ("inf", "") if position is None else (time.monotonic(), position)
        leave_note(f"{side} {began} {since} {text}")

    try:
        return run_job(job, watch)
    finally:
        leave_note("")


def judge_game(job: Job, worker: Worker) -> GameResult | None:
    """Return the forfeit of a player whose process has ended, or hangs and is killed."""
    try:
        side, began, since, position = worker.note.split(" ", 3)
        seconds, taken = time.monotonic() - float(began), time.monotonic() - float(since)
    except ValueError:  # it is nobody's turn, or the note is being written
        return None
    limit = job.conditions.limit.time
    if worker.has_ended:
        reason, what = "crash", f"the process ended with {worker.describe_exit()}"
    elif limit is not None and taken > limit + job.conditions.grace + KILL_AFTER_SECONDS:
        reason, what = "timeout", f"was stopped after {taken:.1f} s"
    else:
        return None
    message = f"{what}, thinking about {position}" if position else what
    return make_forfeit_result(job, Forfeit(int(side), reason, message), seconds)


class ThisProcess(AbstractContextManager["ThisProcess"]):
    """Plays games one after the other in this process, where a player that hangs is not stopped."""

    def __init__(self, players: PlayerCache | None = None) -> None:
        self._players = players or PlayerCache()

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        for job in jobs:
            yield run_job(job, players=self._players)


class LocalPool(LocalProcesses):
    """Worker processes on this machine, each with one game or one other task at a time."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games; a player that crashes or hangs loses its game."""
        for _, result in self._run(play_in_worker, jobs, lambda: True, judge_game):
            yield result


class RayCluster(RayTasks):
    """A running Ray cluster; see `RayTasks`.

    Each actor plays games in a worker process. A crashing player kills the worker process and not
    the actor, so players' faults are distinguished from a lost machine.
    """

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games, in groups that take about a second."""
        return self.map_unordered(play_in_actor, jobs)


def play_in_actor(job: Job) -> GameResult:
    """Play a game in the worker process of an actor."""
    (result,) = _get_actor_pool().run([job])
    return result


@cache
def _get_actor_pool() -> LocalPool:
    return LocalPool(1)


def make_executor(num_workers: int = 0, cluster: str = "") -> LocalPool | RayCluster:
    """Return worker processes on this machine, or a Ray cluster if its address is given.

    `num_workers` of 0 means one for each core.
    """
    if cluster:
        return RayCluster(cluster, num_workers)
    return LocalPool(num_workers or count_cores())


def find_player(player: Player | str, game: AnyGame) -> Player:
    """Return a player of this game from itself or from its spec."""
    if isinstance(player, str):
        return named_player(player, game)
    if player.game.id != game.id or player.game.rules != game.rules:
        raise BadArgument(f"{player!r} cannot play {game!r}; make it for that game")
    return player


def split_players(
    players: Sequence[Player | str], game: AnyGame
) -> tuple[list[str], dict[str, Player]]:
    """Return the specs of all players, and those that are given as objects, by their specs."""
    objects: dict[str, Player] = {}
    specs = []
    for each in players:
        if isinstance(each, str):
            specs.append(each.strip())
            continue
        spec = find_player(each, game).spec
        if objects.setdefault(spec, each) is not each:
            raise BadArgument(f"two players have the spec {spec}; give them different ones")
        specs.append(spec)
    return specs, objects


def is_from_main(game: AnyGame, specs: Iterable[str]) -> bool:
    """Return whether a class of the main module plays, which worker processes do not import."""
    kinds = [type(game), *(find_player_class(parse_spec(spec))[0] for spec in specs)]
    return any(kind.__module__ == "__main__" for kind in kinds)


def choose_executor(
    game: AnyGame, specs: Iterable[str], objects: Mapping[str, Player], jobs: int
) -> Executor:
    """Return worker processes, or this process for one job or what they could not import."""
    if jobs == 1 or objects or is_from_main(game, specs):
        given = {(spec, number): each for spec, each in objects.items() for number in (0, 1)}
        return ThisProcess(PlayerCache(game, given))
    return LocalPool(jobs or count_cores())
