"""`ludus patterns match`: thousands of games a second between Fuzzy players and heuristics."""

import os
import time
from typing import Annotated

import typer

from ludus.cli.interrupt import interruptible
from ludus.cli.match import PlayerName
from ludus.cli.options import Json
from ludus.cli.output import print_json
from ludus.cli.patterns.asking import SeedRules
from ludus.core.errors import LudusError, quoted
from ludus.core.match import MAX_PLIES

LEAST_SHARE = 0.05


def match(
    first: PlayerName,
    second: PlayerName,
    games: Annotated[int, typer.Option(min=1, max=100_000_000, help="How many games.")] = 10_000,
    rules: SeedRules = "vrajitoru",
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    threads: Annotated[
        int, typer.Option(min=0, max=256, help="0: as many as the machine has cores.")
    ] = 0,
    json: Json = False,
) -> None:
    """Let Fuzzy players and heuristics meet in compiled code; both begin equally often."""
    from ludus.arena.binomial import compare
    from ludus.games import game as named_game
    from ludus.learn.patterns.compiled_games import both_ways

    chosen = named_game("nine_mens_morris", rules)
    workers = threads or os.cpu_count() or 1
    began = time.perf_counter()
    found = interruptible(
        lambda: both_ways(chosen, (first, second), games, seed, workers, MAX_PLIES)
    )
    if found is None:
        shown = f"{quoted(first)} and {quoted(second)}"
        raise LudusError(f"{shown}: only fuzzy (that does not learn) and heuristics are compiled")
    seconds = time.perf_counter() - began
    compared = compare(*found.wins)
    if json:
        print_json(
            players=[first, second],
            seed=seed,
            games=games,
            wins=list(found.wins),
            draws=found.draws,
            reasons=found.reasons,
            p_value=compared.p_value,
            seconds=round(seconds, 3),
        )
        return
    width = max(len(first), len(second), len("draws"))
    for name, count in ((first, found.wins[0]), (second, found.wins[1]), ("draws", found.draws)):
        print(f"{name:{width}}  {count:>{len(str(games))}}  {100 * count / games:.1f}%")
    verdict = "no better than chance" if compared.p_value >= LEAST_SHARE else "more than chance"
    print(f"the difference is {verdict} (p = {compared.p_value:.2g}); {seconds:.2f} s")
