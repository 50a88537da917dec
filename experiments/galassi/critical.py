"""Critical positions of the dataset: how often each player keeps what could be lost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ludus import Limit
from ludus.arena import RegretStatistics, choose_moves, get_batch_size
from ludus.datasets import MoveBatch
from ludus.games import game as named_game
from ludus.oracles import Oracle
from ludus.players import player as named_player
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .data import read_held_out_entries
from .deepmill import find_deepmill, make_contestant
from .games import GAME, RULES, Contestant
from .regret_tables import (
    CAPTION,
    HEADINGS,
    MISSING,
    PHASES,
    Kept,
    count_kept,
    make_row,
    open_full_oracle,
)
from .systems import list_systems

TEACHER = "the dataset's moves"


def run(context: Context) -> Iterator[Finding]:
    oracle = open_full_oracle(context)
    if oracle is None:
        yield Remark(MISSING)
        return
    entries = sample_by_phase(read_held_out_entries(), context)
    positions = entries.to_positions(named_game(GAME, RULES))
    players = [Contestant(name, spec) for name, spec in context.published["players"].items()]
    script = find_deepmill()
    if script is not None:
        players.append(make_contestant(script, 1))
    players += [
        system.to_contestant() for system in list_systems(context, context.published["ways"])
    ]
    found = {
        TEACHER: context.cached(
            "teacher", lambda: evaluate_choices(oracle, positions, entries.to_moves())
        )
    }
    for number, player in enumerate(players):
        context.progress(number, len(players), player.name)

        def compute(spec: str = player.spec) -> Kept:
            return evaluate_choices(
                oracle, positions, choose_with_player(spec, positions, context.seed)
            )

        found[player.name] = context.cached(f"kept {player.key or player.spec}", compute)
    for name, each in found.items():
        num_kept, num_critical = each["all"][:2]
        yield Measurement.proportion(f"{name}: critical positions kept", num_kept, num_critical)
    yield Table("By phase", HEADINGS, [make_row(*each) for each in found.items()], CAPTION)
    yield Figure(
        "Critical positions kept", draw_kept, compute_kept_percentages(found), CAPTION, (7, 6)
    )


def sample_by_phase(entries: MoveBatch, context: Context) -> MoveBatch:
    """Sample equally many entries of each phase, or all; finished games are left out."""
    rng = np.random.default_rng(context.seed_for("entries"))
    is_lost = entries.totals[0] < 3
    chosen = []
    for phase in (1, 2, 3):
        there = np.flatnonzero((entries.phases == phase) & ~is_lost)
        number = min(context.setting("positions") or len(there), len(there))
        chosen.append(np.sort(rng.choice(there, number, replace=False)))
    return entries[np.concatenate(chosen)]


def choose_with_player(spec: str, positions: Sequence[Any], seed: int) -> list[Any]:
    """Return a player's move in each position."""
    player = named_player(spec, named_game(GAME, RULES))
    player.start_game(seed)
    parts = choose_moves(player, positions, Limit(), get_batch_size(player))
    return [move for part in parts for move in part]


def evaluate_choices(oracle: Oracle, positions: Sequence[Any], moves: Sequence[Any]) -> Kept:
    found = RegretStatistics(named_game(GAME, RULES), oracle)
    found.add_moves(positions, moves)
    return count_kept(found)


def compute_kept_percentages(found: Mapping[str, Kept]) -> dict[str, list[float | None]]:
    """Return the percentage kept in each phase, by player."""
    return {name: make_row(name, each)[-len(PHASES) :] for name, each in found.items()}


def draw_kept(axes: Any, data: Mapping[str, Sequence[float | None]]) -> None:
    names = list(data)
    for number, phase in enumerate(PHASES):
        axes.plot([data[name][number] for name in names], range(len(names)), "o", label=phase)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("critical positions kept, %")
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
