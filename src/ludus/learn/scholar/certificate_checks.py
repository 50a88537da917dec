"""Checks of certificates: rounding, decisions of a device compared with numpy's, and games."""

import time
from concurrent.futures import wait
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.core.processes import count_cores
from ludus.core.workers import Worker
from ludus.games.nine_mens_morris.batch import (
    LOST,
    MAX_MOVES,
    NO_POINT,
    PARTS,
    PositionBatch,
    unpack_part,
)
from ludus.learn.equivariant.inference import softmax
from ludus.learn.scholar.bounded_scores import (
    CachedScores,
    ScoreFunction,
    bound_error,
    make_score_function,
)
from ludus.learn.scholar.data import ChooseMoves
from ludus.learn.scholar.encoding import expert_table, select_experts
from ludus.learn.scholar.evaluate import find_first_errors, summarize_errors
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.exceptions import INVERSE_IMAGES, SUFFIX, load_exceptions
from ludus.learn.scholar.inference import (
    LOSS_AVERSION,
    NUM_RESULTS,
    Scorer,
    ScorerOutput,
    group_by_expert,
)
from ludus.learn.scholar.network import as_tensor, build_expert, to_source_array
from ludus.learn.scholar.visit import (
    UNSCORED,
    StoredMoves,
    find_playable,
    score_moves,
    sort_unique,
)
from ludus.learn.scholar.weights import ScholarWeights, load_weights

LOG2_CACHE_SIZE = 24
"""Log2 of the number of scores that are kept."""

CHUNK = 4096
"""Positions evaluated in numpy at once."""

BATCH = 1 << 16
"""Positions compared at once."""


def make_choice(evaluate: ScoreFunction, stored: StoredMoves, device: torch.device) -> ChooseMoves:
    """Return the choice of a scorer with exceptions: the stored move, or the best score."""
    scores = CachedScores(evaluate, device, LOG2_CACHE_SIZE)

    def choose(examples: ExampleBatch) -> torch.Tensor:
        score = score_moves(examples, scores.evaluate_keys).score
        is_move = as_tensor(examples.children.is_move)
        move = as_tensor(examples.children.move)
        keys, symmetry = examples.positions.map(as_tensor).find_canonical()
        known = undo_symmetry(stored.find(keys), symmetry)
        return torch.where(is_move, score + 9 * (move == known[:, None]), -9).argmax(1)

    return choose


def undo_symmetry(moves: torch.Tensor, symmetry: torch.Tensor) -> torch.Tensor:
    """Return moves of canonical positions as moves of the positions; -1 stays."""
    points = torch.stack([unpack_part(moves, part) for part in range(len(PARTS))], dim=1)
    table = torch.as_tensor(INVERSE_IMAGES, dtype=torch.int32, device=moves.device)
    inverse = table[symmetry[:, None], points.clamp(0, NO_POINT).long()]
    shifts = 8 * torch.arange(len(PARTS), device=moves.device)
    packed = (inverse << shifts).sum(1, dtype=torch.int32)
    return torch.where(moves >= 0, packed, -1)


def load_certified_choice(path: Path, device: torch.device) -> ChooseMoves:
    """Return the choice of the scorer of `path` with the exceptions beside its file."""
    weights = load_weights(path)
    known = load_exceptions(path.with_suffix(SUFFIX), weights.digest()).unpack()
    columns = (torch.tensor(each, device=device) for each in (known.keys, known.moves))
    evaluate = make_score_function(weights, known.loss_aversion, device)
    return make_choice(evaluate, StoredMoves(*columns), device)


def play_certified_games(
    source: ExampleSource, choose: ChooseMoves, games: int, seed: int
) -> dict[str, Any]:
    """Play games with each colour against random moves that keep the value; count those lost."""
    return summarize_errors(find_first_errors(source, choose, 2 * games, seed))


GAMES_AT_ONCE = 200_000
"""Games from which visited positions are sampled at once."""


def sample_visited(
    source: ExampleSource, choose: ChooseMoves, count: int, seed: int, games: int = GAMES_AT_ONCE
) -> torch.Tensor:
    """Sample the canonical keys of distinct positions in which the player is to move in games.

    The opponent plays random moves that keep the value, so that a visit reaches all of these
    positions. There are fewer than `count` if further games add no others.
    """
    met: list[torch.Tensor] = []

    def record(examples: ExampleBatch) -> torch.Tensor:
        met.append(sort_unique(examples.positions.map(as_tensor).find_canonical()[0]))
        return choose(examples)

    seeds = Random(seed)
    known: torch.Tensor = source.start_positions(1).map(as_tensor).find_canonical()[0][:0]
    while len(known) < count:
        met[:] = [known]
        find_first_errors(source, record, games, seeds.getrandbits(62))
        found = sort_unique(torch.cat(met))
        if len(found) == len(known):
            break
        known = found
    order = source.random_permutation(len(known), seeds.getrandbits(62))
    return known[as_tensor(order)[:count]]


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


def score_on_device(source: ExampleSource, scores: CachedScores, keys: torch.Tensor) -> ScoredBatch:
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
        exact[rows] = scorer.evaluate(batch.children[rows]).score(LOSS_AVERSION)
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


def measure_rounding(weights: ScholarWeights, positions: PositionBatch) -> NDArray[np.float64]:
    """Return the errors of numpy's scores as proportions of their tolerances, in the given order.

    The exact scores are computed in double precision. Scores of two machines differ by less than
    the tolerance if both errors are below a half of it.
    """
    scorer, errors = Scorer(weights), np.empty(len(positions))
    for kind, rows, features in group_by_expert(positions):
        network = build_expert(weights, kind).double()
        with torch.no_grad():
            outputs = network(torch.as_tensor(features, dtype=torch.float64)[None])[0].numpy()
        exact = ScorerOutput(softmax(outputs[:, :NUM_RESULTS]), outputs[:, NUM_RESULTS:])
        difference = scorer.evaluate(positions[rows]).score(LOSS_AVERSION)
        difference = np.abs(difference - exact.score(LOSS_AVERSION))
        errors[rows] = difference / bound_error(exact.probabilities, LOSS_AVERSION)
    return errors


class DecisionComparison:
    """A comparison of decisions in many visited positions, in worker processes."""

    def __init__(self, source: ExampleSource, path: Path, keys: torch.Tensor) -> None:
        """Score the positions on the device, and begin to score them in numpy."""
        self._began = time.monotonic()
        self._workers = [Worker() for _ in range(count_cores())]
        evaluate = make_score_function(load_weights(path), LOSS_AVERSION, keys.device)
        scores = CachedScores(evaluate, keys.device, LOG2_CACHE_SIZE)
        self._tasks = []
        for number, part in enumerate(torch.split(keys, BATCH)):
            batch = score_on_device(source, scores, part)
            worker = self._workers[number % len(self._workers)]
            self._tasks.append(worker.ask(compare_in_numpy, str(path), batch))

    def finish(self, seconds: float) -> dict[str, Any]:
        """Wait for the results, or leave out those that take longer than the time."""
        done = wait(self._tasks, timeout=seconds).done
        for worker in self._workers:
            worker.close()
        found = [task.result() for task in done]
        total = {name: sum(each[name] for each in found) for name in ("positions", "moves")}
        return {
            **total,
            "largest_difference": max((each["largest_difference"] for each in found), default=0.0),
            "disagreements": sum(each["disagreements"] for each in found),
            "seconds": round(time.monotonic() - self._began, 1),
        }
