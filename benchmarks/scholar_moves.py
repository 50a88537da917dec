"""How fast the scholar chooses: one move on one core, cold and warm, and many at once.

    python benchmarks/scholar_moves.py [FILE.safetensors …]

Without a file the shipped scholars are asked or, where none are shipped, random networks of the
full and the small size. Wanted are 5 ms for one move in full and 1 ms in small.
"""

import os
import sys

# A move is not shared among threads; numpy reads this when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.learn.scholar import shipped
from ludus.learn.scholar.chain import NO_POINT, PARTS
from ludus.learn.scholar.experts import NUM_EXPERTS
from ludus.learn.scholar.fields import WIDTH
from ludus.learn.scholar.player import Options, ScholarPlayer, Way
from ludus.learn.scholar.weights import SCORER, ScholarWeights, load, packed, save
from ludus.learn.scholar.worth import OUTPUTS
from ludus.learn.symmetric.forward import parameter_shapes

SINGLE = 500
TOGETHER = 2000
SIZES = {
    "scorer-full": (96,),
    "scorer-small": (24,),
    "chain-full": (64, 48, 48),
    "chain-small": (24, 16, 16),
}
"""Random networks: channels of each, all with two blocks."""


def main() -> None:
    positions = _positions()
    with tempfile.TemporaryDirectory() as folder:
        for path in _files(Path(folder), sys.argv[1:]):
            way: Way = "scorer" if load(path).kind == SCORER else "chain"
            began = time.process_time()
            game = ludus.game("nine_mens_morris")
            player = ScholarPlayer(game, Options(way=way, weights=str(path)), "scholar")
            print(f"{path.stem}: {1000 * (time.process_time() - began):.0f} ms to be ready")
            for name in ("cold", "warm"):
                taken = _milliseconds(player, positions[:: len(positions) // SINGLE][:SINGLE])
                middle, late = np.percentile(taken, [50, 95])
                print(f"  {name}: {middle:.2f} ms a move, {late:.2f} ms at most in 95 of 100")
            began = time.process_time()
            player.choose_many(positions[:TOGETHER])
            rate = TOGETHER / (time.process_time() - began)
            print(f"  together: {rate:,.0f} positions/s")


def _milliseconds(player: ScholarPlayer, positions: list[Any]) -> list[float]:
    taken = []
    for position in positions:
        began = time.process_time_ns()
        player.choose(position)
        taken.append((time.process_time_ns() - began) / 1e6)
    return taken


def _files(folder: Path, named: list[str]) -> list[Path]:
    if named:
        return [Path(name) for name in named]
    if found := shipped.shipped():
        return list(found.values())
    for name in SIZES:
        save(folder / f"{name}.safetensors", _random(name))
    return [folder / f"{name}.safetensors" for name in SIZES]


def _random(name: str) -> ScholarWeights:
    way, channels = name.partition("-")[0], SIZES[name]
    source = np.random.default_rng(0)
    shapes = {
        f"{part}{name}": shape
        for told, (part, width) in enumerate(zip(_parts(way), channels, strict=True))
        for name, shape in _shapes(way, told, width).items()
    }
    experts = [
        packed({name: source.normal(0, 0.05, size).astype("f4") for name, size in shapes.items()})
        for _ in range(NUM_EXPERTS)
    ]
    return ScholarWeights(shipped.KINDS[way], tuple(experts))


def _parts(way: str) -> tuple[str, ...]:
    return ("",) if way == "scorer" else tuple(f"{part}." for part in PARTS)


def _shapes(way: str, told: int, channels: int) -> dict[str, tuple[int, ...]]:
    if way == "scorer":
        return parameter_shapes(WIDTH, len(OUTPUTS), channels, 2, True)
    outputs = NO_POINT + 1
    return parameter_shapes(WIDTH + told * outputs, outputs, channels, 2, False)


def _positions() -> list[Any]:
    """Positions of random games."""
    game, source = ludus.game("nine_mens_morris"), random.Random(1)
    found: list[Any] = []
    while len(found) < TOGETHER:
        position = game.start()
        while position.outcome() is None:
            found.append(position)
            position = position.play(source.choice(position.legal_moves()))
    return found


if __name__ == "__main__":
    main()
