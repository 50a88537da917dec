"""Which moves of a finished game are positive examples."""

from collections.abc import Sequence
from dataclasses import dataclass

from ludus.learn.migo.examples import Examples, depth, moves_with_depth
from ludus.learn.migo.reasoner import Concept, Reasoner


@dataclass(frozen=True, slots=True)
class Known:
    """The learned levels in order, as concepts: `win_1`, `win_2`, … and `draw_1`, …"""

    reasoner: Reasoner
    wins: Sequence[Concept] = ()
    draws: Sequence[Concept] = ()

    def win_level(self, board: int, most: int | None = None) -> int | None:
        """The first level, up to `most`, at which the side to move wins; None if at none."""
        for level, concept in enumerate(self.wins[:most], 1):
            if self.reasoner.can(concept, board):
                return level
        return None

    def can_draw(self, board: int, level: int) -> bool:
        """Whether the draw rule of just this level gives a move."""
        return level <= len(self.draws) and self.reasoner.can(self.draws[level - 1], board)

    def proved_level(self, board: int) -> int | None:
        """How far the end is, in the mover's moves, if a move to this board wins for certain.

        It wins at once, or every reply lets one of the known levels win.
        """
        world = self.reasoner.world
        if world.won(board):
            return 1
        levels = [self.win_level(reply) for reply in world.moves(board)]
        known = [level for level in levels if level is not None]
        return max(known) + 1 if levels and len(known) == len(levels) else None


def add_published(
    examples: Examples, known: Known, boards: list[int], score: int, takes: tuple[bool, bool]
) -> None:
    """Label a game that the learner began against an opponent that never errs.

    If it was won every move of the learner wins, and if it was drawn from a board that nothing
    known wins every move of both sides draws: a mistake could not have been made good. Whether
    wins and whether draws are wanted is in `takes`. A loss tells nothing.
    """
    deepest = depth(len(boards))
    is_win_known = known.win_level(boards[0], deepest) is not None
    if score > 0 and takes[0] and not is_win_known:
        for level, edge in list(moves_with_depth(boards))[::2]:
            examples.add("win", level, edge)
    if score == 0 and takes[1] and not is_win_known and not known.can_draw(boards[0], deepest):
        for level, edge in moves_with_depth(boards):
            examples.add("draw", level, edge)


def drop_won_draws(examples: Examples, known: Known) -> None:
    """Draws from boards that can be won by now were mistakes, and are no examples any more."""
    examples.keep("draw", lambda level, edge: known.win_level(edge[0], level) is None)


def add_proved(examples: Examples, known: Known, boards: list[int], score: int) -> None:
    """Label a game of any two players by what can be proved from known rules.

    Either side's moves are examples of winning where they provably win, however the game ended.
    All moves of a side that did not lose hold at least the draw, unless it is known how the
    opponent could have won. `score` is that of the side that began.
    """
    for number, (level, edge) in enumerate(moves_with_depth(boards)):
        proved = known.proved_level(edge[1])
        if proved is not None:
            examples.add("win", proved, edge)
            continue
        has_lost = score != 0 and (score > 0) != (number % 2 == 0)
        if not has_lost and known.win_level(edge[1]) is None:
            examples.add("draw", level, edge)


def drop_refuted_draws(examples: Examples, known: Known) -> None:
    """Moves after which the opponent can win, as is known by now, are no examples of drawing."""
    examples.keep("draw", lambda level, edge: known.win_level(edge[1]) is None)
