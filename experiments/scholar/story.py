"""One table of teachers: positions kept, games lost, time of a move."""

import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from ludus import Limit
from ludus.learn.scholar import OracleExampleSource
from ludus.oracles import MorrisOracle, Unsolved
from ludus.reproduce import Context, Finding, Measurement, Remark, Table

from .critical_moves import choose_set_moves, compute_regret, get_dataset_moves, has_all_moves
from .critical_positions import CriticalSet, load_critical_set
from .games_against_oracle import play_games
from .players import TestedPlayer, list_author_networks
from .solution import MISSING, is_complete, open_oracle

DATASET = "dataset"
AUTHOR, TEACHER = "author", "teacher"
"""Instead of a spec: the author's published networks, and the dataset's own moves."""

HEADINGS = (
    "teacher",
    "examples",
    "network",
    "critical positions kept, %",
    "lost as White, of 100",
    "lost as Black, of 100",
    "a move, ms",
)


def run(context: Context) -> Iterator[Finding]:
    oracle = open_oracle(context)
    try:
        critical = load_critical_set(context, OracleExampleSource(oracle), DATASET)
    except Unsolved:
        yield Remark(MISSING)
        return
    rows = []
    for number, network in enumerate(context.published["networks"]):
        context.progress(number, len(context.published["networks"]), network["name"])
        for kept, games, taken in _measure_player(context, oracle, critical, network):
            if kept is not None:
                yield Measurement.proportion(f"{network['name']}: kept", kept, len(critical))
            share = network.get("kept") if kept is None else round(100 * kept / len(critical), 2)
            rows.append(
                [network["teacher"], network["examples"], network["network"], share, *games, taken]
            )
    yield Table("The story", HEADINGS, rows, CAPTION)


CAPTION = (
    "Critical positions are those of the thesis's dataset. Games are from the start against "
    "perfect play that chooses among its drawing moves by chance. Times are medians on one core "
    "of the machine that this ran on."
)

Line = tuple[int | None, list[float | None], float | None]
"""Critical positions kept, games lost as White and as Black, and milliseconds for a move."""


def _measure_player(
    context: Context, oracle: MorrisOracle, critical: CriticalSet, network: Mapping[str, Any]
) -> Iterator[Line]:
    """Yield one row; none if the player is not available."""
    spec = network.get("spec")
    known: list[float | None] = network.get("lost", [None, None])
    if spec is None:
        yield None, known, network.get("milliseconds")
    elif spec == TEACHER:
        if has_all_moves(moves := get_dataset_moves(critical)):
            yield (
                int((compute_regret(critical, moves) == 0).sum()),
                known,
                network.get("milliseconds"),
            )
    else:
        players = (
            list_author_networks(context)
            if spec == AUTHOR
            else [TestedPlayer(network["name"], spec)]
        )
        for player in players:
            moves = choose_set_moves(context, player, DATASET, critical)
            kept = int((compute_regret(critical, moves) == 0).sum())
            yield (
                kept,
                _measure_losses(context, oracle, player),
                _time_moves(context, player, critical),
            )


def _measure_losses(
    context: Context, oracle: MorrisOracle, player: TestedPlayer
) -> list[float | None]:
    number = context.setting("games")
    if not is_complete(oracle):
        return [None, None]
    games = play_games(context, oracle, player, "from the start", [""] * number)
    return [
        100 * sum(each["result"] == "loss" for each in games if each["side"] == side) / number
        for side in (0, 1)
    ]


def _time_moves(context: Context, player: TestedPlayer, critical: CriticalSet) -> float:
    """Return the median processor time over some positions, with networks already loaded."""

    def compute() -> float:
        made = player.create(context.seed_for("time"))
        step = max(1, len(critical) // context.setting("moves"))
        taken = []
        for position in critical.positions()[::step]:
            made.choose(position, Limit())
            began = time.process_time_ns()
            made.choose(position, Limit())
            taken.append(time.process_time_ns() - began)
        return round(median(taken) / 1e6, 2)

    return context.cached(f"time {player.key}", compute)
