"""Configurations of the trainings of backgammon networks."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ludus.core.errors import BadSpec
from ludus.learn.config import Sizes, TorchTrainingConfig, TrainingConfig, runtime_field

GROUP = 4
"""Boards of a group: alternatives of one decision."""

MAX_BOARDS = 1 << 24
MAX_ROUNDS = 10**9


def _check_hidden(hidden: tuple[int, ...]) -> tuple[int, ...]:
    if len(hidden) > 8 or any(not 1 <= units <= 10_000 for units in hidden):
        raise BadSpec("hidden layers must have from 1 to 10000 units, and be at most 8")
    return hidden


class GammonConfig(TrainingConfig):
    """Configuration of the network of 1988; by default row (a) of the paper's Table 1."""

    hidden: Sizes = (24, 24)
    """Sizes of the hidden layers; 0: none."""

    coding: Literal["features", "raw", "tool", "exact", "unary", "unary_features"] = "features"
    """Input encoding: features (459 units), raw (393), tool (410), exact (651), unary or
    unary_features."""

    cycles: int = Field(20, ge=1, le=100_000)
    """Passes over the positions."""

    positions: int = Field(0, ge=0)
    """Use only the first N positions; 0: all."""

    noise: bool = True
    """Add uncommented moves with random scores."""

    error: Literal["score", "comparison"] = "score"
    """Error signal. score: each move by itself; comparison: the preferences among all moves of a
    position."""

    rate: float = Field(0.8, gt=0, le=10)
    """Learning rate of the first cycle; it falls linearly."""

    last_rate: float = Field(0.1, gt=0, le=10)
    """Learning rate of the last cycle."""

    sharpness: float = Field(8.0, gt=0, le=1000)
    """Inverse temperature of the preferences when moves are compared."""

    data: Path | None = None
    """Training positions; by default the shipped ones."""

    test: Path | None = None
    """Test positions; by default the shipped ones."""

    games: int = Field(2000, ge=0, le=10_000_000)
    """Final games against tool."""

    @field_validator("hidden")
    @classmethod
    def _find_layers(cls, hidden: tuple[int, ...]) -> tuple[int, ...]:
        return () if hidden == (0,) else _check_hidden(hidden)

    @model_validator(mode="after")
    def _check_rates(self) -> Self:
        if self.last_rate > self.rate:
            raise BadSpec("the learning rate must not rise: last_rate is at most rate")
        return self


class ChancesConfig(TorchTrainingConfig):
    """What the trainings of the strong networks share; the defaults need a GPU."""

    hidden: Sizes = (768, 64)
    """Sizes of the hidden layers."""

    games: int = Field(16384, ge=1, le=MAX_BOARDS)
    """Games played at once, in each batch."""

    batch: int = Field(16384, ge=GROUP, le=MAX_BOARDS)
    """Boards of a training step."""

    learning_rate: float = Field(1.5e-3, gt=0, lt=1)
    """Highest learning rate; it falls on a cosine."""

    last_learning_rate: float = Field(2e-5, gt=0, lt=1)
    """Lowest learning rate at the end."""

    ema_decay: float = Field(0.999, ge=0, lt=1)
    """Decay of the average of the weights, which plays."""

    equity_weight: float = Field(2.0, ge=0)
    """Weight of the squared error of the equity, beside the cross-entropy of the chances."""

    random_rate: float = Field(0.01, ge=0, le=1)
    """Proportion of random moves."""

    opening_plies: int = Field(8, ge=0, le=1000)
    """Half of the games begin with up to this number of random moves."""

    cluster: str = runtime_field("")
    """Compute on this Ray cluster; auto: the one that this machine belongs to."""

    @field_validator("hidden")
    @classmethod
    def _find_layers(cls, hidden: tuple[int, ...]) -> tuple[int, ...]:
        if not hidden:
            raise BadSpec("a network of chances has at least one hidden layer")
        return _check_hidden(hidden)

    @model_validator(mode="after")
    def _check_rates(self) -> Self:
        if self.last_learning_rate > self.learning_rate:
            raise BadSpec("the learning rate must not rise")
        return self


class SelfplayConfig(ChancesConfig):
    """Configuration of self-play: TD(lambda), then lookahead targets."""

    td_rounds: int = Field(350, ge=0, le=MAX_ROUNDS)
    """Rounds of TD(lambda): moves in every game, then training steps."""

    window: int = Field(10, ge=1, le=1000)
    """Moves in every game in a round of TD(lambda)."""

    reuse: int = Field(4, ge=1)
    """Training steps in which a board of TD(lambda) is used, on average."""

    decay: float = Field(0.7, ge=0, le=1)
    """Lambda at the start of TD(lambda); it falls to 0.3."""

    lookahead_rounds: int = Field(1900, ge=0, le=MAX_ROUNDS)
    """Rounds of lookahead: new targets, then training steps."""

    lookahead_boards: int = Field(8192, ge=1, le=MAX_BOARDS)
    """Boards looked at in a round of lookahead."""

    steps_per_round: int = Field(24, ge=1)
    """Training steps in a round of lookahead."""

    replay: int = Field(1_500_000, ge=1)
    """Boards with targets that are kept."""

    jobs: int = runtime_field(0, ge=0, le=1024)
    """Worker processes for lookahead targets; 0: none, or all of the cluster."""

    def identity(self) -> dict[str, Any]:
        # Workers compute on processors, in pieces of their own: other roundings than here.
        return {**super().identity(), "has_workers": self.has_workers}

    @property
    def has_workers(self) -> bool:
        """Whether lookahead targets are computed elsewhere."""
        return bool(self.jobs or self.cluster)


class ExpertConfig(ChancesConfig):
    """Configuration of training on an expert's labels."""

    data: Path | None = None
    """Folder for labelled positions; is kept."""

    groups: int = Field(3_600_000, ge=1)
    """Decisions to label, with four alternatives each."""

    plies: int = Field(0, ge=0, le=2)
    """Lookahead of the expert."""

    steps: int = Field(36_000, ge=0, le=MAX_ROUNDS)
    """Training steps."""

    comparison_weight: float = Field(4.0, ge=0)
    """Weight of the squared error of differences between alternatives."""
