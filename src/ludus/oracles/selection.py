"""Selection of a game's oracle: a database, built-in endgames, or solving in memory."""

import os
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from ludus._native import equities as native_equities
from ludus._native import solver as native
from ludus.core.errors import BadDatabase, CannotSolve, LudusWarning, quote
from ludus.core.files import quote_path
from ludus.core.game import AnyGame, OracleKind
from ludus.core.processes import count_cores
from ludus.games import resolve_game
from ludus.oracles.backgammon.oracle import BackgammonOracle
from ludus.oracles.backgammon.solver import DEFAULT_BEAROFF_MEN, select_extent
from ludus.oracles.backgammon.tables import EQUITY_FILE, Extent, MemoryTables, TableFolder
from ludus.oracles.interface import Oracle, Unsolved, WrongRules
from ludus.oracles.memory import MemoryOracle
from ludus.oracles.morris.database import GAME_ID, Database
from ludus.oracles.morris.endgames import builtin_endgames
from ludus.oracles.morris.oracle import MorrisOracle
from ludus.oracles.morris.sectors import format_spec, without_repetition
from ludus.oracles.storage import MANIFEST_NAME, databases_folder, read_manifest


def oracle(
    game: AnyGame | str, folder: Path | str | None = None, *, needs_depth: bool = False
) -> Oracle:
    """Return the oracle of a game, or of a game by its spec.

    >>> oracle("hexapawn").value(resolve_game("hexapawn").start()).result
    'draw'

    For the Morris family it is the database in `folder`, which must have these rules. Without a
    folder it is the largest database of these rules in `find_database_folders`, or else the
    endgames that are solved on first use. For backgammon it is likewise a folder of tables, or else
    bearing off with 6 men a side. Other games are solved in memory.
    """
    game = resolve_game(game)
    return FINDERS[game.oracle_kind](game, None if folder is None else Path(folder), needs_depth)


def _find_morris_oracle(game: AnyGame, folder: Path | None, needs_depth: bool) -> MorrisOracle:
    if why := native.why_unsolvable(game.rules):
        raise CannotSolve(f"{format_spec(game.rules)} cannot be solved: {why}")
    found = (
        _find_largest_database(game.rules, needs_depth) if folder is None else Database.open(folder)
    )
    if found is None:
        return MorrisOracle(
            builtin_endgames(without_repetition(game.rules)), "the built-in endings"
        )
    solved = MorrisOracle(found, quote_path(found.folder))
    solved.check_rules(game.rules)
    if needs_depth and not found.has_depth:
        raise Unsolved(
            f"{solved.source} tells who wins and not how soon; solve it again without --wdl"
        )
    return solved


def find_database_folders() -> list[Path]:
    """Return the folders of databases: LUDUS_ORACLE, or `ludus/oracle` in the user's data folder.

    The folder is a database itself, or it contains databases, one for each set of rules.
    """
    named, folder = os.environ.get("LUDUS_ORACLE"), databases_folder()
    if folder is None:
        return []
    try:
        places = [folder, *sorted(path for path in folder.glob("*") if path.is_dir())]
        found = [path for path in places if (path / MANIFEST_NAME).exists()]
    except (OSError, ValueError) as error:
        raise BadDatabase(f"cannot look into {quote_path(folder)}: {error}") from error
    if named and not found:
        raise BadDatabase(f"there is no database in LUDUS_ORACLE={quote(named, 200)}")
    return found


Found = TypeVar("Found", Database, TableFolder)


def _open_databases(game: str, open_folder: Callable[[Path], Found]) -> list[Found]:
    """Open the databases of a game; one that is damaged is left out with a warning.

    If it is the only one, because LUDUS_ORACLE names it, that is an error.
    """
    found: list[Found] = []
    folders = find_database_folders()
    for folder in folders:
        try:
            if read_manifest(folder).get("game") == game:
                found.append(open_folder(folder))
        except BadDatabase as error:
            if str(folder) == os.environ.get("LUDUS_ORACLE"):
                raise
            warnings.warn(f"{error}; this database is not used", LudusWarning, stacklevel=4)
    return found


def _find_largest_database(rules: Any, needs_depth: bool) -> Database | None:
    """Return the database with the largest part of this game, if any."""
    fitting = [
        database
        for database in _open_databases(GAME_ID, Database.open)
        if without_repetition(database.rules) == without_repetition(rules)
        and (database.has_depth or not needs_depth)
    ]
    return max(fitting, key=lambda database: len(database.sectors), default=None)


def _find_backgammon_oracle(
    game: AnyGame, folder: Path | None, needs_depth: bool
) -> BackgammonOracle:
    """Return the oracle with the most men of these rules; hypergammon may be solved nowhere."""
    rules = game.rules
    kind = select_extent(rules).kind
    if folder is None:
        found = _open_databases("backgammon", TableFolder.open)
    else:
        found = [TableFolder.open(folder)]
        if found[0].extent.kind != kind:
            raise WrongRules(f"{found[0].source} holds {found[0].extent.kind}, not {kind}")
    fitting = [each for each in found if each.extent.kind == kind and each.has(EQUITY_FILE)]
    tables = max(fitting, key=lambda each: each.extent.men, default=None)
    if tables is None and kind == "bearoff":
        return BackgammonOracle(rules, _solve_bearoff())
    return BackgammonOracle(rules, tables)


@lru_cache(maxsize=1)
def _solve_bearoff() -> MemoryTables:
    """Solve bearing off with 6 men a side, in a tenth of a second."""
    extent = Extent("bearoff", DEFAULT_BEAROFF_MEN)
    found = native_equities.two_sided(extent.men, extent.points, threads=count_cores())
    return MemoryTables(extent, found, "the built-in bear-off")


def _find_memory_oracle(game: AnyGame, folder: Path | None, needs_depth: bool) -> MemoryOracle:
    if folder is not None:
        raise BadDatabase(f"databases hold {GAME_ID} and backgammon; {game.id} is solved in memory")
    return _make_memory_oracle(type(game), game.rules)


@lru_cache(maxsize=8)
def _make_memory_oracle(kind: type[AnyGame], rules: Any) -> MemoryOracle:
    """Return an oracle shared by all users of the same game and rules."""
    return MemoryOracle(kind(rules))


FINDERS: Mapping[OracleKind, Callable[[AnyGame, Path | None, bool], Oracle]] = {
    "memory": _find_memory_oracle,
    "tables": _find_morris_oracle,
    "equities": _find_backgammon_oracle,
}
"""What finds the oracle of each kind, in a folder or without one; whether it needs depths."""
