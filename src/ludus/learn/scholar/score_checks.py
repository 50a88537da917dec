"""Scores of a scorer of whole numbers compared: those of numpy, native code and torch."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ludus._native import LEVEL
from ludus.games.nine_mens_morris import PRESETS
from ludus.games.nine_mens_morris.batch import PositionBatch, expand
from ludus.learn.equivariant.integers import NumpyIntegerNetwork, build_integer_network
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.inference import group_by_expert
from ludus.learn.scholar.integer_scores import find_scales, score_outputs
from ludus.learn.scholar.weights import ScholarWeights

Backend = Literal["native", "numpy", "torch"]

GAMES = 1000
"""Random games that are played at once."""

MAX_PLIES = 100
"""Of a random game."""

Scores = Callable[[PositionBatch], NDArray[np.float64]]


def play_random_games(seed: int) -> Iterator[PositionBatch]:
    """Yield the positions after all moves in random games, a ply of many games at a time."""
    rules, source = PRESETS["standard"], np.random.default_rng(seed)
    while True:
        positions = PositionBatch.from_keys(np.full(GAMES, 0x99, np.int64))
        for _ in range(MAX_PLIES):
            children = expand(positions, rules)
            positions = positions[children.count > 0]
            children = children[children.count > 0]
            if not len(positions):
                break
            yield children.positions[children.is_move]
            fits = children.count.clip(max=children.move.shape[1])
            chosen = (source.random(len(fits)) * fits).astype(np.int64)
            positions = children.positions[np.arange(len(fits)), chosen]


def make_scores(
    weights: ScholarWeights, backend: Backend, loss_aversion: float, device: str = "cpu"
) -> Scores:
    """Return the scores of a backend; `device` is torch's."""
    if backend == "torch":
        import torch

        from ludus.learn.scholar.exact_scores import ExactScores

        evaluate = ExactScores(weights, loss_aversion, torch.device(device))

        def score(positions: PositionBatch) -> NDArray[np.float64]:
            given = positions.map(lambda column: torch.as_tensor(column, device=device))
            found: NDArray[np.float64] = evaluate(given).cpu().numpy()
            return found

        return score
    build = build_integer_network if backend == "native" else NumpyIntegerNetwork
    networks = [build(weights.experts[kind], FEATURE_PERMUTATIONS) for kind in range(NUM_EXPERTS)]

    def score_by_expert(positions: PositionBatch) -> NDArray[np.float64]:
        scores = np.empty(len(positions))
        for kind, rows, features in group_by_expert(positions):
            scales = find_scales(weights.experts[kind]["last_shifts"])
            scores[rows] = score_outputs(networks[kind](features), scales, loss_aversion)
        return scores

    return score_by_expert


def compare_scores(
    weights: ScholarWeights,
    backends: Sequence[Backend],
    number: int,
    seed: int = 1,
    loss_aversion: float = 40.0,
    device: str = "cpu",
    seconds: float = float("inf"),
) -> dict[str, Any]:
    """Score positions after moves in random games by all backends, to the last bit.

    The digest of the first one's scores is the same on every machine. Stops after `seconds`.
    """
    scores = {name: make_scores(weights, name, loss_aversion, device) for name in backends}
    used, different = dict.fromkeys(backends, 0.0), dict.fromkeys(backends[1:], 0)
    digest, compared, began = hashlib.sha256(), 0, time.monotonic()
    for positions in play_random_games(seed):
        some = positions[: number - compared]
        found = {}
        for name in backends:
            started = time.process_time()
            found[name] = scores[name](some)
            used[name] += time.process_time() - started
        first = found[backends[0]]
        for name in different:
            different[name] += int((found[name].view(np.int64) != first.view(np.int64)).sum())
        digest.update(first.astype("<f8").tobytes())
        compared += len(some)
        if compared == number or time.monotonic() - began > seconds:
            break
    return {
        "level": LEVEL,
        "positions": compared,
        "different": different,
        "digest": digest.hexdigest(),
        "seconds": {name: round(each, 1) for name, each in used.items()},
    }
