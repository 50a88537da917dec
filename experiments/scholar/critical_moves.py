"""Moves of players in the positions of an critical."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus import Limit
from ludus.arena import choose_moves, get_batch_size
from ludus.games.nine_mens_morris import DRAWN, classify, moves_to_points, pack_moves
from ludus.reproduce import Context

from .critical_positions import NO_MOVE, CriticalSet
from .players import TestedPlayer


def choose_set_moves(
    context: Context, player: TestedPlayer, name: str, critical: CriticalSet
) -> NDArray[np.int64]:
    """The number of the player's move in each position, among all moves of the critical."""

    def compute() -> list[int]:
        made = player.create(context.seed_for(name))
        positions, found = critical.positions(), list[int]()
        for part in choose_moves(made, positions, Limit(), get_batch_size(made)):
            context.progress(len(found), len(positions), f"{player.name}, {name}")
            found += pack_moves(moves_to_points(part)).tolist()
        return found

    return critical.numbers(context.cached(f"moves {name} {player.key}", compute))


def get_dataset_moves(critical: CriticalSet) -> NDArray[np.int64]:
    """Return the numbers of the moves in the file; NO_MOVE where there is none."""
    return critical.numbers(critical.dataset_move.tolist())


def to_utilities(value: NDArray[np.uint8]) -> NDArray[np.int64]:
    """1 for a win of the mover, 0 for a draw, -1 for a loss."""
    utilities: NDArray[np.int64] = classify(value) - DRAWN
    return utilities


def compute_regret(critical: CriticalSet, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the regret of each move: 0, 1 or 2."""
    return to_utilities(critical.value) + to_utilities(critical.after[chosen])


def compute_extra_plies(critical: CriticalSet, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return by how many plies a kept win takes longer than the fastest one."""
    is_won = (to_utilities(critical.value) == 1) & (compute_regret(critical, chosen) == 0)
    after = critical.after[chosen[is_won]].astype(np.int64)
    extra: NDArray[np.int64] = after + 1 - critical.value[is_won].astype(np.int64)
    return extra


def make_regret_row(name: str, critical: CriticalSet, chosen: NDArray[np.int64]) -> list[Any]:
    """Return a player's row in the table of regret."""
    before, gone, more = (
        to_utilities(critical.value),
        compute_regret(critical, chosen),
        compute_extra_plies(critical, chosen),
    )
    entries = int(critical.entries[0])
    return [
        name,
        round(float(gone.sum() / entries), 5),
        int(((before == 1) & (gone == 1)).sum()),
        int(((before == 1) & (gone == 2)).sum()),
        int(((before == 0) & (gone == 1)).sum()),
        round(100 * float((more == 0).mean()), 2) if len(more) else None,
        round(float(more.mean()), 2) if len(more) else None,
    ]


REGRET = (
    "player",
    "value lost in a move",
    "wins made draws",
    "wins made losses",
    "draws made losses",
    "wins kept the quickest way, %",
    "plies longer",
)


def compute_percentage(kept: NDArray[np.bool_]) -> float | None:
    """Return a percentage; None if there are no cases."""
    return round(100 * float(kept.mean()), 2) if len(kept) else None


def has_all_moves(chosen: NDArray[np.int64]) -> bool:
    """Whether there is a move in every position."""
    return len(chosen) > 0 and bool((chosen > NO_MOVE).all())
