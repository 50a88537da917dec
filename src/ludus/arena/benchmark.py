"""The signature of rules and players, and the throughput of the rules."""

import functools
import hashlib
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ludus.arena.progress import Track
from ludus.core.game import AnyGame
from ludus.core.match import play_game
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.players.random_play import play_random_game, play_random_games

SIGNATURE_PERFT = (
    ("nine_mens_morris", "", 5),
    ("nine_mens_morris", "BB./.BW/..W/..BWWB/.B./.WW/W.. w 0 0", 6),
    ("nine_mens_morris", "W.W/W../.../...BBB/.../.../... w 0 0", 3),
    ("nine_mens_morris:vrajitoru", "BB./.BW/..W/..BWWB/.B./.WW/W.. w 0 0", 6),
    ("nine_mens_morris:lasker", "", 4),
    ("nine_mens_morris:morabaraba", "", 5),
    ("backgammon", "", 3),
    ("backgammon:hyper", "", 4),
    ("noughts_and_crosses", "", 6),
    ("noughts_and_crosses:size=4", "", 3),
    ("hexapawn", "", 7),
    ("hexapawn:five", "", 5),
)
"""Game, position (empty: the start), depth."""

SIGNATURE_RULES = {"backgammon": "opening=first"}
"""Rules that the signature adds to a game's preset: those under which it was first published."""

LATER_PRESETS = {
    "backgammon": ("money", "tournament"),
    "hexapawn": ("migo", "gardner"),
    "nine_mens_morris": ("threefold",),
}
"""Presets that were added after the signature was first published, and are not part of it."""

SIGNATURE_RANDOM_GAMES = 1000
SIGNATURE_PLAYERS = ("playouts:games=100", "random")
SIGNATURE_SEED = 1


def compute_signature() -> int:
    """Return a number that changes if a rule, a random game or a player's move changes.

    It is the first 32 bits of the SHA-256 of `list_signature_lines`.
    """
    return int.from_bytes(hashlib.sha256("\n".join(list_signature_lines()).encode()).digest()[:4])


def list_signature_lines() -> Iterator[str]:
    """Yield the lines of the hashed text.

    These are a line for every count of SIGNATURE_PERFT; then for every preset of every game a
    line for random games, if these are compiled, and a line with every move of a seeded match
    of SIGNATURE_PLAYERS.
    """
    for spec, text, depth in SIGNATURE_PERFT:
        game = _make_game(spec)
        position = game.parse(text) if text else game.start()
        yield f"perft {spec} {position} {depth} {game.perft(position, depth)}"
    for name in GAMES:
        for preset in GAMES[name].presets:
            if preset in LATER_PRESETS.get(name, ()):
                continue
            yield from _play_preset(f"{name}:{preset}")


def _make_game(spec: str) -> AnyGame:
    name, _, preset = spec.partition(":")
    return named_game(name, ",".join(filter(None, (preset, SIGNATURE_RULES.get(name)))))


def _play_preset(spec: str) -> Iterator[str]:
    game = _make_game(spec)
    if game.has_native_playouts:
        ended = play_random_games(
            game, game.start(), SIGNATURE_RANDOM_GAMES, random.Random(SIGNATURE_SEED)
        )
        yield f"random {spec} {sorted(ended.scores.items())}"
    first, second = (named_player(name, game) for name in SIGNATURE_PLAYERS)
    match = play_game(game, (first, second), seed=SIGNATURE_SEED)
    moves = " ".join(str(made.move) for made in match.moves)
    yield f"match {spec} {moves} {match.outcome}"


MIN_SECONDS = 0.3
"""Minimum duration of each measurement."""

Workload = Callable[[], int]
"""Does some work and returns the number of units done."""


@dataclass(frozen=True)
class Throughput:
    """Units of work per second, by the name of the workload."""

    rates: dict[str, float]

    @property
    def ratios(self) -> dict[str, float]:
        """Ratios of compiled workloads to their Python twins."""
        return {
            name: rate / self.rates[f"{name}_python"]
            for name, rate in self.rates.items()
            if f"{name}_python" in self.rates
        }


def measure_throughput(
    track: Track = lambda names, count: names,
    run: Callable[[Callable[[], float]], float] = lambda measure: measure(),
) -> Throughput:
    """Measure every workload for MIN_SECONDS; `run` may call each measurement on a thread."""
    works = _make_workloads()
    return Throughput(
        {
            name: run(functools.partial(_measure_rate, works[name]))
            for name in track(iter(works), len(works))
        }
    )


def _measure_rate(work: Workload) -> float:
    """Return the units of work per second."""
    done, began = 0, time.perf_counter()
    while (seconds := time.perf_counter() - began) < MIN_SECONDS:
        done += work()
    return done / seconds


def _make_workloads() -> dict[str, Workload]:
    """Return the workloads by name; `NAME` and `NAME_python` are compared."""
    works: dict[str, Workload] = {}
    for name, depths in (("nine_mens_morris", (5, 3)), ("backgammon", (3, 2))):
        for engine, depth in zip(("native", "python"), depths, strict=True):
            ending = "" if engine == "native" else "_python"
            works[f"{name}_perft_nodes{ending}"] = _perft_workload(name, engine, depth)
            works[f"{name}_random_games{ending}"] = _random_games_workload(name, engine)
            works[f"{name}_moves_in_a_loop{ending}"] = _move_loop_workload(name, engine)
    for name, depth in (("noughts_and_crosses", 5), ("hexapawn", 6)):
        works[f"{name}_perft_nodes"] = _perft_workload(name, "native", depth)
        works[f"{name}_moves_in_a_loop"] = _move_loop_workload(name, "native")
    return works


def _perft_workload(name: str, engine: str, depth: int) -> Workload:
    """Count the leaves of a game tree."""
    chosen = named_game(name, engine=engine)
    return lambda: chosen.perft(chosen.start(), depth)


def _random_games_workload(name: str, engine: str) -> Workload:
    """Play random games, in compiled code if available."""
    chosen, source = named_game(name, engine=engine), random.Random(1)
    games = 500 if chosen.has_native_playouts else 1

    def work() -> int:
        play_random_games(chosen, chosen.start(), games, source)
        return games

    return work


def _move_loop_workload(name: str, engine: str) -> Workload:
    """Generate the legal moves and play one, in a Python loop as learners do."""
    chosen, source = named_game(name, engine=engine), random.Random(1)
    return lambda: play_random_game(chosen, chosen.start(), source)[1]
