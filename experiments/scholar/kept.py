"""How often players keep the value of critical positions, their regret, and where they err."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar import OracleExampleSource
from ludus.oracles import Unsolved
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .critical_moves import (
    REGRET,
    choose_set_moves,
    compute_percentage,
    compute_regret,
    get_dataset_moves,
    has_all_moves,
    make_regret_row,
    to_utilities,
)
from .critical_positions import SETS, CriticalSet, load_critical_set
from .players import TestedPlayer, list_author_networks, list_players
from .position_groups import (
    group_by_keeping,
    group_by_kind,
    group_by_mills,
    group_by_phase,
    group_by_value,
)
from .solution import MISSING, open_oracle

TEACHER, CHANCE = "the dataset's moves", "any legal move"
PHASES = ("placing", "moving", "flying")
RESULTS = {1: "win", 0: "draw", -1: "loss"}

Chosen = Mapping[str, NDArray[np.int64]]
"""Player to the numbers of its moves."""


def run(context: Context) -> Iterator[Finding]:
    source, players = OracleExampleSource(open_oracle(context)), list_players(context)
    players += list_author_networks(context)
    for name in SETS:
        try:
            critical = load_critical_set(context, source, name)
        except Unsolved:
            yield Remark(MISSING)
            return
        chosen = {
            player.name: choose_set_moves(context, player, name, critical) for player in players
        }
        if has_all_moves(found := get_dataset_moves(critical)):
            chosen[TEACHER] = found
        yield from report_player(name, critical, chosen)
        yield from report_errors(context, name, critical, chosen, players[0])


def report_player(name: str, critical: CriticalSet, chosen: Chosen) -> Iterator[Finding]:
    """Figures for all players."""
    kept = {player: compute_regret(critical, moves) == 0 for player, moves in chosen.items()}
    for player, its in kept.items():
        yield Measurement.proportion(f"{player}: {name}", int(its.sum()), len(its))
    by_chance = np.add.reduceat(critical.kept, critical.first[:-1]) / np.diff(critical.first)
    yield Measurement(f"{CHANCE}: {name}", 100 * float(by_chance.mean()), unit="%")
    phases, kinds = group_by_phase(critical), group_by_kind(critical)
    yield Table(
        f"By phase, {name}",
        ("player", *PHASES),
        [
            [player, *(compute_percentage(its[phases[phase]]) for phase in PHASES)]
            for player, its in kept.items()
        ],
        f"Of {len(critical)} critical positions among {critical.entries[0]} entries, those in "
        f"which the value is kept, in percent. {_format_sizes(phases)}",
    )
    yield Table(
        f"By men, {name}",
        ("men", "critical positions", *kept),
        [
            [kind, int(mask.sum()), *(compute_percentage(its[mask]) for its in kept.values())]
            for kind, mask in kinds.items()
            if mask.any()
        ],
        "Kept in percent, by men in hand of both sides while there are any, then by men of both "
        "sides on the board.",
    )
    yield Table(
        f"What is given away, {name}",
        REGRET,
        [make_regret_row(player, critical, moves) for player, moves in chosen.items()],
        "The value lost is the mean over all entries, where a win is worth 1, a draw 0 and a loss "
        "-1. Of critical positions in which a win is kept, how often by one of the quickest moves, "
        "and how many plies longer than that on average.",
    )
    yield Figure(
        f"By men, {name}",
        draw_kinds,
        {
            player: {kind: compute_percentage(its[mask]) for kind, mask in kinds.items()}
            for player, its in kept.items()
        },
        "Critical positions kept, from the first man placed to the last ones flying.",
        (8, 4.5),
    )


def report_errors(
    context: Context,
    name: str,
    critical: CriticalSet,
    chosen: Chosen,
    player: TestedPlayer,
) -> Iterator[Finding]:
    """Report where the first player errs, with examples."""
    kept = compute_regret(critical, chosen[player.name]) == 0
    errors = int((~kept).sum())
    groups = {**group_by_keeping(critical), **group_by_value(critical), **group_by_mills(critical)}
    yield Table(
        f"Where {player.name} errs, {name}",
        ("positions", "critical", "kept, %", "of its errors, %"),
        [
            [
                kind,
                int(mask.sum()),
                compute_percentage(kept[mask]),
                _to_percentage(int((~kept & mask).sum()), errors),
            ]
            for kind, mask in groups.items()
            if mask.any()
        ],
        f"{errors} errors in {len(critical)} critical positions.",
    )
    numbers = _sample_errors(context, critical, np.flatnonzero(~kept))
    yield Table(
        f"Errors of {player.name}, {name}",
        ("position", "played", "right", "worth", "becomes"),
        [_format_error(critical, chosen[player.name], number) for number in numbers],
        "Some of them at random, as many of each phase.",
    )


def _sample_errors(context: Context, critical: CriticalSet, errors: NDArray[np.int64]) -> list[int]:
    rng = np.random.default_rng(context.seed_for("shown"))
    found: list[int] = []
    for mask in group_by_phase(critical).values():
        there = errors[mask[errors]]
        number = min(context.published["shown"], len(there))
        found += np.sort(rng.choice(there, number, replace=False)).tolist()
    return found


def _format_error(critical: CriticalSet, chosen: NDArray[np.int64], number: int) -> list[str]:
    moves = slice(critical.first[number], critical.first[number + 1])
    right = list(map(str, critical.moves_at(np.flatnonzero(critical.kept[moves]) + moves.start)))
    first = int(chosen[number])
    after = -to_utilities(critical.after[first : first + 1])[0]
    return [
        str(critical.positions(slice(number, number + 1))[0]),
        str(critical.moves_at(first)[0]),
        ", ".join(right[:8]) + (f" and {len(right) - 8} more" if len(right) > 8 else ""),
        RESULTS[int(to_utilities(critical.value[number : number + 1])[0])],
        RESULTS[int(after)],
    ]


def _format_sizes(phases: Mapping[str, NDArray[np.bool_]]) -> str:
    return ", ".join(f"{name}: {int(mask.sum())}" for name, mask in phases.items()) + " positions."


def _to_percentage(number: int, of: int) -> float | None:
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
