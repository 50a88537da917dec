"""Evaluation in training: exams on critical positions, games against perfect play."""

from random import Random
from typing import Any

import torch

from ludus.games.nine_mens_morris.batch import MAX_MOVES
from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.encoding import FIRST_FLYING_EXPERT, FIRST_MOVING_EXPERT, NUM_EXPERTS
from ludus.learn.scholar.examples import ExampleSource, GameBatch
from ludus.learn.scholar.model import Exam, as_tensor
from ludus.learn.scholar.scorer_training import ScorerTraining
from ludus.learn.scholar.training_data import NO_ERROR, ChooseMoves, to_source_array

MAX_PLIES = 120
"""A game of this length without an error counts as a draw."""


def find_first_errors(
    source: ExampleSource, choose: ChooseMoves, games: int, seed: int, max_plies: int = MAX_PLIES
) -> torch.Tensor:
    """Play games against perfect play; return the ply of the scholar's first error, or NO_ERROR.

    Games begin at the start position; the scholar has White in games 0, 2, 4, …. The opponent plays
    random value-keeping moves. It never gives a won game away, so the first error loses.
    """
    seeds = Random(seed)
    start = source.start_positions(games)
    state = GameBatch(
        start, to_source_array(torch.zeros_like(as_tensor(start.own), dtype=torch.int32))
    )
    first = torch.full((games,), NO_ERROR, device=as_tensor(start.own).device)
    side = torch.arange(games, device=first.device) % 2
    for ply in range(max_plies):
        seed = seeds.getrandbits(62)
        examples = source.examples(state.positions, seed=seed)
        if (longest := int(as_tensor(examples.children.count).max())) > MAX_MOVES:
            examples = source.examples(state.positions, longest, seed)
        chosen = torch.full((games,), -1, dtype=torch.int32, device=first.device)
        rows = ((side == ply % 2) & (first == NO_ERROR)).nonzero()[:, 0]
        if len(rows):
            own = examples[to_source_array(rows)]
            number = choose(own)[:, None]
            chosen[rows] = as_tensor(own.children.move).gather(1, number)[:, 0]
            is_error = ~as_tensor(own.keeps_value).gather(1, number)[:, 0]
            first[rows[is_error]] = ply
        state = source.advance(
            state,
            examples,
            start[:1],
            seeds.getrandbits(62),
            noise=0.0,
            max_plies=2 * max_plies,
            chosen=to_source_array(chosen),
        )
    return first


def summarize_errors(first: torch.Tensor) -> dict[str, Any]:
    """Count lost games by colour and by ply of the error."""
    is_lost = first != NO_ERROR
    return {
        "games": len(first) // 2,
        "lost_as_white": int(is_lost[0::2].sum()),
        "lost_as_black": int(is_lost[1::2].sum()),
        "plies": torch.bincount(first[is_lost]).tolist(),
    }


PHASES = {
    "placing": range(FIRST_MOVING_EXPERT),
    "moving": range(FIRST_MOVING_EXPERT, FIRST_FLYING_EXPERT),
    "flying": range(FIRST_FLYING_EXPERT, NUM_EXPERTS),
}


def run_exam(training: ScorerTraining | ChainTraining, exam: Exam) -> dict[str, Any]:
    """Return the proportions of critical positions kept, in all, by phase and by kind of position
    (expert); for a chain also the proportion of legal moves."""
    kept = exam.is_kept(training.choose(exam.examples))
    legality = {}
    if isinstance(training, ChainTraining):
        is_legal = training.is_chosen(exam.examples).any(1)
        kept &= is_legal
        legality = {"legal": _proportion(is_legal)}
    kinds = training.encoder.select_experts(exam.examples.positions.map(as_tensor))
    by_kind = [kept[kinds == kind] for kind in range(NUM_EXPERTS)]
    phases = {
        name: _proportion(torch.cat([by_kind[kind] for kind in numbers]))
        for name, numbers in PHASES.items()
    }
    return {
        "critical": len(exam),
        "kept": _proportion(kept),
        **legality,
        **phases,
        "kinds": [[len(each), _proportion(each)] for each in by_kind],
    }


def _proportion(which: torch.Tensor) -> float | None:
    """Return the mean of a mask, or None if it is empty."""
    return round(float(which.float().mean()), 5) if len(which) else None
