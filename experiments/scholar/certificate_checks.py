"""Check certificates: visits on a GPU and on a processor, scores of both, games.

    python -m experiments.scholar.certificate_checks four [--device cuda]
    python -m experiments.scholar.certificate_checks compare --weights FILE [--positions N]
    python -m experiments.scholar.certificate_checks games --weights FILE [--games N]

`four` visits games of four men a side that a pseudo-random player plays; its output must be the
same on every device. `compare` repeats the visit of the standard game, prints its digest, and
evaluates N of the visited positions by the GPU's and by numpy's arithmetic. `games` plays N games
with each colour against random moves that keep the value, with the scores of the GPU and the
exceptions beside the weights; no move may lose the value. On a GPU it needs numpy, torch and a CUDA
toolkit; Ludus need not be installed.
"""

import argparse
import json
import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from ludus.games.nine_mens_morris import PRESETS, PositionBatch, Rules
from ludus.learn.scholar import (
    BoundedScores,
    CertificateConfig,
    Certification,
    CudaExampleSource,
    DecisionComparison,
    Visit,
    load_weights,
    make_roots,
    play_certified_games,
    select_cache_size,
    solve_on_gpu,
)

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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("four", "compare", "games"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--positions", type=int, default=10_000_000)
    parser.add_argument("--games", type=int, default=100_000, help="with each colour")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf, help="of the visit")
    parser.add_argument("--compare", type=float, default=300.0, help="seconds of the comparison")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if arguments.what == "four":
        print(json.dumps(visit_four(device, arguments.moves)))
        return
    if arguments.what == "games":
        source = make_source(PRESETS["standard"], device)
        found = play_certified_games(
            source, arguments.weights, arguments.games, arguments.seed, device
        )
        print(json.dumps(found))
        return
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    source = make_source(PRESETS["standard"], device)
    weights = load_weights(arguments.weights)
    config = CertificateConfig(log2_cache_size=select_cache_size(device))
    certification = Certification(source, weights, config, device)
    for counts in certification.run(arguments.seconds, 1 << 30):
        print(counts, flush=True)
    print(json.dumps(certification.exceptions().facts), flush=True)
    visited = torch.cat(certification.visit.known.runs)
    chosen = torch.randperm(len(visited), device=device)[: arguments.positions]
    comparison = DecisionComparison(source, arguments.weights, visited[chosen])
    print(json.dumps(comparison.finish(arguments.compare)))


if __name__ == "__main__":
    main()
