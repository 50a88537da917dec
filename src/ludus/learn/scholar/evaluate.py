"""Evaluation in training: on sets of critical positions, and in games against perfect play."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Self

import torch

from ludus.core.errors import BadSpec, quote
from ludus.datasets.morris.files import check_entries, read_dataset
from ludus.games.nine_mens_morris.batch import MAX_MOVES, MoveBatch, PositionBatch
from ludus.learn.scholar.data import NO_ERROR, ChooseMoves
from ludus.learn.scholar.encoding import FIRST_FLYING_EXPERT, FIRST_MOVING_EXPERT, NUM_EXPERTS
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource, GamePositions
from ludus.learn.scholar.network import as_tensor, to_source_array
from ludus.learn.scholar.trainer import Trainer

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
    state = GamePositions(
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


@dataclass(frozen=True)
class EvaluationSet:
    """Critical positions with all their moves, to measure how often networks keep the value."""

    examples: ExampleBatch

    @classmethod
    def from_positions(cls, source: ExampleSource, positions: PositionBatch) -> Self:
        """Make a set of the critical ones among the positions."""
        examples = source.examples(positions)
        return cls(examples[examples.is_critical])

    def __len__(self) -> int:
        return len(self.examples)

    def is_kept(self, chosen: torch.Tensor) -> torch.Tensor:
        """Return where the moves with these indices keep the value."""
        return as_tensor(self.examples.keeps_value).gather(1, chosen[:, None])[:, 0]

    def evaluate(self, trainer: Trainer[Any]) -> dict[str, Any]:
        """Return the proportions of positions kept, in all, by phase and by kind of position
        (expert); for a chain also the proportion of legal moves."""
        kept = self.is_kept(trainer.choose(self.examples))
        is_legal = trainer.is_legal(self.examples)
        legality = {} if is_legal is None else {"legal": _proportion(is_legal)}
        if is_legal is not None:
            kept &= is_legal
        kinds = trainer.encoder.select_experts(self.examples.positions.map(as_tensor))
        by_kind = [kept[kinds == kind] for kind in range(NUM_EXPERTS)]
        phases = {
            name: _proportion(torch.cat([by_kind[kind] for kind in numbers]))
            for name, numbers in PHASES.items()
        }
        return {
            "critical": len(self),
            "kept": _proportion(kept),
            **legality,
            **phases,
            "kinds": [[len(each), _proportion(each)] for each in by_kind],
        }


def read_evaluation_sets(files: Sequence[Path]) -> dict[str, MoveBatch]:
    """Read datasets; return them by the names of the files, which reports show."""
    found: dict[str, MoveBatch] = {}
    for path in files:
        entries = read_dataset(path)
        check_entries(path, len(entries))
        if path.stem in found:
            shown = quote(path.stem)
            raise BadSpec(f"two evaluation sets are named {shown}; a report has one of each name")
        found[path.stem] = entries
    return found


def _proportion(which: torch.Tensor) -> float | None:
    """Return the mean of a mask, or None if it is empty."""
    return round(float(which.float().mean()), 5) if len(which) else None
