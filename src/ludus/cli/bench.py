"""`ludus bench`: how fast the rules are, and a number that tells whether they changed."""

import random
import time
from collections.abc import Callable

from ludus.cli.interrupt import interruptible
from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table, with_progress

SECONDS = 0.3
"""Each measurement repeats its work until this time is over."""

Work = Callable[[], int]
"""Does some work and returns how much it was."""


def bench(json: Json = False) -> None:
    """Print the signature, which changes only with the rules and players, and how fast they are."""
    from ludus.cli.signature import signature

    number = interruptible(signature)
    works = _works()
    rates = {
        name: interruptible(lambda work=work: _rate(work))  # type: ignore[misc]
        for name, work in with_progress(works.items(), len(works), "measuring")
    }
    ratios = {
        name: rates[name] / rates[f"{name}_python"] for name in rates if f"{name}_python" in rates
    }
    if json:
        throughput = {name: round(rate) for name, rate in rates.items()}
        shares = {name: round(ratio, 2) for name, ratio in ratios.items()}
        print_json(signature=number, throughput=throughput, ratios=shares)
        return
    print(f"signature {number}")
    rows = [
        (name, f"{rate:,.0f}", f"{ratios[name]:,.1f}" if name in ratios else "")
        for name, rate in rates.items()
    ]
    print_table(("measured", "a second", "times the Python twin"), rows)


def _rate(work: Work) -> float:
    """Units of work a second."""
    done, began = 0, time.perf_counter()
    while (seconds := time.perf_counter() - began) < SECONDS:
        done += work()
    return done / seconds


def _works() -> dict[str, Work]:
    """What is measured; where a name comes again with `_python` the two are compared."""
    works: dict[str, Work] = {}
    for name, depths in (("nine_mens_morris", (5, 3)), ("backgammon", (3, 2))):
        for engine, depth in zip(("native", "python"), depths, strict=True):
            ending = "" if engine == "native" else "_python"
            works[f"{name}_perft_nodes{ending}"] = _perft(name, engine, depth)
            works[f"{name}_random_games{ending}"] = _random_games(name, engine)
            works[f"{name}_moves_in_a_loop{ending}"] = _moves(name, engine)
    for name, depth in (("noughts_and_crosses", 5), ("hexapawn", 6)):
        works[f"{name}_perft_nodes"] = _perft(name, "native", depth)
        works[f"{name}_moves_in_a_loop"] = _moves(name, "native")
    return works


def _perft(name: str, engine: str, depth: int) -> Work:
    """Leaves of a tree of moves."""
    from ludus.games import game

    chosen = game(name, engine=engine)
    return lambda: chosen.perft(chosen.start(), depth)


def _random_games(name: str, engine: str) -> Work:
    """Whole games of random moves, in compiled code where there is some."""
    from ludus.games import game
    from ludus.players.random_games import is_compiled, random_games

    chosen, source = game(name, engine=engine), random.Random(1)
    games = 500 if is_compiled(chosen) else 1

    def work() -> int:
        random_games(chosen, chosen.start(), games, source)
        return games

    return work


def _moves(name: str, engine: str) -> Work:
    """Moves in a Python loop that asks for all legal ones and plays one: what learners do."""
    from ludus.games import game
    from ludus.players.random_games import random_game

    chosen, source = game(name, engine=engine), random.Random(1)
    return lambda: random_game(chosen, chosen.start(), source)[1]
