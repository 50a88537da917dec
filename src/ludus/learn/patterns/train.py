"""Train a pattern network on games of heuristics and a search (Vrajitoru 2015, section 6).

The published network was trained on 430 games: 100 of each heuristic against itself, 100 of focused
against basic, and 30 of an experienced person, 10 against each heuristic. `negascout` replaces the
person. The side that begins alternates.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from ludus.core.errors import BadRecord
from ludus.core.files import quote_path, read_text
from ludus.core.game import AnyGame
from ludus.core.match import play_game
from ludus.core.player import Player
from ludus.core.record import Record
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.checkpoint import TrainingState
from ludus.learn.config import TrainingConfig
from ludus.learn.patterns.network import (
    PUBLISHED_MUTUAL_WEIGHT,
    PatternNetwork,
    learn_match,
)
from ludus.learn.patterns.network_file import (
    load_network,
    load_network_file,
    parse_network,
    save_network,
    serialize_network,
)
from ludus.learn.training import Clock, Training
from ludus.players import player as named_player

HEURISTICS = ("newbie", "basic", "focused")

MAX_GAMES = 1_000_000


class PatternConfig(TrainingConfig):
    """Configuration of a pattern network's training; by default the games of the paper."""

    own: int = Field(100, ge=0, le=MAX_GAMES)
    """Games of each heuristic against itself."""

    mixed: int = Field(100, ge=0, le=MAX_GAMES)
    """Games of focused against basic."""

    strong: int = Field(10, ge=0, le=MAX_GAMES)
    """Games of the teacher against each heuristic."""

    teacher: str = "negascout:level=6"
    """The stronger player, which replaces the paper's experienced person."""

    records: tuple[Path, ...] = ()
    """Also learn the games of this file; repeatable."""

    base: str = "empty"
    """Network to start from: empty, seed, long, or a file."""

    mutual: float = Field(PUBLISHED_MUTUAL_WEIGHT, ge=0, le=0.999)
    """mutualWeight of the pass after each game."""

    rules: str = "vrajitoru"
    """Preset and options of the rules."""

    def pairs(self) -> Iterator[tuple[str, str, int]]:
        """Yield each pairing with its number of games, in training order."""
        for name in HEURISTICS:
            yield name, name, self.own
        yield "focused", "basic", self.mixed
        for name in HEURISTICS:
            yield self.teacher, name, self.strong

    @property
    def games(self) -> int:
        """Number of games that are played."""
        return sum(number for _, _, number in self.pairs())


@dataclass(frozen=True)
class NetworkWeights:
    """A pattern network as `Training.export` returns it."""

    network: PatternNetwork

    def save(self, path: Path) -> None:
        """Write the network."""
        save_network(self.network, path)


class PatternTraining(Training[PatternConfig]):
    """Train a pattern network as in section 6 of Vrajitoru 2015, and on recorded games."""

    Config = PatternConfig
    title = "patterns"

    def __init__(self, config: PatternConfig, game: AnyGame | None = None) -> None:
        """Prepare the training, for a game with other rules than the config's if one is given."""
        super().__init__(config)
        self.game = game or named_game("nine_mens_morris", config.rules)
        self._recorded = [each for path in config.records for each in _read_games(path, config)]
        self.max_steps = config.games + len(self._recorded)
        self.network = PatternNetwork()
        self._base_games = 0
        self._begin(load_network(config.base))

    def _begin(self, base: PatternNetwork) -> None:
        self.network = base.copy()
        self.network.note = self._describe_origin(base)
        self._base_games = base.games
        self._games = self._play_games(0)

    def init_from(self, file: Path) -> None:
        self._begin(load_network_file(file))

    def step(self, clock: Clock) -> None:
        """Learn from one game: first those that are played, then the recorded ones."""
        number = self.network.games - self._base_games
        if number < self.config.games:
            positions = next(self._games)
        else:
            positions = self._recorded[number - self.config.games]
        learn_match(self.network, positions, self.config.mutual)

    def _play_games(self, skip: int) -> Iterator[list[MorrisPosition]]:
        """Yield the positions of each game after the first `skip` games."""
        seeds = random.Random(self.config.seed)
        number = 0
        # Construct all players first, so that errors occur at once.
        pairings = [
            ((named_player(first, self.game), named_player(second, self.game)), games)
            for first, second, games in self.config.pairs()
        ]
        for players, games in pairings:
            for index in range(games):
                own_seed = seeds.getrandbits(62)
                number += 1
                if number > skip:
                    sides = players if index % 2 == 0 else players[::-1]
                    yield _play_game(self.game, sides, own_seed)

    def metrics(self) -> dict[str, float]:
        """Return how many patterns, and moves between patterns, have been seen."""
        patterns = sum(count > 0 for count in self.network.frequency)
        edges = sum(map(len, self.network.edges.values()))
        return {"patterns": patterns, "moves between patterns": edges}

    def state(self) -> TrainingState:
        data = np.frombuffer(serialize_network(self.network), np.uint8)
        return TrainingState({"base_games": self._base_games}, {"network": data})

    def load(self, state: TrainingState) -> None:
        self.network = parse_network(bytes(state.arrays["network"]))
        self._base_games = int(state.facts["base_games"])
        self._games = self._play_games(self.network.games - self._base_games)

    def export(self) -> NetworkWeights:
        return NetworkWeights(self.network)

    def report(self) -> dict[str, Any]:
        found = self.metrics()
        return {
            "games": self.network.games,
            "patterns": found["patterns"],
            "edges": found["moves between patterns"],
            "bytes": len(serialize_network(self.network)),
        }

    def describe(self, report: Mapping[str, Any]) -> str:
        return (
            f"{report['games']} games learned in {report['seconds']:.1f} s\n"
            f"{report['patterns']} patterns and {report['edges']} moves, {report['bytes']} bytes"
        )

    def _describe_origin(self, base: PatternNetwork) -> str:
        """Return the note of the network: how it was trained."""
        config = self.config
        parts = (
            f"{config.own}+{config.mixed}+{config.strong} games a pairing, teacher {config.teacher}"
        )
        how = f"seed {config.seed}, mutual {config.mutual:g}"
        return f"{parts}, {how}" + (f"; onto {base.games} games: {base.note}" if base.games else "")


def _play_game(game: AnyGame, players: tuple[Player, Player], seed: int) -> list[MorrisPosition]:
    positions = [game.start()]
    play_game(game, players, seed=seed, on_move=lambda position, move: positions.append(position))
    return positions


def _read_games(path: Path, config: PatternConfig) -> list[list[MorrisPosition]]:
    try:
        return replay_records(read_text(path), config.rules)
    except BadRecord as error:
        raise BadRecord(f"{quote_path(path)}: {error}") from error


def replay_records(text: str, rules: str) -> list[list[MorrisPosition]]:
    """Return the positions of each recorded game; `rules` are for records that name none."""
    games = []
    for number, record in enumerate(Record.parse_many(text), 1):
        try:
            game = named_game("nine_mens_morris", record.headers.get("Rules", rules))
            games.append(record.replay(game))
        except BadRecord as error:
            raise BadRecord(f"game {number}: {error}") from error
    if not games:
        raise BadRecord("there is no game in it")
    return games
