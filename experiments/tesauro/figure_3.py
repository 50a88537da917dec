"""Figure 3: a Hinton diagram of the network that can be read, 651 inputs and no hidden units."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ludus.learn.gammon import (
    CHANGE_UNITS,
    MOVE_ENCODINGS,
    NUM_LOCATIONS,
    STATE_UNITS,
    GammonConfig,
    GammonNetwork,
)
from ludus.reproduce import Conclusion, Context, Figure, Measurement, Table

from .networks import get_trained_network

COLUMNS = len(STATE_UNITS) + len(CHANGE_UNITS[2])
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"
NUM_BAR_UNITS, NUM_ROLL_UNITS, NUM_ROLL_ROWS = 12, 21, 3
NUM_NAMED_FEATURES = 2
"""The paper names two features as the most significant ones."""

INNER_BOARD = "points in the own home"
BLOT_EXPOSURE = ("rolls that hit a blot", "pips at risk")
"""Two features of ours that may stand for the paper's, which it does not define."""


def run(context: Context) -> Iterator[Any]:
    trainings = [_train(context, seed) for seed in range(context.setting("seeds"))]
    boards = [board for board, _, _ in trainings]
    yield Measurement.mean("test positions", [100 * each for *_, each in trainings], unit="%")
    yield Measurement.mean(
        "columns that mean the same wherever they are",
        [_count_significant_columns(board) for board in boards],
        unit="of 23",
    )
    effects = _measure_effects([beside for _, beside, _ in trainings])
    ranked = sorted(effects, key=lambda name: -effects[name].value)
    yield Table(
        "Effect of each feature",
        ["feature", "effect", "lowest", "highest"],
        [[name, effects[name].value, effects[name].low, effects[name].high] for name in ranked],
        "Range of what the units of a feature add to the output's input, mean over trainings.",
    )
    means: list[list[Any]] = [
        [
            LETTERS[i],
            (*STATE_UNITS, *CHANGE_UNITS[2])[i],
            round(float(np.mean([board[:, i].mean() for board in boards])), 2),
        ]
        for i in range(COLUMNS)
    ]
    yield Table("Columns", ["column", "unit", "mean weight"], means)
    yield from _draw_conclusions(boards, ranked)
    board, beside, _ = trainings[0]
    data = {"board": board.round(3).tolist(), "beside": beside.round(3).tolist()}
    yield Figure("Hinton diagram", draw, data, CAPTION, (7.5, 9.5))


def _train(context: Context, seed: int) -> tuple[Any, Any, float]:
    """Weights of the locations, weights of the other units, and the agreement on test positions."""
    settings = GammonConfig(
        hidden=(), coding="exact", cycles=context.setting("cycles"), seed=context.seed + seed
    )
    # From nothing: what is not learned then shows as nothing.
    size = MOVE_ENCODINGS["exact"].num_units
    nothing = GammonNetwork(
        MOVE_ENCODINGS["exact"], ((np.zeros((size, 1), np.float32), np.zeros(1, np.float32)),)
    )
    file, curve = get_trained_network(context, "exact", settings, nothing)
    weights = GammonNetwork.load(file).layers[0][0][:, 0]
    board = weights[: NUM_LOCATIONS * COLUMNS].reshape(NUM_LOCATIONS, COLUMNS)
    return board, weights[NUM_LOCATIONS * COLUMNS :], curve[-1][1]


def _measure_effects(besides: list[Any]) -> dict[str, Measurement]:
    """The range of what each pre-computed feature adds, over trainings.

    Units that say that a number is `at least` something are one feature; what they add is the sum
    of the weights up to the number.
    """
    first = NUM_LOCATIONS * COLUMNS + NUM_BAR_UNITS + NUM_ROLL_UNITS
    names = MOVE_ENCODINGS["exact"].unit_names[first:]
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        groups.setdefault(name.split(" at least ")[0].split(", of ")[0], []).append(number)
    effects = {}
    for name, numbers in groups.items():
        ranges = []
        for beside in besides:
            sums = np.cumsum([0.0, *(beside[NUM_BAR_UNITS + NUM_ROLL_UNITS :][numbers])])
            ranges.append(float(sums.max() - sums.min()))
        effects[name] = Measurement.mean(name, ranges)
    return effects


def _draw_conclusions(boards: list[Any], ranked: list[str]) -> Iterator[Conclusion]:
    """What the paper reads off its figure."""
    columns = [_count_significant_columns(board) for board in boards]
    yield Conclusion(
        "Figure 3: a great deal of columnar structure is apparent",
        min(columns) > COLUMNS / 4,
        f"{min(columns)} to {max(columns)} of {COLUMNS} columns have a mean weight more than two "
        "standard errors away from zero; by chance it would be one",
    )
    are_first = [name in ranked[:NUM_NAMED_FEATURES] for name in BLOT_EXPOSURE]
    yield Conclusion(
        "Figure 3: total blot exposure is one of the two most significant features",
        True if all(are_first) else None if any(are_first) else False,
        ", ".join(f"{name} is number {ranked.index(name) + 1}" for name in BLOT_EXPOSURE)
        + f" of {len(ranked)}",
    )
    yield Conclusion(
        "Figure 3: the number of points made in the inner board is one of the two most significant"
        " features",
        INNER_BOARD in ranked[:NUM_NAMED_FEATURES],
        f"{INNER_BOARD} is number {ranked.index(INNER_BOARD) + 1} of {len(ranked)}; the first are"
        f" {', '.join(ranked[:3])}",
    )


def _count_significant_columns(board: Any) -> int:
    """Columns whose mean over the locations is more than two standard errors away from zero."""
    error = board.std(axis=0, ddof=1) / np.sqrt(NUM_LOCATIONS)
    return int((abs(board.mean(axis=0)) > 2 * error).sum())


CAPTION = (
    "Weights from each input to the output: orange squares excite, blue ones inhibit. The lower 24 "
    "rows are locations 1 to 24 as White walks, columns A to W as in the paper; then, as there, "
    "one row for the men on the bars, three for the roll, and the features."
)


def split_rows(beside: list[float]) -> list[list[float]]:
    """The rows above the board: one for the bars, three for the roll, the rest for features."""
    width = NUM_ROLL_UNITS // NUM_ROLL_ROWS
    rolls = [NUM_BAR_UNITS + width * row for row in range(NUM_ROLL_ROWS)]
    first = NUM_BAR_UNITS + NUM_ROLL_UNITS
    return [
        beside[:NUM_BAR_UNITS],
        *(beside[at : at + width] for at in rolls),
        *(beside[at : at + COLUMNS] for at in range(first, len(beside), COLUMNS)),
    ]


def draw(axes: Any, data: dict[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    rows = data["board"] + split_rows(data["beside"])
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
