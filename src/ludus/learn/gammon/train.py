"""Train the network of 1988 by back-propagation on scored moves (Tesauro and Sejnowski 1988)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quote
from ludus.learn.checkpoint import TrainingState
from ludus.learn.gammon.config import GammonConfig
from ludus.learn.gammon.data import (
    ScoredMoves,
    load_test_positions,
    load_training_positions,
    read_scored_positions,
)
from ludus.learn.gammon.encoding import find_encoding
from ludus.learn.gammon.network import (
    GammonNetwork,
    arrays_to_layers,
    layers_to_arrays,
    play_native_games,
)
from ludus.learn.training import Clock, Training

UNSCORED_RATE, UNSCORED_RATE_DOUBLES = 0.25, 0.08
"""Proportion of uncommented moves in a cycle: 75% are skipped, and 92% after doubles."""

NOISE_RANGE = (-65.0, 35.0)
"""Range of the uniformly random target scores of uncommented moves."""


class GammonTraining(Training[GammonConfig]):
    """Train the backgammon network of Tesauro and Sejnowski 1988 on an expert's scores.

    A step is a pass over the positions. Equal positions and options give equal networks.
    """

    Config = GammonConfig

    def __init__(
        self,
        config: GammonConfig,
        examples: ScoredMoves | None = None,
        tests: ScoredMoves | None = None,
    ) -> None:
        """Prepare a training on examples, by default on those that the config names."""
        super().__init__(config)
        encoding = find_encoding(config.coding)
        if examples is None:
            data, test = config.data, config.test
            scored = read_scored_positions(data) if data else load_training_positions()
            tested = read_scored_positions(test) if test else load_test_positions()
            examples = ScoredMoves.from_positions(scored[: config.positions or None], encoding)
            tests = ScoredMoves.from_positions(tested, encoding)
        self.examples, self.tests = examples, tests
        self._is_scored = ~np.isnan(examples.scores)
        rng = np.random.default_rng(config.seed)
        self.network = GammonNetwork.initialise(encoding, config.hidden, rng)
        self.num_cycles = 0
        """Number of finished cycles."""
        self._error = 0.0
        self.title = f"gammon {','.join(map(str, config.hidden)) or 0}"
        self.data = examples.checksum()
        self.max_steps = config.cycles

    def step(self, clock: Clock) -> None:
        # Each cycle has its own random numbers, so that nothing of them is in a checkpoint.
        rng = np.random.default_rng((self.config.seed, self.num_cycles))
        rows, targets, groups = self.sample_targets(rng)
        rate = self.get_learning_rate(self.num_cycles)
        moves, native = self.examples.encoded_moves, self.network.to_native()
        inputs = moves.offsets, moves.unit_indices, moves.activations
        if self.config.error == "comparison":
            error = native.compare(*inputs, rows, targets, groups, self.config.sharpness, rate)
        else:
            error = native.learn(*inputs, rows, targets, rate)
        self.network = replace(self.network, layers=tuple(native.layers()))
        self.num_cycles += 1
        self._error = error / max(len(rows), 1)

    def get_learning_rate(self, number: int) -> float:
        """Return the learning rate of a cycle, counted from 0."""
        first, last = self.config.rate, self.config.last_rate
        return first + (last - first) * number / max(self.config.cycles - 1, 1)

    def sample_targets(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
        """Return the moves of this cycle, positions in random order, targets and group offsets."""
        examples = self.examples
        is_shown = self._is_scored.copy()
        scores = examples.scores.copy()
        if self.config.noise:
            rate = np.where(examples.is_double, UNSCORED_RATE_DOUBLES, UNSCORED_RATE)[
                examples.position_of_move
            ]
            is_noise = ~is_shown & (rng.random(len(scores)) < rate)
            scores[is_noise] = rng.uniform(*NOISE_RANGE, len(scores))[is_noise]
            is_shown |= is_noise
        rows = np.flatnonzero(is_shown)
        place = rng.permutation(len(examples))[examples.position_of_move[rows]]
        order = np.lexsort((rng.random(len(rows)), place))
        rows = rows[order]
        changes = np.flatnonzero(np.diff(place[order])) + 1
        groups = np.concatenate(([0], changes, [len(rows)])).astype(np.int64)
        targets = ((scores[rows] + 100) / 200).astype(np.float32)
        return rows.astype(np.int64), targets, groups

    def metrics(self) -> dict[str, float]:
        """Return the agreement with the expert, and the mean squared error of the last cycle."""
        found = {
            f"accuracy/{name}": scored.compute_accuracy(self.network.scores(scored.encoded_moves))
            for name, scored in (("training", self.examples), ("test", self.tests))
            if scored is not None
        }
        return {**found, "error": self._error}

    def state(self) -> TrainingState:
        return TrainingState({"cycles": self.num_cycles}, layers_to_arrays(self.network.layers))

    def load(self, state: TrainingState) -> None:
        self.network = replace(self.network, layers=arrays_to_layers(state.arrays))
        self.num_cycles = int(state.facts["cycles"])

    def init_from(self, file: Path) -> None:
        found, own = GammonNetwork.load(file), self.network
        if (found.encoding, found.sizes) != (own.encoding, own.sizes):
            hidden = ",".join(map(str, found.sizes[1:-1])) or "0"
            raise BadSpec(
                f"{quote(str(file), 200)} is a network {found.name}: it needs "
                f"hidden={hidden} and coding={found.encoding.name}"
            )
        self.network = found

    def export(self) -> GammonNetwork:
        about = {"cycle": self.num_cycles, **self.config.model_dump(mode="json")}
        return replace(self.network, notes=json.dumps(about, sort_keys=True))

    def report(self) -> dict[str, Any]:
        """Return the curve, and after the last cycle the results of games against tool."""
        names = {"cycle": "steps", "training": "accuracy/training", "test": "accuracy/test"}
        curve = [{name: each[key] for name, key in names.items()} for each in self.run.history]
        games = self.config.games if self.num_cycles == self.config.cycles else 0
        result = None
        if games:
            result = play_native_games(self.network, "tool", games, self.config.seed)
        return {
            "network": self.network.name,
            "curve": curve,
            "games": games,
            "against_tool": None if result is None else round(result.win_rate, 4),
        }

    def describe(self, report: Mapping[str, Any]) -> str:
        last = report["curve"][-1] if report["curve"] else None
        shares = f", training {last['training']:.3f}, test {last['test']:.3f}" if last else ""
        games = report["games"]
        won = f", wins {report['against_tool']:.1%} of {games} games against tool" if games else ""
        return f"{report['network']}: {report['steps']} cycles{shares}{won}"
