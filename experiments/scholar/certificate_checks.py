"""Compare visits on a GPU with those on a processor, and time the real one.

    python -m experiments.scholar.certificate_checks four [--device cuda]
    python -m experiments.scholar.certificate_checks compare --weights FILE [--positions N]

`four` visits games of four men a side that a pseudo-random player plays; its output must be the
same on every device. `compare` evaluates visited positions of the standard game by the GPU's and by
numpy's arithmetic. On a GPU it needs numpy, torch and a CUDA toolkit; Ludus need not be installed.
"""

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.games.nine_mens_morris import PRESETS, PositionBatch, Rules
from ludus.learn.scholar.bounded_scores import BoundedScores, NumpyScores, make_score_function
from ludus.learn.scholar.certify import CertificateConfig, Certification, make_roots
from ludus.learn.scholar.example_sources import CudaExampleSource, solve_on_gpu
from ludus.learn.scholar.inference import LOSS_AVERSION, Scorer
from ludus.learn.scholar.visit import Visit
from ludus.learn.scholar.weights import load_weights

FOUR = Rules(men=4)


class HashScores:
    """Scores that depend on the canonical position alone and are exact on every device."""

    def __call__(self, positions: PositionBatch) -> BoundedScores:
        keys = positions.find_canonical()[0]
        mixed = (keys * 6364136223846793005 + 1442695040888963407) >> 33 & 0x3FF
        score = (mixed.float() - 512) / 512
        return BoundedScores(score, torch.full_like(score, 1e-4))


def visit_four(device: torch.device, own_moves: int) -> dict[str, Any]:
    """Visit games of four men a side; return the counts after each move of the player."""
    source = make_source(FOUR, device)
    visit = Visit(source, HashScores(), make_roots(source, ("white", "black")), batch=1 << 16)
    levels = []
    for counts in visit.run(own_moves=own_moves):
        found = asdict(counts)
        seconds = found.pop("seconds")
        levels.append({**found, "entries": len(visit.stored.keys)})
        print(f"{seconds:.1f} s", levels[-1], flush=True)
    stored = torch.cat([visit.stored.keys, visit.stored.moves.long()])
    return {"levels": levels, "stored": int((stored * 1000003 % 998244353).sum())}


def make_source(rules: Rules, device: torch.device) -> Any:
    """Solve the game on the GPU, or a small one on the processor."""
    if device.type == "cuda":
        return CudaExampleSource(solve_on_gpu(rules))
    from support.scholar_games import source_of

    return source_of(rules)


_scorer: Scorer | None = None


def _score_in_numpy(task: tuple[str, PositionBatch]) -> Any:
    """Score positions by numpy in a process of its own."""
    global _scorer
    path, positions = task
    if _scorer is None:
        _scorer = Scorer(load_weights(Path(path)))
    given = positions.map(torch.as_tensor)
    return NumpyScores(_scorer, LOSS_AVERSION)(given).score.numpy()


def compare(source: Any, path: Path, keys: torch.Tensor, workers: int) -> dict[str, Any]:
    """Compare the scores of all moves of visited positions, in numpy and on the GPU."""
    began = time.monotonic()
    exact = make_score_function(load_weights(path), LOSS_AVERSION, keys.device)
    examples = source.examples(PositionBatch.from_keys(keys))
    positions = examples.children.positions[examples.children.is_move]
    ours = exact(positions).score.cpu().numpy()
    host = positions.map(lambda column: column.cpu().numpy())
    chunks = np.array_split(np.arange(len(host)), 8 * workers)
    with ProcessPoolExecutor(workers) as pool:
        theirs = np.concatenate(
            list(pool.map(_score_in_numpy, [(str(path), host[chunk]) for chunk in chunks]))
        )
    difference = np.abs(ours - theirs)
    return {
        "positions": len(keys),
        "moves": len(ours),
        "largest": float(difference.max()),
        "mean": float(difference.mean()),
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("four", "compare"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--positions", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if arguments.what == "four":
        print(json.dumps(visit_four(device, arguments.moves)))
        return
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    source = make_source(PRESETS["standard"], device)
    weights = load_weights(arguments.weights)
    certification = Certification(source, weights, CertificateConfig(), device)
    for counts in certification.run(arguments.seconds, 1 << 30):
        print(counts, flush=True)
    visited = torch.cat(certification.visit.known.runs)
    chosen = torch.randperm(len(visited), device=device)[: arguments.positions]
    print(json.dumps(compare(source, arguments.weights, visited[chosen], os.cpu_count() or 1)))


if __name__ == "__main__":
    main()
