"""Examples from a solved game: positions, their exact values, and those of all their moves.

Data come in columns, one entry for each position: numpy arrays if the values are in main memory or
on disk, torch tensors if they are on a GPU. Both are made by the same compiled functions, so the
same seeds give the same positions.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusWarning
from ludus.games.nine_mens_morris.batch import (
    MAX_MOVES,
    ChildBatch,
    PositionBatch,
    expand,
    keeps_value,
)
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.games.nine_mens_morris.board import NUM_POINTS
from ludus.games.nine_mens_morris.rules import PRESETS, Rules
from ludus.oracles.morris.sectors import Subspace, subspace_of

if TYPE_CHECKING:
    from ludus.oracles.morris.oracle import MorrisOracle


@dataclass(frozen=True, slots=True)
class ExampleBatch:
    """Positions with their exact values and those of all their moves."""

    positions: PositionBatch
    value: Array
    """Value code for the mover, uint8."""

    children: ChildBatch

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: Any) -> "ExampleBatch":
        return ExampleBatch(self.positions[index], self.value[index], self.children[index])

    @property
    def keeps_value(self) -> Array:
        """Mask of the value-keeping moves: [i, j] as in `children`."""
        return keeps_value(self.value[:, None], self.children.value) & self.children.is_move

    @property
    def is_critical(self) -> Array:
        """Mask of the positions with both value-keeping and other moves."""
        kept = self.keeps_value
        return kept.any(1) & (self.children.is_move & ~kept).any(1)


@dataclass(frozen=True, slots=True)
class GamePositions:
    """Current positions of many games."""

    positions: PositionBatch
    plies: Array
    """Plies since each game began, int32."""


class ExampleSource(ABC):
    """A solved game as a source of examples, independent of where its values are stored."""

    rules: Rules
    subspaces: Sequence[Subspace]
    """The solved subspaces."""

    @abstractmethod
    def label(self, positions: PositionBatch) -> Array:
        """Return the value code of each position for its mover, uint8."""

    @abstractmethod
    def expand(
        self, positions: PositionBatch, max_moves: int = MAX_MOVES, seed: int = 0
    ) -> ChildBatch:
        """Return all moves of each position; the seed selects among more than `max_moves`."""

    @abstractmethod
    def sample_positions(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> PositionBatch:
        """Sample positions that are not over, uniformly within each subspace.

        The subspaces, by default all solved ones, are equally likely or have these weights.
        """

    @abstractmethod
    def advance(
        self,
        games: GamePositions,
        examples: ExampleBatch,
        restarts: PositionBatch,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: Array | None = None,
    ) -> GamePositions:
        """Play one ply of every game, given the examples of the current positions.

        A game plays its `chosen` move, packed as in ChildBatch, if that is not negative and in its
        row; otherwise a random value-keeping move or, with probability `noise`, a random legal
        move. A game that is over or `max_plies` long restarts at one of `restarts`.
        """

    @abstractmethod
    def to_columns(self, arrays: Sequence[NDArray[Any]]) -> list[Array]:
        """Convert numpy arrays to columns of this source."""

    @abstractmethod
    def concatenate(self, arrays: Sequence[Array]) -> Array:
        """Concatenate columns or rows."""

    @abstractmethod
    def random_permutation(self, count: int, seed: int) -> Array:
        """Return a random permutation of the numbers below `count`."""

    def examples(
        self, positions: PositionBatch, max_moves: int = MAX_MOVES, seed: int = 0
    ) -> ExampleBatch:
        """Return the positions with their values and those of all their moves."""
        return ExampleBatch(
            positions, self.label(positions), self.expand(positions, max_moves, seed)
        )

    @property
    def has_start(self) -> bool:
        """Whether the start of the game is solved, and not endings alone."""
        men = self.rules.men
        return (0, 0, men, men) in self.subspaces

    def start_positions(self, count: int) -> PositionBatch:
        """Return `count` copies of the start position."""
        board, hand = np.zeros(count, np.int32), np.full(count, self.rules.men, np.uint8)
        return PositionBatch(*self.to_columns([board, board, hand, hand]))

    def concatenate_examples(self, parts: Sequence[ExampleBatch]) -> ExampleBatch:
        children = [part.children for part in parts]
        return ExampleBatch(
            PositionBatch.concatenate([part.positions for part in parts], self.concatenate),
            self.concatenate([part.value for part in parts]),
            ChildBatch(
                self.concatenate([rows.count for rows in children]),
                PositionBatch.concatenate([rows.positions for rows in children], self.concatenate),
                self.concatenate([rows.value for rows in children]),
                self.concatenate([rows.move for rows in children]),
            ),
        )


def open_example_source(on_gpu: bool, oracle: Path | None = None) -> ExampleSource:
    """Return the standard game solved on the GPU, or what an oracle has: a folder, or endings."""
    if on_gpu:
        from ludus.learn.scholar.cuda import CudaExampleSource, solve_on_gpu

        return CudaExampleSource(solve_on_gpu(PRESETS["standard"]))
    from ludus.games import game
    from ludus.oracles import MorrisOracle
    from ludus.oracles import oracle as find_oracle

    morris = game("nine_mens_morris")
    solved = find_oracle(morris, oracle)
    assert isinstance(solved, MorrisOracle)
    if not solved.has_value(morris.start()):
        warnings.warn(
            f"examples are endings alone, {solved.coverage}; {solved.advice} solves the whole game",
            LudusWarning,
            stacklevel=2,
        )
    return OracleExampleSource(solved)


NOISE_SCALE = 1 << 32
"""Probabilities of noise are whole numbers of this part."""


class OracleExampleSource(ExampleSource):
    """Source backed by an oracle on disk or in main memory; columns are numpy arrays.

    Raises Unsolved for positions that the oracle does not know.
    """

    def __init__(self, oracle: "MorrisOracle") -> None:
        # Imported here: a machine that samples on its GPU alone needs no compiled modules.
        from ludus._native import sampling

        self._native = sampling
        self.rules = oracle.rules
        self.subspaces = sorted(subspace_of(*half) for half in oracle.tables.sectors)
        self._oracle = oracle

    def label(self, positions: PositionBatch) -> NDArray[np.uint8]:
        return self._oracle.lookup(positions)

    def expand(
        self, positions: PositionBatch, max_moves: int = MAX_MOVES, seed: int = 0
    ) -> ChildBatch:
        children = expand(positions, self.rules, max_moves, seed)
        is_move = children.is_move
        children.value[is_move] = self.label(children.positions[is_move])
        return children

    def sample_positions(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> PositionBatch:
        men, cumulative = prepare_subspace_weights(
            self.subspaces if subspaces is None else subspaces, weights
        )
        sampled = PositionBatch.zeros(count)
        self._native.draw(self.rules, men.reshape(-1), cumulative, seed, sampled.to_native())
        return sampled

    def advance(
        self,
        games: GamePositions,
        examples: ExampleBatch,
        restarts: PositionBatch,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: NDArray[np.int32] | None = None,
    ) -> GamePositions:
        size, children = len(games.positions), examples.children
        after = GamePositions(PositionBatch.zeros(size), np.empty(size, np.int32))
        self._native.advance(
            self.rules,
            children.count,
            children.positions.to_native(),
            children.move.reshape(-1),
            examples.value,
            children.value.reshape(-1),
            None if chosen is None else np.require(chosen, np.int32, ("C", "W")),
            games.plies,
            int(noise * NOISE_SCALE),
            max_plies,
            restarts.to_native(),
            seed,
            after.positions.to_native(),
            after.plies,
        )
        return after

    def to_columns(self, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        return list(arrays)

    def concatenate(self, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(arrays)

    def random_permutation(self, count: int, seed: int) -> NDArray[np.int64]:
        return np.random.default_rng(seed).permutation(count)


def prepare_subspace_weights(
    subspaces: Sequence[Subspace], weights: Sequence[float] | None
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Return subspaces and cumulative weights in the format of the compiled functions.

    Subspaces with a full board are omitted: no move is possible there.
    """
    men = np.array(subspaces, np.int32).reshape(-1, 4)
    given = np.ones(len(men)) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (len(men),) or not np.all(np.isfinite(given)) or np.any(given < 0):
        raise ValueError("as many weights as subspaces, none of them negative")
    is_open = (men[:, 0] + men[:, 1] < NUM_POINTS) & (given > 0)
    men, given = men[is_open], given[is_open]
    if len(men) == 0:
        raise ValueError("there is no subspace to sample from")
    fractions = np.cumsum(given) / given.sum()
    cumulative = np.minimum(np.floor(fractions * 2**32), 2**32 - 1).astype(np.uint32)
    return np.ascontiguousarray(men), cumulative


def to_numpy(array: Array) -> NDArray[Any]:
    """Return an array or tensor as an array."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()
