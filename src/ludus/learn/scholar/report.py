"""How well a scholar keeps the value, in figures: in all, by phase, and by kind of position."""

from typing import Any

import torch

from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.critical import Exam
from ludus.learn.scholar.experts import FIRST_FLYING, FIRST_MOVING, NUM_EXPERTS
from ludus.learn.scholar.scorer_training import ScorerTraining
from ludus.learn.scholar.seeing import tensors

PHASES = {
    "placing": range(FIRST_MOVING),
    "moving": range(FIRST_MOVING, FIRST_FLYING),
    "flying": range(FIRST_FLYING, NUM_EXPERTS),
}


def sat(training: ScorerTraining | ChainTraining, exam: Exam) -> dict[str, Any]:
    """What comes out of an exam: shares of critical positions kept, and for a chain, legality."""
    kept = exam.is_kept(training.choose(exam.found))
    legality = {}
    if isinstance(training, ChainTraining):
        is_legal = training.is_chosen(exam.found).any(1)
        kept &= is_legal
        legality = {"legal": _share(is_legal)}
    kinds = training.sight.experts(tensors(exam.found.positions.columns))
    by_kind = [kept[kinds == kind] for kind in range(NUM_EXPERTS)]
    phases = {
        name: _share(torch.cat([by_kind[kind] for kind in numbers]))
        for name, numbers in PHASES.items()
    }
    return {
        "critical": len(exam),
        "kept": _share(kept),
        **legality,
        **phases,
        "kinds": [[len(each), _share(each)] for each in by_kind],
    }


def _share(which: torch.Tensor) -> float | None:
    """None where there is nothing to tell."""
    return round(float(which.float().mean()), 5) if len(which) else None
