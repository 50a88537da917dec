"""`ludus patterns tune`: search for the setting of the Fuzzy player that wins most."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import console, print_json
from ludus.cli.patterns.asking import SeedRules

if TYPE_CHECKING:
    from ludus.core.game import AnyGame
    from ludus.learn.patterns.tuning import Found, Search


def tune(
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="HEURISTIC", help="newbie, basic or focused.")
    ] = "focused",
    trials: Annotated[int, typer.Option(min=1, max=1_000_000, help="Settings to try.")] = 800,
    games: Annotated[int, typer.Option(min=2, max=1_000_000, help="For each of them.")] = 2048,
    network: Annotated[
        str, typer.Option("--network", metavar="NETWORK", help="The network that is used.")
    ] = "long",
    study: Annotated[
        Path | None,
        typer.Option(
            "--study", metavar="FILE", help="Keep the trials here, and go on if it has some."
        ),
    ] = None,
    rules: SeedRules = "vrajitoru",
    seed: Annotated[
        int, typer.Option(min=0, max=10**6, help="The same seed gives the same search.")
    ] = 0,
    threads: Annotated[
        int, typer.Option(min=0, max=256, help="0: as many as the machine has cores.")
    ] = 0,
    json: Json = False,
) -> None:
    """Search for the strongest setting (needs the extra `learn`)."""
    from ludus.games import game as named_game
    from ludus.learn.patterns.tuning import Search

    workers = threads or os.cpu_count() or 1
    plan = Search(opponent, trials, games, network, seed, workers)
    found = _searched(named_game("nine_mens_morris", rules), plan, study)
    settings = asdict(found.settings)
    if json:
        print_json(settings=settings, wins=found.wins, games=found.games, trials=trials)
        return
    written = ",".join(f"{name}={_word(value)}" for name, value in settings.items())
    print(f"fuzzy:{written}")
    share = 100 * found.wins / found.games
    print(f"wins {found.wins} of {found.games} further games against {opponent}: {share:.1f}%")


def _searched(game: "AnyGame", plan: "Search", study: Path | None) -> "Found":
    from ludus.learn.patterns.tuning import search

    if not sys.stderr.isatty():
        return search(game, plan, study)
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        task = bars.add_task("searching", total=plan.trials)

        def report(done: int, best: float) -> None:
            bars.update(task, completed=done, description=f"searching, best {best:.1%}")

        return search(game, plan, study, report)


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
