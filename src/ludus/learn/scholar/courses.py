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
    drawn=1 << 16,
    wild=replace(_PLAIN.wild, games=1 << 14),
    sound=replace(_PLAIN.sound, games=1 << 15),
)
_FEW = Mixture(
    drawn=1 << 10,
    wild=replace(_PLAIN.wild, games=1 << 7),
    sound=replace(_PLAIN.sound, games=1 << 7),
)

SCORERS: Mapping[str, Callable[[int], ScorerCourse]] = MappingProxyType(
    {
        "full": lambda seed: ScorerCourse(mixture=_MANY, seed=seed),
        "small": lambda seed: ScorerCourse(
            banks=(Bank(FIRST_FLYING, 24, 6144), Bank(NUM_EXPERTS, 16, 2048)),
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
        "full": lambda seed: ChainCourse(shelf=1 << 19, mixture=_MANY, seed=seed),
        "small": lambda seed: ChainCourse(
            channels=(24, 16, 16), blocks=(2, 2, 2), shelf=1 << 19, mixture=_MANY, seed=seed
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
