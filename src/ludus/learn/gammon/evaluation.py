"""What a network of 1988 has learned: agreement with an expert's moves, and its weights."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from ludus.datasets.backgammon.scored_positions import ScoredPosition
from ludus.learn.gammon.data import ScoredMoves
from ludus.learn.gammon.encoding import (
    BAR_UNITS,
    CHANGE_UNITS,
    NUM_LOCATIONS,
    ROLL_UNITS,
    STATE_UNITS,
)
from ludus.learn.gammon.network import FloatArray, GammonNetwork
from ludus.render.canvas import Canvas, Drawing
from ludus.render.theme import scope_rules

NUM_SHOWN = 3
"""Inputs that are named for each unit."""


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """A unit of the first layer by its weights."""

    outgoing: float | None
    """Its weight to the output; None with two hidden layers, or if it is the output."""

    strongest: tuple[tuple[str, float], ...]
    """The inputs with the largest weights, and these."""


@dataclass(frozen=True, slots=True)
class GammonEvaluation:
    """A network's agreement with an expert, and the units of its first layer."""

    network: str
    encoding: str
    themes: dict[str, tuple[int, int]]
    """Theme to the positions in which it plays the expert's move, and all; the largest first."""

    units: tuple[UnitWeights, ...]

    @classmethod
    def of(cls, network: GammonNetwork, positions: Sequence[ScoredPosition]) -> Self:
        """Evaluate a network on scored positions."""
        examples = ScoredMoves.from_positions(positions, network.encoding)
        scores = network.scores(examples.encoded_moves)
        total = Counter(each.theme for each in positions)
        hits: Counter[str] = Counter()
        for each, (begin, end) in zip(positions, pairwise(examples.move_offsets), strict=True):
            hits[each.theme] += bool(examples.is_best[begin + scores[begin:end].argmax()])
        return cls(
            network.name,
            network.encoding.name,
            {theme: (hits[theme], count) for theme, count in total.most_common()},
            list_units(network),
        )

    @property
    def agreement(self) -> tuple[int, int]:
        """The positions in which it plays the expert's move, and all."""
        return sum(hits for hits, _ in self.themes.values()), sum(
            count for _, count in self.themes.values()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        hits, count = self.agreement
        return {
            "network": self.network,
            "encoding": self.encoding,
            "positions": count,
            "agreement": hits / count,
            "themes": {
                theme: {"hits": hits, "positions": count}
                for theme, (hits, count) in self.themes.items()
            },
            "units": [
                {"outgoing": each.outgoing, "strongest": dict(each.strongest)}
                for each in self.units
            ],
        }


def list_units(network: GammonNetwork) -> tuple[UnitWeights, ...]:
    """Return the units of the first layer by their weights."""
    weights = network.layers[0][0]
    names = network.encoding.unit_names
    outgoing = network.layers[1][0][:, 0] if len(network.layers) == 2 else None
    found = []
    for unit, column in enumerate(weights.T):
        order = np.argsort(-abs(column), kind="stable")[:NUM_SHOWN]
        found.append(
            UnitWeights(
                None if outgoing is None else float(outgoing[unit]),
                tuple((names[number], float(column[number])) for number in order),
            )
        )
    return tuple(found)


def arrange_weights(network: GammonNetwork, unit: int) -> list[FloatArray]:
    """Return the weights of a unit of the first layer as rows of Figure 3, from the bottom up.

    First the locations 1 to 24 as White walks, then the bars, three rows for the roll, and the
    other inputs.
    """
    weights = network.layers[0][0][:, unit]
    width = len(STATE_UNITS) + len(CHANGE_UNITS[network.encoding.change_units])
    board, bars, roll, others = np.split(
        weights, np.cumsum([NUM_LOCATIONS * width, len(BAR_UNITS), len(ROLL_UNITS)])
    )
    return [
        *board.reshape(NUM_LOCATIONS, width),
        bars,
        *roll.reshape(NUM_ROLL_ROWS, -1),
        *(others[at : at + width] for at in range(0, len(others), width)),
    ]


NUM_ROLL_ROWS = 3
GAP, HEADING = 14.0, 12.0
NUM_ACROSS = 6
STYLE = """.board{fill:#8882}
.excites{fill:#e69f00}
.inhibits{fill:#0072b2}
.name{font:9px sans-serif;fill:currentColor}"""


def draw_weights(network: GammonNetwork) -> Drawing:
    """Draw a Hinton diagram of each unit of the first layer, as Figure 3.

    Orange squares excite, blue ones inhibit; the area is the size of the weight.
    """
    panels = [arrange_weights(network, unit) for unit in range(network.sizes[1])]
    rows, width = len(panels[0]), max(map(len, panels[0]))
    largest = max(float(abs(row).max()) for panel in panels for row in panel) or 1.0
    across = min(NUM_ACROSS, len(panels))
    cell = 14.0 if across == 1 else 7.0
    step = width * cell + GAP, rows * cell + GAP + HEADING
    canvas = Canvas(
        across * step[0],
        -(-len(panels) // across) * step[1],
        "Weights of the first layer",
        style=scope_rules(STYLE),
    )
    for unit, panel in enumerate(panels):
        left, top = unit % across * step[0] + GAP / 2, unit // across * step[1] + HEADING
        name = "output" if len(network.layers) == 1 else f"unit {unit + 1}"
        bottom = top + rows * cell
        canvas.text((left + width * cell / 2, top - HEADING / 2), name, "name")
        height = NUM_LOCATIONS * cell
        canvas.rect((left, bottom - height), width * cell, height, "board")
        for y, row in enumerate(panel):
            for x, weight in enumerate(row):
                side = cell * (abs(float(weight)) / largest) ** 0.5
                corner = left + (x + 0.5) * cell - side / 2, bottom - (y + 0.5) * cell - side / 2
                canvas.rect(corner, side, side, "excites" if weight > 0 else "inhibits")
    return canvas.drawing()
