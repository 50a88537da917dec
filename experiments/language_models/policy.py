"""A small policy that learns from the text environment by REINFORCE, and what it has learned by it.

    python -m experiments.language_models.policy [--games 20000] [--seed 0] [--out FILE] [--json]

It reads what a language model reads, knows nothing of the game, and holds a softmax over the legal
moves for every text that it has met. The reward of each move is minus its exact regret, which needs
no discount: a move that gives nothing away is as good as any. At the end it plays without learning
in all three variants, and so does a policy that has learned nothing.
"""

import argparse
import json
import math
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from ludus.envs import TextEnv

GAME = "noughts_and_crosses"
RESULTS = Path(__file__).parent / "results" / "policy.json"
LEARNING_RATE = 2.0
BASELINE_RATE = 0.1
NUM_BLOCKS = 10
TEST_GAMES = 400
FIRST_TEST_SEED = 10**6


class TextPolicy:
    """A softmax over the legal moves for every text, with a running mean of its rewards."""

    def __init__(self, seed: int) -> None:
        self._logits: dict[str, dict[str, float]] = {}
        self._baselines: defaultdict[str, float] = defaultdict(float)
        self._random = random.Random(seed)

    def choose(self, text: str, moves: list[str]) -> tuple[str, dict[str, float]]:
        """Return a move drawn at random, and the probability of each."""
        logits = self._logits.get(text, {})
        weights = [math.exp(logits.get(move, 0.0)) for move in moves]
        total = sum(weights)
        chances = {move: weight / total for move, weight in zip(moves, weights, strict=True)}
        return self._random.choices(moves, weights)[0], chances

    def learn(self, text: str, move: str, chances: dict[str, float], reward: float) -> None:
        """Make a move likelier if its reward is above the mean of this text, else less likely."""
        advantage = reward - self._baselines[text]
        self._baselines[text] += BASELINE_RATE * advantage
        logits = self._logits.setdefault(text, dict.fromkeys(chances, 0.0))
        for each, chance in chances.items():
            logits[each] += LEARNING_RATE * advantage * ((each == move) - chance)


def read_board(text: str) -> str:
    """Return what a text says of the position: what stands after its last whole sentence."""
    board, _, _ = text.rpartition("\n\nLegal moves: ")
    return board.rpartition(".\n")[2].strip("\n")


def play(
    env: TextEnv, policy: TextPolicy, seed: int, variant: str = "plain", learns: bool = False
) -> list[float]:
    """Play a game; return the regret of each move."""
    text, info = env.reset(seed=seed, options={"variant": variant, "side": seed % 2})
    losses, is_over = [], False
    while not is_over:
        board = read_board(text)
        move, chances = policy.choose(board, info["legal_moves"])
        text, reward, has_ended, is_truncated, info = env.step(f"<move>{move}</move>")
        losses.append(-reward)
        is_over = has_ended or is_truncated
        if learns:
            policy.learn(board, move, chances, reward)
    return losses


def measure(env: TextEnv, policy: TextPolicy, variant: str, games: int = TEST_GAMES) -> float:
    """Return the mean regret of a move in games that the policy has not learned from."""
    losses = [
        loss
        for seed in range(FIRST_TEST_SEED, FIRST_TEST_SEED + games)
        for loss in play(env, policy, seed, variant)
    ]
    return sum(losses) / len(losses)


def train(game: str, games: int, seed: int) -> tuple[TextPolicy, list[float]]:
    """Train a policy; return it, and the mean regret of its moves in each tenth of the games."""
    env, policy, curve = TextEnv(game, opponent="random"), TextPolicy(seed), []
    size = games // NUM_BLOCKS
    for block in range(NUM_BLOCKS):
        seeds = range(seed + block * size, seed + (block + 1) * size)
        losses = [loss for each in seeds for loss in play(env, policy, each, learns=True)]
        curve.append(sum(losses) / len(losses))
    return policy, curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    began = time.process_time()
    policy, curve = train(GAME, options.games, options.seed)
    env, untrained = TextEnv(GAME, opponent="random"), TextPolicy(options.seed)
    found: dict[str, Any] = {
        "game": GAME,
        "games": options.games,
        "seed": options.seed,
        "curve": [round(each, 6) for each in curve],
        "trained": {},
        "untrained": {},
    }
    for variant in ("plain", "turned", "renamed"):
        found["trained"][variant] = round(measure(env, policy, variant), 6)
        found["untrained"][variant] = round(measure(env, untrained, variant), 6)
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.json:
        print(json.dumps(found))
        return
    print("mean regret of a move, by tenths of the training:")
    print("  " + "  ".join(f"{each:.3f}" for each in curve))
    print("afterwards     trained  untrained")
    for variant in found["trained"]:
        print(
            f"  {variant:10}   {found['trained'][variant]:.3f}  {found['untrained'][variant]:.3f}"
        )
    print(f"{time.process_time() - began:.0f} s of processor time; written to {options.out}")


if __name__ == "__main__":
    main()
