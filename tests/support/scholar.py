"""What tests of the scholar share: small solved games, and networks with random weights."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus._native.solver import Solver
from ludus.core.spec import apply_options
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.batch import DRAW, NO_POINT, PositionBatch
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.equivariant.inference import list_parameter_shapes
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS, NUM_FEATURES
from ludus.learn.scholar.examples import OracleExampleSource
from ludus.learn.scholar.inference import MOVE_PARTS, OUTPUT_NAMES
from ludus.learn.scholar.player import ScholarOptions, ScholarPlayer
from ludus.learn.scholar.weights import CHAIN, INTEGERS, SCORER, ScholarWeights, pack_weights
from ludus.oracles.morris.oracle import MorrisOracle
from ludus.oracles.morris.sectors import all_sectors
from support.solved_games import SolverTables

THREE = Rules(men=3)
FOUR = Rules(men=4)
ODD = Rules(men=3, place_or_move=True, diagonals=True)
SLOW = Rules(men=4, flying=False, take_from_mills="always", lose_below=2)


@cache
def solver_of(rules: Rules) -> Solver:
    solver = Solver(rules)
    for sector in all_sectors(rules):
        solver.solve(sector)
    return solver


@cache
def oracle_of(rules: Rules) -> MorrisOracle:
    tables = SolverTables(solver_of(rules), rules, all_sectors(rules))
    return MorrisOracle(tables, "memory")


@cache
def source_of(rules: Rules) -> OracleExampleSource:
    return OracleExampleSource(oracle_of(rules))


def drawn_endings(number: int) -> PositionBatch:
    """Drawn positions with three men a side, of the game with four men."""
    source = source_of(FOUR)
    (three,) = [each for each in source.subspaces if tuple(each) == (3, 3, 0, 0)]
    positions = source.sample_positions(20_000, 5, [three])
    return positions[source.label(positions) == DRAW][:number]


def readable(rules: Rules, positions: PositionBatch) -> list[Any]:
    """Return the positions as objects of the Python rules, White to move."""
    return positions.to_positions(ludus.game("nine_mens_morris", rules, "python"))


def packed(move: Any) -> int:
    parts = (move.to, move.frm, move.take)
    return sum((NO_POINT if part is None else part) << 8 * i for i, part in enumerate(parts))


def code(value: Any) -> int:
    """A value of the oracle as a byte."""
    return 255 if value.result == "draw" else value.depth


GAME = named_game("nine_mens_morris")


def random_weights(kind: str, repeats: int = 1, seed: int = 0) -> ScholarWeights:
    """Experts of different sizes: four or six channels, one block or two."""
    source = np.random.default_rng(seed)
    experts = []
    for number in range(NUM_EXPERTS):
        channels, blocks = 4 + 2 * (number % 2), 1 + number % 2
        if kind == "scorer":
            shapes = list_parameter_shapes(NUM_FEATURES, len(OUTPUT_NAMES), channels, blocks, True)
        else:
            shapes = {
                f"{part}.{name}": shape
                for result, part in enumerate(MOVE_PARTS)
                for name, shape in list_parameter_shapes(
                    NUM_FEATURES + result * (NO_POINT + 1), NO_POINT + 1, channels, blocks, False
                ).items()
            }
        tensors = {
            name: source.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()
        }
        experts.append(pack_weights(tensors))
    name = SCORER if kind == "scorer" else CHAIN
    return ScholarWeights(name, tuple(experts), {"size": "random"}, (repeats,) * NUM_EXPERTS)


def random_integers(seed: int) -> ScholarWeights:
    """A scorer of whole numbers with random weights."""
    import torch

    from ludus.learn.equivariant.integer_network import IntegerNetwork

    torch.manual_seed(seed)
    network = IntegerNetwork(FEATURE_PERMUTATIONS, len(OUTPUT_NAMES), 4, 1, NUM_EXPERTS)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return ScholarWeights(INTEGERS, tuple(network.quantize()))


def saved(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.safetensors"
    random_weights(kind).save(path)
    return path


def made(file: Path, game: Any = GAME, **options: Any) -> ScholarPlayer:
    """Return a player with the networks of a file."""
    texts = {"weights": str(file), **{name: str(value) for name, value in options.items()}}
    return ScholarPlayer(game, apply_options(ScholarOptions(), texts, "scholar"), "scholar")
