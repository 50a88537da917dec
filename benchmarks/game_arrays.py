"""Steps a second of `GameArrays`, beside OpenSpiel's bindings and vectorised path, and pgx.

    python benchmarks/game_arrays.py [--pgx PYTHON] [--seconds 1] [--rounds 5] [--json]

Everybody plays at random, from Python, in this one run. A step is one action with all that a
learner needs: observation, mask of legal actions, rewards, the next game after an end. Contenders
take turns, and the best of their rounds counts, in processor time, so that other programs on the
machine disturb little; all use one core. `--pgx` is a Python that has pgx and jax, which are not
needed by anything else here. A roll of backgammon is up to four steps of ours and of pgx, and up to
two of OpenSpiel's, so finished games are counted, too.
"""

import argparse
import json
import os
import random
import subprocess
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pyspiel
from open_spiel.python import rl_agent, rl_environment, vector_env

from ludus.envs import GameArrays

NUM_ENVS = 1024
NUM_SPIEL_ENVS = 64
"""OpenSpiel's vector is a loop over its environments; more of them are not faster."""

NUM_STEPS = 16
"""Steps of all games between looks at the clock."""

WARM_UP = 320
"""Steps before time is taken: games that begin together also end together at first."""

GAMES = {"nine_mens_morris": "nine_mens_morris", "backgammon": "backgammon"}
"""Our spec of each game, and OpenSpiel's."""


class Work(NamedTuple):
    """What was done: steps, and games that ended."""

    steps: int
    games: int


Contender = Callable[[], Work]
"""Does a little work."""


class Rate(NamedTuple):
    """Steps and finished games for each second of processor time."""

    steps: float
    games: float


def play_ours(spec: str) -> Contender:
    """`GameArrays`, one thread."""
    envs = GameArrays(spec, NUM_ENVS, seed=1, copy=False)

    def work() -> Work:
        games = 0
        for _ in range(NUM_STEPS):
            games += int(envs.step(envs.sample_actions()).terminated.sum())
        return Work(NUM_STEPS * NUM_ENVS, games)

    for _ in range(WARM_UP // NUM_STEPS):
        work()
    return work


def play_spiel_states(name: str, has_arrays: bool) -> Contender:
    """Play by OpenSpiel's states, with or without observations and masks."""
    game, source = pyspiel.load_game(name), random.Random(1)
    state = game.new_initial_state()

    def work() -> Work:
        nonlocal state
        games = steps = 0
        while steps < 200:
            if state.is_terminal():
                state, games = game.new_initial_state(), games + 1
            elif state.is_chance_node():
                rolls, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(source.choices(rolls, weights)[0])
            else:
                if has_arrays:
                    player = state.current_player()
                    state.observation_tensor(player)
                    state.legal_actions_mask(player)
                    state.rewards()
                state.apply_action(source.choice(state.legal_actions()))
                steps += 1
        return Work(steps, games)

    return work


def play_spiel_vector(name: str) -> Contender:
    """Play by OpenSpiel's SyncVectorEnv."""
    source = random.Random(1)
    envs = vector_env.SyncVectorEnv(
        [rl_environment.Environment(name) for _ in range(NUM_SPIEL_ENVS)]
    )
    time_steps = envs.reset()

    def choose(time_step: Any) -> Any:
        seen = time_step.observations
        return rl_agent.StepOutput(source.choice(seen["legal_actions"][seen["current_player"]]), ())

    def work() -> Work:
        nonlocal time_steps
        outputs = [choose(time_step) for time_step in time_steps]
        time_steps, _, done, _ = envs.step(outputs, reset_if_done=True)
        return Work(NUM_SPIEL_ENVS, sum(done))

    for _ in range(WARM_UP):
        work()
    return work


PGX = """
import time, jax, pgx
from pgx.experimental import auto_reset

num_envs, num_steps, warm_up = {num_envs}, {num_steps}, {warm_up}
rounds, seconds = {rounds}, {seconds}
env = pgx.make("backgammon")
step = jax.vmap(auto_reset(env.step, env.init))

@jax.jit
def play(state, key):
    def body(carry, key):
        state, games = carry
        first, second = jax.random.split(key)
        logits = jax.numpy.log(state.legal_action_mask.astype("float32"))
        actions = jax.random.categorical(first, logits)
        state = step(state, actions, jax.random.split(second, num_envs))
        return (state, games + state.terminated.sum()), None
    return jax.lax.scan(body, (state, 0), jax.random.split(key, num_steps))[0]

state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), num_envs))
key = jax.random.PRNGKey(1)
for _ in range(warm_up // num_steps):
    key, now = jax.random.split(key)
    state, _ = play(state, now)
best = all_steps = all_games = 0
for _ in range(rounds):
    steps = 0
    began = used = time.process_time()
    while used - began < seconds:
        key, now = jax.random.split(key)
        state, ended = play(state, now)
        all_games += int(ended)
        steps += num_envs * num_steps
        used = time.process_time()
    all_steps += steps
    best = max(best, steps / (used - began))
print(best, best * all_games / all_steps)
"""
"""pgx compiles all steps of all games into one program; compiling is not timed."""


def measure_pgx(python: str, rounds: int, seconds: float) -> Rate:
    """Measure pgx in a process of its own, on one core."""
    sizes = {"num_envs": NUM_ENVS, "num_steps": NUM_STEPS, "warm_up": WARM_UP}
    code = PGX.format(**sizes, rounds=rounds, seconds=seconds)
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    settings = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    settings.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True, env=settings
    )
    steps, games = map(float, done.stdout.split())
    return Rate(steps, games)


