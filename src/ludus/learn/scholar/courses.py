"""The courses there are, by the size of the networks that come out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ludus.learn.scholar.chain_training import ChainCourse
from ludus.learn.scholar.mixture import Mixture
from ludus.learn.scholar.scorer_training import ScorerCourse

_MANY = Mixture(drawn=1 << 17, games=1 << 13)
_FEW = Mixture(drawn=1 << 10, games=1 << 7)

SCORERS: Mapping[str, Callable[[int], ScorerCourse]] = MappingProxyType(
    {
        "full": lambda seed: ScorerCourse(mixture=_MANY, seed=seed),
        "small": lambda seed: ScorerCourse((24, 16), mixture=_MANY, seed=seed),
        "tiny": lambda seed: ScorerCourse(
            (8, 8), 1, (64, 32), 1 << 12, rounds_ahead=4, mixture=_FEW, seed=seed
        ),
    }
)
"""By size, given a seed."""

CHAINS: Mapping[str, Callable[[int], ChainCourse]] = MappingProxyType(
    {
        "full": lambda seed: ChainCourse(mixture=_MANY, seed=seed),
        "small": lambda seed: ChainCourse((24, 16, 16), (2, 2, 2), mixture=_MANY, seed=seed),
        "tiny": lambda seed: ChainCourse(
            (8, 8, 8), (1, 1, 1), 64, 1 << 12, rounds_ahead=4, mixture=_FEW, seed=seed
        ),
    }
)
