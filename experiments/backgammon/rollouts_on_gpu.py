"""Roll out the positions of `rollouts.py` on a GPU, all games in step, and measure the speed.

    PYTHONPATH=src python -m experiments.backgammon.rollouts_on_gpu --out FILE [--games 1296]

Needs Ludus with torch and a CUDA toolkit, and no compiled module. The dice are those of
`ludus rollout` with the same seed, so that the equities can be compared game by game.
"""

import argparse
import json
import math
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch

from ludus.games.backgammon import Backgammon, position_to_row
from ludus.learn.gammon import (
    LibraryAfterstates,
    LockstepRollouts,
    load_shipped_chances,
    open_afterstates,
)

STORED = Path(__file__).parent / "results" / "rollouts.json"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stored", type=Path, default=STORED)
    parser.add_argument("--games", type=int, default=1296)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--horizon", type=int, default=0)
    parser.add_argument("--network", default="expert")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--library", type=Path, help="built library, for tests on a CPU")
    arguments = parser.parse_args()
    stored: dict[str, Any] = json.loads(arguments.stored.read_text())
    game = Backgammon()
    texts = stored["positions"][: arguments.positions]
    rows = np.array([position_to_row(game.parse(text)) for text in texts])
    device = torch.device(arguments.device)
    afterstates = (
        open_afterstates(device)
        if arguments.library is None
        else LibraryAfterstates(arguments.library)
    )
    rollouts = LockstepRollouts(load_shipped_chances(arguments.network), afterstates, device)
    rollouts.roll_out(rows[:1], 36)  # starts the GPU
    began = time.monotonic()

    def report(done: int) -> None:
        seconds = time.monotonic() - began
        print(f"{done} games, {done / seconds:.0f} a second", flush=True)

    found = rollouts.roll_out(rows, arguments.games, horizon=arguments.horizon, on_progress=report)
    seconds = time.monotonic() - began
    equities = found[:, :, 5]
    errors = equities.std(axis=1, ddof=1) / math.sqrt(arguments.games)
    results = {
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "afterstates": type(afterstates).__name__,
        "network": arguments.network,
        "games": arguments.games,
        "horizon": arguments.horizon,
        "seconds": round(seconds, 1),
        "games_a_second": round(len(rows) * arguments.games / seconds, 1),
        "differences": compare(stored, equities.mean(axis=1), errors),
        "positions": texts,
        "estimates": np.column_stack([equities.mean(axis=1), errors]).round(6).tolist(),
    }
    arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps({name: results[name] for name in ("games_a_second", "differences")}))


def compare(stored: dict[str, Any], equities: Any, errors: Any) -> dict[str, Any]:
    """Return how far each program's stored equities are from these."""
    found = {}
    for name, program in stored["programs"].items():
        pairs = [
            (ours - theirs, math.hypot(error, their_error))
            for ours, error, (theirs, their_error) in zip(
                equities.tolist(), errors.tolist(), program["estimates"], strict=False
            )
        ]
        if not pairs:
            continue
        ratios = [(difference / error) ** 2 for difference, error in pairs if error > 1e-6]
        found[name] = {
            "positions": len(pairs),
            "mean": round(fmean(difference for difference, _ in pairs), 4),
            "error of the mean": round(math.hypot(*(e for _, e in pairs)) / len(pairs), 4),
            "in standard errors": round(math.sqrt(fmean(ratios)), 2),
        }
    return found


if __name__ == "__main__":
    main()
