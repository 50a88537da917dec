"""How well a small scorer of endings learns, by optimizer; neither a GPU nor the whole game needed.

    ludus solve nine_mens_morris --max-men 7 --out endings       # 3 minutes on two cores
    python benchmarks/scholar_endings.py --oracle endings --optimizer muon --weight-decay 0.1

Two experts, for endings of most men, learn from random positions; the others hardly exist. Printed
are the loss on examples, and the proportion of critical positions that are kept, by averaged
weights and by those weights rounded to int8. The same command with other options is the peer.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.games import game
from ludus.learn.optimizer import cosine_decay, warm_up
from ludus.learn.scholar.config import BankConfig, ScorerConfig, load_preset
from ludus.learn.scholar.encoding import NUM_EXPERTS, select_expert
from ludus.learn.scholar.evaluate import EvaluationSet
from ludus.learn.scholar.examples import OracleExampleSource
from ludus.learn.scholar.scorer_trainer import ExactTrainer
from ludus.oracles import MorrisOracle
from ludus.oracles import oracle as find_oracle

NUM_TRAINED = 2
WARMUP_STEPS = 200
LOSS_STEPS = 200
"""Last steps whose losses are averaged."""

EVALUATION_SEED = 999


class EndingsTrainer(ExactTrainer):
    """Training of two experts on random positions of theirs alone."""

    def __init__(self, source: OracleExampleSource, arguments: argparse.Namespace) -> None:
        counts = [(each.mover, each.other) for each in source.subspaces]
        kinds = [select_expert(0, 0, *each) for each in counts]
        largest = max(max(each) for each in counts)
        self.first = select_expert(0, 0, largest, largest)
        self.trained = range(self.first, self.first + NUM_TRAINED)
        hardly = {"channels": 2, "batch": 2, "blocks": 1}
        banks = (
            BankConfig(self.first, **hardly),
            BankConfig(
                self.first + NUM_TRAINED, arguments.channels, arguments.batch, arguments.blocks
            ),
            BankConfig(NUM_EXPERTS, **hardly),
        )
        tiny = load_preset("scorer", "tiny", seed=arguments.seed)
        assert isinstance(tiny, ScorerConfig)
        config = replace(
            tiny,
            banks=banks,
            buffer_size=1 << 17,
            optimizer=arguments.optimizer,
            weight_decay=arguments.weight_decay,
            rounds_ahead=0,
            steps_a_round=2,
            mixture=replace(tiny.mixture, random_positions=512),
        )
        super().__init__(source, config, torch.device("cpu"))
        self.weights = [float(kind in self.trained) for kind in kinds]
        self.generator.weights, self.generator.games = self.weights, []
        for _ in range(arguments.rounds):
            for columns, rings in self.generator.generate(self_play=False):
                self.replay_buffer.add(columns, rings)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Train, and return what was measured."""
    torch.set_num_threads(1)
    oracle = find_oracle(game("nine_mens_morris"), arguments.oracle)
    assert isinstance(oracle, MorrisOracle)
    source = OracleExampleSource(oracle)
    training = EndingsTrainer(source, arguments)
    losses = []
    for step in range(arguments.steps):
        peak = warm_up(arguments.rate, step + 1, WARMUP_STEPS)
        found = training.step(cosine_decay(peak, step / arguments.steps))
        losses.append(float(found[training.trained].mean()))
    positions = source.sample_positions(
        arguments.positions, EVALUATION_SEED, weights=training.weights
    )
    measured = EvaluationSet.from_positions(source, positions)
    kept = measured.evaluate(training)["kept"]
    kernels = [
        values
        for bank in training.optimizer.ema_model.children()
        for name, values in bank.parameters_by_element().items()  # type: ignore[operator]
        if name.endswith((".layer1", ".layer2")) and len(values) == NUM_TRAINED
    ]
    with training.play_with(training.export({})):
        rounded = measured.evaluate(training)["kept"]
    return {
        **{name: value for name, value in vars(arguments).items() if name != "oracle"},
        "loss": round(float(np.mean(losses[-LOSS_STEPS:])), 4),
        "critical": len(measured),
        "kept": kept,
        "kept, rounded": rounded,
        "size of weights": round(
            float(torch.cat([each.flatten() for each in kernels]).square().mean().sqrt()), 4
        ),
    }


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--oracle", type=Path, help="folder of solved endings")
    parser.add_argument("--optimizer", default="muon", choices=("adam", "muon"))
    parser.add_argument("--rate", type=float, default=0.004)
    parser.add_argument("--weight-decay", type=float, default=0.0)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--channels", type=int, default=24)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--batch", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=100, help="rounds of examples at first")
    parser.add_argument("--positions", type=int, default=60_000, help="random positions")
    parser.add_argument("--seed", type=int, default=1)
    print(json.dumps(run(parser.parse_args(words))))


if __name__ == "__main__":
    main()
