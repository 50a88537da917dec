"""Parameters of the player `fuzzy`, its presets, and the policy built from them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from ludus.core.errors import BadSpec, quote
from ludus.core.spec import apply_options, check_ranges, parse_spec
from ludus.learn.patterns.encoding import NUM_PATTERNS
from ludus.learn.patterns.inference import CaptureRule, FuzzyPolicy
from ludus.learn.patterns.network import PatternNetwork, ScoreWeights

MAX_SCORE = 1e250
"""Upper bound that keeps sums and products of scores finite."""


@dataclass(frozen=True, slots=True)
class FuzzySettings:
    """All parameters of the policy.

    Weights are those of the last tables of Vrajitoru 2015; moveThr and captures are read by us.
    """

    k: float = 4.0
    mutual: float = 0.2
    wL: float = 10.0  # noqa: N815 - as the paper writes it
    wT: float = 1 / 3  # noqa: N815
    wF: float = 3.0  # noqa: N815
    wM: float = 1.0  # noqa: N815
    rateThr: float = 2.0  # noqa: N815
    moveThr: float = 5.0  # noqa: N815
    passes: int = 2
    seen: int = 1
    threatSeen: int = 1  # noqa: N815
    corners: bool = True
    leaves: bool = False
    defence: bool = True
    take: CaptureRule = "best"
    network: str = "seed"

    @property
    def weights(self) -> ScoreWeights:
        return ScoreWeights(self.wL, self.wT, self.wF, self.wM)


PRESETS: Mapping[str, FuzzySettings] = MappingProxyType(
    {
        "seed": FuzzySettings(),
        # Of 288 readings the one under which the published counts of Tables 2 to 5 are most
        # probable (vrajitoru-readings).
        "paper": FuzzySettings(
            moveThr=0.0, seen=5, threatSeen=0, corners=False, leaves=True, take="random"
        ),
        # The best of a search over 800 settings against focused; vrajitoru-tuned measures it.
        "tuned": FuzzySettings(
            k=6.16,
            mutual=0.0414,
            wL=26.7,
            wT=0.0494,
            wF=11.6,
            wM=1.43,
            rateThr=10.7,
            moveThr=8.96,
            passes=2,
            network="long",
        ),
    }
)

OPTION_RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "k": (0, 20),
        "mutual": (0, 0.999),
        "wL": (0, 1000),
        "wT": (0, 1000),
        "wF": (0, 1000),
        "wM": (0, 1000),
        "rateThr": (0, 1_000_000),
        "moveThr": (0, 1_000_000),
        "passes": (0, 100),
        "seen": (0, 1_000_000_000),
        "threatSeen": (0, 1_000_000_000),
    }
)


@dataclass(frozen=True, slots=True)
class FuzzyOptions:
    """Parameters by name; the preset supplies those not given."""

    preset: Literal["seed", "paper", "tuned"] = "seed"
    """The paper's weights: `paper` in the reading that explains its tables best, `seed` in our own,
    stronger one. `tuned`: the strongest that a search has found.
    """

    k: float | None = None
    """Exponent of the score: how strongly a good move is preferred to a poor one."""

    mutual: float | None = None
    """mutualWeight: proportion of the neighbours' mean score that a pattern receives; below 1."""

    wL: float | None = None  # noqa: N815
    """Weight of a closed mill."""

    wT: float | None = None  # noqa: N815
    """Weight of a man."""

    wF: float | None = None  # noqa: N815
    """Weight of the frequency."""

    wM: float | None = None  # noqa: N815
    """Weight of the mutual score."""

    rateThr: float | None = None  # noqa: N815
    """A threat is blocked if it raises a pattern's score by more than this factor."""

    moveThr: float | None = None  # noqa: N815
    """An own move is preferred if it raises a pattern's score by more than this factor."""

    passes: int | None = None
    """Number of passes that recompute the mutual scores; 0 keeps those of the training."""

    seen: int | None = None
    """Minimum count of an own move in training for it to be known."""

    threatSeen: int | None = None  # noqa: N815
    """Minimum count of a move of the other side for it to be a threat; 0: any."""

    corners: bool | None = None
    """Whether moves into another quadrant are scored there."""

    leaves: bool | None = None
    """Whether the quadrant that a man leaves is scored."""

    defence: bool | None = None
    """Whether threats are blocked."""

    take: Literal["preset", "random", "share", "best"] = "preset"
    """The man that is taken: any, in proportion to its score, or the one with the highest score."""

    network: str | None = None
    """`seed`, `long`, `empty`, or a file that `ludus train patterns` has written."""

    learn: bool = False
    """Whether the network is trained on the games that are played."""

    save: str = ""
    """File in which a learning network is saved after each game."""

    def __post_init__(self) -> None:
        check_ranges(self, "fuzzy", **OPTION_RANGES)
        if self.save and not self.learn:
            raise BadSpec("fuzzy save needs learn=yes: without it nothing changes")

    def to_settings(self) -> FuzzySettings:
        """Return the preset with the given options applied."""
        names = [field.name for field in fields(FuzzySettings)]
        values: dict[str, Any] = {name: getattr(self, name) for name in names}
        is_open = (None, "preset")
        return replace(
            PRESETS[self.preset], **{n: v for n, v in values.items() if v not in is_open}
        )


def parse_options(text: str) -> FuzzyOptions:
    """Parse options in the format of a `fuzzy:` spec."""
    parsed = parse_spec(f"fuzzy:{text}")
    if parsed.flags:
        raise BadSpec(f"{quote(parsed.flags[0])} in {quote(text)} is not key=value")
    return apply_options(FuzzyOptions(), parsed.options, "fuzzy")


def propagate_scores(network: PatternNetwork, settings: FuzzySettings) -> PatternNetwork:
    """Return the network with its mutual scores recomputed in `passes` passes; unchanged for 0."""
    if not settings.passes:
        return network
    used = network.copy()
    used.clear_mutual()
    for _ in range(settings.passes):
        used.propagate(settings.weights, settings.mutual)
    return used


def build_policy(network: PatternNetwork, settings: FuzzySettings) -> FuzzyPolicy:
    """Build the policy of a network with these settings; the network itself is not changed."""
    used = propagate_scores(network, settings)
    return FuzzyPolicy(
        _raise_to_power(used.compute_sums(settings.weights), settings.k),
        frozenset(network.iterate_edges(settings.seen)),
        frozenset(network.iterate_edges(settings.threatSeen)) if settings.threatSeen else None,
        settings.rateThr,
        settings.moveThr,
        settings.corners,
        settings.leaves,
        settings.defence,
        settings.take,
    )


def _raise_to_power(sums: list[float], k: float) -> tuple[float, ...]:
    """Raise the sums to the power k; raise BadSpec if the scores are too large."""
    try:
        scores = tuple(number**k for number in sums)
    except OverflowError:
        scores = (float("inf"),) * NUM_PATTERNS
    if not max(scores) <= MAX_SCORE:
        raise BadSpec(f"fuzzy: with these weights and k={k:g} scores grow beyond all bounds")
    return scores
