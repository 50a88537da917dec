"""`ludus match` and `ludus choose`: play matches, choose moves for a file of positions."""

import sys
import time as clock
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    AlternateOption,
    DepthOption,
    ForceOption,
    GameArgument,
    JsonOption,
    NodesOption,
    PlayerArgument,
    PositionOption,
    RulesOption,
    SeedOption,
    TimeOption,
    list_spec_files,
    parse_position,
    read_lines_file,
)
from ludus.cli.output import dataclass_as_json, print_json, print_player_notices, track_progress
from ludus.core.errors import BadPosition
from ludus.core.files import atomic_file, check_output, quote_path
from ludus.core.match import MAX_PLIES, MatchTally
from ludus.core.player import Limit
from ludus.core.statistics import compare_wins
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.arena.match import MatchResult

SIGNIFICANCE_LEVEL = 0.05


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
        Path | None, typer.Option("--record", metavar="FILE", help="Write the games to this file.")
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
    jobs: Annotated[
        int,
        typer.Option(
            min=0,
            max=1024,
            help="Processes that play the games; 0: one per core. Players that learn from game to "
            "game need 1.",
        ),
    ] = 1,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Play a match of two players and count their wins; after Ctrl-C those so far."""
    from ludus.arena import match as arena

    if record is not None:
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
        record=record,
        keep_records=False,
        stop_at_interrupt=True,
        track=lambda items, total: track_progress(items, total, "playing"),
    )
    is_interrupted = found.score.games < games
    if json:
        about = {"game": chosen.id, "rules": dataclass_as_json(chosen.rules)}
        shown = {"interrupted": True} if is_interrupted else {}
        print_json(**about, players=[first, second], seed=seed, **_as_json(found), **shown)
    else:
        _print_score(found.score, (first, second))
    if is_interrupted:
        print(f"ludus: interrupted after {found.score.games} of {games} games", file=sys.stderr)
        raise KeyboardInterrupt


def _as_json(found: "MatchResult") -> dict[str, Any]:
    return {
        "games": found.score.games,
        "wins": found.wins,
        "draws": found.draws,
        "reasons": found.score.rank_reasons(),
        "p_value": found.comparison.p_value,
        "compiled": found.compiled,
    }


def _print_score(score: MatchTally, players: tuple[str, str]) -> None:
    width = max(len(players[0]), len(players[1]), len("draws"))
    for name, count in zip((*players, "draws"), score.counts, strict=True):
        print(f"{name:{width}}  {count:>{len(str(score.games))}}")
    ends = ", ".join(f"{reason} {count}" for reason, count in score.rank_reasons().items())
    print(f"{'ends':{width}}  {ends}")
    p_value = compare_wins(*score.wins).p_value
    verdict = "no more than chance" if p_value >= SIGNIFICANCE_LEVEL else "more than chance"
    print(f"the difference is {verdict} (p = {p_value:.2g})")


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
    try:
        parsed = parse_positions(read_lines_file(positions), chosen, notation)
    except BadPosition as error:
        raise BadPosition(f"{quote_path(positions)}, {error}") from error
    if not parsed:
        raise BadPosition(f"{quote_path(positions)} has no position")
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
