"""Exact figures: how often a value that could be lost was kept, where the solved game is there."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ludus import Record
from ludus.arena import RegretStatistics, RegretTally
from ludus.games import game as named_game
from ludus.oracles import Oracle, Unsolved
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import Context, Table

from .games import GAME, RULES, Game

PHASES = ("placing", "moving", "flying")
HEADINGS = ("player", "moves", "regret of a move", *(f"{phase}: kept, %" for phase in PHASES))
MISSING = "Nothing was judged: the solved game is not at hand (--oracle or LUDUS_ORACLE)."

Kept = dict[str, list[int]]
"""Phase, or `all`, to critical positions kept, critical positions, regret, and moves judged."""


def open_full_oracle(context: Context) -> Oracle | None:
    """Return the oracle, if it covers the whole game."""
    game = named_game(GAME, RULES)
    oracle = find_oracle(game, context.oracle)
    try:
        oracle.rate_moves(game.start())
    except Unsolved:
        return None
    return oracle


def make_kept_table(context: Context, records: Mapping[str, Sequence[Game]]) -> Table:
    """Return the table of exact ratings of all moves of each player's games."""
    oracle = open_full_oracle(context)
    if oracle is None:
        return Table("Exact figures", HEADINGS, [], MISSING)
    rows = []
    for number, (name, games) in enumerate(records.items()):
        context.progress(number, len(records), f"judging {name}")

        def compute(games: Sequence[Game] = games) -> Kept:
            found = RegretStatistics(named_game(GAME, RULES), oracle)
            for each in games:
                found.add(Record.parse(each.record), each.side)
            return count_kept(found)

        rows.append(
            make_row(name, context.cached(f"regret {name} {make_cache_key(games)}", compute))
        )
    return Table("Exact figures", HEADINGS, rows, CAPTION)


CAPTION = (
    "Of the positions with a move that gives something away, how often the player kept the value. "
    "A win is worth 1, a draw 0, a loss -1."
)


def make_cache_key(games: Iterable[Game]) -> str:
    """Return a key that identifies these games."""
    text = "\0".join(game.record for game in games)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def count_kept(found: RegretStatistics) -> Kept:
    tallies: dict[str, RegretTally] = {**found.phases, "all": found.total}
    return {
        name: [
            tally.critical_kept,
            tally.critical,
            int(tally.regret),
            tally.moves - tally.num_unevaluated,
        ]
        for name, tally in tallies.items()
    }


def make_row(name: str, found: Kept) -> list[Any]:
    _, _, regret, moves = found["all"]
    shares = [found.get(phase, [0, 0]) for phase in PHASES]
    return [
        name,
        moves,
        round(regret / moves, 4) if moves else None,
        *(round(100 * each[0] / each[1], 2) if each[1] else None for each in shares),
    ]
