"""Labels, counted: results, and how much of what is critical was kept."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.labels import RESULTS, Labels


@dataclass(slots=True)
class LabelTally:
    """Labels, counted."""

    entries: int = 0
    results: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(RESULTS), dtype=np.int64)
    )
    critical: int = 0
    critical_kept: int = 0
    """Critical entries whose own move keeps the value."""

    critical_reached: int = 0
    """Critical entries whose numbers of men a game can lead to."""

    critical_reached_kept: int = 0
    random_kept: float = 0.0
    """What a player that moves at random would keep of the critical entries, on average."""

    def add(self, labels: Labels) -> None:
        critical, reached = labels.is_critical, labels.is_reached
        self.entries += len(labels.result)
        self.results += np.bincount(labels.result, minlength=len(RESULTS))
        self.critical += int(critical.sum())
        self.critical_kept += int((critical & labels.move_keeps).sum())
        self.critical_reached += int((critical & reached).sum())
        self.critical_reached_kept += int((critical & reached & labels.move_keeps).sum())
        self.random_kept += float((labels.num_kept[critical] / labels.num_legal[critical]).sum())

    def as_json(self) -> dict[str, Any]:
        """The counts by name."""
        return {
            "entries": self.entries,
            "results": dict(zip(RESULTS, self.results.tolist(), strict=True)),
            "critical": self.critical,
            "critical_kept": self.critical_kept,
            "critical_reached": self.critical_reached,
            "critical_reached_kept": self.critical_reached_kept,
            "critical_kept_at_random": round(self.random_kept, 3),
        }
