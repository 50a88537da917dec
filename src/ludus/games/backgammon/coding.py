"""Actions and observations of backgammon.

An action moves one man by one die: 6 * (place - 1) + die - 1, on places as the mover counts them,
25 for the bar. Action 150 is a pass; those after it are decisions about cube and resignation, under
rules that have them. A roll takes one action for each die played, the rearmost man first, as in
`Move.steps`, so that each board that the roll can lead to is reached in one way alone.
native/core/backgammon/environment.hpp is the equivalent in C++.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ludus.core.game import Game
from ludus.core.splitmix import SplitMix64
from ludus.games.backgammon.board import (
    BAR,
    OFF,
    Move,
    OpeningRoll,
    Roll,
    View,
    format_place,
    make_view,
)
from ludus.games.backgammon.position import Action, Position
from ludus.games.backgammon.reference import move_man
from ludus.games.backgammon.stakes import (
    ACCEPT,
    BEAVER,
    DOUBLE,
    DROP,
    OFFERS,
    RACCOON,
    REJECT,
    RESIGN,
    ROLL,
    TAKE,
    CubeAction,
)
from ludus.games.coding import Actions, Coding, Observation

if TYPE_CHECKING:
    from ludus._native import environments

NUM_FACES: Final = 6
PASS: Final = BAR * NUM_FACES
"""The action of a side that cannot move."""

CUBE_ACTIONS: Final[tuple[CubeAction, ...]] = (
    *(ROLL, DOUBLE, TAKE, DROP),
    *RESIGN,
    *(ACCEPT, REJECT),
)
"""Decisions about the stakes; their actions follow PASS."""

MEN_UNITS: Final = 4 * BAR + 3
"""Columns of one side's men."""

BEAVER_ACTIONS: Final = (BEAVER, RACCOON)
BEAVER_PHASES: Final = ("beavered", "raccooned")
"""What the rule of beavers adds to the actions and to the phases, at the end."""

STAKES_PHASES: Final = ("play", "cube", "doubled", *OFFERS)
"""Phases of the stakes in which someone decides, or dice are rolled."""

MAX_CUBE_TURNS: Final = 12


def encode_men(men: Sequence[int]) -> list[float]:
    """Encode one side's men, by its own places from 0 (off) to 25 (bar), as in Tesauro 1992.

    Four units for each place but 0: n ≥ 1, n ≥ 2, n ≥ 3, (n - 3) / 2. Three units for the men that
    are off: of 5, of the next 5, of the last 5.
    """
    units: list[float] = []
    for count in men[1:]:
        units += [count >= 1, count >= 2, count >= 3, max(count - 3, 0) / 2]
    return units + [min(max(men[OFF] - 5 * unit, 0), 5) / 5 for unit in range(3)]


