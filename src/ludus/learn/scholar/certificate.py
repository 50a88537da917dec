"""Certificates: exceptions for a scorer, found by visiting all positions that can arise.

With them the scorer cannot lose to an opponent that never gives the value away: in every visited
position each move that it could make keeps the value, and so no lost position is ever reached.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch

from ludus.core.errors import BadSpec, quote
from ludus.core.files import add_suffix, check_output, read_text
from ludus.games import game
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.checkpoint import (
    TrainingState,
    load_checkpoint,
    report_incomplete_state,
    save_checkpoint,
)
from ludus.learn.config import select_device
from ludus.learn.scholar.bounded_scores import (
    TOLERANCE,
    ScoreFunction,
    make_score_function,
)
from ludus.learn.scholar.examples import ExampleSource, open_example_source, to_numpy
from ludus.learn.scholar.exceptions import (
    SUFFIX,
    Exceptions,
    load_exceptions,
    save_exceptions,
)
from ludus.learn.scholar.inference import (
    DEFAULT_SIZE,
    LOSS_AVERSION,
    MAX_LOSS_AVERSION,
    find_shipped_weights,
)
from ludus.learn.scholar.visit import (
    ANY_NUMBER,
    MAX_ERRORS,
    KeySet,
    Prevented,
    StoredMoves,
    Visit,
    VisitCounts,
    sum_mixed,
)
from ludus.learn.scholar.weights import INTEGERS, SCORER, ScholarWeights, load_weights

COLOURS = ("white", "black")


@dataclass(frozen=True)
class CertificateConfig:
    """Which games a certificate covers."""

    colours: tuple[str, ...] = COLOURS
    """Colours of the player."""

    opponent_errors: int = 0
    """Number of times that the opponent may give the value away, or ANY_NUMBER."""

    prevented: Prevented = "errors"
    """What the exceptions prevent; losses can be prevented against opponents that err."""

    loss_aversion: float = LOSS_AVERSION
    batch: int = 1 << 16
    """Positions expanded at once."""

    log2_cache_size: int = 16
    """Log2 of the number of scores that are kept for later, 16 bytes each."""

    def __post_init__(self) -> None:
        if not self.colours or set(self.colours) - set(COLOURS):
            raise BadSpec(f"the player's colours are {' or '.join(COLOURS)}, or both")
        if not 1 <= self.loss_aversion <= MAX_LOSS_AVERSION:
            raise BadSpec(f"loss_aversion is a number from 1 to {MAX_LOSS_AVERSION:g}")
        if self.prevented not in get_args(Prevented):
            raise BadSpec(f"a certificate prevents {' or '.join(get_args(Prevented))}")
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
        self._steps: list[int] = []  # keys that each step has found
        self._checksum = 0  # of all of them
        self._roots = hashlib.sha256(np.sort(roots.map(to_numpy).canonical_keys()).tobytes())
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
            prevented=config.prevented,
        )

    def run(
        self,
        file: Path,
        seconds: float,
        own_moves: int,
        on_progress: Callable[[VisitCounts], None],
    ) -> None:
        """Run the visit from the state of a file if it exists, and keep the state there."""
        if file.exists():
            self.restore(file)
        else:
            self.save(file)
        for counts in self.visit.run(seconds, own_moves):
            on_progress(counts)
            self.save(file)

    def save(self, file: Path) -> None:
        """Write the state of the visit after a step.

        The keys that the step has found are appended to a file beside it, 8 bytes each.
        """
        visit = self.visit
        with name_keys_file(file).open("r+b" if self._steps else "wb") as keys:
            keys.truncate(8 * sum(self._steps))
            keys.seek(0, os.SEEK_END)
            to_numpy(visit.frontier).tofile(keys)
        self._steps.append(len(visit.frontier))
        self._checksum = (self._checksum + sum_mixed(visit.frontier)) % (1 << 64)
        facts = {"counts": asdict(visit.counts), "steps": self._steps, "checksum": self._checksum}
        arrays = {name: to_numpy(each) for name, each in visit.stored._asdict().items()}
        save_checkpoint(file, self._identity(), TrainingState(facts, arrays))

    def restore(self, file: Path) -> None:
        """Resume the state that `save` wrote."""
        visit, device = self.visit, self.visit.frontier.device
        state = load_checkpoint(file, self._identity())
        with report_incomplete_state(file), name_keys_file(file).open("rb") as opened:
            visit.stored = StoredMoves(
                *(torch.tensor(state.arrays[name], device=device) for name in StoredMoves._fields)
            )
            visit.counts = VisitCounts(**state.facts["counts"])
            visit.known = KeySet()
            for number in state.facts["steps"]:
                visit.frontier = torch.tensor(np.fromfile(opened, np.int64, number), device=device)
                visit.known.add(visit.frontier)
                self._checksum = (self._checksum + sum_mixed(visit.frontier)) % (1 << 64)
            self._steps = list(state.facts["steps"])
            if self._checksum != state.facts["checksum"]:
                raise ValueError(f"{name_keys_file(file).name} is damaged")

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
        del counts["seconds"]
        if self.config.prevented == "errors":  # its digest is as it always was
            del counts["slips"]
        facts = {
            "complete": self.visit.is_complete,
            "colours": list(self.config.colours),
            "opponent_errors": self.config.opponent_errors,
            **({} if self.config.prevented == "errors" else {"prevented": self.config.prevented}),
            "tolerance": TOLERANCE,
            "roots": self._roots.hexdigest(),
            **counts,
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


def name_keys_file(state: Path) -> Path:
    """Return the file of the keys that a visit has found, beside that of its state."""
    return add_suffix(state, ".keys")


LOG2_CACHE_SIZE, CUDA_LOG2_CACHE_SIZE = 24, 30
"""Log2 of the number of scores kept in memory: 256 MB, and 16 GB of a GPU's."""

