"""`ludus solve`: perfect values of a whole game, or of its part with few men."""

import os
import time
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import GameName, Json, Rules
from ludus.cli.output import print_json, print_table, rules_as_json
from ludus.games import game as named_game

if TYPE_CHECKING:
    from ludus.core.game import AnyGame
    from ludus.oracle.sectors import Sector
    from ludus.oracle.solve import Solved

Threads = Annotated[
    int,
    typer.Option(min=0, max=1024, help="Threads to work with; 0: as many as the machine has."),
]

Device = Annotated[str, typer.Option("--device", metavar="DEVICE", help="cpu or cuda.")]


def solve(
    game: GameName,
    rules: Rules = "",
    max_men: Annotated[
        int | None,
        typer.Option(help="Only positions with empty hands and at most so many men a side."),
    ] = None,
    threads: Threads = 0,
    device: Device = "cpu",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Keep the values in this folder; go on if it has some."
        ),
    ] = None,
    wdl: Annotated[
        bool, typer.Option("--wdl", help="Keep who wins, but not how soon: smaller files.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Derive every value again from its successors.")
    ] = False,
    json: Json = False,
) -> None:
    """Solve a game of the Morris family: who wins from every position, and how soon."""
    from ludus.cli.running import run_with_bar
    from ludus.oracle.database import Database
    from ludus.oracle.needs import peak_bytes
    from ludus.oracle.solve import Solve
    from ludus.oracle.solver import make_solver

    chosen = named_game(game, rules)
    sectors = _sectors(chosen, max_men)
    if wdl and out is None:
        raise typer.BadParameter("--wdl is about the files that --out keeps")
    if device == "cpu":
        _check_memory(peak_bytes(chosen.rules, sectors))
    num_threads = threads or os.cpu_count() or 1
    solver = make_solver(chosen.rules, device, num_threads)
    began = time.perf_counter()
    folder = Database.writing(out, chosen.rules, not wdl) if out is not None else nullcontext()
    with folder as database:
        run = Solve(chosen.rules, sectors, solver, database, num_threads, verify)
        found = run_with_bar(run, "solving")
    report = {
        **_result(found, has_depth=not wdl),
        "slots": run.work.total,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if json:
        print_json(game=chosen.id, rules=rules_as_json(chosen.rules), **report)
    else:
        _print(report)
    if found.num_wrong:
        raise typer.Exit(1)


def _sectors(chosen: "AnyGame", max_men: int | None) -> "list[Sector]":
    """What is to be solved."""
    from ludus.oracle.errors import CannotSolve
    from ludus.oracle.manifest import GAME
    from ludus.oracle.sectors import all_sectors, moving_sectors

    if chosen.id != GAME:
        raise CannotSolve(f"only {GAME} is solved into tables, not {chosen.id}")
    if max_men is None:
        return all_sectors(chosen.rules)
    low, high = chosen.rules.lose_below, chosen.rules.men
    if not low <= max_men <= high:
        raise CannotSolve(f"--max-men {max_men} must be from {low} to {high} under these rules")
    return moving_sectors(chosen.rules, max_men)


def _check_memory(needed: int) -> None:
    """Better refused at once than killed by the system after an hour."""
    from ludus.oracle.errors import CannotSolve

    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there:
        raise CannotSolve(
            f"solving this takes {needed / 1e9:.0f} GB of memory; here are {there / 1e9:.0f} GB"
        )


def _result(found: "Solved", has_depth: bool) -> dict[str, Any]:
    """What came out, as JSON has it."""
    from ludus.oracle.blocks import outcome

    root = None if found.root is None else outcome(found.root)
    checked = {} if found.num_wrong is None else {"wrong": found.num_wrong}
    moving, placing = [], []
    for space, tally in found.tallies.items():
        sides = {"mover": space.mover, "other": space.other}
        if space.mover_hand == space.other_hand == 0:
            moving.append({**sides, **asdict(tally)})
        else:
            hands = {"mover_hand": space.mover_hand, "other_hand": space.other_hand}
            placing.append({**sides, **hands, **asdict(tally)})
    return {
        "root": root,
        "root_depth": found.root if has_depth and root in ("win", "loss") else None,
        "resumed": found.num_resumed,
        **checked,
        "subspaces": moving,
        "placement": placing,
    }


def _print(report: dict[str, Any]) -> None:
    columns = ("win", "loss", "draw", "max_win", "max_loss")
    headings = ("subspace", "won", "lost", "drawn", "longest win", "longest loss")
    rows = [
        (_name(space), *("" if space[key] is None else str(space[key]) for key in columns))
        for space in [*report["subspaces"], *report["placement"]]
    ]
    print_table(headings, rows)
    if report["root"] is not None:
        plies = "" if report["root_depth"] is None else f" in {report['root_depth']} plies"
        print(f"The start of the game is a {report['root']}{plies} for the first player.")
    if "wrong" in report:
        print(f"{report['wrong']} values are wrong.")
    rate = report["slots"] / max(report["seconds"], 0.001) / 1e6
    print(f"{report['slots']:,} slots in {report['seconds']:.1f} s, {rate:.1f} million a second")


def _name(space: dict[str, Any]) -> str:
    """A subspace as a table for people has it: the mover's men first."""
    name = f"{space['mover']}-{space['other']}"
    if "mover_hand" in space:
        name += f" and {space['mover_hand']}-{space['other_hand']} in hand"
    return name
