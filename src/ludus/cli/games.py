"""`ludus games|players|perft|bench`: list games and players, count move sequences, measure."""

import time
from typing import Annotated, Any

import typer

from ludus.cli.options import GameArgument, JsonOption, PositionOption, RulesOption, parse_position
from ludus.cli.output import (
    dataclass_as_json,
    game_as_json,
    has_progress_bar,
    print_json,
    print_table,
    run_interruptible,
    track_progress,
)
from ludus.core.game import AnyGame, Position
from ludus.core.spec import list_options
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import PLAYERS

MAX_DEPTH = 100
"""Plies of the longest sequences that perft counts."""


def games(json: JsonOption = False) -> None:
    """List the games, their presets and the options of their rules."""
    kinds = [GAMES[name] for name in GAMES]
    if json:
        print_json(
            games=[
                {
                    "id": kind.id,
                    "title": kind.title,
                    "sides": kind.sides,
                    "presets": {
                        name: dataclass_as_json(rules) for name, rules in kind.presets.items()
                    },
                }
                for kind in kinds
            ]
        )
        return
    rows = [
        (kind.id, ", ".join(kind.presets), _format_options(next(iter(kind.presets.values()))))
        for kind in kinds
    ]
    print_table(("game", "presets", "options"), rows)


def players(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="Only players of this game.", show_default=False)
    ] = "",
    json: JsonOption = False,
) -> None:
    """List the players and their options."""
    wanted = type(named_game(game)) if game else None
    kinds = {
        name: kind
        for name in PLAYERS
        for kind in [PLAYERS[name]]
        if wanted is None or kind.can_play(wanted)
    }
    if json:
        print_json(
            players=[
                {
                    "name": name,
                    "title": kind.title,
                    "options": dataclass_as_json(kind.options),
                    "games": sorted(game_id for game_id in GAMES if kind.can_play(GAMES[game_id])),
                }
                for name, kind in kinds.items()
            ]
        )
        return
    rows = [(name, kind.title, _format_options(kind.options)) for name, kind in kinds.items()]
    print_table(("player", "what it does", "options"), rows)


def _format_options(options: Any) -> str:
    """Format options as `name=value, …`, as in a spec."""
    return "" if options is None else ", ".join(list_options(options))


def perft(
    game: GameArgument,
    depth: Annotated[
        int, typer.Argument(min=0, max=MAX_DEPTH, help="Plies; a roll of the dice is one.")
    ],
    rules: RulesOption = "",
    position: PositionOption = "",
    engine: Annotated[
        str,
        typer.Option("--engine", metavar="ENGINE", help="Rules implementation: native or python."),
    ] = "native",
    divide: Annotated[bool, typer.Option("--divide", help="Also count each first move.")] = False,
    json: JsonOption = False,
) -> None:
    """Count the move sequences of a given length: the standard test of move generation."""
    chosen = named_game(game, rules, engine)
    start = parse_position(chosen, position)
    began = time.perf_counter()
    counts = (
        run_interruptible(lambda: _count_by_move(chosen, start, depth)) if divide and depth else {}
    )
    nodes = sum(counts.values()) or run_interruptible(lambda: _count(chosen, start, depth))
    seconds = time.perf_counter() - began
    if json:
        print_json(
            **game_as_json(chosen),
            position=str(start),
            depth=depth,
            engine=engine,
            nodes=nodes,
            seconds=round(seconds, 6),
            **({"divide": counts} if divide else {}),
        )
        return
    for move, count in counts.items():
        print(f"{move}: {count}")
    print(f"{nodes} nodes in {seconds:.2f} s")


MIN_SHOWN_DEPTH = 5
"""Smaller depths take no time."""


def _count(game: AnyGame, position: Position, depth: int) -> int:
    """Return the perft count; on a terminal, show progress by the first two plies."""
    if depth < MIN_SHOWN_DEPTH or not has_progress_bar():
        return game.perft(position, depth)
    first = (position.play(move) for move in position.legal_moves())
    parts = [after.play(move) for after in first for move in after.legal_moves()]
    tracked = track_progress(parts, len(parts), "counting")
    return sum(game.perft(part, depth - 2) for part in tracked)


def _count_by_move(game: AnyGame, position: Position, depth: int) -> dict[str, int]:
    """Return the perft count of every legal move, by the notation of the move."""
    moves = position.legal_moves()
    tracked = track_progress(moves, len(moves), "counting")
    return {str(move): game.perft(position.play(move), depth - 1) for move in tracked}


def bench(json: JsonOption = False) -> None:
    """Print the signature, which changes only with rules and players, and their throughput."""
    from ludus.arena.benchmark import compute_signature, measure_throughput

    signature = run_interruptible(compute_signature)
    measured = measure_throughput(
        lambda names, count: track_progress(names, count, "measuring"), run_interruptible
    )
    if json:
        throughput = {name: round(rate) for name, rate in measured.rates.items()}
        ratios = {name: round(ratio, 2) for name, ratio in measured.ratios.items()}
        print_json(signature=signature, throughput=throughput, ratios=ratios)
        return
    print(f"signature {signature}")
    rows = [
        (name, f"{rate:,.0f}", f"{measured.ratios[name]:,.1f}" if name in measured.ratios else "")
        for name, rate in measured.rates.items()
    ]
    print_table(("measured", "a second", "times the Python twin"), rows)