class BackgammonCoding(Coding[Position, Action]):
    """The coding of backgammon under some rules.

    An observation has these columns:

    | columns | meaning |
    |---|---|
    | 103 + 103 | men of the observing side, then of the other side: `encode_men` |
    | 6 | dice still to be played, by face: 0 to 4 |
    | 6 | under rules with stakes: the phase, one-hot, as in STAKES_PHASES; 8 with beavers |
    | 3 | the cube: its turns, of 12; whether the observing side owns it; whether the other does |
    | 3 | points of the observing side and of the other, of the match; if it is Crawford's game |
    """

    observation_bounds = (0.0, 6.0)

    def __init__(self, game: Game[Position, Action]) -> None:
        super().__init__(game)
        self.rules = game.rules
        has_stakes = self.rules.has_stakes
        self.cube_actions = CUBE_ACTIONS + (BEAVER_ACTIONS if self.rules.beavers else ())
        self.stakes_phases = STAKES_PHASES + (BEAVER_PHASES if self.rules.beavers else ())
        self.num_actions = PASS + 1 + (len(self.cube_actions) if has_stakes else 0)
        num_stakes_columns = len(self.stakes_phases) + 6 if has_stakes else 0
        self.observation_size = 2 * MEN_UNITS + NUM_FACES + num_stakes_columns

    def make_native_vector(
        self, num_envs: int, threads: int, autoreset: str, max_moves: int
    ) -> "environments.BackgammonVector | None":
        """Return many games at once in compiled code, which knows neither cube nor match."""
        if self.rules.has_stakes:
            return None
        from ludus._native.environments import BackgammonVector

        men = make_view(self.game.start().board, 0).own
        start = men, self.rules.opening
        return BackgammonVector(start, num_envs, threads, autoreset, max_moves)

    def swap_sides(self, observations: Observation) -> Observation:
        own, other = range(MEN_UNITS), range(MEN_UNITS, 2 * MEN_UNITS)
        dice = range(2 * MEN_UNITS, self.observation_size)
        return observations[..., [*other, *own, *dice]]

    def encode_move(self, position: Position, move: Action) -> Actions:
        if isinstance(move, CubeAction):
            return (PASS + 1 + self.cube_actions.index(move),)
        assert isinstance(move, Move)
        if not move.steps:
            return (PASS,)
        dice = _find_dice(position, move)
        return tuple(
            NUM_FACES * (step.start - 1) + die - 1
            for step, die in zip(move.steps, dice, strict=True)
        )

    def describe_action(self, action: int) -> str:
        if action == PASS:
            return "pass"
        if action > PASS:
            return str(self.cube_actions[action - PASS - 1])
        place, die = divmod(action, NUM_FACES)
        return f"{format_place(place + 1)} by {die + 1}"

    def observe(self, position: Position, side: int, actions: Sequence[int] = ()) -> Observation:
        view, dice = _play_actions(position, actions)
        own, other = view if side == position.turn else view.flip()
        columns = [*encode_men(own), *encode_men(other[::-1]), *dice]
        if position.stakes is not None:
            columns += self._encode_stakes(position, side)
        return np.array(columns, dtype=np.float32)

    def _encode_stakes(self, position: Position, side: int) -> list[float]:
        stakes = position.stakes
        assert stakes is not None
        length = max(self.rules.match, 1)
        return [
            *(float(stakes.phase == phase) for phase in self.stakes_phases),
            (stakes.value.bit_length() - 1) / MAX_CUBE_TURNS,
            *(float(stakes.owner == each) for each in (side, 1 - side)),
            *(min(stakes.score[each] / length, 1.0) for each in (side, 1 - side)),
            float(stakes.crawford),
        ]

    def place_columns(self) -> NDArray[np.intp]:
        """Return four planes of one by 24 points for each side, as the observing side counts them.

        The men on the bar and off are no places.
        """
        own = np.arange(4 * (BAR - 1)).reshape(BAR - 1, 1, 4)
        other = MEN_UNITS + own[::-1]
        return np.concatenate([own, other], axis=-1).transpose(2, 1, 0)

    def sample_chance(self, position: Position, source: SplitMix64) -> Action:
        """Roll two dice, again if a first roll is a double, as native code does."""
        while True:
            first, second = 1 + source.below(NUM_FACES), 1 + source.below(NUM_FACES)
            if not position.opening or first != second:
                break
        if position.opening == "roll_off":
            return OpeningRoll(first, second)
        return Roll(max(first, second), min(first, second))


def _find_dice(position: Position, move: Move) -> list[int]:
    """Return the die of each step.

    Only where a man is borne off with a larger die than needed do the steps alone not tell it.
    """
    assert position.dice is not None
    high, low = position.dice
    if high == low:
        return [high] * len(move.steps)
    for number, step in enumerate(move.steps):
        if step.end != OFF:
            die = step.start - step.end
            rest = [high + low - die] * (len(move.steps) - 1)
            return [*rest, die] if number else [die, *rest]
    if len(move.steps) == 2:
        return [high, low]  # if both men are borne off, the larger die can be played first
    start = move.steps[0].start
    own = make_view(position.board, position.turn).own
    return [low if any(own[start + 1 :]) and start == low else high]


def _play_actions(position: Position, actions: Sequence[int]) -> tuple[View, list[float]]:
    """Return the board as the side on turn counts it, and the dice that are left, by face."""
    view = make_view(position.board, position.turn)
    left = [0.0] * NUM_FACES
    if position.dice is not None:
        high, low = position.dice
        for die in [high] * 4 if high == low else [high, low]:
            left[die - 1] += 1
    for action in actions:
        place, face = divmod(action, NUM_FACES)
        moved = move_man(view, place + 1, face + 1)
        assert moved is not None
        view, _ = moved
        left[face] -= 1
    return view, left
