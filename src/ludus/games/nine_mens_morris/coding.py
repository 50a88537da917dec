"""Actions and observations of the Morris family.

An action is a pair of points, from and to, with 24 for the hand and for what lies beside the board:

| action | from | to |
|---|---|---|
| place a man | 24 | point |
| move a man | point | point |
| take a man of the other side | point | 24 |
| pass | 24 | 24 |

Its number is 25 * from + to. A move that closes a mill is two actions: the second one takes.
native/core/morris/environment.hpp is the equivalent in C++.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ludus.core.game import Game
from ludus.games.coding import Actions, Coding, Observation
from ludus.games.nine_mens_morris.board import NUM_POINTS, POINTS, Move
from ludus.games.nine_mens_morris.position import MorrisPosition

if TYPE_CHECKING:
    from ludus._native import environments

BASE: Final = NUM_POINTS + 1
BESIDE: Final = NUM_POINTS
"""The number of the hand, and of where men go that are taken."""

NUM_ACTIONS: Final = BASE * BASE

OBSERVATION_SIZE: Final = 2 * NUM_POINTS + 5

_SHIFTS: Final = np.arange(NUM_POINTS)


class MorrisCoding(Coding[MorrisPosition, Move]):
    """The coding of the Morris family, the same for all rules.

    An observation has these columns:

    | columns | meaning |
    |---|---|
    | 24 + 24 | men of the observing side, then of the other side, by point |
    | 2 | men in hand of the observing side and of the other, of `Rules.men` |
    | 1 | 1 while the mover is to take a man |
    | 1 | earlier occurrences of the position, of those that are not yet a draw |
    | 1 | plies without placing or taking, of `Rules.quiet_plies` |
    """

    num_actions = NUM_ACTIONS
    observation_size = OBSERVATION_SIZE

    def __init__(self, game: Game[MorrisPosition, Move]) -> None:
        super().__init__(game)
        self.rules = game.rules

    def make_native_vector(
        self, num_envs: int, threads: int, autoreset: str, max_moves: int
    ) -> "environments.MorrisVector":
        from ludus._native.environments import MorrisVector

        return MorrisVector(self.game.start(), num_envs, threads, autoreset, max_moves)

    def swap_sides(self, observations: Observation) -> Observation:
        own, other = range(NUM_POINTS), range(NUM_POINTS, 2 * NUM_POINTS)
        first, *rest = range(2 * NUM_POINTS + 1, OBSERVATION_SIZE)
        return observations[..., [*other, *own, first, first - 1, *rest]]

    def encode_move(self, position: MorrisPosition, move: Move) -> Actions:
        frm, to = (BESIDE if point is None else point for point in (move.frm, move.to))
        first = BASE * frm + to
        return (first,) if move.take is None else (first, BASE * move.take + BESIDE)

    def describe_action(self, action: int) -> str:
        frm, to = divmod(action, BASE)
        if frm == to == BESIDE:
            return "pass"
        if frm == BESIDE:
            return POINTS[to]
        return f"x{POINTS[frm]}" if to == BESIDE else f"{POINTS[frm]}-{POINTS[to]}"

    def observe(
        self, position: MorrisPosition, side: int, actions: Sequence[int] = ()
    ) -> Observation:
        men, hands, rules = list(position.bits), list(position.hands), self.rules
        for action in actions:
            frm, to = divmod(action, BASE)
            if frm == BESIDE:
                hands[position.mover] -= 1
            else:
                men[position.mover] &= ~(1 << frm)
            men[position.mover] |= 1 << to
        columns = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
        columns[:NUM_POINTS] = men[side] >> _SHIFTS & 1
        columns[NUM_POINTS : 2 * NUM_POINTS] = men[1 - side] >> _SHIFTS & 1
        columns[2 * NUM_POINTS :] = (
            hands[side] / rules.men,
            hands[1 - side] / rules.men,
            bool(actions),
            (position.occurrence - 1) / max(rules.repetition - 1, 1),
            position.quiet / max(rules.quiet_plies, 1),
        )
        return columns

    def place_columns(self) -> NDArray[np.intp]:
        """Return two planes of seven by seven, own men and those of the other side.

        Between the points there is nothing.
        """
        planes = np.full((2, 7, 7), -1, dtype=np.intp)
        for number, name in enumerate(POINTS):
            row, column = 7 - int(name[1]), ord(name[0]) - ord("a")
            planes[:, row, column] = number, NUM_POINTS + number
        return planes
