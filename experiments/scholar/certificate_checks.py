"""Check certificates: visits on a GPU and on a processor, scores of both, games.

    python -m experiments.scholar.certificate_checks four [--device cuda]
    python -m experiments.scholar.certificate_checks compare --weights FILE [--positions N]
    python -m experiments.scholar.certificate_checks games --weights FILE [--games N]

`four` visits games of four men a side that a pseudo-random player plays; its output must be the
same on every device. `compare` evaluates visited positions of the standard game by the GPU's and by
numpy's arithmetic. `games` plays N games with each colour against random moves that keep the value,
with the scores of the GPU and the exceptions beside the weights; no move may lose the value. On a
GPU it needs numpy, torch and a CUDA toolkit; Ludus need not be installed.
"""

import argparse
import json
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.games.nine_mens_morris import PRESETS, PositionBatch, Rules
from ludus.games.nine_mens_morris.batch import NO_POINT, PARTS, unpack_part
from ludus.learn.scholar import (
    LOSS_AVERSION,
    BoundedScores,
    CachedScores,
    CertificateConfig,
    Certification,
    CudaExampleSource,
    Scorer,
    Visit,
    find_playable,
    load_weights,
    make_roots,
    make_score_function,
    penalize_length,
    solve_on_gpu,
    utility,
)
from ludus.learn.scholar.bounded_scores import ScoreFunction
from ludus.learn.scholar.evaluate import find_first_errors, summarize_errors
from ludus.learn.scholar.examples import ExampleBatch
from ludus.learn.scholar.exceptions import INVERSE_IMAGES, load_exceptions
from ludus.learn.scholar.training_data import ChooseMoves
from ludus.learn.scholar.visit import StoredMoves, score_moves

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
    """Score positions as the player does, in a process of its own."""
    global _scorer
    path, positions = task
    if _scorer is None:
        _scorer = Scorer(load_weights(Path(path)))
    output = _scorer.evaluate(positions)
    return penalize_length(utility(output.probabilities, LOSS_AVERSION), output.log2_plies)


def make_choice(evaluate: ScoreFunction, stored: StoredMoves, device: torch.device) -> ChooseMoves:
    """Return the choice of a scorer with exceptions: the stored move, or the best score."""
    scores = CachedScores(evaluate, device, LOG2_CACHE_SIZE)

    def choose(examples: ExampleBatch) -> torch.Tensor:
        score = score_moves(examples, scores.evaluate_keys).score
        is_move = torch.as_tensor(examples.children.is_move)
        move = torch.as_tensor(examples.children.move)
        keys, symmetry = examples.positions.map(torch.as_tensor).find_canonical()
        known = move_back(stored.find(keys), symmetry)
        return torch.where(is_move, score + 9 * (move == known[:, None]), -9).argmax(1)

    return choose


def move_back(moves: torch.Tensor, symmetry: torch.Tensor) -> torch.Tensor:
    """Return moves of canonical positions as moves of the positions; -1 stays."""
    points = torch.stack([unpack_part(moves, part) for part in range(len(PARTS))], dim=1)
    table = torch.as_tensor(INVERSE_IMAGES, dtype=torch.int32, device=moves.device)
    inverse = table[symmetry[:, None], points.clamp(0, NO_POINT).long()]
    shifts = 8 * torch.arange(len(PARTS), device=moves.device)
    packed = (inverse << shifts).sum(1, dtype=torch.int32)
    return torch.where(moves >= 0, packed, -1)


def play_games(source: Any, path: Path, games: int, seed: int, device: torch.device) -> Any:
    """Play games with each colour; return how many of them the scorer lost."""
    weights = load_weights(path)
    known = load_exceptions(path.with_suffix(".exceptions"), weights.digest()).unpack()
    columns = (torch.tensor(each, device=device) for each in (known.keys, known.moves))
    evaluate = make_score_function(weights, known.loss_aversion, device)
    choose = make_choice(evaluate, StoredMoves(*columns), device)
    return summarize_errors(find_first_errors(source, choose, 2 * games, seed))


LOG2_CACHE_SIZE = 24
"""Log2 of the number of scores that are kept."""


def compare(source: Any, path: Path, keys: torch.Tensor, pool: Any) -> dict[str, Any]:
    """Compare the scores of all moves of visited positions, in numpy and on the GPU.

    A disagreement is a position in which numpy's best move is not playable by the GPU's scores.
    """
    evaluate = make_score_function(load_weights(path), LOSS_AVERSION, keys.device)
    examples = source.examples(PositionBatch.from_keys(keys))
    is_move = examples.children.is_move
    positions = examples.children.positions[is_move]
    scores = torch.full(is_move.shape, -2.0, device=keys.device)
    host = positions.map(lambda column: column.cpu().numpy())
    chunks = [host[first : first + CHUNK] for first in range(0, len(host), CHUNK)]
    found = pool.map(_score_in_numpy, [(str(path), chunk) for chunk in chunks])
    exact = torch.as_tensor(np.concatenate(list(found)), device=keys.device)
    difference = (evaluate(positions).score - exact).abs().max()
    scores[is_move] = exact
    scores[is_move & (examples.children.value == 0)] = 1.0
    decisions = find_playable(examples, CachedScores(evaluate, keys.device, 16).evaluate_keys)
    is_playable = decisions.playable.gather(1, scores.argmax(1)[:, None])[:, 0]
    disagreements = ~is_playable & ~decisions.is_exception
    return {
        "positions": len(keys),
        "moves": len(positions),
        "largest_difference": float(difference),
        "disagreements": int(disagreements.sum()),
    }


CHUNK = 4096
"""Positions evaluated by a process at once."""

BATCH = 1 << 16
"""Positions compared at once."""


def compare_all(source: Any, path: Path, keys: torch.Tensor, seconds: float) -> dict[str, Any]:
    """Compare as many of the positions as fit into the time."""
    began, found = time.monotonic(), []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), context) as pool:
        for batch in torch.split(keys, BATCH):
            if time.monotonic() - began > seconds:
                break
            found.append(compare(source, path, batch, pool))
    total = {name: sum(each[name] for each in found) for name in ("positions", "moves")}
    return {
        **total,
        "largest_difference": max(each["largest_difference"] for each in found),
        "disagreements": sum(each["disagreements"] for each in found),
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("four", "compare", "games"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--positions", type=int, default=10_000_000)
    parser.add_argument("--games", type=int, default=100_000, help="with each colour")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the visit")
    parser.add_argument("--compare", type=float, default=300.0, help="seconds of the comparison")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if arguments.what == "four":
        print(json.dumps(visit_four(device, arguments.moves)))
        return
    if arguments.what == "games":
        source = make_source(PRESETS["standard"], device)
        found = play_games(source, arguments.weights, arguments.games, arguments.seed, device)
        print(json.dumps(found))
        return
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    source = make_source(PRESETS["standard"], device)
    weights = load_weights(arguments.weights)
    certification = Certification(source, weights, CertificateConfig(), device)
    for counts in certification.run(arguments.seconds, 1 << 30):
        print(counts, flush=True)
    visited = torch.cat(certification.visit.known.runs)
    chosen = torch.randperm(len(visited), device=device)[: arguments.positions]
    print(json.dumps(compare_all(source, arguments.weights, visited[chosen], arguments.compare)))


if __name__ == "__main__":
    main()
