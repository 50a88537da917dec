"""NegaScout for the Morris family.

Scores are hundredths of a man, for the side to move. Scores beyond DECIDED are proven results: WIN
less the plies to the end. Moves are triples of points (from, to, taken) with None for parts that a
move does not have.
"""

from collections.abc import Callable, Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.rules import Rules

Parts = tuple[int | None, int | None, int | None]

WIN: int
DECIDED: int
MAX_DEPTH: int

class Result(TypedDict):
    """Result of a search."""

    depth: int
    """Plies searched in full."""

    deepest: int
    """Plies of the longest line searched."""

    nodes: int
    lines: list[tuple[int, list[Parts]]]
    """Scores with their principal variations, best first."""

class Features(TypedDict):
    """Evaluation features of one side, see `native/core/search/evaluation.hpp`."""

    men: int
    steps: int
    blocked: int
    mills: int
    pairs: int
    swings: int
    threats: int
    crossings: int
    flies: bool

def canonical(own: int, other: int) -> tuple[int, int, int]: ...

class Endgames:
    """Solved sectors without men in hand; see `ludus._native.solver` for their values."""

    def __init__(self, max_men: int) -> None: ...
    def add(self, x: int, y: int, x_to_move: bool, values: NDArray[np.uint8]) -> None: ...

class Search:
    def __init__(self, rules: Rules, megabytes: int = 16, plans_ahead: bool = True) -> None: ...
    def run(
        self,
        men: tuple[int, int],
        hands: tuple[int, int],
        mover: int,
        occurrence: int = 1,
        quiet: int = 0,
        history: Sequence[int] = (),
        *,
        depth: int = ...,
        nodes: int | None = None,
        seconds: float | None = None,
        lines: int = 1,
        threads: int = 1,
        oversight: float = 0.0,
        seed: int = 0,
        endgames: Endgames | None = None,
        extends: bool = True,
        reduces: bool = True,
        uses_table: bool = True,
        only: Sequence[Parts] = (),
        report: Callable[[Result], object] | None = None,
    ) -> Result:
        """Search until a limit is reached.

        `only` restricts the search to some moves. `report` is called after every depth that was
        searched in full, and ends the search by returning a true value.
        """

    def stop(self) -> None: ...
    def evaluate(self, men: tuple[int, int], hands: tuple[int, int], mover: int) -> int: ...
    def features(self, men: tuple[int, int], hands: tuple[int, int], side: int) -> Features: ...
