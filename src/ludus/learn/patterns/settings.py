"""What the Fuzzy player can be told, and named settings."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from ludus.core.errors import BadSpec, quoted
from ludus.core.spec import parse_spec, with_options
from ludus.learn.patterns.fuzzy import Knowledge, Take
from ludus.learn.patterns.network import Network, Weights
from ludus.learn.patterns.quadrants import NUM_PATTERNS

HIGHEST_SCORE = 1e250
"""Scores are added and multiplied, and must stay numbers."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides about play. The defaults are those of the paper's last tables."""

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
    corners: bool = True
    defence: bool = True
    take: Take = "best"
    network: str = "seed"

    @property
    def weights(self) -> Weights:
        return Weights(self.wL, self.wT, self.wF, self.wM)


PRESETS: Mapping[str, Settings] = MappingProxyType(
    {
        "seed": Settings(),
        # The best of 800 settings against focused, by 20,000 further games: 65.7% won.
        "tuned": Settings(
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

RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
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
    }
)


@dataclass(frozen=True, slots=True)
class Options:
    """Settings by name; what is left open is as the preset says."""

    preset: Literal["seed", "tuned"] = "seed"
    """`seed` has the paper's values, `tuned` the strongest that a search has found."""

    k: float | None = None
    """The power of a score: how much a good move is preferred to a poor one."""

    mutual: float | None = None
    """mutualWeight: the part of its neighbours' scores that is lent to a pattern; below 1."""

    wL: float | None = None  # noqa: N815
    """What a mill counts."""

    wT: float | None = None  # noqa: N815
    """What a man counts."""

    wF: float | None = None  # noqa: N815
    """What the frequency counts."""

    wM: float | None = None  # noqa: N815
    """What the lent score counts."""

    rateThr: float | None = None  # noqa: N815
    """A threat is blocked if it makes a pattern more than so many times as good."""

    moveThr: float | None = None  # noqa: N815
    """An own move is preferred if it makes a pattern more than so many times as good."""

    passes: int | None = None
    """Lent scores are computed anew in so many passes; 0 keeps those the training left."""

    seen: int | None = None
    """A move is known if it was made at least so often."""

    corners: bool | None = None
    """Whether moves into another quadrant are scored there."""

    defence: bool | None = None
    """Whether threats are blocked at all."""

    take: Literal["preset", "random", "share", "best"] = "preset"
    """The man that is taken: any, by what it is worth, or the one worth most."""

    network: str | None = None
    """`seed`, `long`, `empty`, or a file that `ludus patterns train` has written."""

    learn: bool = False
    """Whether the games that are played are learned."""

    save: str = ""
    """The file in which a network that learns is kept after each game."""

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise BadSpec(f"fuzzy {name}={value:g} must be from {low:g} to {high:g}")
        if self.save and not self.learn:
            raise BadSpec("fuzzy save needs learn=yes: without it nothing changes")

    def settings(self) -> Settings:
        """The preset with what was asked for."""
        names = [field.name for field in fields(Settings)]
        asked: dict[str, Any] = {name: getattr(self, name) for name in names}
        is_open = (None, "preset")
        return replace(PRESETS[self.preset], **{n: v for n, v in asked.items() if v not in is_open})


def read_options(text: str) -> Options:
    """Options from a text like that behind `fuzzy:`."""
    parsed = parse_spec(f"fuzzy:{text}")
    if parsed.words:
        raise BadSpec(f"{quoted(parsed.words[0])} in {quoted(text)} is not key=value")
    return with_options(Options(), parsed.options, "fuzzy")


def with_lent_scores(network: Network, settings: Settings) -> Network:
    """The network with its lent scores as the settings want them: computed anew, or as they are."""
    if not settings.passes:
        return network
    used = network.copy()
    used.reset()
    for _ in range(settings.passes):
        used.spread(settings.weights, settings.mutual)
    return used


def knowledge(network: Network, settings: Settings) -> Knowledge:
    """What a network says with these settings. The network keeps its own lent scores."""
    used = with_lent_scores(network, settings)
    return Knowledge(
        _powers(used.sums(settings.weights), settings.k),
        frozenset(network.known_edges(settings.seen)),
        settings.rateThr,
        settings.moveThr,
        settings.corners,
        settings.defence,
        settings.take,
    )


def _powers(sums: list[float], k: float) -> tuple[float, ...]:
    """The scores; BadSpec if they are beyond what can be compared."""
    try:
        scores = tuple(number**k for number in sums)
    except OverflowError:
        scores = (float("inf"),) * NUM_PATTERNS
    if not max(scores) <= HIGHEST_SCORE:
        raise BadSpec(f"fuzzy: with these weights and k={k:g} scores grow beyond all bounds")
    return scores
