"""`ludus solve`: perfect values of a whole game, or of its part with few men."""

import os
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import GameName, Json, Rules
from ludus.cli.output import print_json, print_table, rules_as_json
from ludus.games import game as named_game

if TYPE_CHECKING:
    from ludus.oracle.solve import Solved

MAX_THREADS = 1024

Threads = Annotated[
    int,
    typer.Option(
        min=0, max=MAX_THREADS, help="Threads to work with; 0: as many as the machine has."
    ),
]


def solve(
    game: GameName,
    rules: Rules = "",
    max_men: Annotated[
        int | None,
        typer.Option(min=1, max=12, help="Only positions with empty hands and so many men a side."),
    ] = None,
    threads: Threads = 0,
    device: Annotated[str, typer.Option(metavar="DEVICE", help="cpu or cuda.")] = "cpu",
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the values in this folder; go on if it has some."),
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
    from ludus.oracle.sectors import all_sectors
    from ludus.oracle.solve import Solve
    from ludus.oracle.solver import make_solver

    chosen = named_game(game, rules)
    own = _checked_rules(chosen, max_men)
    sectors = all_sectors(own) if max_men is None else _moving(own, max_men)
    solver = make_solver(own, device, threads or os.cpu_count() or 1)
    began = time.perf_counter()
    folder = Database.writing(out, own, not wdl) if out is not None else nullcontext()
    with folder as database:
        work = Solve(own, sectors, solver, database, has_depth=not wdl, verify=verify)
        found = run_with_bar(work, "solving")
    report = _report(found, not wdl)
    report |= {"seconds": round(time.perf_counter() - began, 3), "slots": work.work.total}
    if json:
        print_json(game=chosen.id, rules=rules_as_json(own), **report)
    else:
        _print(report)
    if found.num_wrong:
        raise typer.Exit(1)


def _checked_rules(chosen: Any, max_men: int | None) -> Any:
    from ludus.oracle.errors import CannotSolve
    from ludus.oracle.manifest import GAME

    if chosen.id != GAME:
        raise CannotSolve(f"only {GAME} is solved into tables, not {chosen.id}")
    low, high = chosen.rules.lose_below, chosen.rules.men
    if max_men is not None and not low <= max_men <= high:
        raise CannotSolve(f"--max-men {max_men} must be from {low} to {high} under these rules")
    return chosen.rules


def _moving(rules: Any, max_men: int) -> Any:
    from ludus.oracle.sectors import moving_sectors

    return moving_sectors(rules, max_men)


def _report(found: "Solved", has_depth: bool) -> dict[str, Any]:
    """What came out, as JSON has it."""
    from dataclasses import asdict

    from ludus.oracle.solve import outcome

    moving, placing = [], []
    for space, tally in found.tallies.items():
        sides = {"mover": space.mover, "other": space.other}
        if space.mover_hand == space.other_hand == 0:
            moving.append({**sides, **asdict(tally)})
        else:
            hands = {"mover_hand": space.mover_hand, "other_hand": space.other_hand}
            placing.append({**sides, **hands, **asdict(tally)})
    root = None if found.root is None else outcome(found.root)
    depth = found.root if has_depth and root not in (None, "draw") else None
    checked = {} if found.num_wrong is None else {"wrong": found.num_wrong}
    return {
        "root": root,
        "root_depth": depth,
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
        plies = f" in {report['root_depth']} plies" if report["root_depth"] is not None else ""
        print(f"The first player has a {report['root']}{plies}.")
    if "wrong" in report:
        print(f"{report['wrong']} values are wrong.")
    rate = report["slots"] / max(report["seconds"], 0.001) / 1e6
    print(f"{report['slots']:,} slots in {report['seconds']:.1f} s ({rate:.1f} million a second)")


def _name(space: dict[str, Any]) -> str:
    name = f"{space['mover']}-{space['other']}"
    if "mover_hand" in space:
        name += f" and {space['mover_hand']}-{space['other_hand']} in hand"
    return name
