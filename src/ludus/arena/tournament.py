"""A tournament as a value: who meets whom, how often, and from where."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from ludus.arena.jobs import Conditions, Job, Key
from ludus.arena.starts import Starts, is_second_to_begin
from ludus.core.errors import BadSpec
from ludus.games import game as named_game

Format = Literal["round_robin", "gauntlet"]
Starter = Literal["alternate", "fixed"]

MAX_GAMES = 10_000_000
DEFAULT_GAMES = 100


@dataclass(frozen=True, slots=True)
class Tournament:
    """Everything that decides about the games of a tournament."""

    conditions: Conditions
    players: tuple[str, ...]
    """Specs; the same one is never listed twice."""

    games: int = DEFAULT_GAMES
    """Games of each pair."""

    seed: int = 0
    format: Format = "round_robin"
    """Everybody meets everybody, or the first player meets each of the others."""

    starter: Starter = "alternate"
    """Who begins: both of a pair in turn, or always the one that is listed first."""

    starts: Starts = Starts()  # noqa: RUF009 - frozen
    name: str = ""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise BadSpec(f"a tournament needs at least 2 different players, not {self.players}")
        if not 1 <= self.games <= MAX_GAMES:
            raise BadSpec(f"games={self.games} must be from 1 to {MAX_GAMES}")

    @property
    def id(self) -> str:
        """A name for what decides how a game between two players goes.

        Players and numbers of games are no part of it: add some, and the games that were played
        still count. Change anything else, and it is another tournament.
        """
        text = json.dumps([*self._deciding().values()], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def settings(self) -> str:
        """What the id stands for, as JSON for people who look into a store."""
        return json.dumps({"name": self.name, **self._deciding()})

    def pairs(self) -> list[tuple[str, str]]:
        """Who meets whom."""
        if self.format == "gauntlet":
            return [(self.players[0], other) for other in self.players[1:]]
        return list(combinations(self.players, 2))

    @property
    def num_games(self) -> int:
        return self.games * len(self.pairs())

    def schedule(self) -> Iterator[Job]:
        """Every game, in rounds, so that a tournament that is stopped has treated all alike.

        Where the players begin in turn, both sides of a start are played, and every pair gets the
        same starts.
        """
        game = named_game(self.conditions.game, self.conditions.rules)
        identity, pairs = self.id, self.pairs()
        is_alternating = self.starter == "alternate"
        for number in range(self.games):
            opening = number // 2 if is_alternating else number
            start = self.starts.position(game, self.seed, opening)
            is_swapped = is_alternating and number % 2 == 1
            is_swapped ^= is_second_to_begin(game, start)
            for first, second in pairs:
                yield Job(Key(identity, first, second, number), self.conditions, is_swapped, start)

    def _deciding(self) -> dict[str, Any]:
        game = named_game(self.conditions.game, self.conditions.rules)
        return {
            "game": game.id,
            "rules": dataclasses.asdict(game.rules),
            "limit": dataclasses.asdict(self.conditions.limit),
            "grace": self.conditions.grace,
            "max_plies": self.conditions.max_plies,
            "seed": self.seed,
            "starter": self.starter,
            "starts": dataclasses.asdict(self.starts),
        }
