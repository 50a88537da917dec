"""What a learner of strategies can be told: as published, or better, switch by switch."""

from dataclasses import dataclass
from typing import Literal

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame

MAX_LEVEL = 20
"""No strategy is learned for wins that are further away, in moves of the winner."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to learn. What is left open is as the mode says: no in faithful mode, else yes."""

    mode: Literal["faithful", "improved"] = "faithful"
    """As published, with both defects; or with the switches below turned on."""

    learning: Literal["mixed", "separated"] = "mixed"
    """Wins and draws at once, or draws once the win program has been stable."""

    patience: int = 0
    """Games for which the win program must be stable; 0: 10 in noughts and crosses, in hexapawn
    5 on 3x3 and 15 on larger boards."""

    levels: int = 0
    """The deepest draws that are learned; wins one level less; 0: 4 in noughts and crosses, in
    hexapawn 2 on 3x3 and 8 on 4x4, else 20."""

    forcing: bool | None = None
    """A win asks for a reply: stalemate does not count as won."""

    specific: bool | None = None
    """The draw rule excludes every win that is known, not the first that explains the examples."""

    teacher: bool | None = None
    """Learn from the moves of both sides, as far as they can be verified by what is known."""

    explore: bool | None = None
    """Of moves that hold the draw take a random one, not the first."""

    active: bool = False
    """Choose the start boards from which something can be learned."""

    selfplay: bool = False
    """Learn from games against oneself; those against the opponent are only marked."""

    program: str = ""
    """A file with a program to begin with, learned in another game perhaps."""

    def __post_init__(self) -> None:
        for name, most in (("patience", 1000), ("levels", MAX_LEVEL)):
            if not 0 <= getattr(self, name) <= most:
                raise BadSpec(f"migo {name}={getattr(self, name)} must be from 0 to {most}")
        if self.selfplay and not self.is_on("teacher"):
            raise BadSpec(
                "migo selfplay=yes needs teacher=yes: no optimal opponent vouches for moves"
            )

    def is_on(self, switch: Literal["forcing", "specific", "teacher", "explore"]) -> bool:
        """Whether a switch is on, by itself or by the mode."""
        chosen = getattr(self, switch)
        return self.mode == "improved" if chosen is None else bool(chosen)

    def patience_for(self, game: AnyGame | None) -> int:
        """Games for which the win program must be stable before draws are learned."""
        if self.patience or game is None:
            return self.patience or 10
        if game.id == "hexapawn":
            return 5 if game.rules.size == 3 else 15
        return 10

    def levels_for(self, game: AnyGame | None) -> int:
        """The deepest draws that are learned."""
        if self.levels or self.mode == "improved" or game is None:
            return self.levels or MAX_LEVEL
        if game.id == "hexapawn":
            return {3: 2, 4: 8}.get(game.rules.size, MAX_LEVEL)
        return 4 if game.id == "noughts_and_crosses" and game.rules.size == 3 else MAX_LEVEL
