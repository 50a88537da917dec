"""`ludus verify`: is a folder of solved values what it should be."""

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, rules_as_json
from ludus.cli.solve import Device, Threads


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `ludus solve` has written.")],
    threads: Threads = 0,
    device: Device = "cpu",
    json: Json = False,
) -> None:
    """Check every byte of a solved game, then every value against the positions that follow."""
    from ludus.cli.running import run_with_bar
    from ludus.oracle.database import Database
    from ludus.oracle.solver import make_solver
    from ludus.oracle.verify import Verify

    database = Database.open(folder)
    num_threads = threads or os.cpu_count() or 1
    began = time.perf_counter()
    run = Verify(database, make_solver(database.rules, device, num_threads), num_threads)
    found = run_with_bar(run, "verifying")
    seconds = round(time.perf_counter() - began, 3)
    if json:
        print_json(
            rules=rules_as_json(database.rules),
            has_depth=database.has_depth,
            subspaces=found.num_subspaces,
            values=found.num_values,
            wrong=found.num_wrong,
            problems=found.problems,
            seconds=seconds,
        )
    else:
        for problem in found.problems:
            print(problem)
        print(
            f"{found.num_subspaces} subspaces, {found.num_values:,} values, "
            f"{found.num_wrong} wrong; {seconds:.1f} s"
        )
    if not found.is_right:
        raise typer.Exit(1)
