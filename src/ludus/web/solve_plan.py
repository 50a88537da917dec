"""Solving a game on this machine: what it takes, what is solved already, and a worker's run.

Imported on demand: the server starts without the modules of solved games.
"""

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ludus._native import solver as native
from ludus.core.errors import LudusError
from ludus.core.files import data_folder
from ludus.core.game import AnyGame
from ludus.core.processes import count_cores, measure_machine_memory
from ludus.core.runs import announce_run
from ludus.core.workers import leave_note, on_stop
from ludus.games import registered_game
from ludus.games.nine_mens_morris import Rules
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import (
    Sector,
    all_sectors,
    estimate_peak_bytes,
    num_slots,
    orient,
    sides_to_move,
    without_repetition,
)
from ludus.oracles.morris.solver import SolveRun, Stopped, make_solver
from ludus.oracles.selection import find_database_folders

SLOTS_PER_SECOND = 4.6e6
"""Slots solved in a second of processor time: the whole standard game takes 99 minutes."""

BYTES_PER_SLOT = 0.336
"""Bytes of a slot in the files: the whole standard game takes 9.2 GB."""


@dataclass(frozen=True, slots=True)
class SolvePlan:
    """Size of a solved game and the solved part of it."""

    folder: Path
    """Where the tables are or will be written."""

    slots: int
    solved_slots: int
    is_complete: bool

    @property
    def minutes(self) -> float:
        return self.slots / SLOTS_PER_SECOND / 60 / count_cores()

    @property
    def gigabytes(self) -> float:
        return self.slots * BYTES_PER_SLOT / 1e9


def find_obstacle(game: AnyGame) -> str:
    """Return why a game cannot be solved whatever the size of the machine; empty if it can."""
    if not isinstance(game.rules, Rules):
        return "this game needs no tables"
    if why := native.why_unsolvable(game.rules):
        return f"these rules cannot be solved: {why}"
    if _find_parent_folder() is None:
        return "there is no data folder for the tables"
    return ""


def find_shortage(game: AnyGame) -> str:
    """Return which resource solving a game would exhaust on this machine; empty if none."""
    parent = _find_parent_folder() or Path()
    sectors = all_sectors(game.rules)
    needed = estimate_peak_bytes(game.rules, sectors)
    available = measure_machine_memory()
    if needed > available:
        return f"that takes {needed / 1e9:.0f} GB of memory; there are {available / 1e9:.0f} GB"
    free = shutil.disk_usage(next(each for each in (parent, *parent.parents) if each.exists())).free
    plan = make_plan(game, "")
    missing = (plan.slots - plan.solved_slots) * BYTES_PER_SLOT
    if free < missing:
        return f"that takes {missing / 1e9:.1f} GB of disk; {free / 1e9:.1f} GB are free"
    return ""


def make_plan(game: AnyGame, name: str) -> SolvePlan:
    """Return what solving a game takes; `name` is that of a new folder."""
    sectors = all_sectors(game.rules)
    slots = {each: _count_slots(game, each) for each in sectors}
    database = _find_database(game)
    if database is not None:
        solved = sum(slots[each] for each in sectors if database.has(each))
        men = game.rules.men
        is_complete = orient(0, 0, men, men) in database.sectors
        return SolvePlan(database.folder, sum(slots.values()), solved, is_complete)
    parent = _find_parent_folder() or Path()
    folder = parent / re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return SolvePlan(folder, sum(slots.values()), 0, is_complete=False)


def _count_slots(game: AnyGame, sector: Sector) -> int:
    return num_slots(sector) * len(sides_to_move(game.rules, sector))


def _find_parent_folder() -> Path | None:
    named, data = os.environ.get("LUDUS_ORACLE"), data_folder()
    if named:
        return Path(named)
    return None if data is None else data / "oracle"


def _find_database(game: AnyGame) -> Database | None:
    """Return the database with most tables of these rules, with depths, if any."""
    found = []
    with suppress(LudusError):
        for folder in find_database_folders():
            with suppress(LudusError):
                database = Database.open(folder)
                is_same = without_repetition(database.rules) == without_repetition(game.rules)
                if is_same and database.has_depth:
                    found.append(database)
    return max(found, key=lambda each: len(each.sectors), default=None)


REPORT_SECONDS = 0.5


def solve_in_background(name: str, rules: str, folder: Path) -> None:
    """Solve a game, or resume, until the worker is asked to stop; leave notes of the progress."""
    game = registered_game(name, rules)
    threads = count_cores()
    solver = make_solver(game.rules, "cpu", threads)
    title = f"{game.title}, {game.format_rules(game.rules)}"
    with (
        Database.open_for_writing(folder, game.rules, True) as database,
        announce_run("solve", title, folder) as shown,
    ):
        run = SolveRun(game.rules, all_sectors(game.rules), solver, database, threads)
        with on_stop(run.stop), ThreadPoolExecutor(1) as pool:
            task = pool.submit(run.run)
            while not wait([task], REPORT_SECONDS).done:
                progress = run.progress
                shown.update(progress.done, progress.total)
                numbers = {
                    "done": progress.done,
                    "total": progress.total,
                    "resumed": progress.resumed,
                    "tables": len(database.sectors),
                }
                leave_note(json.dumps(numbers))
            with suppress(Stopped):
                task.result()
