"""Configuration of the scholar's training, and the presets of its networks by size."""

import tomllib
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ludus.core.errors import BadSpec
from ludus.learn.config import TorchTrainingConfig, runtime_field
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.scholar.inference import Kind
from ludus.learn.scholar.sampling import ParallelGamesOptions

Size = Literal["full", "medium", "deep", "small", "compact", "tiny"]

OptimizerName = Literal["adam", "muon"]
"""Adam for all weights, or Muon for those of the group convolutions; see `equivariant.muon`."""


class ScholarConfig(TorchTrainingConfig):
    """What is trained, on what, how long, and how it is measured."""

    seed: int = Field(1, ge=0, le=2**63 - 1)
    """The same seed gives the same training."""

    kind: Kind = "scorer"
    """scorer: rate positions; chain: choose the parts of a move."""

    size: Size = "full"
    """Size of the networks; full needs a GPU."""

    minutes: float = Field(15.0, ge=0.01)
    """Training time."""

    steps: int = Field(0, ge=0)
    """Train for this number of steps instead; such a training is the same each time."""

    rate: float = Field(0.002, ge=0, le=100)
    """Peak learning rate."""

    optimizer: OptimizerName = "adam"
    """adam, or muon for the group convolutions."""

    weight_decay: float = Field(0.0, ge=0, le=100)
    """Of the weights that muon trains: the proportion lost in a step, in learning rates."""

    teacher: Path | None = None
    """Learn the moves of this dataset instead of exact values."""

    distil: Path | None = None
    """Learn from this larger scorer, too."""

    mistakes: Path | None = None
    """Positions to train on more often: exceptions of an earlier scorer."""

    evaluation_set: tuple[Path, ...] = runtime_field(())
    """Dataset to evaluate on; repeatable."""

    games: int = runtime_field(0, ge=0)
    """Games against perfect play at the end, for each colour."""

    oracle: Path | None = runtime_field(None)
    """Folder of the solved game; by default as other commands find it. A GPU solves the game."""

    integers: bool = False
    """Train a scorer of whole numbers, which plays the same on every machine; begin with
    trained networks."""

    ahead: bool = False
    """Generate examples on a thread while networks train, for a GPU; resumes with new ones."""

    compact: bool = False
    """Keep the averaged weights alone in checkpoints, in half precision; resumes with new examples
    and a new warm-up."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.weight_decay and self.optimizer != "muon":
            raise BadSpec("weight_decay is for optimizer=muon")
        if self.kind == "chain" and self.size not in _PRESETS["chain"]:
            raise BadSpec(f"there is no {self.size} chain; {self.size} is a size of scorers")
        if self.kind == "chain" and self.integers:
            raise BadSpec("only a scorer can be of whole numbers")
        if self.kind == "chain" and (self.teacher or self.distil):
            raise BadSpec("only a scorer can learn from a teacher's moves or from another scorer")
        if self.teacher and (self.distil or self.mistakes):
            raise BadSpec("a teacher's moves are all that is learned, without distil and mistakes")
        return self

    def networks(self) -> "ScorerConfig | ChainConfig":
        """Return the parameters of the networks and of their data."""
        return load_preset(
            self.kind,
            self.size,
            seed=self.seed,
            optimizer=self.optimizer,
            weight_decay=self.weight_decay,
            integers=self.integers,
        )


@dataclass(frozen=True)
class SelfPlayConfig:
    """Parallel games in which the networks may play."""

    games: int
    """Number of games; each advances by one ply per round."""

    play: ParallelGamesOptions

    own: float = 0.0
    """Probability that other plies are the networks' move instead of a random value-keeping one; 0
    saves the inference."""

    plays_errors: bool = False
    """Whether the networks' move is played even if it gives the value away."""


