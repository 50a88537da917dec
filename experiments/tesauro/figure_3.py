"""Figure 3: a Hinton diagram of the network that can be read, 651 inputs and no hidden units."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ludus.learn.gammon import (
    CHANGE_UNITS,
    MOVE_ENCODINGS,
    NUM_LOCATIONS,
    STATE_UNITS,
    GammonNetwork,
    GammonTrainingConfig,
)
from ludus.reproduce import Context, Figure, Measurement, Table

from .networks import get_trained_network

COLUMNS = len(STATE_UNITS) + len(CHANGE_UNITS[2])
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"
STRONGEST = 12


def run(context: Context) -> Iterator[Any]:
    settings = GammonTrainingConfig(
        hidden=(), coding="exact", cycles=context.setting("cycles"), seed=context.seed
    )
    # From nothing: what is not learned then shows as nothing.
    size = MOVE_ENCODINGS["exact"].num_units
    nothing = GammonNetwork(
        MOVE_ENCODINGS["exact"], ((np.zeros((size, 1), np.float32), np.zeros(1, np.float32)),)
    )
    file, curve = get_trained_network(context, "exact", settings, nothing)
    weights = GammonNetwork.load(file).layers[0][0][:, 0]
    board = weights[: NUM_LOCATIONS * COLUMNS].reshape(NUM_LOCATIONS, COLUMNS)
    beside = weights[NUM_LOCATIONS * COLUMNS :]
    yield Measurement("test positions", 100 * curve[-1][1], unit="%", count=1000)
    yield Measurement(
        "columns that mean the same wherever they are",
        _count_significant_columns(board),
        unit="of 23",
    )
    names = MOVE_ENCODINGS["exact"].unit_names
    order = np.argsort(-abs(beside))[:STRONGEST]
    rows = [[names[NUM_LOCATIONS * COLUMNS + i], round(float(beside[i]), 2)] for i in order]
    yield Table("Strongest units beside the board", ["unit", "weight"], rows)
    means: list[list[Any]] = [
        [LETTERS[i], (*STATE_UNITS, *CHANGE_UNITS[2])[i], round(float(board[:, i].mean()), 2)]
        for i in range(COLUMNS)
    ]
    yield Table("Columns", ["column", "unit", "mean weight"], means)
    data = {"board": board.round(3).tolist(), "beside": beside.round(3).tolist()}
    yield Figure("Hinton diagram", draw, data, CAPTION, (7.5, 9.5))


def _count_significant_columns(board: Any) -> int:
    """Columns whose mean over the locations is more than two standard errors away from zero."""
    error = board.std(axis=0, ddof=1) / np.sqrt(NUM_LOCATIONS)
    return int((abs(board.mean(axis=0)) > 2 * error).sum())


CAPTION = (
    "Weights from each input to the output: orange squares excite, blue ones inhibit. The lower 24 "
    "rows are locations 1 to 24 as White walks, columns A to W as in the paper; above them lie the "
    "men on the bars, the roll, and the features, 23 to a row."
)


def draw(axes: Any, data: dict[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    beside = data["beside"]
    rows = data["board"] + [beside[at : at + COLUMNS] for at in range(0, len(beside), COLUMNS)]
    largest = max(abs(weight) for row in rows for weight in row)
    axes.grid(visible=False)
    axes.axhspan(-0.5, NUM_LOCATIONS - 0.5, color="#80808026", linewidth=0)
    for y, row in enumerate(rows):
        for x, weight in enumerate(row):
            side = 0.95 * (abs(weight) / largest) ** 0.5
            axes.add_patch(
                Rectangle(
                    (x - side / 2, y - side / 2),
                    side,
                    side,
                    facecolor="#e69f00" if weight > 0 else "#0072b2",
                    linewidth=0,
                )
            )
    axes.set_xlim(-0.7, COLUMNS - 0.3)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_aspect("equal")
    axes.set_xticks(range(COLUMNS), LETTERS)
    axes.set_yticks(range(0, NUM_LOCATIONS, 4), range(1, NUM_LOCATIONS + 1, 4))
    axes.set_ylabel("location, as White walks")
