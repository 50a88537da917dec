"""The story in one table: who taught, what is kept, what is lost, how long a move takes."""

import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from ludus.core.player import Limit
from ludus.learn.scholar.example_sources import OracleExampleSource
from ludus.oracle import MorrisOracle, Unsolved
from ludus.reproduce import Context, Finding, Measurement, Remark, Table

from .answers import answered, is_answered, lost, taught
from .exam import Exam, exam
from .players import Examined, author
from .playing import played
from .solved import MISSING, is_whole, solved

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
    oracle = solved(context)
    try:
        asked = exam(context, OracleExampleSource(oracle), DATASET)
    except Unsolved:
        yield Remark(MISSING)
        return
    rows = []
    for number, told in enumerate(context.published["taught"]):
        context.progress(number, len(context.published["taught"]), told["name"])
        for kept, games, taken in _measured(context, oracle, asked, told):
            if kept is not None:
                yield Measurement.proportion(f"{told['name']}: kept", kept, len(asked))
            share = told.get("kept") if kept is None else round(100 * kept / len(asked), 2)
            rows.append([told["teacher"], told["examples"], told["network"], share, *games, taken])
    yield Table("The story", HEADINGS, rows, CAPTION)


CAPTION = (
    "Critical positions are those of the thesis's dataset. Games are from the start against "
    "perfect play that chooses among its drawing moves by chance. Times are medians on one core "
    "of the machine that this ran on."
)

Line = tuple[int | None, list[float | None], float | None]
"""Critical positions kept, games lost as White and as Black, and milliseconds for a move."""


def _measured(
    context: Context, oracle: MorrisOracle, asked: Exam, told: Mapping[str, Any]
) -> Iterator[Line]:
    """One line, or none where the player is not at hand."""
    spec = told.get("spec")
    known: list[float | None] = told.get("lost", [None, None])
    if spec is None:
        yield None, known, told.get("milliseconds")
    elif spec == TEACHER:
        if is_answered(moves := taught(asked)):
            yield int((lost(asked, moves) == 0).sum()), known, told.get("milliseconds")
    else:
        players = author(context) if spec == AUTHOR else [Examined(told["name"], spec)]
        for player in players:
            moves = answered(context, player, DATASET, asked)
            kept = int((lost(asked, moves) == 0).sum())
            yield kept, _losses(context, oracle, player), _milliseconds(context, player, asked)


def _losses(context: Context, oracle: MorrisOracle, player: Examined) -> list[float | None]:
    number = context.setting("games")
    if not is_whole(oracle):
        return [None, None]
    games = played(context, oracle, player, "from the start", [""] * number)
    return [
        100 * sum(each["result"] == "loss" for each in games if each["side"] == side) / number
        for side in (0, 1)
    ]


def _milliseconds(context: Context, player: Examined, asked: Exam) -> float:
    """The median over some positions, in processor time, networks already awake."""

    def compute() -> float:
        made = player.made(context.seed_for("time"))
        step = max(1, len(asked) // context.setting("moves"))
        taken = []
        for position in asked.positions()[::step]:
            made.choose(position, Limit())
            began = time.process_time_ns()
            made.choose(position, Limit())
            taken.append(time.process_time_ns() - began)
        return round(median(taken) / 1e6, 2)

    return context.cached(f"time {player.key}", compute)
