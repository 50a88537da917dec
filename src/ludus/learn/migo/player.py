"""The player: a learned program at play."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.core.game import AnyGame
from ludus.core.limit import Limit
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.learn.migo.english import explain_predicate
from ludus.learn.migo.pictures import reasons
from ludus.learn.migo.reasoner import Reasoner
from ludus.learn.migo.shipped import shipped
from ludus.learn.migo.strategy import Strategy
from ludus.learn.migo.subjects import spec_of
from ludus.learn.migo.text import load_program
from ludus.learn.migo.world import World


@dataclass(frozen=True, slots=True)
class Options:
    """Which program it plays by."""

    mode: Literal["faithful", "improved"] = "improved"
    """Learned as published, or with every improvement; of those that come with Ludus."""

    program: str = ""
    """A file that `ludus migo learn` has written, in place of those."""


class MigoPlayer(Player):
    """Takes the first move that its rules give: a win if one is known, else a draw."""

    title: ClassVar[str] = "plays by rules it has learned and can explain (MIGO)"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"noughts_and_crosses", "hexapawn"})

    def __init__(self, game: AnyGame, settings: Any, spec: str) -> None:
        super().__init__(game, settings, spec)
        if settings.program:
            saved = load_program(Path(settings.program))
        else:
            saved = shipped(spec_of(game), settings.mode)
        self.strategy = Strategy(Reasoner(World()), saved.program)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        world = self.strategy.reasoner.world
        board = world.number(position)
        decision = self.strategy.decide(board)
        legal = position.legal_moves()
        if decision.rule is None:
            return Choice(self.random.choice(legal), "no rule gives a move here")
        move = legal[world.moves(board).index(decision.boards[0])]
        why = f"{decision.rule}: {explain_predicate(self.strategy.program, decision.rule)}"
        return Choice(move, why)

    def pictures(self, position: Any) -> list[Picture]:
        """The rule that gave the move, and what it rests on."""
        return reasons(self.strategy, self.game, position)
