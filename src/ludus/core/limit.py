"""How much a player may spend on one move."""

from dataclasses import dataclass

from ludus.core.errors import BadSpec


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget for one decision. Fields left at None do not bind; the first one reached stops."""

    time: float | None = None
    """Seconds of wall-clock time. Results under a time limit are not reproducible."""

    nodes: int | None = None
    """Positions a search may visit, or random games a playout player may play."""

    depth: int | None = None
    """Plies a search may look ahead."""

    def __post_init__(self) -> None:
        for name in ("time", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadSpec(f"limit {name}={value} must be greater than zero")
