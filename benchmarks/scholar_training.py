"""Time of a training step of the scholar's scorer, on random positions with random values.

python benchmarks/scholar_training.py [--size full] [--device cuda] [--optimizer adam] [--profile]

No solved game is needed: losses, gradients and the optimizer are measured, not the generation of
examples. --profile lists the kernels of a GPU that take most of the time.
"""

import argparse
import time

import torch

from ludus.learn import select_device
from ludus.learn.scholar.config import ScorerConfig, load_preset
from ludus.learn.scholar.scorer_trainer import (
    VALUED_POSITION_TYPES,
    ExactTrainer,
    ScorerTrainer,
    ValuedPositions,
)
from ludus.learn.scholar.trainer import make_replay_buffer

WARMUP_STEPS = 6
"""On a GPU the first steps run without a CUDA graph, and one more captures it."""

BUFFER_SIZE = 1 << 16
LEARNING_RATE = 1e-3
SHOWN_KERNELS = 30


class RandomTrainer(ExactTrainer):
    """Training on random positions, the same ones for all experts; none are generated."""

    def __init__(self, config: ScorerConfig, device: torch.device) -> None:
        ScorerTrainer.__init__(self, config, device)
        shape = (config.buffer_size,)
        self.replay_buffer = make_replay_buffer(
            ValuedPositions, VALUED_POSITION_TYPES, config.buffer_size, device
        )
        # Nine points for each side, so that neither has more than nine men.
        own, other = (torch.randint(1 << 9, shape, device=device) << 9 * side for side in (0, 1))
        hands = torch.zeros(shape, dtype=torch.int64, device=device)
        values = torch.randint(253, shape, device=device)
        positions = ValuedPositions(own, other, hands, hands, values)
        for expert in range(len(self.replay_buffer.num_added)):
            self.replay_buffer.add(positions, torch.full(shape, expert, device=device))


def run_steps(training: RandomTrainer, number: int) -> float:
    """Return the seconds that this number of steps takes."""
    began = time.perf_counter()
    for _ in range(number):
        losses = training.step(LEARNING_RATE)
    losses.sum().item()  # waits for the device
    return time.perf_counter() - began


def print_kernels(training: RandomTrainer, number: int) -> None:
    """Print what a GPU's time is spent on."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run_steps(training, number)
    events = sorted(profile.key_averages(), key=lambda each: -each.self_device_time_total)
    total = sum(each.self_device_time_total for each in events) / number
    print(f"{total / 1000:.2f} ms a step in {sum(each.count for each in events) // number} kernels")
    for event in events[:SHOWN_KERNELS]:
        spent = event.self_device_time_total / number
        print(f"{spent:9.1f} us in {event.count / number:6.1f} of {event.key[:100]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", default="full")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--optimizer", default="adam", choices=("adam", "muon"))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    device = select_device(arguments.device)
    config = load_preset(
        "scorer",
        arguments.size,
        seed=0,
        buffer_size=BUFFER_SIZE,
        optimizer=arguments.optimizer,
    )
    assert isinstance(config, ScorerConfig)
    training = RandomTrainer(config, device)
    run_steps(training, WARMUP_STEPS)
    seconds = run_steps(training, arguments.steps)
    milliseconds = 1000 * seconds / arguments.steps
    print(f"{arguments.size} with {arguments.optimizer} on {device}: {milliseconds:.2f} ms a step")
    print(f"{training.examples_per_step:,} examples in a step")
    if arguments.profile and device.type == "cuda":
        print_kernels(training, arguments.steps)


if __name__ == "__main__":
    main()
