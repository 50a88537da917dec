"""`ludus tournament`: many players meet, and a file keeps what came out."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table, with_progress

if TYPE_CHECKING:
    from ludus.arena.report import Report
    from ludus.arena.run import Executor
    from ludus.arena.store import Store
    from ludus.arena.tournament import Tournament

Jobs = Annotated[
    int,
    typer.Option(min=0, max=1024, help="Games at a time; 0: as many as the machine has cores."),
]


def tournament(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.toml", help="What is played; docs/tournaments.md tells how."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Keep the results here, and go on if there are some.",
            show_default="beside FILE.toml, ending in .sqlite",
        ),
    ] = None,
    jobs: Jobs = 0,
    cluster: Annotated[
        str,
        typer.Option("--cluster", metavar="auto|ADDRESS", help="Play on a Ray cluster, not here."),
    ] = "",
    anchor: Annotated[
        str,
        typer.Option(
            "--anchor",
            metavar="PLAYER",
            help="Whose Elo is 0.",
            show_default="the mean of all players",
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Play a round robin or a gauntlet; a killed one goes on where it stopped."""
    from ludus.arena.ratings import check_anchor
    from ludus.arena.report import report
    from ludus.arena.store import Store
    from ludus.arena.tournament_file import read_tournament

    plan = read_tournament(file)
    check_anchor(anchor or None, plan.players)
    executor = _executor(jobs, cluster)
    with Store(out or file.with_suffix(".sqlite")) as store:
        before = _play(plan, store, executor)
        found = report(plan, store.results(plan.id), anchor or None)
    if json:
        print_json(resumed=before, **found.as_json())
        return
    _print(found)


def _executor(jobs: int, cluster: str) -> "Executor":
    if cluster:
        from ludus.arena.cluster import RayCluster

        return RayCluster(cluster, jobs)
    from ludus.arena.run import LocalPool

    return LocalPool(jobs or os.cpu_count() or 1)


def _play(plan: "Tournament", store: "Store", executor: "Executor") -> int:
    """Play what is missing; how many games were there already."""
    store.begin(plan)
    there = store.keys(plan.id)
    missing = [job for job in plan.schedule() if job.key not in there]
    done = 0
    try:
        with executor:
            for result in with_progress(executor.run(missing), len(missing), "playing"):
                store.add(result)
                done += 1
    except KeyboardInterrupt:
        left = len(missing) - done
        print(f"ludus: {left} games are left; the same command goes on", file=sys.stderr)
        raise
    return plan.num_games - len(missing)


def _print(found: "Report") -> None:
    ranking = found.ranking
    rows = []
    for number, player in enumerate(ranking, 1):
        line, rating = found.standings.lines[player], found.ratings[player]
        faults = ", ".join(f"{reason} {count}" for reason, count in line.faults.most_common())
        rows.append(
            (
                f"{number}. {player}",
                str(line.games),
                f"{line.wins}/{line.draws}/{line.losses}",
                f"{line.score:.1%}",
                f"{rating.elo:+.0f} ± {rating.margin:.0f}",
                faults,
            )
        )
    print_table(("player", "games", "won/drawn/lost", "score", "Elo, 95%", "lost by"), rows)
    print()
    print_table(
        ("points of row against column", *(str(n) for n, _ in enumerate(ranking, 1))),
        [
            (f"{number}. {player}", *(_cell(found, player, other) for other in ranking))
            for number, player in enumerate(ranking, 1)
        ],
    )
    print()
    pairs = [
        (f"{first} – {second}", f"{pair.wins[0]}:{pair.wins[1]}", _p_value(found, first, second))
        for (first, second), pair in found.standings.pairs.items()
    ]
    print_table(("pair", "won", "p, exact binomial test"), pairs)
    print(f"\n{found.standings.games} games; ends: {', '.join(found.endings())}")
    for (player, message), count in found.standings.messages.most_common(10):
        print(f"{player} failed {count} times: {message}")


def _cell(found: "Report", player: str, other: str) -> str:
    """What a player has got against another, in points."""
    for seat, players in enumerate(((player, other), (other, player))):
        if pair := found.standings.pairs.get(players):
            return f"{pair.wins[seat] + pair.draws / 2:g}"
    return ""


def _p_value(found: "Report", first: str, second: str) -> str:
    p_value = found.tests[first, second].p_value
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.1e}"
