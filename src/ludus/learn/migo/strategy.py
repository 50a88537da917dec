"""Playing by a program: the first win that can be proved, else the first draw, else any move."""

from dataclasses import dataclass
from random import Random

from ludus.learn.migo.program import Program
from ludus.learn.migo.reasoner import Concept, Reasoner


@dataclass(frozen=True, slots=True)
class Decision:
    """A rule, and the boards its moves lead to, in the order in which Prolog finds them."""

    rule: str | None
    """The predicate that holds, as `win_2`; None where none does: then these are all moves."""

    boards: tuple[int, ...]


class Strategy:
    """A program at play in a world."""

    def __init__(self, reasoner: Reasoner, program: Program) -> None:
        self.reasoner = reasoner
        self.program = program
        self.concepts: dict[str, Concept] = reasoner.concepts(program)
        self._rules = [(name, self.concepts[name]) for name in program.strategy]

    def decide(self, board: int) -> Decision:
        """What the program says in this board, in which there are moves."""
        for name, concept in self._rules:
            if self.reasoner.can(concept, board):
                return Decision(name, tuple(dict.fromkeys(self.reasoner.solutions(concept, board))))
        return Decision(None, self.reasoner.world.moves(board))

    def choose(self, board: int, random: Random, *, is_exploring: bool = False) -> int:
        """The board that its move leads to: that of the first solution.

        Exploring, a random one of the moves that hold the draw: so it never comes to rest on one
        of them and may find out that another wins.
        """
        decision = self.decide(board)
        is_open = decision.rule is None or (is_exploring and decision.rule.startswith("draw"))
        return random.choice(decision.boards) if is_open else decision.boards[0]
