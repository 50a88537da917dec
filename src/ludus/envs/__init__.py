"""Environments for reinforcement learning: PettingZoo, Gymnasium, and many games at once.

Importing this package registers `ludus/NineMensMorris-v0`, `ludus/Backgammon-v0` and so on with
Gymnasium, where that is installed.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, overload

from ludus._lazy import lazy_exports
from ludus.core.extras import require_package

if TYPE_CHECKING:
    from ludus.core.game import AnyGame
    from ludus.core.player import Player
    from ludus.envs.aec import GameEnv
    from ludus.envs.policy_player import PolicyPlayer
    from ludus.envs.single_agent import OpponentEnv
    from ludus.envs.vector import VectorEnv, VectorStep
    from ludus.games.coding import Coding, coding_for

__all__ = [
    "Coding",
    "GameEnv",
    "OpponentEnv",
    "PolicyPlayer",
    "VectorEnv",
    "VectorStep",
    "coding_for",
    "env",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)


@overload
def env(game: "AnyGame | str", opponent: None = None, **options: Any) -> "GameEnv": ...
@overload
def env(game: "AnyGame | str", opponent: "Player | str", **options: Any) -> "OpponentEnv": ...
def env(
    game: "AnyGame | str", opponent: "Player | str | None" = None, **options: Any
) -> "GameEnv | OpponentEnv":
    """Return a game, or the game that a spec names, as an environment.

    Without an opponent it is a PettingZoo AEC environment of two agents; with a player, or its
    spec, a Gymnasium environment of one agent against it. Options of both are `oracle`, `max_moves`
    and `render_mode`; with an opponent also `side` and `limit`.

    >>> two_agents = env("hexapawn")
    >>> two_agents.reset(seed=1)
    >>> two_agents.agent_selection
    'player_0'
    >>> observation, info = env("hexapawn", opponent="random").reset(seed=1)
    >>> int(observation["action_mask"].sum()), info
    (3, {'side': 0})
    """
    require_package("gymnasium", "ludus.env")
    require_package("pettingzoo", "ludus.env")

    if opponent is None:
        from ludus.envs.aec import GameEnv

        return GameEnv(game, **options)
    from ludus.envs.single_agent import OpponentEnv

    return OpponentEnv(game, opponent, **options)


def _register_envs() -> None:
    """Register `ludus/NineMensMorris-v0` and an environment for each other game with Gymnasium.

    Gymnasium has had no entry points of packages since version 1.0: a package that has environments
    is imported, `gymnasium.register_envs(ludus.envs)`, or `gymnasium.make("ludus.envs:ludus/…")`.
    """
    import gymnasium

    from ludus.games import GAMES

    for name in GAMES:
        title = "".join(word.capitalize() for word in name.split("_"))
        if (env_id := f"ludus/{title}-v0") not in gymnasium.registry:
            gymnasium.register(env_id, "ludus.envs.single_agent:OpponentEnv", kwargs={"game": name})


with suppress(ModuleNotFoundError):
    _register_envs()
