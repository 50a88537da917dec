"""`ludus match` and `ludus choose`: play matches, choose moves for a file of positions."""

import os
import random
import time as clock
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

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
    parse_position,
)
from ludus.cli.output import dataclass_as_json, print_json, print_player_notices, track_progress
from ludus.core.errors import BadPosition
from ludus.core.files import atomic_file, check_output, quote_path, read_text
from ludus.core.game import AnyGame, GameTally, Position
from ludus.core.match import MAX_PLIES, MatchRecord, MatchTally, play_match
from ludus.core.player import Player
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
) -> list[tuple[bool, GameTally]] | None:
    """Play a match in compiled code, at about 100,000 games a second.

    Return pairs (whether the second player began, tally), or None if a player is not compiled.
    """
    from ludus.reproduce.matches import play_compiled_games

    seeds, found = random.Random(seed), []
    parts = list(_split_games(games, is_alternating))
    for is_swapped, num_games in track_progress(iter(parts), len(parts), "playing"):
        sides = (players[1], players[0]) if is_swapped else players
        own_seed, threads = seeds.getrandbits(62), os.cpu_count() or 1
        tally = play_compiled_games(game, sides, num_games, own_seed, threads, max_plies)
        if tally is None:
            return None
        found.append((is_swapped, tally))
    return found


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
            help="Use compiled code if both players are compiled and nothing is recorded: 100,000 "
            "games a second, but not the same games for a seed.",
        ),
    ] = True,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Play a match of two players and count their wins."""
    if record is not None:
        check_output(record, force=force)
    from ludus.core.statistics import compare_wins

    chosen = named_game(game, rules)
    start = parse_position(chosen, position)
    players = named_player(first, chosen), named_player(second, chosen)
    for player in players:
        player.check_start(start)
    print_player_notices(players)
    score, tallies = MatchTally(), None
    if compiled and record is None and not position:
        tallies = play_compiled_match(chosen, (first, second), games, seed, alternate, max_plies)
    if tallies is not None:
        for is_swapped, tally in tallies:
            score += MatchTally.from_compiled(tally, is_swapped)
    else:
        played = _play_games(chosen, players, games, seed, alternate, start, max_plies)
        shown = enumerate(track_progress(played, games, "playing"), 1)
        with atomic_file(record) if record is not None else nullcontext() as file:
            for number, (is_swapped, result) in shown:
                winner = result.outcome.winner
                score.add(None if winner is None else winner ^ is_swapped, result.outcome.reason)
                if file is not None:
                    print(_format_record(result, chosen, number), end="\n\n", file=file)
    if json:
        print_json(
            game=chosen.id,
            rules=dataclass_as_json(chosen.rules),
            players=[first, second],
            seed=seed,
            games=games,
            wins=score.wins,
            draws=score.draws,
            reasons=score.rank_reasons(),
            p_value=compare_wins(*score.wins).p_value,
        )
        return
    width = max(len(first), len(second), len("draws"))
    for name, count in ((first, score.wins[0]), (second, score.wins[1]), ("draws", score.draws)):
        print(f"{name:{width}}  {count:>{len(str(games))}}")
    ends = ", ".join(f"{reason} {count}" for reason, count in score.rank_reasons().items())
    print(f"{'ends':{width}}  {ends}")
    p_value = compare_wins(*score.wins).p_value
    verdict = "no more than chance" if p_value >= SIGNIFICANCE_LEVEL else "more than chance"
    print(f"the difference is {verdict} (p = {p_value:.2g})")


def _play_games(
    game: AnyGame,
    players: tuple[Player, Player],
    games: int,
    seed: int,
    alternate: bool,
    start: Position,
    max_plies: int,
) -> Iterator[tuple[bool, MatchRecord]]:
    """Yield (whether the second player had the first side, record) for each game."""
    seeds = random.Random(seed)
    for number in range(games):
        is_swapped = alternate and number % 2 == 1
        sides = (players[1], players[0]) if is_swapped else players
        own_seed = seeds.getrandbits(62)
        yield (
            is_swapped,
            play_match(game, sides, seed=own_seed, start=start, max_plies=max_plies),
        )


def _format_record(result: MatchRecord, game: AnyGame, number: int) -> str:
    from ludus.core.record import Record

    found = Record.from_match(result, game)
    return str(replace(found, headers={"Round": str(number), **found.headers}))


def choose(
    game: GameArgument,
    player: PlayerArgument,
    positions: Annotated[
        Path,
        typer.Option(
            "--positions", metavar="FILE", help="Positions, one per line.", show_default=False
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
        check_output(out, positions, force=force)
    from ludus.arena.choices import choose_and_format, get_batch_size, parse_positions
    from ludus.core.player import Limit

    chosen = named_game(game, rules)
    limit = Limit(time, nodes, depth)
    player_ = named_player(player, chosen)
    try:
        parsed = parse_positions(read_text(positions), chosen, notation)
    except BadPosition as error:
        raise BadPosition(f"{quote_path(positions)}, {error}") from error
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
