"""Deep Q-learning with the parameters of Muggleton and Hocquette (2019).

Illegal moves are not masked: an illegal choice gets a negative reward, and the network chooses
again.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ludus.core.extras import require_package
from ludus.core.game import AnyGame, Move, Position
from ludus.learn.checkpoint import TrainingState
from ludus.learn.config import Options
from ludus.learn.dqn.weights import (
    SUPPORTED_GAMES,
    DqnWeights,
    encode_position,
    list_actions,
    list_tensor_shapes,
    load_weights,
    select_weights,
)
from ludus.learn.episodes import (
    Episode,
    EpisodeConfig,
    EpisodeTraining,
    Learner,
    PerfectOpponent,
    play_episode,
)
from ludus.learn.replay_buffer import ReplayBuffer

if TYPE_CHECKING:
    from ludus.learn.dqn.network import QNetworkTrainer


class Transitions(NamedTuple):
    """Moves of the learner and their results, as columns."""

    state: NDArray[np.float32]
    """Encoded positions, shape (transitions, inputs)."""

    action: NDArray[np.int64]
    """Numbers of the actions; this and `reward` have the shape (transitions,)."""

    reward: NDArray[np.float32]

    next_state: NDArray[np.float32]
    """The learner's next positions, shape (transitions, inputs); NaN at the end of the game."""


def make_transition(
    state: list[float], action: int, reward: float, next_state: list[float] | None
) -> Transitions:
    """Return one transition; `next_state` is None at the end of the game."""
    after = [np.nan] * len(state) if next_state is None else next_state
    return Transitions(
        np.array([state], dtype=np.float32),
        np.array([action], dtype=np.int64),
        np.array([reward], dtype=np.float32),
        np.array([after], dtype=np.float32),
    )


def make_replay_buffer(capacity: int, num_inputs: int) -> ReplayBuffer[Transitions]:
    """Return an empty buffer."""
    return ReplayBuffer(
        Transitions(
            np.zeros((capacity, num_inputs), dtype=np.float32),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.float32),
            np.zeros((capacity, num_inputs), dtype=np.float32),
        )
    )


def replay_to_arrays(buffer: ReplayBuffer[Transitions]) -> dict[str, NDArray[Any]]:
    """Return all transitions, oldest first, as arrays for a file."""
    state, action, reward, next_state = buffer.list_oldest_first()
    facts = np.stack([action, reward], axis=1).astype(np.float32)
    return {"replay_states": state, "replay_after": next_state, "replay_facts": facts}


def load_replay(buffer: ReplayBuffer[Transitions], arrays: dict[str, NDArray[Any]]) -> None:
    """Restore the arrays of `replay_to_arrays`; ValueError or KeyError if they are invalid."""
    state, after = arrays["replay_states"], arrays["replay_after"]
    facts = arrays["replay_facts"].reshape(len(state), 2)
    if not np.isfinite(facts).all():
        raise ValueError("an action or a reward is not a number")
    shape = len(state), buffer.columns.state.shape[1]
    action, reward = facts[:, 0].astype(np.int64), facts[:, 1]
    buffer.replace_all(Transitions(state.reshape(shape), action, reward, after.reshape(shape)))


REWARDS_BY_SCORE = (10.0, 100.0, -1.0)
"""Rewards indexed by the score 0, 1 or -1: draw, win and loss."""

ILLEGAL_MOVE_REWARD = -10.0


class DqnParameters(Options):
    """Parameters of training and exploration."""

    rate: float = Field(1e-4, ge=0, le=1)
    """Learning rate of RMSProp."""

    gamma: float = Field(0.8, ge=0, le=1)
    """Discount factor of the next position's value."""

    penalty: float = Field(0.01, ge=0, le=1000)
    """Weight of the L2 penalty."""

    clip: float = Field(5.0, ge=1e-6, le=1e6)
    """Maximum norm of a gradient."""

    follow: float = Field(0.01, ge=0, le=1)
    """Proportion by which the target network moves towards the online network in each step."""

    batch: int = Field(32, ge=1, le=10_000)
    """Transitions in a batch."""

    room: int = Field(10_000, ge=1, le=1_000_000)
    """Capacity of the replay buffer in transitions."""

    every: int = Field(5, ge=1, le=1000)
    """Interval at which moves that do not end a game are stored."""

    first: float = Field(0.6, ge=0, le=1)
    """Initial probability of a random move."""

    last: float = Field(0.1, ge=0.001, le=1)
    """Probability of a random move after `steps` training steps."""

    steps: int = Field(120_000, ge=1, le=10**9)
    """Training steps until then."""


