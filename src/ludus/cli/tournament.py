"""`ludus tournament`: play a tournament and store its results in a SQLite file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import ClusterOption, JobsOption, JsonOption
from ludus.cli.output import print_json, print_player_notices, print_table, track_progress
from ludus.core.runs import announce_run

if TYPE_CHECKING:
    from ludus.arena.report import TournamentReport
    from ludus.arena.tournament import Tournament


def tournament(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.toml", help="The tournament; see docs/tournaments.md."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="File of the results; an existing one is resumed.",
            show_default="beside FILE.toml, ending in .sqlite",
        ),
    ] = None,
    jobs: JobsOption = 0,
    cluster: ClusterOption = "",
    anchor: Annotated[
        str,
        typer.Option(
            "--anchor",
            metavar="PLAYER",
            help="The player whose Elo rating is 0.",
            show_default="the mean of all players",
        ),
    ] = "",
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--module",
            metavar="MODULE",
            help="Let the file name classes of this module; repeatable.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play a round robin or a gauntlet; the same command resumes an interrupted one."""
    from ludus.arena.executors import make_executor
    from ludus.arena.ratings import check_anchor
    from ludus.arena.report import list_missing_games
    from ludus.arena.report import tournament as play_tournament
    from ludus.arena.result_store import ResultStore
    from ludus.arena.tournament import read_tournament

    plan = read_tournament(file, modules=modules or ())
    check_anchor(anchor or None, plan.players)
    _print_notices(plan)
    results = out or file.with_suffix(".sqlite")
    with (
        make_executor(jobs, cluster) as executor,
        ResultStore(results) as store,
        announce_run("tournament", plan.name or file.stem, file, results),
    ):
        resumed = plan.num_games - len(list_missing_games(plan, store))
        try:
            found = play_tournament(
                plan,
                store=store,
                anchor=anchor or None,
                executor=executor,
                track=lambda results, count: track_progress(results, count, "playing"),
            )
        except KeyboardInterrupt:
            num_left = len(list_missing_games(plan, store))
            message = f"{num_left} games are left; run the same command to resume"
            print(f"ludus: {message}", file=sys.stderr)
            raise
    if json:
        print_json(resumed=resumed, **found.as_json())
        return
    _print_report(found)


def _print_notices(plan: "Tournament") -> None:
    from ludus.core.player import Player
    from ludus.core.spec import parse_spec
    from ludus.games import game
    from ludus.players import find_player_class, player

    chosen = game(plan.conditions.game, plan.conditions.rules)
    # Only players that have notices are made again; others may start a program.
    kinds = {spec: find_player_class(parse_spec(spec))[0] for spec in plan.players}
    specs = [spec for spec, kind in kinds.items() if kind.notice is not Player.notice]
    print_player_notices(player(spec, chosen) for spec in specs)


def _print_report(found: "TournamentReport") -> None:
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
            (f"{number}. {player}", *(found.format_points(player, other) for other in ranking))
            for number, player in enumerate(ranking, 1)
        ],
    )
    print()
    pairs = [
        (
            f"{first} – {second}",
            f"{pair.wins[0]}:{pair.wins[1]}",
            _format_p_value(found, first, second),
        )
        for (first, second), pair in found.standings.pairs.items()
    ]
    print_table(("pair", "won", "p, exact binomial test"), pairs)
    print(f"\n{found.standings.games} games; ends: {', '.join(found.format_endings())}")
    for (player, message), count in found.standings.messages.most_common(10):
        print(f"{player} failed {count} times: {message}")


def _format_p_value(found: "TournamentReport", first: str, second: str) -> str:
    p_value = found.tests[first, second].p_value
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.1e}"
