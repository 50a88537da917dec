"""Scores of whole numbers: the same bits by native code, numpy and torch, on every machine.

    python -m experiments.scholar.compare_scores --weights FILE [--positions N] [--by native,numpy]

Positions are those after all moves in random games, the same ones for a seed; nothing else is
needed. The first backend's digest depends on the weights, N and the seed alone: it is compared
between machines. The other backends' scores are compared with the first one's, bit for bit.
"""

import argparse
import json
from pathlib import Path

from ludus.learn.scholar import compare_scores, load_weights


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--by", default="native,numpy", help="of native, numpy and torch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loss-aversion", type=float, default=40.0)
    parser.add_argument("--device", default="cpu", help="of torch")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    given = parser.parse_args()
    found = compare_scores(
        load_weights(given.weights),
        given.by.split(","),
        given.positions,
        given.seed,
        given.loss_aversion,
        given.device,
        given.seconds,
    )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
