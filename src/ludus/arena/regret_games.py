"""The games in which a player's regret is measured."""

from collections.abc import Iterator
from dataclasses import dataclass

from ludus.arena.jobs import Conditions, Job, Key
from ludus.arena.starts import Starts, is_second_to_begin
from ludus.games import game as named_game


@dataclass(frozen=True, slots=True)
class RegretGames:
    """So many games of a player against an opponent."""

    conditions: Conditions
    player: str
    opponent: str
    games: int
    seed: int = 0
    starts: Starts = Starts()  # noqa: RUF009 - frozen
    is_alternating: bool = True
    """Whether the player has both sides in turn, or always the one that begins."""

    def schedule(self) -> Iterator[Job]:
        game = named_game(self.conditions.game, self.conditions.rules)
        for number in range(self.games):
            is_swapped = self.is_alternating and number % 2 == 1
            opening = number // 2 if self.is_alternating else number
            start = self.starts.position(game, self.seed, opening)
            is_swapped ^= is_second_to_begin(game, start)
            key = Key(f"regret {self.seed}", self.player, self.opponent, number)
            yield Job(key, self.conditions, is_swapped, start)