def measure(contenders: dict[str, Contender], rounds: int, seconds: float) -> dict[str, Rate]:
    """Let all take turns; return the best round of each, and games by their mean length."""
    best = dict.fromkeys(contenders, 0.0)
    total = dict.fromkeys(contenders, Work(0, 0))
    for _ in range(rounds):
        for name, work in contenders.items():
            steps = games = 0
            began = used = time.process_time()
            while used - began < seconds:
                done = work()
                steps, games = steps + done.steps, games + done.games
                used = time.process_time()
            best[name] = max(best[name], steps / (used - began))
            total[name] = Work(total[name].steps + steps, total[name].games + games)
    return {
        name: Rate(rate, rate * total[name].games / total[name].steps)
        for name, rate in best.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the speed of vectorised environments.")
    parser.add_argument("--pgx", help="a Python with pgx and jax")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, dict[str, Rate]] = {}
    for ours, theirs in GAMES.items():
        contenders = {
            "ludus GameArrays": play_ours(ours),
            "OpenSpiel states with arrays": play_spiel_states(theirs, has_arrays=True),
            "OpenSpiel states, legal actions alone": play_spiel_states(theirs, has_arrays=False),
            "OpenSpiel SyncVectorEnv": play_spiel_vector(theirs),
        }
        found[ours] = measure(contenders, options.rounds, options.seconds)
    if options.pgx:
        found["backgammon"]["pgx"] = measure_pgx(options.pgx, options.rounds, options.seconds)
    if options.json:
        print(
            json.dumps(
                {game: {k: v._asdict() for k, v in rates.items()} for game, rates in found.items()}
            )
        )
        return
    for game, rates in found.items():
        print(f"\n{game:<38} {'steps/s':>12} {'ours':>8} {'games/s':>10} {'ours':>8}")
        best = rates["ludus GameArrays"]
        for name, rate in rates.items():
            print(
                f"{name:<38} {rate.steps:>12,.0f} {best.steps / rate.steps:>7.1f}×"
                f" {rate.games:>10,.1f} {best.games / rate.games:>7.1f}×"
            )


if __name__ == "__main__":
    main()
