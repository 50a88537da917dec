"""Certificates: exceptions for a scorer, found by visiting all positions that can arise.

With them the scorer cannot lose to an opponent that never gives the value away: in every visited
position each move that it could make keeps the value, and so no lost position is ever reached.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.common.checkpoint import Tensors, resume_checkpoint, save_checkpoint
from ludus.learn.scholar.bounded_scores import (
    TOLERANCE,
    ScoreFunction,
    make_score_function,
)
from ludus.learn.scholar.examples import ExampleSource
from ludus.learn.scholar.exceptions import Exceptions
from ludus.learn.scholar.inference import LOSS_AVERSION, MAX_LOSS_AVERSION
from ludus.learn.scholar.model import as_tensor
from ludus.learn.scholar.visit import (
    ANY_NUMBER,
    MAX_ERRORS,
    StoredMoves,
    Visit,
    VisitCounts,
)
from ludus.learn.scholar.weights import ScholarWeights

COLOURS = ("white", "black")


@dataclass(frozen=True)
class CertificateConfig:
    """Which games a certificate covers."""

    colours: tuple[str, ...] = COLOURS
    """Colours of the player."""

    opponent_errors: int = 0
    """Number of times that the opponent may give the value away, or ANY_NUMBER."""

    loss_aversion: float = LOSS_AVERSION
    batch: int = 1 << 16
    """Positions expanded at once."""

    log2_cache_size: int = 16
    """Log2 of the number of scores that are kept for later, 16 bytes each."""

    def __post_init__(self) -> None:
        if not self.colours or set(self.colours) - set(COLOURS):
            raise BadSpec(f"the player's colours are {' or '.join(COLOURS)}, or both")
        if not 1 <= self.loss_aversion <= MAX_LOSS_AVERSION:
            raise BadSpec(f"care is a number from 1 to {MAX_LOSS_AVERSION:g}")
        if not ANY_NUMBER <= self.opponent_errors <= MAX_ERRORS:
            raise BadSpec(f"the opponent may err up to {MAX_ERRORS} times, or any number of times")


def make_roots(source: ExampleSource, colours: Sequence[str]) -> PositionBatch:
    """Return the first positions with the player to move, for these colours.

    White's first move is the opponent's if the player is Black; it keeps the value.
    """
    start = source.start_positions(1)
    parts = [start] if "white" in colours else []
    if "black" in colours:
        examples = source.examples(start)
        parts.append(examples.children.positions[examples.keeps_value])
    return PositionBatch.concatenate(parts, source.concatenate)


class Certification:
    """A visit with its weights, resumable from a file."""

    def __init__(
        self,
        source: ExampleSource,
        weights: ScholarWeights,
        config: CertificateConfig,
        device: torch.device,
        roots: PositionBatch | None = None,
        known: Exceptions | None = None,
        evaluate: ScoreFunction | None = None,
    ) -> None:
        """Prepare the visit from the start of the game, or from `roots`, the player to move.

        `known` exceptions are played as the player does. `evaluate` replaces the networks in tests.
        """
        self.config, self.weights = config, weights.digest()
        if roots is None:
            roots = make_roots(source, config.colours)
        self._roots = hashlib.sha256(np.sort(_to_numpy(roots).canonical_keys()).tobytes())
        if evaluate is None:
            evaluate = make_score_function(weights, config.loss_aversion, device)
        stored = None
        if known is not None:
            columns = (known.keys, known.moves)
            stored = StoredMoves(*(torch.tensor(each, device=device) for each in columns))
        self.visit = Visit(
            source,
            evaluate,
            roots,
            config.opponent_errors,
            stored,
            batch=config.batch,
            log2_cache_size=config.log2_cache_size,
        )

    def run(self, seconds: float, own_moves: int) -> Iterator[VisitCounts]:
        """Run the visit as `Visit.run`."""
        return self.visit.run(seconds, own_moves)

    def save(self, file: Path) -> None:
        """Write the state of the visit; it takes 8 bytes for each position found."""
        visit = self.visit
        tensors: Tensors = {"frontier": visit.frontier, **visit.stored._asdict()}
        runs = {str(number): run for number, run in enumerate(visit.known.runs)}
        about = {**self._identity(), "counts": asdict(visit.counts), "runs": len(runs)}
        save_checkpoint(file, about, {"visit": tensors, "runs": runs})

    def restore(self, file: Path) -> None:
        """Resume the state that `save` wrote."""
        visit, device = self.visit, self.visit.frontier.device
        with resume_checkpoint(file, self._identity()) as (about, parts):
            tensors = {name: each.to(device) for name, each in parts["visit"].items()}
            visit.frontier = tensors["frontier"]
            visit.stored = StoredMoves(tensors["keys"], tensors["moves"])
            visit.known.runs = [
                parts["runs"][str(number)].to(device) for number in range(int(about["runs"]))
            ]
            visit.counts = VisitCounts(**about["counts"])

    def _identity(self) -> dict[str, Any]:
        return {
            "kind": "Certification",
            "weights": self.weights,
            "config": asdict(self.config),
            "roots": self._roots.hexdigest(),
        }

    def exceptions(self) -> Exceptions:
        """Return the exceptions found so far, with the certificate's figures and digest."""
        counts = asdict(self.visit.counts)
        facts = {
            "complete": self.visit.is_complete,
            "colours": list(self.config.colours),
            "opponent_errors": self.config.opponent_errors,
            "tolerance": TOLERANCE,
            "roots": self._roots.hexdigest(),
            **{name: value for name, value in counts.items() if name != "seconds"},
        }
        found = Exceptions(
            self.visit.stored.keys.cpu().numpy(),
            self.visit.stored.moves.cpu().numpy(),
            self.weights,
            self.config.loss_aversion,
            {},
        )
        proved = json.dumps([self.weights, found.loss_aversion, facts, found.digest()])
        facts["digest"] = hashlib.sha256(proved.encode()).hexdigest()
        return Exceptions(found.keys, found.moves, self.weights, found.loss_aversion, facts)


def _to_numpy(positions: PositionBatch) -> PositionBatch:
    return positions.map(lambda column: as_tensor(column).cpu().numpy())
