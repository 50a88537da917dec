"""Names of the environments in Gymnasium's registry."""

import gymnasium

from ludus.games import GAMES


def register_envs() -> None:
    """Register `ludus/NineMensMorris-v0` and an environment for each other game with Gymnasium.

    Gymnasium has had no entry points of packages since version 1.0: a package that has environments
    is imported, `gymnasium.register_envs(ludus.envs)`, or `gymnasium.make("ludus.envs:ludus/…")`.
    """
    for name in GAMES:
        title = "".join(word.capitalize() for word in name.split("_"))
        if (env_id := f"ludus/{title}-v0") not in gymnasium.registry:
            gymnasium.register(env_id, "ludus.envs.single_agent:OpponentEnv", kwargs={"game": name})
