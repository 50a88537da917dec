"""Process that solves a game completely in the background; it prints its progress as JSON lines.

Run as `python -m ludus.web.solve_process GAME RULES FOLDER`. It stops when its input is closed, so
it never outlives the server, and the next run with the same folder resumes.
"""

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.processes import count_cores
from ludus.core.runs import announce_run
from ludus.games import registered_game
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.solver import SolveRun, make_solver, select_sectors

REPORT_SECONDS = 0.5

NICENESS = 15
"""Games that are being played come first."""


def main() -> None:
    """Solve the game that the arguments name."""
    name, rules, folder = sys.argv[1:4]
    os.nice(NICENESS)
    try:
        _solve(name, rules, Path(folder))
    except LudusError as error:
        _report(error=str(error))
        sys.exit(1)


def _solve(name: str, rules: str, folder: Path) -> None:
    game = registered_game(name, rules)
    threads = count_cores()
    solver = make_solver(game.rules, "cpu", threads)
    is_closed = threading.Event()
    threading.Thread(target=_wait_for_end_of_input, args=(is_closed,), daemon=True).start()
    title = f"{game.title}, {game.format_rules(game.rules)}"
    with (
        Database.open_for_writing(folder, game.rules, True) as database,
        announce_run("solve", title, folder) as shown,
    ):
        run = SolveRun(game.rules, select_sectors(game, None), solver, database, threads)
        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(run.run)
            while not wait([task], REPORT_SECONDS).done:
                progress = run.progress
                shown.update(progress.done, progress.total)
                _report(
                    done=progress.done,
                    total=progress.total,
                    resumed=progress.resumed,
                    tables=len(database.sectors),
                )
                if is_closed.is_set():
                    run.stop()
            if not is_closed.is_set():
                task.result()
                _report(done=run.progress.total, total=run.progress.total, resumed=0)


def _wait_for_end_of_input(is_closed: threading.Event) -> None:
    # Not through sys.stdin, whose lock would block the end of the interpreter.
    while os.read(0, 1024):
        pass
    is_closed.set()


def _report(**fields: Any) -> None:
    try:
        print(json.dumps(fields), flush=True)
    except BrokenPipeError:
        os._exit(1)


if __name__ == "__main__":
    main()
