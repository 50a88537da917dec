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
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.games.nine_mens_morris import PRESETS, PositionBatch, Rules
from ludus.games.nine_mens_morris.batch import LOST, MAX_MOVES, NO_POINT, PARTS, unpack_part
from ludus.learn.scholar import (
    LOSS_AVERSION,
    BoundedScores,
    CachedScores,
    CertificateConfig,
    Certification,
    CudaExampleSource,
    Scorer,
    Visit,
    expert_table,
    find_playable,
    load_weights,
    make_roots,
    make_score_function,
    penalize_length,
    select_experts,
    solve_on_gpu,
    utility,
)
from ludus.learn.scholar.bounded_scores import ScoreFunction
from ludus.learn.scholar.evaluate import find_first_errors, summarize_errors
from ludus.learn.scholar.examples import ExampleBatch
from ludus.learn.scholar.exceptions import INVERSE_IMAGES, load_exceptions
from ludus.learn.scholar.model import as_tensor
from ludus.learn.scholar.training_data import ChooseMoves, to_source_array
from ludus.learn.scholar.visit import UNSCORED, StoredMoves, score_moves

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


def make_choice(evaluate: ScoreFunction, stored: StoredMoves, device: torch.device) -> ChooseMoves:
    """Return the choice of a scorer with exceptions: the stored move, or the best score."""
    scores = CachedScores(evaluate, device, LOG2_CACHE_SIZE)

    def choose(examples: ExampleBatch) -> torch.Tensor:
        score = score_moves(examples, scores.evaluate_keys).score
        is_move = as_tensor(examples.children.is_move)
        move = as_tensor(examples.children.move)
        keys, symmetry = examples.positions.map(as_tensor).find_canonical()
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


class ScoredBatch(NamedTuple):
    """Visited positions with the decisions of a device; numpy arrays, moves row by row."""

    children: PositionBatch
    """Positions after all moves."""

    is_move: NDArray[np.bool_]
    """(positions, moves)"""

    is_won: NDArray[np.bool_]
    """(children,): whether a move wins by the rules."""

    score: NDArray[np.float32]
    """(children,): the device's scores; UNSCORED for the only move of a position."""

    playable: NDArray[np.bool_]
    """(positions, moves)"""

    is_exception: NDArray[np.bool_]
    """(positions,)"""


def score_on_device(source: Any, scores: CachedScores, keys: torch.Tensor) -> ScoredBatch:
    """Score all moves of visited positions, and find the playable ones, as the visit does."""
    positions = PositionBatch.from_keys(keys).map(to_source_array)
    examples = source.examples(positions)
    if (longest := int(examples.children.count.max())) > MAX_MOVES:
        examples = source.examples(positions, longest)
    is_move = as_tensor(examples.children.is_move)
    children = examples.children.positions.map(as_tensor)[is_move]
    decisions = find_playable(examples, scores.evaluate_keys)
    columns = (
        is_move,
        as_tensor(examples.children.value == LOST)[is_move],
        score_moves(examples, scores.evaluate_keys).score[is_move],
        decisions.playable,
        decisions.is_exception,
    )
    return ScoredBatch(children.map(_to_numpy), *map(_to_numpy, columns))


def _to_numpy(column: torch.Tensor) -> NDArray[Any]:
    return column.cpu().numpy()


@cache
def _load_scorer(path: str) -> Scorer:
    return Scorer(load_weights(Path(path)))


def compare_in_numpy(path: str, batch: ScoredBatch) -> dict[str, Any]:
    """Score the moves as the player does, in a process of its own.

    A disagreement is a position in which numpy's best move is not playable by the device's scores.
    """
    scorer = _load_scorer(path)
    exact = np.empty(len(batch.children), np.float32)
    # A chunk of positions for one expert is evaluated faster than a mixed one.
    order = select_experts(batch.children, expert_table()).argsort(kind="stable")
    for first in range(0, len(order), CHUNK):
        rows = order[first : first + CHUNK]
        output = scorer.evaluate(batch.children[rows])
        utilities = utility(output.probabilities, LOSS_AVERSION)
        exact[rows] = penalize_length(utilities, output.log2_plies)
    scores = np.full(batch.is_move.shape, -2.0, np.float32)
    scores[batch.is_move] = np.where(batch.is_won, 1.0, exact)
    best = scores.argmax(1)
    is_scored = ~batch.is_won & (batch.score != UNSCORED)
    is_playable = batch.playable[np.arange(len(best)), best]
    return {
        "positions": len(best),
        "moves": len(order),
        "largest_difference": float(np.abs(batch.score - exact)[is_scored].max(initial=0)),
        "disagreements": int((~is_playable & ~batch.is_exception).sum()),
    }


CHUNK = 4096
"""Positions evaluated in numpy at once."""

BATCH = 1 << 16
"""Positions compared at once."""


class Comparison:
    """A comparison of many positions in other processes."""

    def __init__(self, source: Any, path: Path, keys: torch.Tensor) -> None:
        """Score the positions on the device, and begin to score them in numpy."""
        self._began = time.monotonic()
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(os.cpu_count(), context)
        evaluate = make_score_function(load_weights(path), LOSS_AVERSION, keys.device)
        scores = CachedScores(evaluate, keys.device, LOG2_CACHE_SIZE)
        self._tasks = [
            self._pool.submit(compare_in_numpy, str(path), score_on_device(source, scores, batch))
            for batch in torch.split(keys, BATCH)
        ]

    def finish(self, seconds: float) -> dict[str, Any]:
        """Wait for the results, or leave out those that take longer than the time."""
        wait(self._tasks, timeout=seconds)
        self._pool.shutdown(wait=True, cancel_futures=True)
        found = [task.result() for task in self._tasks if not task.cancelled()]
        total = {name: sum(each[name] for each in found) for name in ("positions", "moves")}
        return {
            **total,
            "largest_difference": max(each["largest_difference"] for each in found),
            "disagreements": sum(each["disagreements"] for each in found),
            "seconds": round(time.monotonic() - self._began, 1),
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
    comparison = Comparison(source, arguments.weights, visited[chosen])
    print(json.dumps(comparison.finish(arguments.compare)))


if __name__ == "__main__":
    main()
