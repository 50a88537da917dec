"""What a table player knows: a table that comes with the program, or one it learns at first use."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.core.game import AnyGame
from ludus.games import game as named_game
from ludus.learn import LEARNERS
from ludus.learn.schooling import Schooling
from ludus.learn.tabular.rows import Table
from ludus.learn.tabular.table_file import read_table

SHIPPED = Path(__file__).with_name("tables")


def shipped_table(game: AnyGame, system: str) -> Table | None:
    """The table that comes with the program, if there is one for these rules."""
    is_standard = game.rules == named_game(game.id).rules
    return _shipped(system, game.id) if is_standard else None


@lru_cache(maxsize=8)
def _shipped(system: str, game_id: str) -> Table | None:
    file = SHIPPED / f"{system}-{game_id}.json"
    return read_table(file, named_game(game_id), system).table if file.is_file() else None


@lru_cache(maxsize=8)
def learned(system: str, game_id: str, rules: Any, games: int, seed: int) -> Table:
    """The table of a learner that was taught to play both sides, and against those who err too."""
    learner: Any = LEARNERS[system](named_game(game_id, rules))
    for _ in Schooling(games, seed, "mixed", "everywhere").blocks(learner):
        pass
    table: Table = learner.table
    return table
