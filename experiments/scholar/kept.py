"""How often players keep what could be lost, what they give away, and where."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.example_sources import OracleExampleSource
from ludus.oracle import Unsolved
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .answers import REGRET, answered, is_answered, lost, regret_row, share, taught, worth
from .exam import SETS, Exam, exam
from .groups import by_keeping, by_kind, by_mills, by_phase, by_value
from .players import Examined, author, examined
from .solved import MISSING, solved

TEACHER, CHANCE = "the dataset's moves", "any legal move"
PHASES = ("placing", "moving", "flying")
RESULTS = {1: "win", 0: "draw", -1: "loss"}

Chosen = Mapping[str, NDArray[np.int64]]
"""Player to the numbers of its moves."""


def run(context: Context) -> Iterator[Finding]:
    source, players = OracleExampleSource(solved(context)), examined(context)
    players += author(context)
    for name in SETS:
        try:
            asked = exam(context, source, name)
        except Unsolved:
            yield Remark(MISSING)
            return
        chosen = {player.name: answered(context, player, name, asked) for player in players}
        if is_answered(found := taught(asked)):
            chosen[TEACHER] = found
        yield from told(name, asked, chosen)
        yield from looked_at(context, name, asked, chosen, players[0])


def told(name: str, asked: Exam, chosen: Chosen) -> Iterator[Finding]:
    """Figures for all players."""
    kept = {player: lost(asked, moves) == 0 for player, moves in chosen.items()}
    for player, its in kept.items():
        yield Measurement.proportion(f"{player}: {name}", int(its.sum()), len(its))
    by_chance = np.add.reduceat(asked.kept, asked.first[:-1]) / np.diff(asked.first)
    yield Measurement(f"{CHANCE}: {name}", 100 * float(by_chance.mean()), unit="%")
    phases, kinds = by_phase(asked), by_kind(asked)
    yield Table(
        f"By phase, {name}",
        ("player", *PHASES),
        [
            [player, *(share(its[phases[phase]]) for phase in PHASES)]
            for player, its in kept.items()
        ],
        f"Of {len(asked)} critical positions among {asked.entries[0]} entries, those in which the "
        f"value is kept, in percent. {_sizes(phases)}",
    )
    yield Table(
        f"By men, {name}",
        ("men", "critical positions", *kept),
        [
            [kind, int(mask.sum()), *(share(its[mask]) for its in kept.values())]
            for kind, mask in kinds.items()
            if mask.any()
        ],
        "Kept in percent, by men in hand of both sides while there are any, then by men of both "
        "sides on the board.",
    )
    yield Table(
        f"What is given away, {name}",
        REGRET,
        [regret_row(player, asked, moves) for player, moves in chosen.items()],
        "The value lost is the mean over all entries, where a win is worth 1, a draw 0 and a loss "
        "-1. Of critical positions in which a win is kept, how often by one of the quickest moves, "
        "and how many plies longer than that on average.",
    )
    yield Figure(
        f"By men, {name}",
        draw_kinds,
        {
            player: {kind: share(its[mask]) for kind, mask in kinds.items()}
            for player, its in kept.items()
        },
        "Critical positions kept, from the first man placed to the last ones flying.",
        (8, 4.5),
    )


def looked_at(
    context: Context, name: str, asked: Exam, chosen: Chosen, player: Examined
) -> Iterator[Finding]:
    """Where the first player errs, with examples."""
    kept = lost(asked, chosen[player.name]) == 0
    errors = int((~kept).sum())
    groups = {**by_keeping(asked), **by_value(asked), **by_mills(asked)}
    yield Table(
        f"Where {player.name} errs, {name}",
        ("positions", "critical", "kept, %", "of its errors, %"),
        [
            [kind, int(mask.sum()), share(kept[mask]), _percent(int((~kept & mask).sum()), errors)]
            for kind, mask in groups.items()
            if mask.any()
        ],
        f"{errors} errors in {len(asked)} critical positions.",
    )
    numbers = _some(context, asked, np.flatnonzero(~kept))
    yield Table(
        f"Errors of {player.name}, {name}",
        ("position", "played", "right", "worth", "becomes"),
        [_shown(asked, chosen[player.name], number) for number in numbers],
        "Some of them at random, as many of each phase.",
    )


def _some(context: Context, asked: Exam, errors: NDArray[np.int64]) -> list[int]:
    rng = np.random.default_rng(context.seed_for("shown"))
    found: list[int] = []
    for mask in by_phase(asked).values():
        there = errors[mask[errors]]
        number = min(context.published["shown"], len(there))
        found += np.sort(rng.choice(there, number, replace=False)).tolist()
    return found


def _shown(asked: Exam, chosen: NDArray[np.int64], number: int) -> list[str]:
    moves = slice(asked.first[number], asked.first[number + 1])
    right = list(map(str, asked.moves_at(np.flatnonzero(asked.kept[moves]) + moves.start)))
    first = int(chosen[number])
    after = -worth(asked.after[first : first + 1])[0]
    return [
        str(asked.positions(slice(number, number + 1))[0]),
        str(asked.moves_at(first)[0]),
        ", ".join(right[:8]) + (f" and {len(right) - 8} more" if len(right) > 8 else ""),
        RESULTS[int(worth(asked.value[number : number + 1])[0])],
        RESULTS[int(after)],
    ]


def _sizes(phases: Mapping[str, NDArray[np.bool_]]) -> str:
    return ", ".join(f"{name}: {int(mask.sum())}" for name, mask in phases.items()) + " positions."


def _percent(number: int, of: int) -> float | None:
    return round(100 * number / of, 1) if of else None


def draw_kinds(axes: Any, data: Mapping[str, Mapping[str, float | None]]) -> None:
    for player, kinds in data.items():
        names: Sequence[str] = list(kinds)
        shares = [np.nan if kinds[name] is None else kinds[name] for name in names]
        axes.plot(range(len(names)), shares, "o-", markersize=3, linewidth=0.8, label=player)
    axes.set_xticks(range(len(names)), [name.partition(" ")[0] for name in names], fontsize=7)
    axes.set_xlabel("men in hand; men on the board; men on the board, and somebody flies")
    axes.set_ylabel("critical positions kept, %")
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(fontsize=7)
