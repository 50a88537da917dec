"""The Fuzzy player of Vrajitoru (2015); see `ludus.learn.patterns.inference`."""

from collections.abc import Sequence

from ludus._native.morris import Tally
from ludus.games.nine_mens_morris.rules import Rules

class Fuzzy:
    """The outputs of a network with given weights, for positions under given rules."""

    def __init__(
        self,
        rules: Rules,
        scores: Sequence[float],
        edges: Sequence[tuple[int, int]],
        threat_edges: Sequence[tuple[int, int]] | None,
        rate_threshold: float = 2.0,
        move_threshold: float = 0.0,
        corners: bool = True,
        leaves: bool = False,
        defends: bool = True,
        take: str = "random",
    ) -> None: ...
    def weights(self, men: tuple[int, int], hands: tuple[int, int], mover: int) -> list[float]: ...

def games(
    rules: Rules,
    men: tuple[int, int],
    hands: tuple[int, int],
    mover: int,
    first: str | Fuzzy,
    second: str | Fuzzy,
    games: int,
    seed: int = 0,
    threads: int = 1,
    max_plies: int = 10_000,
) -> Tally: ...
def pattern(men: int, quadrant: int) -> int: ...
