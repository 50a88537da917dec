"""How far rounding the group convolutions of a scorer to int8 moves its predictions.

    python benchmarks/scholar_rounding.py [FILE …] [--experts 8 12 15]

Weights of a file are rounded already, so noise of half a step stands for what rounding took away.
Printed are the errors of the two differences of logits, their root mean square and median over
positions of random games: for weights that are rounded to the nearest, the peer, and with sums over
the group kept, as files are written.
"""

import argparse
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.games import game
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.scholar.inference import DEFAULT_SIZE, find_shipped_weights
from ludus.learn.scholar.network import TensorEncoder, build_expert
from ludus.learn.scholar.weights import (
    ScholarWeights,
    dequantize,
    load_weights,
    quantize,
    quantize_kernel,
)

MAX_PLIES = 50
MAX_POSITIONS = 300
"""Positions of an expert."""

ROUNDINGS: Mapping[str, Callable[[Any], Any]] = {
    "to the nearest": quantize,
    "with sums over the group kept": quantize_kernel,
}


def play_randomly(games: int) -> PositionBatch:
    """Return the positions of random games."""
    found = []
    for seed in range(games):
        source, position = random.Random(seed), game("nine_mens_morris").start()
        for _ in range(MAX_PLIES):
            if position.outcome() is not None:
                break
            found.append(position)
            position = position.play(source.choice(position.legal_moves()))
    return PositionBatch.from_positions(found).map(torch.as_tensor)


def measure(
    weights: ScholarWeights, expert: int, positions: PositionBatch, encoder: TensorEncoder
) -> dict[str, list[float]]:
    """Return root mean square and median of the errors by rounding."""
    rows = (encoder.select_experts(positions) == expert).nonzero()[:MAX_POSITIONS, 0]
    features = encoder.encode(positions[rows])[None]
    network = build_expert(weights, expert)
    source = np.random.default_rng(expert)
    stored = weights.experts[expert]
    exact = {}
    for name, values in weights.expert_weights(expert).items():
        if values.ndim == 3:
            noise = source.uniform(-0.5, 0.5, values.shape).astype(np.float32)
            exact[name] = values + noise * stored[f"{name}.scale"].astype(np.float32)
    expected = _predict(network, exact, features)
    errors = {}
    for label, rounding in ROUNDINGS.items():
        rounded = {name: dequantize(*rounding(values)) for name, values in exact.items()}
        moved = (_predict(network, rounded, features) - expected).abs()
        errors[label] = [float(moved.square().mean().sqrt()), float(moved.median())]
    return {label: [round(value, 3) for value in pair] for label, pair in errors.items()}


@torch.no_grad()
def _predict(
    network: EquivariantNetwork, kernels: Mapping[str, Any], features: torch.Tensor
) -> torch.Tensor:
    """Return the logits of a loss and of a win less that of a draw."""
    for name, values in kernels.items():
        network.load_by_element(name, torch.as_tensor(values)[None])
    loss, drawn, win = network(features)[0, :, :3].T
    return torch.stack([loss - drawn, win - drawn])


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path)
    parser.add_argument("--experts", type=int, nargs="+", default=[8, 12, 15])
    parser.add_argument("--games", type=int, default=400)
    arguments = parser.parse_args(words)
    positions, encoder = play_randomly(arguments.games), TensorEncoder(torch.device("cpu"))
    for file in arguments.files or [find_shipped_weights()["scorer", DEFAULT_SIZE]]:
        weights = load_weights(file)
        found = {
            f"expert {number}": measure(weights, number, positions, encoder)
            for number in arguments.experts
        }
        print(json.dumps({"file": file.name, **found}))


if __name__ == "__main__":
    main()
