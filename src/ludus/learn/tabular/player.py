"""The players that MENACE, HER and Q-learning become."""

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.learn.tabular.beads import Her, Menace
from ludus.learn.tabular.knowledge import learned, shipped_table
from ludus.learn.tabular.matchbox import matchbox
from ludus.learn.tabular.qlearning import QLearning
from ludus.learn.tabular.rows import Table
from ludus.learn.tabular.table import TableLearner
from ludus.learn.tabular.table_file import read_table

MAX_SIZE = {"noughts_and_crosses": 3, "hexapawn": 4}
"""Larger boards have more positions than can be learned one by one while somebody waits."""


@dataclass(frozen=True, slots=True)
class Options:
    """Where the knowledge comes from."""

    table: str = ""
    """A file that `ludus train` has written."""

    games: int = 10_000
    """Without a file, the games that the player plays to learn before its first move; where
    a table comes with the program, that one is used unless games or seed are changed."""

    seed: int = 0
    """Decides on those games."""

    def __post_init__(self) -> None:
        if not 0 <= self.games <= 1_000_000:
            raise BadSpec(f"games={self.games} must be from 0 to 1000000")


class TablePlayer(Player):
    """Plays by a table."""

    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset(MAX_SIZE)
    learner: ClassVar[type[TableLearner]]

    @cached_property
    def table(self) -> Table:
        """What was learned."""
        game, system, settings = self.game, self.learner.system, self.settings
        if settings.table:
            return read_table(Path(settings.table), game, system).table
        if game.rules.size > MAX_SIZE[game.id]:
            raise BadSpec(
                f"{game.id} of size {game.rules.size} is too large to be learned at first use; "
                f"give {system} a table: {system}:table=FILE"
            )
        if settings == self.options and (shipped := shipped_table(game, system)) is not None:
            return shipped
        return learned(system, game.id, game.rules, settings.games, settings.seed)

    @cached_property
    def places(self) -> Any:
        return self.learner.rows(self.game)

    def numbers(self, position: Any) -> dict[Any, float]:
        """What the table has for each legal move; empty for a position it does not know."""
        key, names = self.places.find(position)
        row = self.table.get(key, {})
        return {move: row[name] for move, name in names.items() if name in row}

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        numbers = self.numbers(position)
        moves = position.legal_moves()
        if len(moves) == 1:
            return Choice(moves[0], "has no choice", numbers)
        if not numbers:
            return Choice(self.random.choice(moves), "has never seen this position")
        return self.decide(position, numbers)

    @abstractmethod
    def decide(self, position: Any, numbers: dict[Any, float]) -> Choice:
        """A choice by what the table has."""


class BeadPlayer(TablePlayer):
    """Draws a bead from the box of a position."""

    def chances(self, position: Any) -> dict[Any, float]:
        """The probability of each move that has a bead; empty if none has."""
        _, names = self.places.find(position)
        numbers = self.numbers(position)
        total = sum({names[move]: beads for move, beads in numbers.items()}.values())
        # Moves that are one another's mirror images share their beads.
        twins = Counter(names[move] for move in numbers)
        return {
            move: beads / total / twins[names[move]] for move, beads in numbers.items() if beads
        }

    def decide(self, position: Any, numbers: dict[Any, float]) -> Choice:
        chances = self.chances(position)
        if not chances:
            return Choice(self.random.choice(list(numbers)), "finds the box empty", numbers)
        move = self.random.choices(list(chances), list(chances.values()))[0]
        return Choice(move, f"drew one of {numbers[move]:.0f} beads for {move}", numbers)

    def pictures(self, position: Any) -> list[Picture]:
        """Its matchbox, opened; none for a position that it has no box for."""
        numbers = self.numbers(position)
        _, names = self.places.find(position)
        return [matchbox(self.game, numbers, names)] if numbers else []


class MenacePlayer(BeadPlayer):
    title: ClassVar[str] = "MENACE: draws beads from matchboxes, as it has learned"
    learner = Menace


class HerPlayer(BeadPlayer):
    title: ClassVar[str] = "HER: MENACE's sister, who learned hexapawn"
    learner = Her


class QLearningPlayer(TablePlayer):
    """Plays what its table says is worth most."""

    title: ClassVar[str] = "plays the move that Q-learning thinks is worth most"
    learner = QLearning

    def decide(self, position: Any, numbers: dict[Any, float]) -> Choice:
        most = max(numbers.values())
        best = [move for move, worth in numbers.items() if worth == most]
        return Choice(self.random.choice(best), f"thinks it is worth {most:+.2f}", numbers)
