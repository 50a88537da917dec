"""Which oracle answers for a game: a database if there is one, or what is solved on the spot."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus._native import solver as native
from ludus.core.errors import quoted
from ludus.core.game import CHANCE, AnyGame
from ludus.core.user_folders import data_folder
from ludus.games import GAMES
from ludus.oracle.database import Database
from ludus.oracle.embedded import embedded
from ludus.oracle.errors import BadDatabase, CannotSolve
from ludus.oracle.manifest import GAME, NAME
from ludus.oracle.memory import MemoryOracle
from ludus.oracle.morris import MorrisOracle
from ludus.oracle.morris_rules import spec_of, without_repetition
from ludus.oracle.oracle import Oracle, Unsolved


def oracle_for(game: AnyGame, folder: Path | None = None, *, needs_depth: bool = False) -> Oracle:
    """The oracle of a game.

    For the Morris family it is the database in `folder`, which must be of these rules. Without a
    folder it is the largest database of these rules in the places of `database_folders`, or else
    the small endings that are solved at first need. Other games are solved in memory.
    """
    if game.id != GAME:
        if folder is not None:
            raise BadDatabase(f"databases hold {GAME}; {game.id} is solved in memory")
        if game.start().mover == CHANCE:
            raise CannotSolve(f"{game.id} has dice, and games with dice are not solved")
        return _in_memory(game.id, game.rules)
    if why := native.why_unsolvable(game.rules):
        raise CannotSolve(f"{spec_of(game.rules)} cannot be solved: {why}")
    found = _largest(game.rules, needs_depth) if folder is None else Database.open(folder)
    if found is None:
        return MorrisOracle(embedded(without_repetition(game.rules)), "the built-in endings")
    oracle = MorrisOracle(found, quoted(str(found.folder), 200))
    oracle.check_rules(game.rules)
    if needs_depth and not found.has_depth:
        raise Unsolved(
            f"{oracle.place} tells who wins and not how soon; solve it again without --wdl"
        )
    return oracle


def database_folders() -> list[Path]:
    """Where databases are looked for: LUDUS_ORACLE, or `ludus/oracle` in the user's data folder.

    The folder is a database itself, or it holds some, one for each rules.
    """
    named, data = os.environ.get("LUDUS_ORACLE"), data_folder()
    if named:
        folder = Path(named)
    elif data is not None:
        folder = data / "oracle"
    else:
        return []
    try:
        places = [folder, *sorted(path for path in folder.glob("*") if path.is_dir())]
        found = [path for path in places if (path / NAME).exists()]
    except (OSError, ValueError) as error:
        raise BadDatabase(f"cannot look into {quoted(str(folder), 200)}: {error}") from error
    if named and not found:
        raise BadDatabase(f"there is no database in LUDUS_ORACLE={quoted(named, 200)}")
    return found


def _largest(rules: Any, needs_depth: bool) -> Database | None:
    """The database with the most of this game, if any has a part of it."""
    databases = [Database.open(folder) for folder in database_folders()]
    fitting = [
        database
        for database in databases
        if without_repetition(database.rules) == without_repetition(rules)
        and (database.has_depth or not needs_depth)
    ]
    return max(fitting, key=lambda database: len(database.sectors), default=None)


@lru_cache(maxsize=8)
def _in_memory(name: str, rules: Any) -> MemoryOracle:
    """Whoever asks about the same game shares what is solved of it."""
    return MemoryOracle(GAMES[name](rules))
