"""Environments by the spec of a game, and their registration with Gymnasium."""

from typing import TYPE_CHECKING, Any, overload

from ludus.core.extras import require_package
from ludus.games import GAMES

if TYPE_CHECKING:
    from ludus.core.game import AnyGame
    from ludus.core.player import Player
    from ludus.envs.environments import GameEnv, OpponentEnv


@overload
def env(game: "AnyGame | str", opponent: None = None, **options: Any) -> "GameEnv": ...
@overload
def env(game: "AnyGame | str", opponent: "Player | str", **options: Any) -> "OpponentEnv": ...
def env(
    game: "AnyGame | str", opponent: "Player | str | None" = None, **options: Any
) -> "GameEnv | OpponentEnv":
    """Return a game, or the game that a spec names, as an environment.

    Without an opponent it is a PettingZoo AEC environment of two agents; with a player, or its
    spec, a Gymnasium environment of one agent against it. Options of both are `oracle`,
    `max_moves`, `observation` and `render_mode`; with an opponent also `side`, `limit` and `mask`.

    >>> two_agents = env("hexapawn")
    >>> two_agents.reset(seed=1)
    >>> two_agents.agent_selection
    'player_0'
    >>> observation, info = env("hexapawn", opponent="random").reset(seed=1)
    >>> observation.shape, int(info["action_mask"].sum()), info["side"]
    ((10,), 3, 0)
    """
    require_package("gymnasium", "ludus.env")
    require_package("pettingzoo", "ludus.env")

    if opponent is None:
        from ludus.envs.environments import GameEnv

        return GameEnv(game, **options)
    from ludus.envs.environments import OpponentEnv

    return OpponentEnv(game, opponent, **options)


def register_envs() -> None:
    """Register `ludus/NineMensMorris-v1` and so on with Gymnasium, where that is installed.

    Gymnasium has had no entry points of packages since version 1.0: a package that has environments
    is imported, `gymnasium.register_envs(ludus.envs)`, or `gymnasium.make("ludus.envs:ludus/…")`.
    """
    try:
        import gymnasium
    except ModuleNotFoundError:
        return
    for name in GAMES:
        title = "".join(word.capitalize() for word in name.split("_"))
        if (env_id := f"ludus/{title}-v1") not in gymnasium.registry:
            gymnasium.register(
                env_id,
                "ludus.envs.environments:OpponentEnv",
                kwargs={"game": name},
                vector_entry_point="ludus.envs.vector:VectorEnv",
            )
            gymnasium.register(
                f"ludus/{title}Text-v1", "ludus.envs.text:TextEnv", kwargs={"game": name}
            )
