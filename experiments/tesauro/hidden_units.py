"""What hidden units stand for: their activations compared with concepts of the game."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus.learn.gammon import (
    GammonNetwork,
    ScoredMoves,
    find_encoding,
    load_test_positions,
)
from ludus.reproduce import Context, Figure, Measurement, Table

from .comparisons import make_row
from .networks import get_trained_network, initialise_network, make_config

NETWORKS = {"with features": "features", "without features": "raw"}
HIDDEN = 24
STRONG = 0.5
"""A correlation from which on a unit is said to go along with a concept."""

NUM_SHOWN = 16
"""Concepts in the figure: those with the strongest correlations."""


def run(context: Context) -> Iterator[Any]:
    names, concepts = compute_concepts(context.setting("tested"))
    for name, coding in NETWORKS.items():
        settings = make_config(make_row(context, coding, (HIDDEN,)), context.seed)
        file, _ = get_trained_network(context, name, settings)
        network = GammonNetwork.load(file)
        correlations = compute_correlations(network, concepts, context.setting("tested"))
        strongest = np.abs(correlations).max(axis=1)
        start = initialise_network(settings)
        at_first = np.abs(compute_correlations(start, concepts, context.setting("tested")))
        yield Measurement(
            f"{name}: hidden units that go along with a concept",
            int((strongest >= STRONG).sum()),
            unit=f"of {HIDDEN}",
            note=f"a correlation of at least {STRONG}; before training "
            f"{(at_first.max(axis=1) >= STRONG).sum()}",
        )
        yield Measurement(
            f"{name}: mean of the strongest correlation of a unit",
            float(strongest.mean()),
            note=f"before training {at_first.max(axis=1).mean():.2f}",
        )
        yield Table(
            f"Hidden units, {name}",
            ("unit", "weight to the output", "goes along with", "correlation", "next", "and"),
            _describe_units(network, correlations, names),
            "Ordered by the size of the weight to the output. A negative correlation with a "
            "negative weight argues for the concept.",
        )
        yield Figure(
            f"Hidden units and concepts, {name}",
            draw_correlations,
            _select_concepts(network, correlations, names),
            "Correlation of each hidden unit (column, by the size of its weight to the output, "
            "negative ones turned round) with the concepts that some unit follows most.",
        )


def compute_concepts(tested: int) -> tuple[list[str], np.ndarray]:
    """Names and values, shape (moves, concepts), for all moves of the test positions."""
    encoding = find_encoding("features")
    positions = load_test_positions()[:tested]
    scored = ScoredMoves.from_positions(positions, encoding)
    is_feature = np.array([not _is_raw(name) for name in encoding.unit_names])
    features = scored.encoded_moves.to_dense(encoding.num_units)[:, is_feature]
    themes = np.array([each.theme for each in positions])[scored.position_of_move]
    kinds = sorted(set(themes.tolist()))
    names = [name for name in encoding.unit_names if not _is_raw(name)]
    columns = np.stack([themes == kind for kind in kinds], axis=1).astype(np.float32)
    return [*names, *(f"theme {kind}" for kind in kinds)], np.hstack([features, columns])


def _is_raw(name: str) -> bool:
    return name.startswith(("location ", "roll ")) or " men on the bar " in name


def compute_correlations(network: GammonNetwork, concepts: np.ndarray, tested: int) -> np.ndarray:
    """Correlations of hidden units with concepts, shape (hidden, concepts)."""
    scored = ScoredMoves.from_positions(load_test_positions()[:tested], network.encoding)
    weights, biases = network.layers[0]
    inputs = scored.encoded_moves.to_dense(network.encoding.num_units)
    hidden = 1 / (1 + np.exp(-(inputs @ weights + biases)))
    correlations: np.ndarray = _standardize(hidden).T @ _standardize(concepts) / len(hidden)
    return correlations


def _standardize(values: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and deviation 1; constant ones become 0."""
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    return np.asarray(centred / np.where(spread > 0, spread, np.inf), np.float64)


def _order_units(network: GammonNetwork) -> np.ndarray:
    return np.argsort(-np.abs(network.layers[1][0][:, 0]))


def _describe_units(
    network: GammonNetwork, correlations: np.ndarray, names: Sequence[str]
) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for unit in _order_units(network):
        first, second, third = np.argsort(-np.abs(correlations[unit]))[:3]
        rows.append(
            [
                int(unit) + 1,
                round(float(network.layers[1][0][unit, 0]), 2),
                names[first],
                round(float(correlations[unit, first]), 2),
                f"{names[second]} ({correlations[unit, second]:+.2f})",
                f"{names[third]} ({correlations[unit, third]:+.2f})",
            ]
        )
    return rows


def _select_concepts(
    network: GammonNetwork, correlations: np.ndarray, names: Sequence[str]
) -> dict[str, Any]:
    order = _order_units(network)
    signs = np.sign(network.layers[1][0][order, 0])
    shown = np.argsort(-np.abs(correlations).max(axis=0))[:NUM_SHOWN]
    values = (signs[:, None] * correlations[order])[:, shown].T
    return {
        "concepts": [names[number] for number in shown],
        "units": [int(unit) + 1 for unit in order],
        "values": [[round(float(value), 3) for value in row] for row in values],
    }


def draw_correlations(axes: Any, data: dict[str, Any]) -> None:
    image = axes.imshow(data["values"], cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axes.set_yticks(range(len(data["concepts"])), data["concepts"])
    axes.set_xticks(range(len(data["units"])), data["units"])
    axes.set_xlabel("hidden unit")
    axes.figure.colorbar(image, label="correlation")
