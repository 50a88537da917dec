"""A trained policy as a player, so that matches, tournaments and regret can judge it."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadMove
from ludus.core.game import AnyGame
from ludus.core.player import Choice, Limit, Player
from ludus.envs.episode import ObservationKind
from ludus.games.coding import Actions, coding_for

Policy = Callable[[Mapping[str, NDArray[Any]]], Any]
"""Returns a legal action for `observation` and `action_mask`, as environments give them."""


class PolicyPlayer(Player):
    """Chooses the actions of a move one after the other by a policy.

    >>> from ludus.games import game
    >>> first_action = PolicyPlayer(game("hexapawn"), lambda seen: seen["action_mask"].argmax())
    >>> str(first_action.choose(first_action.game.start()).move)
    'a1-a2'
    """

    title: ClassVar[str] = "a trained policy"

    def __init__(
        self,
        game: AnyGame,
        policy: Policy,
        spec: str = "policy",
        observation: ObservationKind = "columns",
    ) -> None:
        super().__init__(game, spec=spec)
        self.policy = policy
        self._has_planes = observation == "planes"
        self._coding = coding_for(game)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        moves = self._coding.decode_actions(position)
        actions: Actions = ()
        while actions not in moves:
            given = len(actions)
            mask = np.zeros(self._coding.num_actions, dtype=np.int8)
            mask[[each[given] for each in moves if each[:given] == actions]] = 1
            seen = self._coding.observe(position, position.mover, actions)
            if self._has_planes:
                seen = self._coding.to_planes(seen)
            action = int(self.policy({"observation": seen, "action_mask": mask}))
            if not (0 <= action < len(mask) and mask[action]):
                raise BadMove(f"{self.spec} chose action {action}, which is not legal here")
            actions = (*actions, action)
        return Choice(moves[actions])
