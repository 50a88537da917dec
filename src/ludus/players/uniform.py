"""The player every other one must beat."""

from typing import Any, ClassVar

from ludus.core.limit import Limit
from ludus.core.player import Choice, Player


class UniformPlayer(Player):
    """Each legal move with the same probability."""

    title: ClassVar[str] = "plays any legal move, each with the same probability"

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return Choice(self.random.choice(position.legal_moves()))
