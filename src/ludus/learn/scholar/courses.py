"""The courses there are, by the size of the networks that come out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from ludus.learn.scholar.chain_training import ChainCourse
from ludus.learn.scholar.experts import FIRST_FLYING, NUM_EXPERTS
from ludus.learn.scholar.mixture import Mixture
from ludus.learn.scholar.scorer_training import Bank, ScorerCourse

_PLAIN = Mixture()
_MANY = Mixture(
    drawn=1 << 17,
    free=replace(_PLAIN.free, games=1 << 17),
    wild=replace(_PLAIN.wild, games=1 << 13),
    sound=replace(_PLAIN.sound, games=1 << 15),
)
_MORE = replace(_MANY, drawn=1 << 18, free=replace(_PLAIN.free, games=1 << 18))
"""For the chain: to it a position is one example, however many moves it has."""

_FEW = Mixture(
    drawn=1 << 10,
    free=replace(_PLAIN.free, games=1 << 7),
    wild=replace(_PLAIN.wild, games=1 << 7),
    sound=replace(_PLAIN.sound, games=1 << 7),
)

SCORERS: Mapping[str, Callable[[int], ScorerCourse]] = MappingProxyType(
    {
        # Large where the values are hard to tell, as far as 16 MB go: with eight men in hand down
        # to sixteen on the board.
        "full": lambda seed: ScorerCourse(
            banks=(
                Bank(5, 64, 1536),
                Bank(16, 120, 3072),
                Bank(FIRST_FLYING, 88, 2048),
                Bank(NUM_EXPERTS, 32, 1024),
            ),
            steps_a_round=8,
            mixture=_MANY,
            seed=seed,
        ),
        "small": lambda seed: ScorerCourse(
            banks=(Bank(FIRST_FLYING, 24, 4096), Bank(NUM_EXPERTS, 16, 2048)),
            mixture=_MANY,
            seed=seed,
        ),
        "tiny": lambda seed: ScorerCourse(
            banks=(Bank(FIRST_FLYING, 8, 64, 1), Bank(NUM_EXPERTS, 8, 32, 1)),
            shelf=1 << 12,
            rounds_ahead=4,
            mixture=_FEW,
            seed=seed,
        ),
    }
)
"""By size, given a seed."""

CHAINS: Mapping[str, Callable[[int], ChainCourse]] = MappingProxyType(
    {
        "full": lambda seed: ChainCourse(shelf=1 << 19, mixture=_MORE, seed=seed),
        "small": lambda seed: ChainCourse(
            channels=(24, 16, 16), blocks=(2, 2, 2), shelf=1 << 19, mixture=_MORE, seed=seed
        ),
        "tiny": lambda seed: ChainCourse(
            channels=(8, 8, 8),
            blocks=(1, 1, 1),
            batch=64,
            shelf=1 << 12,
            rounds_ahead=4,
            mixture=_FEW,
            seed=seed,
        ),
    }
)
