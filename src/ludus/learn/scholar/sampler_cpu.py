"""Examples from a game whose values an oracle looks up, on disk or in main memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus._native import sampling as native
from ludus.learn.scholar.examples import (
    MAX_MOVES,
    NO_VALUE,
    Children,
    Examples,
    ExampleSource,
    Games,
    Positions,
    shares,
)
from ludus.oracle.morris import MorrisOracle
from ludus.oracle.sectors import Subspace, subspace

_TWO_TO_32 = 1 << 32


class OracleExamples(ExampleSource):
    """Columns are numpy arrays. Unsolved is raised for what the oracle does not know."""

    def __init__(self, oracle: MorrisOracle) -> None:
        self.rules = oracle.rules
        self.subspaces = sorted(subspace(*half) for half in oracle.tables.sectors)
        self._oracle = oracle

    def label(self, positions: Positions) -> NDArray[np.uint8]:
        return self._oracle.lookup(*positions.columns)

    def children(self, positions: Positions, max_moves: int = MAX_MOVES, seed: int = 0) -> Children:
        size = len(positions)
        shape = size, max_moves
        child, move = _no_positions(*shape), np.zeros(shape, np.int32)
        count = np.zeros(size, np.int32)
        native.expand(
            self.rules, _flat(positions), max_moves, seed, count, _flat(child), move.reshape(-1)
        )
        is_move = np.arange(max_moves) < count[:, np.newaxis]
        value = np.full(shape, NO_VALUE, np.uint8)
        value[is_move] = self.label(child[is_move])
        return Children(count, child, value, move)

    def draw(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> Positions:
        men, upto = shares(self.subspaces if subspaces is None else subspaces, weights)
        drawn = _no_positions(count)
        native.draw(self.rules, men.reshape(-1), upto, seed, drawn.columns)
        return drawn

    def advance(
        self,
        games: Games,
        examples: Examples,
        restarts: Positions,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: NDArray[np.int32] | None = None,
    ) -> Games:
        size, children = len(games.positions), examples.children
        after = Games(_no_positions(size), np.empty(size, np.int32))
        native.advance(
            self.rules,
            children.count,
            _flat(children.positions),
            children.move.reshape(-1),
            examples.value,
            children.value.reshape(-1),
            None if chosen is None else np.require(chosen, np.int32, ("C", "W")),
            games.plies,
            int(noise * _TWO_TO_32),
            max_plies,
            _flat(restarts),
            seed,
            after.positions.columns,
            after.plies,
        )
        return after

    def columns(self, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        return list(arrays)

    def joined(self, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(arrays)

    def order(self, count: int, seed: int) -> NDArray[np.int64]:
        return np.random.default_rng(seed).permutation(count)


def _no_positions(*shape: int) -> Positions:
    boards, hands = (np.zeros((2, *shape), kind) for kind in (np.int32, np.uint8))
    return Positions(*boards, *hands)


def _flat(positions: Positions) -> "native.Columns":
    """The columns as the compiled functions take them: of the right kinds, without gaps."""
    own, other = (
        np.require(board, np.int32, ("C", "W")).reshape(-1)
        for board in (positions.own, positions.other)
    )
    own_hand, other_hand = (
        np.require(hand, np.uint8, ("C", "W")).reshape(-1)
        for hand in (positions.own_hand, positions.other_hand)
    )
    return own, other, own_hand, other_hand
