"""Restricted receptive fields: hidden units that see neighbouring points only."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ludus.learn.gammon import (
    CHANGE_UNITS,
    NUM_LOCATIONS,
    STATE_UNITS,
    GammonConfig,
    GammonNetwork,
    GammonTraining,
    find_encoding,
    play_native_games,
)
from ludus.reproduce import Conclusion, Context, Measurement

from .comparisons import compare_means, make_row
from .networks import encode_positions, make_config

HIDDEN = 24
USEFUL_EFFECT = 2.0
"""Percentage points of games won, set before the size `published` was run."""

CODING = "features"
UNITS_PER_LOCATION = len(STATE_UNITS) + len(CHANGE_UNITS[1])


def connect_all() -> np.ndarray:
    """Every hidden unit sees every input, as in the paper; shape (inputs, hidden)."""
    return np.ones((find_encoding(CODING).num_units, HIDDEN), np.float32)


def connect_window(width: int) -> np.ndarray:
    """Hidden unit number k sees `width` points from point k on, and all that is not a point."""
    mask = connect_all()
    for unit in range(HIDDEN):
        for location in range(NUM_LOCATIONS):
            if (location - unit) % NUM_LOCATIONS >= width:
                begin = location * UNITS_PER_LOCATION
                mask[begin : begin + UNITS_PER_LOCATION, unit] = 0
    return mask


def connect_separately() -> np.ndarray:
    """Half of the units see the points, the other half the rest."""
    mask = connect_all()
    mask[: NUM_LOCATIONS * UNITS_PER_LOCATION, HIDDEN // 2 :] = 0
    mask[NUM_LOCATIONS * UNITS_PER_LOCATION :, : HIDDEN // 2] = 0
    return mask


FIELDS: dict[str, Callable[[], np.ndarray]] = {
    "all inputs": connect_all,
    "12 points": lambda: connect_window(12),
    "6 points": lambda: connect_window(6),
    "points and features apart": connect_separately,
}


def run(context: Context) -> Iterator[Any]:
    seeds = context.setting("seeds")
    tests: dict[str, list[float]] = {name: [] for name in FIELDS}
    games: dict[str, list[float]] = {name: [] for name in FIELDS}
    for name, make_mask in FIELDS.items():
        for seed in range(seeds):
            context.progress(seed, seeds, name)

            def compute(
                make_mask: Callable[[], np.ndarray] = make_mask, seed: int = seed
            ) -> list[float]:
                return _measure(context, make_mask(), seed)

            test, won = context.cached(f"{name}, training {seed}", compute)
            tests[name].append(test)
            games[name].append(won)
    for name in FIELDS:
        yield Measurement.mean(f"{name}: test positions", tests[name], unit="%")
        yield Measurement.mean(f"{name}: games against tool", games[name], unit="%")
    for name in list(FIELDS)[1:]:
        (low, high), evidence = compare_means(games[name], games["all inputs"])
        yield Conclusion(
            f"restricted receptive fields are not useful: {name} adds less than"
            f" {USEFUL_EFFECT:.0f} points",
            True if high < USEFUL_EFFECT else False if low > 0 else None,
            evidence,
        )


def _measure(context: Context, mask: np.ndarray, seed: int) -> list[float]:
    settings = make_config(make_row(context, CODING, (HIDDEN,)), context.seed + seed)
    network = train_masked(settings, mask)
    _, tests = encode_positions(CODING, settings.positions)
    accuracy = tests.compute_accuracy(network.scores(tests.encoded_moves))
    played = max(2, context.setting("games") // context.setting("seeds"))
    result = play_native_games(
        network, "tool", played, context.seed_for("games", seed), context.jobs
    )
    return [100 * accuracy, 100 * result.win_rate]


def train_masked(settings: GammonConfig, mask: np.ndarray) -> GammonNetwork:
    """Train one hidden layer by back-propagation, move by move, without masked connections."""
    examples, _ = encode_positions(settings.coding, settings.positions)
    training = GammonTraining(settings, examples)
    begin = training.network
    (first, first_bias), (second, second_bias) = [
        (weights.copy(), biases.copy()) for weights, biases in begin.layers
    ]
    first *= mask
    encoded = examples.encoded_moves
    for cycle in range(settings.cycles):
        rows, targets, _ = training.sample_targets(np.random.default_rng((settings.seed, cycle)))
        rate = np.float32(training.get_learning_rate(cycle))
        for row, target in zip(rows, targets, strict=True):
            span = slice(encoded.offsets[row], encoded.offsets[row + 1])
            units, active = encoded.unit_indices[span], encoded.activations[span]
            hidden = 1 / (1 + np.exp(-(active @ first[units] + first_bias)))
            output = 1 / (1 + np.exp(-(hidden @ second[:, 0] + second_bias[0])))
            delta = rate * (target - output) * output * (1 - output)
            below = delta * second[:, 0] * hidden * (1 - hidden)
            second[:, 0] += delta * hidden
            second_bias[0] += delta
            first[units] += active[:, None] * below * mask[units]
            first_bias += below
    return GammonNetwork(begin.encoding, ((first, first_bias), (second, second_bias)))
