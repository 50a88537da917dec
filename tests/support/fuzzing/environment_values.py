"""Compiled environments called with hostile arrays and settings; what is accepted is played."""

import random
from typing import Any

import numpy as np

import ludus
from ludus._native import environments
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values

MEN = {24: 2, 13: 5, 8: 3, 6: 5}


def environment_values(source: random.Random, calls: int) -> dict[str, int]:
    """Games at once with starts, arrays and actions of which some cannot be."""
    values, caller = Values(source), Caller()
    starts = [ludus.game("nine_mens_morris", rules).start() for rules in ("", "lasker", "men=3")]
    men = tuple(MEN.get(place, 0) for place in range(26))
    for _ in range(calls):
        is_morris = source.random() < 0.5
        kind: Any = environments.MorrisVector if is_morris else environments.BackgammonVector
        num_actions, size = (625, 53) if is_morris else (151, 212)
        start: Any = source.choice(starts) if is_morris else (men, "any")
        if source.random() < 0.1:
            start = source.choice((*ODD_VALUES, (men, "x"), (values.several(26, 0, 3), "first")))
        num_envs, threads = source.randint(1, 3), source.choice((1, 1, 1, 2))
        autoreset = source.choice(("same_step", "next_step", "next_step", "never"))
        settings = (num_envs, values.number(threads, threads), autoreset, values.number(1, 50))
        envs = caller.call("Vector", kind, start, *settings)
        if envs is None:
            continue
        arrays = _make_arrays(source, num_envs, num_actions, size)
        caller.call("use_arrays", envs.use_arrays, *arrays)
        caller.call("reset", envs.reset, values.number(0, 2**64 - 1))
        for _ in range(20):
            actions = np.zeros(num_envs + (source.random() < 0.02), np.int64)
            caller.call("sample", envs.sample, actions)
            if source.random() < 0.1:
                actions[0] = source.choice((-1, 0, num_actions - 1, num_actions, 2**62))
            caller.call("step", envs.step, actions)
    return caller.results


def _make_arrays(source: random.Random, num_envs: int, num_actions: int, size: int) -> list[Any]:
    arrays: list[Any] = [
        np.empty((num_envs, size), np.float32),
        np.empty((num_envs, num_actions), np.int8),
        np.empty((num_envs, 2), np.float32),
        np.empty(num_envs, np.bool_),
        np.empty(num_envs, np.bool_),
        np.empty(num_envs, np.int8),
        np.empty((num_envs, size), np.float32),
    ]
    if source.random() < 0.2:
        wrong = (np.empty(0, np.float32), np.empty((num_envs, size)), np.empty((9, 9), np.int8))
        arrays[source.randrange(len(arrays))] = source.choice((*ODD_VALUES, *wrong))
    return arrays
