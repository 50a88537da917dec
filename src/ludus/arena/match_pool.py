"""The games of one match in this process or in several, the same games in both."""

import random
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ludus.core.executors import LocalProcesses
from ludus.core.game import AnyGame, Position
from ludus.core.match import PlayedGame, play_game
from ludus.core.player import Limit, Player
from ludus.games import game as named_game
from ludus.players import player as named_player


@dataclass(frozen=True, slots=True)
class MatchGame:
    """One game of a match; everything that determines it."""

    game: str
    rules: str
    players: tuple[str, str]
    """Specs of the sides, the first one first."""

    seed: int
    limit: Limit
    start: str
    """The start position in the game's notation."""

    max_plies: int


PlayedGames = Generator[tuple[bool, PlayedGame]]
"""Whether the second player had the first side, and the record, of each game."""


def schedule_games(games: int, seed: int, is_alternating: bool) -> Iterator[tuple[bool, int]]:
    """Yield whether the second player has the first side, and the seed, of each game."""
    seeds = random.Random(seed)
    for number in range(games):
        yield is_alternating and number % 2 == 1, seeds.getrandbits(62)


def play_here(
    game: AnyGame,
    players: tuple[Player, Player],
    schedule: Iterator[tuple[bool, int]],
    limit: Limit,
    start: Position,
    max_plies: int,
) -> PlayedGames:
    """Play the games of a schedule in this process."""
    for is_swapped, seed in schedule:
        sides = (players[1], players[0]) if is_swapped else players
        yield (
            is_swapped,
            play_game(game, sides, seed=seed, limit=limit, start=start, max_plies=max_plies),
        )


def play_in_parallel(
    task: MatchGame, schedule: Iterator[tuple[bool, int]], jobs: int
) -> PlayedGames:
    """Play the games of a schedule in processes; seeds and sides of `task` are the schedule's."""
    first, second = task.players
    swapped: deque[bool] = deque()

    def make_tasks() -> Iterator[MatchGame]:
        for is_swapped, seed in schedule:
            swapped.append(is_swapped)
            players = (second, first) if is_swapped else (first, second)
            yield replace(task, seed=seed, players=players)

    for record in play_in_processes(make_tasks(), jobs):
        yield swapped.popleft(), record


def play_in_processes(games: Iterable[MatchGame], jobs: int) -> Iterator[PlayedGame]:
    """Play games in processes and yield the records in order.

    Each process has its own players, so a player that learns from game to game does so in each.
    """
    with LocalProcesses(jobs) as processes:
        yield from processes.map(play_task, games)


def play_task(task: MatchGame) -> PlayedGame:
    """Play one game with players that this process keeps."""
    game = _load_game(task.game, task.rules)
    players = (
        _load_player(task.game, task.rules, task.players[0], 0),
        _load_player(task.game, task.rules, task.players[1], 1),
    )
    return play_game(
        game,
        players,
        seed=task.seed,
        limit=task.limit,
        start=game.parse(task.start),
        max_plies=task.max_plies,
    )


@lru_cache(maxsize=2)
def _load_game(name: str, rules: str) -> AnyGame:
    return named_game(name, rules)


@lru_cache(maxsize=4)
def _load_player(name: str, rules: str, spec: str, side: int) -> Player:
    """Return a player; a player that meets itself is two objects."""
    return named_player(spec, _load_game(name, rules))
