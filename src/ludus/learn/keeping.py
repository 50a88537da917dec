"""Learners whose knowledge can be kept in a file and taken up again."""

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from ludus.learn.lessons import Learner


class KeptLearner(Learner):
    """A learner that all of `ludus train` can teach."""

    system: ClassVar[str]
    """Its name, as in `ludus train`."""

    @abstractmethod
    def summary(self) -> str:
        """What it has learned so far, in a few words after `has`."""

    @abstractmethod
    def save(self, file: Path, schooling: dict[str, Any]) -> None:
        """Keep everything that further lessons and playing need, and how it was taught."""

    @abstractmethod
    def load(self, file: Path) -> dict[str, Any]:
        """Take up what a learner with the same options has kept; how that one was taught."""
