"""Steps a second of `VectorEnv` against a random player, beside Gymnasium's `SyncVectorEnv`.

    python benchmarks/vector_env.py [--num-envs 64] [--seconds 1] [--rounds 3] [--json]

The agent plays at random, too. Both take turns in this one run, and the best of their rounds
counts, in processor time.
"""

import argparse
import json
import time

import numpy as np
from gymnasium.vector import SyncVectorEnv
from gymnasium.vector import VectorEnv as GymnasiumVector

import ludus
from ludus.envs import VectorEnv

GAMES = ("nine_mens_morris", "backgammon", "hexapawn")


def measure(envs: GymnasiumVector, seconds: float) -> float:
    """Return the steps of one game for each second of processor time."""
    _, infos = envs.reset(seed=1)
    steps, began = 0, time.process_time()
    while (used := time.process_time() - began) < seconds:
        keys = np.random.random(infos["action_mask"].shape) * infos["action_mask"]
        *_, infos = envs.step(keys.argmax(axis=1))
        steps += envs.num_envs
    return steps / used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    for game in GAMES:

        def make(game: str = game) -> ludus.envs.OpponentEnv:
            return ludus.env(game, opponent="random", oracle=None)

        contenders: dict[str, GymnasiumVector] = {
            "VectorEnv": VectorEnv(game, options.num_envs),
            "SyncVectorEnv": SyncVectorEnv([make] * options.num_envs),
        }
        best = dict.fromkeys(contenders, 0.0)
        for _ in range(options.rounds):
            for name, envs in contenders.items():
                best[name] = max(best[name], measure(envs, options.seconds))
        found[game] = best
    if options.json:
        print(json.dumps(found))
        return
    for game, best in found.items():
        ours, theirs = best.values()
        print(f"{game:<18} {ours:>10,.0f} {theirs:>10,.0f} {ours / theirs:>6.1f}x")


if __name__ == "__main__":
    main()