BATCH, CUDA_BATCH = 1 << 17, 1 << 20
"""Positions expanded at once: about 3 GB of a processor's memory, and 5 GB of a GPU's."""


@dataclass(frozen=True)
class Certificate:
    """What `certify` returns."""

    exceptions: Exceptions
    file: Path
    seconds: float
    missing: int | None = None
    """In a check: exceptions that are not in the file."""

    def report(self) -> dict[str, Any]:
        """Return the figures of the certificate, as JSON has them."""
        return {
            **self.exceptions.facts,
            "exceptions": len(self.exceptions),
            "seconds": round(self.seconds, 1),
            "out": str(self.file),
            **({} if self.missing is None else {"missing": self.missing}),
        }


def certify(
    weights: Path | None = None,
    *,
    size: str = DEFAULT_SIZE,
    out: Path | None = None,
    colours: Sequence[str] = COLOURS,
    opponent_errors: int = 0,
    prevented: Prevented = "errors",
    loss_aversion: float | None = None,
    check: bool = False,
    positions: Path | None = None,
    seconds: float = math.inf,
    own_moves: int | None = None,
    device: str = "auto",
    oracle: Path | None = None,
    force: bool = False,
    on_progress: Callable[[VisitCounts], None] = lambda counts: None,
) -> Certificate:
    """Visit all positions that can arise, and store a move where a scorer would err.

    With the stored moves it cannot lose to an opponent that never gives the value away. The scorer
    is that of a file, or the shipped one of a size; its exceptions are written to `out`, by default
    beside the weights, where the player finds them. A visit that stops after `seconds` or
    `own_moves` goes on with the next call. With `check` the exceptions of the file are played, and
    those that are missing are counted. `positions` names a file of positions to begin at, one in a
    line, the scholar to move.
    """
    weights = _find_scorer(size) if weights is None else weights
    loaded = load_weights(weights)
    if loaded.kind not in (SCORER, INTEGERS):
        raise BadSpec("only scorers have certificates")
    file = weights.with_suffix(SUFFIX) if out is None else out
    # A check goes on from a state of its own: that of an unfinished certificate is kept.
    state = add_suffix(file, ".check" if check else ".visit")
    if not check:
        check_output(file, weights, positions, force=force or state.exists())
    known = load_exceptions(file, loaded.digest()).unpack() if check else None
    if loss_aversion is None:
        loss_aversion = LOSS_AVERSION if known is None else known.loss_aversion
    if known is not None and known.loss_aversion != loss_aversion:
        found = f"loss_aversion={known.loss_aversion:g}"
        raise BadSpec(f"these exceptions are for {found}, not {loss_aversion:g}")
    torch_device = select_device(device)
    on_gpu = torch_device.type == "cuda"
    config = CertificateConfig(
        tuple(colours),
        opponent_errors,
        prevented,
        loss_aversion,
        CUDA_BATCH if on_gpu else BATCH,
        CUDA_LOG2_CACHE_SIZE if on_gpu else LOG2_CACHE_SIZE,
    )
    given = None if positions is None else _read_positions(positions)
    source = open_example_source(on_gpu, oracle)
    if given is None and not source.has_start:
        raise BadSpec("the whole game must be solved, not endings alone; or name positions")
    roots = given and PositionBatch(*source.to_columns(given.position_columns))
    certification = Certification(source, loaded, config, torch_device, roots, known)
    certification.run(state, seconds, own_moves or 1 << 30, on_progress)
    certificate = certification.exceptions()
    if known is None:
        save_exceptions(file, certificate)
    if (
        certification.visit.is_complete
    ):  # not before the exceptions are stored: the disk may be full
        state.unlink(missing_ok=True)
        name_keys_file(state).unlink(missing_ok=True)
    missing = None if known is None else len(certificate) - len(known)
    return Certificate(certificate, file, certification.visit.counts.seconds, missing)


def _find_scorer(size: str) -> Path:
    files = find_shipped_weights()
    if ("scorer", size) not in files:
        raise BadSpec(f"no scorer of size {quote(size)} is shipped")
    return files["scorer", size]


def _read_positions(path: Path) -> PositionBatch:
    """Read positions, one in a line."""
    morris = game("nine_mens_morris", engine="python")
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    if not lines:
        raise BadSpec(f"{quote(str(path), 200)} has no positions")
    found = [morris.parse(line) for line in lines]
    for line, position in zip(lines, found, strict=True):
        if position.outcome() is not None:
            raise BadSpec(f"{quote(line.strip())} of {quote(str(path), 200)}: the game is over")
    return PositionBatch.from_positions(found)
