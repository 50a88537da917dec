"""Speed of the networks for nine men's morris: batches on all cores, one move on one core.

    python benchmarks/nnmm_moves.py [FILE.safetensors]

Without a file the shipped networks are asked or, where none are shipped, random ones of the
thesis's size, without the check that would have to step in all the time. Wanted are 2 ms for one
move and 30,000 positions a second in batches.
"""

import os
import sys

# Batches are shared among threads and a move is not; numpy reads this when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ludus.games.nine_mens_morris import PositionBatch
from ludus.learn.nnmm import (
    INPUT_MODELS,
    ChainWeights,
    DecodingRule,
    NetworkChain,
    NetworkChainPolicy,
    NetworkConfig,
    PartOrder,
    find_shipped_weights,
)
from morris_positions import sample_positions

POSITIONS = 20_000
SINGLE = 300

CASES: tuple[tuple[DecodingRule, int], ...] = (
    ("parts", 1),
    ("joint", 1),
    ("parts", 16),
    ("joint", 16),
)
"""Decoding rule and number of symmetries."""


def main() -> None:
    positions = sample_positions(POSITIONS)
    entries = PositionBatch.from_positions(positions)
    for name, chain in _load_chains(sys.argv[1:]).items():
        inputs = " and ".join(model.name for model in chain.models)
        print(f"{name}, order {chain.order}, inputs {inputs}")
        chain.predict(entries[:100], symmetries=16)
        for rule, symmetries in CASES:
            count = POSITIONS if symmetries == 1 else POSITIONS // 10
            began = time.perf_counter()
            chain.predict(entries[:count], rule, symmetries)
            rate = count / (time.perf_counter() - began)
            policy = NetworkChainPolicy(chain, any(chain.trained), rule, 3, symmetries)
            single = _measure_milliseconds(policy, positions[::67])
            print(
                f"  {rule:<6} {symmetries:>2} symmetries: {rate:10,.0f} positions/s in batches, "
                f"{single:6.2f} ms for one move"
            )
        if any(chain.trained):
            began = time.perf_counter()
            NetworkChainPolicy(chain, True, "parts", 3, 1).decide_batch(positions)
            rate = POSITIONS / (time.perf_counter() - began)
            print(f"  with the legality check: {rate:10,.0f} positions/s in batches")


def _measure_milliseconds(policy: NetworkChainPolicy, positions: list[Any]) -> float:
    taken = []
    for position in positions[:SINGLE]:
        began = time.process_time_ns()
        policy.decide(position)
        taken.append(time.process_time_ns() - began)
    return median(taken) / 1e6


def _load_chains(files: list[str]) -> dict[str, NetworkChain]:
    if files:
        return {name: NetworkChain.load(Path(name)) for name in files}
    found = {
        f"shipped {size}": NetworkChain.load(path)
        for (size, _), path in find_shipped_weights().items()
    }
    return found or {"random networks of the thesis's size": NetworkChain(_make_random_weights())}


def _make_random_weights() -> ChainWeights:
    """Return random networks of the thesis's sizes: 200 units, and ten blocks of 300."""
    order, model, design = PartOrder(), INPUT_MODELS["rawest"], NetworkConfig()
    rng = np.random.default_rng(0)
    networks = []
    for step in order.steps:
        sizes = {
            "first": (model.columns(len(step.parts_before)).width, 200),
            "last": (200, 25),
        }
        for block in range(design.blocks):
            sizes |= {f"blocks.{block}.layer1": (200, 300), f"blocks.{block}.layer2": (300, 200)}
        tensors = {}
        for name, (below, above) in sizes.items():
            tensors[f"{name}.weight"] = rng.normal(0, 0.05, (above, below)).astype(np.float32)
            tensors[f"{name}.bias"] = np.zeros(above, np.float32)
        networks.append(tensors)
    return ChainWeights(order, model, (design.model_dump(mode="json"),) * 3, (tuple(networks),))


if __name__ == "__main__":
    main()
