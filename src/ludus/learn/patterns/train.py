"""Train a pattern network on games of heuristics and a search (Vrajitoru 2015, section 6).

The published network was trained on 430 games: 100 of each heuristic against itself, 100 of focused
against basic, and 30 of an experienced person, 10 against each heuristic. `negascout` replaces the
person. The side that begins alternates.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus.core.errors import BadRecord
from ludus.core.game import AnyGame
from ludus.core.match import play_game
from ludus.core.player import Player
from ludus.core.record import Record
from ludus.core.spec import check_ranges
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.patterns.network import (
    PUBLISHED_MUTUAL_WEIGHT,
    PUBLISHED_WEIGHTS,
    PatternNetwork,
    learn_match,
)
from ludus.learn.patterns.network_file import load_network_file, save_network
from ludus.players import player as named_player

HEURISTICS = ("newbie", "basic", "focused")

MAX_GAMES = 1_000_000

CHECKPOINT_INTERVAL = 200


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The players and numbers of the training games."""

    own: int = 100
    """Games of each heuristic against itself."""

    mixed: int = 100
    """Games of focused against basic."""

    strong: int = 10
    """Games of the stronger player against each heuristic."""

    teacher: str = "negascout:level=6"
    """The stronger player, which replaces the paper's experienced person."""

    def __post_init__(self) -> None:
        limits = (0, MAX_GAMES)
        check_ranges(self, "patterns", own=limits, mixed=limits, strong=limits)

    def pairs(self) -> Iterator[tuple[str, str, int]]:
        """Yield each pairing with its number of games, in training order."""
        for name in HEURISTICS:
            yield name, name, self.own
        yield "focused", "basic", self.mixed
        for name in HEURISTICS:
            yield self.teacher, name, self.strong

    @property
    def games(self) -> int:
        """Total number of games."""
        return sum(number for _, _, number in self.pairs())


PUBLISHED_PLAN = TrainingPlan()


@dataclass(frozen=True, slots=True)
class PatternTrainer:
    """Executes a training plan; the same seed gives the same games."""

    game: AnyGame
    plan: TrainingPlan = PUBLISHED_PLAN
    seed: int = 0
    mutual: float = PUBLISHED_MUTUAL_WEIGHT

    @property
    def games(self) -> int:
        """Number of games in the plan."""
        return self.plan.games

    def run(
        self,
        base: PatternNetwork,
        recorded_games: Sequence[list[MorrisPosition]] = (),
        checkpoint: Path | None = None,
    ) -> Iterator[PatternNetwork]:
        """Yield the network after each game: first those of the plan, then the recorded games
        `recorded_games`.

        With a checkpoint it resumes an earlier run with the same base.
        """
        network, done = self._resume(base, checkpoint)
        for number, positions in enumerate(self.play_games(done), done + 1):
            learn_match(network, positions, PUBLISHED_WEIGHTS, self.mutual)
            if checkpoint is not None and number % CHECKPOINT_INTERVAL == 0:
                save_network(network, checkpoint)
            yield network
        for positions in recorded_games:
            learn_match(network, positions, PUBLISHED_WEIGHTS, self.mutual)
            yield network

    def play_games(self, skip: int = 0) -> Iterator[list[MorrisPosition]]:
        """Yield the positions of each game after the first `skip` games."""
        seeds = random.Random(self.seed)
        number = 0
        # Construct all players first, so that errors occur at once.
        pairings = [
            ((named_player(first, self.game), named_player(second, self.game)), games)
            for first, second, games in self.plan.pairs()
        ]
        for players, games in pairings:
            for index in range(games):
                own_seed = seeds.getrandbits(62)
                number += 1
                if number > skip:
                    sides = players if index % 2 == 0 else players[::-1]
                    yield _play_game(self.game, sides, own_seed)

    def _resume(self, base: PatternNetwork, checkpoint: Path | None) -> tuple[PatternNetwork, int]:
        """Return the network to continue with, and its number of games of the plan."""
        note = self._note(base)
        if checkpoint is not None and checkpoint.is_file():
            found = load_network_file(checkpoint)
            if found.note == note:
                return found, found.games - base.games
        fresh = base.copy()
        fresh.note = note
        return fresh, 0

    def _note(self, base: PatternNetwork) -> str:
        """Return a text that identifies this training run."""
        plan = self.plan
        parts = f"{plan.own}+{plan.mixed}+{plan.strong} games a pairing, teacher {plan.teacher}"
        how = f"seed {self.seed}, mutual {self.mutual:g}"
        return f"{parts}, {how}" + (f"; onto {base.games} games: {base.note}" if base.games else "")


def train_network(
    game: AnyGame, plan: TrainingPlan = PUBLISHED_PLAN, seed: int = 0
) -> PatternNetwork:
    """Train a new network on the games of a plan."""
    return take_last(PatternTrainer(game, plan, seed).run(PatternNetwork()), PatternNetwork())


def take_last(networks: Iterable[PatternNetwork], otherwise: PatternNetwork) -> PatternNetwork:
    """Return the last network, or `otherwise` if there is none."""
    found = otherwise
    for each in networks:
        found = each
    return found


def _play_game(game: AnyGame, players: tuple[Player, Player], seed: int) -> list[MorrisPosition]:
    positions = [game.start()]
    play_game(game, players, seed=seed, on_move=lambda position, move: positions.append(position))
    return positions


def replay_records(text: str, rules: str) -> Iterator[list[MorrisPosition]]:
    """Yield the positions of each recorded game; `rules` are for records that do not name theirs.

    All games are replayed before the first is yielded, so that an invalid record has no partial
    effect.
    """
    games = []
    for number, record in enumerate(Record.parse_many(text), 1):
        try:
            game = named_game("nine_mens_morris", record.headers.get("Rules", rules))
            games.append(record.replay(game))
        except BadRecord as error:
            raise BadRecord(f"game {number}: {error}") from error
    if not games:
        raise BadRecord("there is no game in it")
    yield from games
