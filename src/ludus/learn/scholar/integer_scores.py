"""Scores of positions from networks of whole numbers: the same bits on every machine.

The networks' outputs are whole numbers. Predicted odds are read from a table of whole numbers, and
what follows are single operations of double precision, which IEEE 754 rounds correctly: nothing
depends on a machine's library of functions, nor on the order of sums.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.batch import DRAWN, LOSS, UNKNOWN, WIN

LEVELS_PER_DOUBLING = 32
"""Steps in which odds are distinguished."""

MAX_LEVEL = 256 * LEVELS_PER_DOUBLING
"""Odds beyond 2^256 to one are the same: certain draws of the beginning have such."""

TABLE_BITS = 20
"""Bits of the table's entries, which are whole numbers times powers of two."""

PLY_LEVELS = 16
"""Steps in which log2 of the plies to the end is distinguished."""

MAX_PLY_LEVEL = 7 * PLY_LEVELS
"""Of a long game, 128 plies."""

PLY_PENALTY = 2.0**-10
"""Relative reduction of a score for each step: near wins are better."""


@cache
def odds_table() -> NDArray[np.float64]:
    """Return the odds of all levels, from -MAX_LEVEL to MAX_LEVEL."""
    steps = [
        round(2**TABLE_BITS * 2 ** (step / LEVELS_PER_DOUBLING))
        for step in range(LEVELS_PER_DOUBLING)
    ]
    levels = np.arange(-MAX_LEVEL, MAX_LEVEL + 1)
    whole, step = np.divmod(levels, LEVELS_PER_DOUBLING)
    table: NDArray[np.float64] = np.ldexp(np.array(steps, float)[step], whole - TABLE_BITS)
    return table


def find_scales(shifts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the powers of two by which outputs with these binary places are multiplied.

    They are never computed on a GPU, whose powers may be wrong in the last bit: a score that is
    rounded from the middle between two steps would go the other way.
    """
    scales: NDArray[np.float64] = np.ldexp(1.0, -shifts.astype(np.int32))
    return scales


def score_outputs(outputs: Any, scales: Any, loss_aversion: float) -> Any:
    """Return the scores of positions for the side that has just moved, from -1 to 1.

    `outputs` are those of a network, (…, 5), and `scales` those of `find_scales`, in double
    precision; numpy arrays or tensors.
    """
    is_numpy = isinstance(outputs, np.ndarray)
    table: Any = odds_table() if is_numpy else _table_on(outputs.device)
    scaled = outputs * scales
    levels = (scaled - scaled[..., DRAWN : DRAWN + 1])[..., :UNKNOWN] * LEVELS_PER_DOUBLING
    levels = levels.round().clip(-MAX_LEVEL, MAX_LEVEL) + MAX_LEVEL
    odds = table[levels.astype(np.int64) if is_numpy else levels.long()]
    ours, theirs = odds[..., LOSS], loss_aversion * odds[..., WIN]
    utilities = (ours - theirs) / ((ours + 1) + theirs)
    plies = (scaled * PLY_LEVELS).round().clip(1, MAX_PLY_LEVEL)
    to_a_loss, to_a_win = plies[..., UNKNOWN], plies[..., UNKNOWN + 1]
    is_won = utilities > 0
    length = (
        np.where(is_won, to_a_loss, to_a_win) if is_numpy else to_a_loss.where(is_won, to_a_win)
    )
    return utilities * (1 - length * PLY_PENALTY)


@cache
def _table_on(device: Any) -> Any:
    import torch  # a player needs none

    return torch.as_tensor(odds_table(), device=device)


def append_ply_rows(
    tensors: Mapping[str, NDArray[Any]], weights: NDArray[Any], bias: NDArray[Any], scale: float
) -> dict[str, NDArray[Any]]:
    """Append outputs for log2 of the plies to the end to the last layer of a network.

    `scale` is that of the units which the weights, (2, channels), are for.
    """
    largest = np.abs(weights * scale).max(axis=1)
    shifts = np.floor(np.log2(127 / np.maximum(largest, 2.0**-MAX_PLY_SHIFT)))
    shifts = shifts.clip(0, MAX_PLY_SHIFT)
    power = np.exp2(shifts)[:, None]
    return {
        **tensors,
        "last": np.concatenate([tensors["last"], np.rint(weights * scale * power).astype(np.int8)]),
        "last_shifts": np.concatenate([tensors["last_shifts"], shifts.astype(np.int8)]),
        "last_bias": np.concatenate(
            [tensors["last_bias"], np.rint(bias * power[:, 0]).astype(np.int32)]
        ),
    }


MAX_PLY_SHIFT = 16
"""Of rows of zeros, too."""
