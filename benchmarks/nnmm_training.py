"""Time of a training epoch of a network, on random examples.

python benchmarks/nnmm_training.py [PRESET] [DEVICE] [EXAMPLES]
"""

import sys
import time
from itertools import pairwise

import torch

from ludus.learn import select_device
from ludus.learn.nnmm import Examples, NetworkTrainer, Preset, load_preset

EPOCHS = 5


def make_random_examples(plan: Preset, count: int, device: torch.device) -> Examples:
    """Return random examples for TO."""
    inputs = torch.randint(2, (count, plan.model.width), dtype=torch.uint8, device=device)
    return Examples(inputs, torch.randint(1, 25, (count,), device=device), None)


def main(name: str = "thesis", where: str = "auto", count: str = "1384373") -> None:
    plan, device = (
        load_preset(name).with_changes(epochs=EPOCHS, seconds=0, patience=0),
        select_device(where),
    )
    training, validation = (
        make_random_examples(plan, int(count), device),
        make_random_examples(plan, 1000, device),
    )
    network = NetworkTrainer(plan.design_for(plan.steps[0]), plan.training, training, validation)
    seconds = [time.perf_counter()] + [time.perf_counter() for _ in network.epochs()]
    best = min(after - before for before, after in pairwise(seconds))
    weights = sum(each.numel() for each in network.optimizer.model.parameters())
    print(f"{name} on {device}: {weights:,} weights, batches of {network.optimizer.batch:,}")
    print(f"{best:.2f} s for an epoch of {len(training):,} examples, the best of {EPOCHS}")


if __name__ == "__main__":
    main(*sys.argv[1:])
