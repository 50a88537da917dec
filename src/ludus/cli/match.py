"""`ludus match`, `tournament` and `choose`: play games, choose moves for a file of positions."""

import sys
import time as clock
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import (
    AlternateOption,
    ClusterOption,
    DepthOption,
    ForceOption,
    GameArgument,
    JobsOption,
    JsonOption,
    NodesOption,
    PlayerArgument,
    PositionOption,
    RulesOption,
    SeedOption,
    TimeOption,
    list_spec_files,
    parse_position,
    read_positions,
)
from ludus.cli.output import (
    game_as_json,
    get_table_width,
    print_interruption,
    print_json,
    print_player_notices,
    track_progress,
)
from ludus.core.files import atomic_file, check_output
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, Player
from ludus.core.runs import announce_run
from ludus.core.spec import parse_spec
from ludus.games import game as named_game
from ludus.players import find_player_class
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.arena.match import MatchResult
    from ludus.arena.tournament import Tournament

MatchJobsOption = Annotated[
    int,
    typer.Option(
        min=0,
        max=1024,
        help="Processes that play the games; 0: one per core. Players that learn from game to "
        "game need 1.",
    ),
]


def match(
    game: GameArgument,
    first: PlayerArgument,
    second: PlayerArgument,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="Number of games.")] = 100,
    rules: RulesOption = "",
    position: PositionOption = "",
    seed: SeedOption = 0,
    alternate: AlternateOption = True,
    max_plies: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Longer games are draws.")
    ] = MAX_PLIES,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", metavar="FILE", help="Write the games to this file; -: standard output."
        ),
    ] = None,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compiled",
            help="Play in compiled code, 100,000 games a second: other games for a seed, of "
            "players that have a compiled twin.",
        ),
    ] = False,
    time: TimeOption = None,
    nodes: NodesOption = None,
    depth: DepthOption = None,
    jobs: MatchJobsOption = 1,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Play a match of two players and count their wins; after Ctrl-C those so far."""
    from ludus.arena import match as arena

    is_piped = str(record) == "-"
    if is_piped and json:
        raise typer.BadParameter("--record - and --json both take standard output")
    if record is not None and not is_piped:
        check_output(record, *list_spec_files(first, second), force=force)
    chosen = named_game(game, rules)
    start = parse_position(chosen, position) if position else None
    players = named_player(first, chosen), named_player(second, chosen)
    for player in players:
        player.check_start(start or chosen.start())
    print_player_notices(players)
    found = arena.match(
        chosen,
        first,
        second,
        games=games,
        seed=seed,
        alternate=alternate,
        limit=Limit(time, nodes, depth),
        start=start,
        max_plies=max_plies,
        jobs=jobs,
        compiled=compiled,
        record=sys.stdout if is_piped else record,
        keep_records=False,
        stop_at_interrupt=True,
        track=lambda items, total: track_progress(items, total, "playing"),
    )
    is_interrupted = found.score.games < games
    if json:
        _print_match_as_json(found, seed, is_interrupted)
    else:
        print(found, file=sys.stderr if is_piped else sys.stdout)
    if is_interrupted:
        print_interruption(f"interrupted after {found.score.games} of {games} games")
        raise KeyboardInterrupt


def _print_match_as_json(found: "MatchResult", seed: int, is_interrupted: bool) -> None:
    print_json(
        **game_as_json(found.game),
        players=list(found.players),
        seed=seed,
        games=found.score.games,
        wins=found.wins,
        draws=found.draws,
        reasons=found.score.rank_reasons(),
        p_value=found.comparison.p_value,
        compiled=found.compiled,
        **({"interrupted": True} if is_interrupted else {}),
    )


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
            print_interruption(f"{num_left} games are left; run the same command to resume")
            raise
    if json:
        print_json(resumed=resumed, **found.as_json())
        return
    print(found.format(get_table_width()))


def _print_notices(plan: "Tournament") -> None:
    chosen = named_game(plan.conditions.game, plan.conditions.rules)
    # Only players that have notices are made again; others may start a program.
    kinds = {spec: find_player_class(parse_spec(spec))[0] for spec in plan.players}
    specs = [spec for spec, kind in kinds.items() if kind.notice is not Player.notice]
    print_player_notices(named_player(spec, chosen) for spec in specs)


def choose(
    game: GameArgument,
    player: PlayerArgument,
    positions: Annotated[
        Path,
        typer.Option(
            "--positions",
            metavar="FILE",
            help="Positions, one per line; -: standard input.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Output file.", show_default="standard output"),
    ] = None,
    notation: Annotated[
        str,
        typer.Option(
            "--notation",
            metavar="NOTATION",
            help="Notation of the moves: auto, game, or for Morris thesis or playok.",
        ),
    ] = "auto",
    rules: RulesOption = "",
    seed: SeedOption = 0,
    time: TimeOption = None,
    nodes: NodesOption = None,
    depth: DepthOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write a player's move for every position of a file, one per line."""
    if out is not None:
        check_output(out, positions, *list_spec_files(player), force=force)
    from ludus.arena.choices import choose_and_format, get_batch_size, parse_positions

    chosen = named_game(game, rules)
    limit = Limit(time, nodes, depth)
    player_ = named_player(player, chosen)
    parsed = read_positions(positions, lambda text: parse_positions(text, chosen, notation))
    print_player_notices([player_])
    player_.start_game(seed)
    began = clock.perf_counter()
    moves: list[str] = []
    with atomic_file(out) if out is not None else nullcontext() as file:
        batch = get_batch_size(player_)
        batches = -(-len(parsed) // batch)
        for part in track_progress(
            choose_and_format(player_, parsed, limit, batch), batches, "choosing"
        ):
            if file is not None:
                file.writelines(f"{move}\n" for move in part)
            else:
                moves += part
    seconds = clock.perf_counter() - began
    if json:
        output = {"moves": moves} if out is None else {"out": str(out)}
        print_json(positions=len(parsed), seconds=round(seconds, 3), **output)
    elif out is None:
        for move in moves:
            print(move)
    else:
        print(f"{len(parsed)} moves in {seconds:.1f} s")
