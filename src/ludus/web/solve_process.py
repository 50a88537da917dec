"""Solving a game completely in the background, by a worker process."""

import json
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

from ludus.core.processes import count_cores
from ludus.core.runs import announce_run
from ludus.core.workers import leave_note, on_stop
from ludus.games import registered_game
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import all_sectors
from ludus.oracles.morris.solver import SolveRun, Stopped, make_solver

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
