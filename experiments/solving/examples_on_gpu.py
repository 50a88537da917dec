"""Check and time examples from the standard game, solved on one GPU.

    PYTHONPATH=src:tests python -m experiments.solving.examples_on_gpu

Needs numpy, torch and a CUDA toolkit; Ludus need not be installed. What comes out is compared with
the sample that the tests use, made by the processor from the full database, and the value of every
one of many random positions with what follows from its children.
"""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ludus.cuda import build_library
from ludus.games.nine_mens_morris import DRAW, PRESETS, PositionBatch
from ludus.learn.scholar import (
    CudaExampleSource,
    ExampleBatch,
    GamePositions,
    SamplerOptions,
    solve_on_gpu,
    stream_examples,
)
from support import scholar_sample

COUNT = 1 << 20
REPEATS = 20


def main() -> int:
    build_library("solver")
    began, before = time.time(), torch.cuda.mem_get_info()[0]
    source = CudaExampleSource(solve_on_gpu(PRESETS["standard"]))
    taken = (before - torch.cuda.mem_get_info()[0]) / 2**30
    print(f"solved in {time.time() - began:.2f} s, {taken:.1f} GiB kept")
    found = [*compare_with_sample(source), compare_with_children(source)]
    for name, is_right in found:
        print("right" if is_right else "WRONG", name, sep="\t")
    time_methods(source)
    time_streams(source)
    return 0 if all(is_right for _, is_right in found) else 1


def compare_with_sample(source: CudaExampleSource) -> list[tuple[str, bool]]:
    sample = scholar_sample.read()
    given = PositionBatch(*source.to_columns(sample.positions.columns))
    examples = source.examples(given, scholar_sample.MAX_MOVES)
    rows, is_move = examples.children, examples.children.is_move
    drawn = source.sample_positions(scholar_sample.NUM_DRAWN, scholar_sample.DRAW_SEED)
    after = scholar_sample.one_ply(source, examples, drawn)
    pairs: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
        "values": ([examples.value], [sample.value]),
        "numbers of moves": ([rows.count], [sample.count]),
        "moves": ([rows.move[is_move]], [sample.move]),
        "values after moves": ([rows.value[is_move]], [sample.child_value]),
        "drawn positions": (drawn.columns, sample.drawn.columns),
        "played positions": (after.positions.columns, sample.after.positions.columns),
        "plies": ([after.plies], [sample.after.plies]),
    }
    return [
        (name, all(map(torch.equal, ours, source.to_columns(theirs))))
        for name, (ours, theirs) in pairs.items()
    ]


def compare_with_children(source: CudaExampleSource) -> tuple[str, bool]:
    num_wrong = num_long = num_critical = 0
    for seed in range(4):
        examples = source.examples(source.sample_positions(COUNT, seed))
        is_whole = examples.children.count <= examples.children.value.shape[1]
        num_wrong += int(((derive_values(examples) != examples.value) & is_whole).sum())
        num_long += int((~is_whole).sum())
        num_critical += int(examples.is_critical.sum())
    share = num_critical / (4 * COUNT)
    name = f"{4 * COUNT - num_long} values from their children ({share:.1%} critical)"
    return name, num_wrong == 0


def derive_values(examples: ExampleBatch) -> Any:
    """Quick wins before slow ones, then draws, then slow losses before quick ones."""
    after = examples.children.value.int()
    preference = torch.where(after % 2 == 1, after + 1, 599 - after)
    preference = torch.where(after == DRAW, 256, preference)
    best = torch.where(examples.children.is_move, preference, -1).max(1).values
    value = torch.where(best > 256, 600 - best, best)
    return torch.where(best == 256, DRAW, value).to(torch.uint8)


def time_methods(source: CudaExampleSource) -> None:
    """Each repetition has positions of its own: the same ones again would be in the cache."""
    batches = [source.sample_positions(COUNT, 1000 + number) for number in range(REPEATS + 1)]
    time_method("draw", lambda seed: source.sample_positions(COUNT, seed), range(REPEATS + 1))
    time_method("label", source.label, batches)
    time_method("expand", source.expand, batches)
    plies = torch.zeros(COUNT, dtype=torch.int32, device="cuda")
    # A batch with its rows takes a gigabyte, so there are fewer of them.
    time_method(
        "advance",
        lambda e: source.advance(GamePositions(e.positions, plies), e, batches[0], 8),
        [source.examples(batch) for batch in batches[: REPEATS // 3]],
    )


def time_method(name: str, work: Callable[[Any], object], arguments: Sequence[Any]) -> None:
    work(arguments[0])
    torch.cuda.synchronize()
    began = time.time()
    for argument in arguments[1:]:
        work(argument)
    torch.cuda.synchronize()
    seconds = (time.time() - began) / (len(arguments) - 1)
    print(f"{name}: {seconds * 1e3:.2f} ms for {COUNT}, {COUNT / seconds / 1e6:.0f} million/s")


def time_streams(source: CudaExampleSource) -> None:
    for distribution in ("uniform", "play"):
        for critical in (None, 0.7):
            options = SamplerOptions(distribution, batch=1 << 17, critical=critical)
            batches = stream_examples(source, options, seed=1)
            batch = next(batches)
            torch.cuda.synchronize()
            began = time.time()
            for _ in range(REPEATS):
                batch = next(batches)
            torch.cuda.synchronize()
            rate = REPEATS * options.batch / (time.time() - began) / 1e6
            share = float(batch.is_critical.float().mean())
            print(
                f"{distribution}, critical={critical}: {rate:.1f} million/s, {share:.1%} critical"
            )


if __name__ == "__main__":
    sys.exit(main())
