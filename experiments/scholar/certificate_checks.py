"""Check certificates: visits on a GPU and on a processor, rounding, scores of both, games.

    python -m experiments.scholar.certificate_checks four [--device cuda]
    python -m experiments.scholar.certificate_checks rounding --weights FILE [--positions N]
    python -m experiments.scholar.certificate_checks compare --weights FILE [--positions N]
    python -m experiments.scholar.certificate_checks games --weights FILE [--games N]

`four` visits games of four men a side that a pseudo-random player plays; its output must be the
same on every device. `rounding` compares numpy's scores of N positions of random games with those
of double precision; it needs no GPU. `games` plays N games with each colour against random moves
that keep the value, with the scores of the GPU, or of numpy (`--device cpu --oracle DIR`), and the
exceptions beside the weights; no move may lose the value. `compare` evaluates N distinct positions
of such games by the GPU's and by numpy's arithmetic. On a GPU torch, a CUDA toolkit and the Python
packages of Ludus are needed, but not its compiled modules: PYTHONPATH=src will do.
"""

import argparse
import json
import os
import random
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

import ludus
from ludus.games.nine_mens_morris import PRESETS, PositionBatch, Rules
from ludus.learn.scholar import (
    BoundedScores,
    CudaExampleSource,
    DecisionComparison,
    OracleExampleSource,
    Visit,
    expert_table,
    load_certified_choice,
    load_weights,
    make_roots,
    measure_rounding,
    play_certified_games,
    sample_visited,
    select_experts,
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


def make_source(rules: Rules, device: torch.device, oracle: Path | None = None) -> Any:
    """Solve the game on the GPU, or a small one on the processor; or open a solved one."""
    if device.type == "cuda":
        return CudaExampleSource(solve_on_gpu(rules))
    if oracle is not None:
        # Compiled modules, which a machine with a GPU need not have.
        from ludus.oracles import MorrisOracle
        from ludus.oracles import oracle as find_oracle

        solved = find_oracle(ludus.game("nine_mens_morris", rules), oracle)
        assert isinstance(solved, MorrisOracle)
        return OracleExampleSource(solved)
    from support.scholar import source_of

    return source_of(rules)


def play_randomly(seed: int) -> Iterator[Any]:
    """Yield the unfinished positions of random games."""
    game, chance = ludus.game("nine_mens_morris"), random.Random(seed)
    while True:
        position = game.start()
        while position.outcome() is None:
            yield position
            position = position.play(chance.choice(position.legal_moves()))


def check_rounding(weights: Path, number: int, seed: int) -> dict[str, Any]:
    """Compare scores of numpy with exact ones on positions of random games."""
    positions = PositionBatch.from_positions(islice(play_randomly(seed), number))
    errors = measure_rounding(load_weights(weights), positions)
    experts = select_experts(positions, expert_table())
    median, late = np.percentile(errors, [50, 99])
    return {
        "positions": number,
        "largest error, in tolerances": round(float(errors.max()), 4),
        "99 of 100 below": round(float(late), 4),
        "median": round(float(median), 5),
        "largest error by expert": [
            round(float(errors[experts == each].max(initial=0)), 4)
            for each in range(experts.max() + 1)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("four", "rounding", "compare", "games"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--oracle", type=Path, help="the solved game, for a processor")
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--positions", type=int, default=10_000_000)
    parser.add_argument("--games", type=int, default=100_000, help="with each colour")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600.0, help="of the comparison")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if arguments.what == "four":
        print(json.dumps(visit_four(device, arguments.moves)))
        return
    if arguments.what == "rounding":
        print(json.dumps(check_rounding(arguments.weights, arguments.positions, arguments.seed)))
        return
    # Read by the processes that evaluate in numpy.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    source = make_source(PRESETS["standard"], device, arguments.oracle)
    choose = load_certified_choice(arguments.weights, device)
    if arguments.what == "games":
        print(json.dumps(play_certified_games(source, choose, arguments.games, arguments.seed)))
        return
    visited = sample_visited(source, choose, arguments.positions, arguments.seed)
    print(f"{len(visited)} positions", flush=True)
    comparison = DecisionComparison(source, arguments.weights, visited)
    print(json.dumps(comparison.finish(arguments.seconds)))


if __name__ == "__main__":
    main()