@dataclass(frozen=True)
class DataMixture:
    """Sources of the positions of a round."""

    random_positions: int = 1 << 15
    """Positions sampled at random."""

    oracle_games: SelfPlayConfig = SelfPlayConfig(1 << 15, ParallelGamesOptions(0.15, 50, 0.6, 0.0))
    """Games without the networks; many, so that positions rarely repeat."""

    noisy_games: SelfPlayConfig = SelfPlayConfig(
        1 << 12, ParallelGamesOptions(0.2, 60, 0.4, 0.3), own=0.7, plays_errors=True
    )
    """Games with many errors, so that the networks are trained on unusual positions, too."""

    perfect_games: SelfPlayConfig = SelfPlayConfig(
        1 << 13, ParallelGamesOptions(0.01, 40, 0.7, 0.3), own=1.0
    )
    """Games against perfect play until the first error."""

    moves: int = 2
    """Number of value-keeping moves, and of other moves, sampled from a critical position."""

    uncritical: float = 0.1
    """Proportion of examples among positions in which every move keeps the value."""

    capture_factor: float = 0.6
    """While placing: factor on the sampling weight for each captured man."""

    @property
    def all_games(self) -> tuple[SelfPlayConfig, ...]:
        return self.oracle_games, self.noisy_games, self.perfect_games


@dataclass(frozen=True, kw_only=True)
class TrainerConfig:
    """Parameters shared by scorer and chain."""

    buffer_size: int = 1 << 20
    """Capacity of the replay buffer per expert."""

    averaging: float = 0.999
    """Decay of the averaged weights."""

    integers: bool = False
    """Whether networks are rounded to whole numbers in training."""

    optimizer: OptimizerName = "adam"
    weight_decay: float = 0.0
    """Of the weights that Muon trains, in learning rates: without it they grow with every step."""

    rounds_ahead: int = 20
    """Rounds of examples generated before the first step."""

    steps_a_round: int = 4

    rounds_an_own: int = 2
    """Interval, in rounds, at which the networks themselves play: their inference takes time."""

    mixture: DataMixture = field(default_factory=DataMixture)
    seed: int = 1


@dataclass(frozen=True)
class BankConfig:
    """Experts of one size, trained together."""

    upto: int
    """Number after the bank's last expert; its first expert follows the bank before."""

    channels: int
    batch: int
    """Examples per expert and step."""

    blocks: int = 2
    repeats: int = 1
    """Number of passes through the blocks."""


@dataclass(frozen=True, kw_only=True)
class ScorerConfig(TrainerConfig):
    """Parameters of a scorer."""

    banks: tuple[BankConfig, ...]
    """Banks that cover all experts in order."""

    loss_aversion: float = 40.0
    """Loss aversion in its own games; lower than in play: uncertain positions are instructive."""

    def experts(self) -> list[range]:
        """Return the experts of each bank."""
        ends = [bank.upto for bank in self.banks]
        if ends != sorted(set(ends)) or ends[-1] != NUM_EXPERTS:
            raise BadSpec(f"banks of experts must end at {NUM_EXPERTS}, not at {ends}")
        return [range(*pair) for pair in pairwise([0, *ends])]


@dataclass(frozen=True, kw_only=True)
class ChainConfig(TrainerConfig):
    """Parameters of a chain."""

    channels: tuple[int, int, int] = (72, 40, 32)
    """Channels of the networks for TO, FROM and REMOVE."""

    blocks: tuple[int, int, int] = (2, 2, 2)
    batch: int = 2048


_PRESETS = tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))


def load_preset(kind: Kind, size: str, **changes: Any) -> ScorerConfig | ChainConfig:
    """Return a preset of presets.toml with changes."""
    fields = {**_PRESETS[kind][size], **changes}
    mixture = DataMixture()
    fields["mixture"] = replace(
        mixture,
        **{
            name: replace(getattr(mixture, name), **value) if isinstance(value, dict) else value
            for name, value in _PRESETS["mixture"][fields["mixture"]].items()
        },
    )
    if kind == "scorer":
        fields["banks"] = tuple(BankConfig(**bank) for bank in fields["banks"])
        return ScorerConfig(**fields)
    # Lists of numbers by part: channels and blocks.
    tuples = {name: tuple(each) for name, each in fields.items() if isinstance(each, list)}
    return ChainConfig(**{**fields, **tuples})