class DqnLearner(Learner):
    """Learner that trains a Q-network on a batch from the replay buffer after each of its moves."""

    Options = DqnParameters
    system = "deepq"
    games: ClassVar[frozenset[str] | None] = SUPPORTED_GAMES

    def __init__(self, game: AnyGame, options: Any = None, spec: str = "") -> None:
        super().__init__(game, options, spec)
        self.actions = list_actions(game)
        num_inputs = len(encode_position(game.start()))
        self.replay = make_replay_buffer(self.options.room, num_inputs)
        self.num_moves = 0
        self.num_updates = 0

    @cached_property
    def trainer(self) -> "QNetworkTrainer":
        """The networks, with random initial weights."""
        require_package("torch", "deep Q-learning")
        from ludus.learn.dqn.network import QNetworkTrainer

        shapes = list_tensor_shapes(self.game)
        return QNetworkTrainer(shapes, self.options, self.random.getrandbits(31))

    def reset_seed(self, seed: int) -> None:
        super().reset_seed(seed)
        _ = self.trainer  # initial weights come from the seed, and before timing starts

    @property
    def exploration(self) -> float:
        """Current probability of a random move."""
        options = self.options
        left = max(0.0, 1 - self.num_updates / options.steps)
        return float(options.last + left * (options.first - options.last))

    def train_episode(self, start: Position, opponent: PerfectOpponent) -> Episode:
        last: tuple[list[float], int] | None = None

        def choose(position: Position) -> Move:
            nonlocal last
            state = encode_position(position)
            if last is not None:
                self._add_transition(*last, 0.0, state)
            legal: dict[str, Move] = {str(move): move for move in position.legal_moves()}
            while self.actions[action := self._select_action(state)] not in legal:
                self._add_transition(state, action, ILLEGAL_MOVE_REWARD, None)
            last = state, action
            return legal[self.actions[action]]

        played = play_episode(start, choose, opponent)
        if last is not None:
            self._add_transition(*last, REWARDS_BY_SCORE[played.score], None)
        return played

    def _select_action(self, state: list[float]) -> int:
        if self.random.random() < self.exploration:
            return self.random.randrange(len(self.actions))
        return self.trainer.select_action(state)

    def _add_transition(
        self, state: list[float], action: int, reward: float, next_state: list[float] | None
    ) -> None:
        if next_state is None or self.num_moves % self.options.every == 0:
            self.replay.add(make_transition(state, action, reward, next_state))
        self.num_moves += 1
        if len(self.replay) >= self.options.batch:
            self.trainer.step(self.replay.sample_distinct(self.options.batch, self.random))
            self.num_updates += 1

    def summary(self) -> str:
        return f"made {self.num_updates} steps of learning"

    def state(self) -> TrainingState:
        facts = {"num_moves": self.num_moves, "num_updates": self.num_updates}
        return TrainingState(facts, {**self.trainer.to_arrays(), **replay_to_arrays(self.replay)})

    def load(self, state: TrainingState) -> None:
        prefixes = ("", "target_", "squares_")
        self.trainer.load_arrays(
            {prefix: select_weights(dict(state.arrays), self.game, prefix) for prefix in prefixes}
        )
        load_replay(self.replay, dict(state.arrays))
        self.num_moves, self.num_updates = state.facts["num_moves"], state.facts["num_updates"]

    def init_from(self, file: Path) -> None:
        weights = load_weights(file, self.game)
        self.trainer.load_arrays({"": weights, "target_": weights})

    def export(self, training_run: Mapping[str, Any]) -> DqnWeights:
        return DqnWeights(self.game, select_weights(self.trainer.to_arrays(), self.game))


class DqnConfig(EpisodeConfig, DqnParameters):
    """Configuration of deep Q-learning."""


class DqnTraining(EpisodeTraining):
    """Train a network of action values by deep Q-learning (needs torch)."""

    Config = DqnConfig
    learner_class = DqnLearner
