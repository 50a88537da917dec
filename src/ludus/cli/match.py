"""`ludus match` and `ludus choose`: play matches, choose moves for a file of positions."""

import random
import sys
import time as clock
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer

from ludus.arena.match_pool import (
    MatchGame,
    PlayedGames,
    play_here,
    play_in_parallel,
    schedule_games,
)
from ludus.cli.options import (
    DepthOption,
    ForceOption,
    GameArgument,
    JsonOption,
    NodesOption,
    PlayerArgument,
    PositionOption,
    RulesOption,
    TimeOption,
    list_spec_files,
    parse_position,
    read_lines_file,
)
from ludus.cli.output import dataclass_as_json, print_json, print_player_notices, track_progress
from ludus.core.errors import BadPosition
from ludus.core.files import atomic_file, check_output, quote_path
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES, MatchTally, PlayedGame
from ludus.core.player import Limit
from ludus.core.processes import count_cores
from ludus.core.statistics import compare_wins
from ludus.games import game as named_game
from ludus.players import player as named_player

GAMES_PER_CALL = 20_000
"""Games per call of compiled code; between calls the bar advances and Ctrl-C is handled."""


def play_compiled_match(
    game: AnyGame,
    players: tuple[str, str],
    games: int,
    seed: int,
    is_alternating: bool,
    max_plies: int,
) -> MatchTally | None:
    """Play a match in compiled code, at about 100,000 games a second.

    Return None if a player is not compiled; after Ctrl-C the games so far, of which each player has
    begun about half.
    """
    from ludus.reproduce.matches import play_compiled_games

    seeds, score = random.Random(seed), MatchTally()
    # Seeds in the order of the sides, as ever; then both sides in turn.
    parts = [(*part, seeds.getrandbits(62)) for part in _split_games(games, is_alternating)]
    halves = [[part for part in parts if part[0] is is_swapped] for is_swapped in (False, True)]
    in_turn = [part for pair in zip_longest(*halves) for part in pair if part is not None]
    try:
        for is_swapped, num_games, own_seed in track_progress(in_turn, len(parts), "playing"):
            sides = (players[1], players[0]) if is_swapped else players
            threads = count_cores()
            tally = play_compiled_games(game, sides, num_games, own_seed, threads, max_plies)
            if tally is None:
                return None
            score += MatchTally.from_compiled(tally, is_swapped)
    except KeyboardInterrupt:
        if not score.games:
            raise
    return score


def _split_games(games: int, is_alternating: bool) -> Iterator[tuple[bool, int]]:
    """Yield (whether the second player begins, number of games) for each call.

    If alternating, the first player begins in half of all games, rounded up.
    """
    begun = (games + 1) // 2 if is_alternating else games
    for is_swapped, total in ((False, begun), (True, games - begun)):
        for first in range(0, total, GAMES_PER_CALL):
            yield is_swapped, min(GAMES_PER_CALL, total - first)


SIGNIFICANCE_LEVEL = 0.05


def match(
    game: GameArgument,
    first: PlayerArgument,
    second: PlayerArgument,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="Number of games.")] = 100,
    rules: RulesOption = "",
    position: PositionOption = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    alternate: Annotated[
        bool, typer.Option("--alternate/--fixed", help="Who begins: each in turn, or the first.")
    ] = True,
    max_plies: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Longer games are draws.")
    ] = MAX_PLIES,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Write the games to this file.")
    ] = None,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compiled/--one-by-one",
            help="Use compiled code if both players are compiled, and there is nothing to record "
            "and no limit: 100,000 games a second, but not the same games for a seed.",
        ),
    ] = True,
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
    if record is not None:
        check_output(record, *list_spec_files(first, second), force=force)
    chosen = named_game(game, rules)
    start = parse_position(chosen, position)
    limit = Limit(time, nodes, depth)
    players = named_player(first, chosen), named_player(second, chosen)
    for player in players:
        player.check_start(start)
    print_player_notices(players)
    score = None
    if compiled and record is None and not position and limit == Limit():
        score = play_compiled_match(chosen, (first, second), games, seed, alternate, max_plies)
    is_compiled = score is not None
    if score is None:
        schedule = schedule_games(games, seed, alternate)
        if jobs == 1:
            played = play_here(chosen, players, schedule, limit, start, max_plies)
        else:
            task = MatchGame(game, rules, (first, second), 0, limit, str(start), max_plies)
            played = play_in_parallel(task, schedule, jobs or count_cores())
        score = _count_games(chosen, played, games, record)
    is_interrupted = score.games < games
    if json:
        print_json(
            game=chosen.id,
            rules=dataclass_as_json(chosen.rules),
            players=[first, second],
            seed=seed,
            games=score.games,
            wins=score.wins,
            draws=score.draws,
            reasons=score.rank_reasons(),
            p_value=compare_wins(*score.wins).p_value,
            compiled=is_compiled,
            **({"interrupted": True} if is_interrupted else {}),
        )
    else:
        _print_score(score, (first, second))
        if is_compiled:
            print("compiled code; --one-by-one and --record play other games with this seed")
    if is_interrupted:
        print(f"ludus: interrupted after {score.games} of {games} games", file=sys.stderr)
        raise KeyboardInterrupt


def _print_score(score: MatchTally, players: tuple[str, str]) -> None:
    width = max(len(players[0]), len(players[1]), len("draws"))
    for name, count in zip((*players, "draws"), score.counts, strict=True):
        print(f"{name:{width}}  {count:>{len(str(score.games))}}")
    ends = ", ".join(f"{reason} {count}" for reason, count in score.rank_reasons().items())
    print(f"{'ends':{width}}  {ends}")
    p_value = compare_wins(*score.wins).p_value
    verdict = "no more than chance" if p_value >= SIGNIFICANCE_LEVEL else "more than chance"
    print(f"the difference is {verdict} (p = {p_value:.2g})")


def _count_games(game: AnyGame, played: PlayedGames, games: int, record: Path | None) -> MatchTally:
    """Return the score, and write the records to a file; Ctrl-C ends the match after whole games.

    Before the first game has ended it is raised, and nothing is written.
    """
    score = MatchTally()
    with (
        closing(played),
        atomic_file(record) if record is not None else nullcontext() as file,
    ):
        try:
            for number, (is_swapped, found) in enumerate(
                track_progress(played, games, "playing"), 1
            ):
                winner = found.outcome.winner
                if file is not None:
                    print(_format_record(found, game, number), end="\n\n", file=file)
                score.add(None if winner is None else winner ^ is_swapped, found.outcome.reason)
        except KeyboardInterrupt:
            if not score.games:
                raise
    return score


def _format_record(result: PlayedGame, game: AnyGame, number: int) -> str:
    from ludus.core.record import Record

    found = Record.from_game(result, game)
    return str(replace(found, headers={"Round": str(number), **found.headers}))


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
    seed: Annotated[int, typer.Option(help="The same seed gives the same moves.")] = 0,
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
