"""Deep Q-learning with the parameters of Muggleton and Hocquette (2019).

The network is not told which moves are legal. If it wants an illegal one it is punished and
asked again.
"""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ludus.core.errors import BadSpec, LudusError, quoted
from ludus.core.game import AnyGame
from ludus.learn.deepq.encoding import GAMES, features, outputs
from ludus.learn.deepq.network import shapes
from ludus.learn.deepq.replay import Experience, Replay
from ludus.learn.deepq.state_file import BadWeights, network, read_arrays, write_arrays
from ludus.learn.keeping import KeptLearner
from ludus.learn.lessons import Opponent, Played, play_game

if TYPE_CHECKING:
    from ludus.learn.deepq.trainer import Trainer

REWARDS = (10.0, 100.0, -1.0)
"""For a game that was drawn, won and lost: by its score."""

ILLEGAL = -10.0


@dataclass(frozen=True, slots=True)
class Options:
    """How the network learns, and how often it tries something at random."""

    rate: float = 1e-4
    """Of RMSProp."""

    gamma: float = 0.8
    """What the value of the next position counts."""

    penalty: float = 0.01
    """On the squares of the weights."""

    clip: float = 5.0
    """Longest gradient."""

    follow: float = 0.01
    """How far the target network goes towards the other one in each step."""

    batch: int = 32
    """Experiences that are learned from at a time."""

    room: int = 10_000
    """Experiences that are remembered."""

    every: int = 5
    """Of the moves that do not end a game only so many-th are remembered."""

    first: float = 0.6
    """How often a move is tried at random in the beginning …"""

    last: float = 0.1
    """… and after `steps` of learning."""

    steps: int = 120_000

    def __post_init__(self) -> None:
        for name, least, most in (
            ("rate", 0, 1), ("gamma", 0, 1), ("penalty", 0, 1e3), ("clip", 1e-6, 1e6),
            ("follow", 0, 1), ("batch", 1, 10_000), ("room", 1, 1_000_000), ("every", 1, 1000),
            ("first", 0, 1), ("last", 0.001, 1), ("steps", 1, 10**9),
        ):  # fmt: skip
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadSpec(f"deepq {name}={value} must be from {least} to {most}")


class DeepQ(KeptLearner):
    """Learns after each of its moves from a handful of remembered ones."""

    options: ClassVar[Options] = Options()
    system = "deepq"

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        if game.id not in GAMES:
            raise BadSpec(f"deepq does not learn {game.id}; it learns {', '.join(sorted(GAMES))}")
        self.moves = outputs(game)
        self.replay = Replay(self.settings.room)
        self.num_moves = 0
        self.num_updates = 0

    @cached_property
    def trainer(self) -> "Trainer":
        """The networks, with random weights at first."""
        try:
            from ludus.learn.deepq.trainer import Trainer
        except ImportError:
            raise LudusError("deep Q-learning needs torch: pip install 'ludus[learn]'") from None
        sizes = shapes(len(features(self.game.start())), len(self.moves))
        return Trainer(sizes, self.settings, self.random.getrandbits(31))

    def begin(self, seed: int) -> None:
        super().begin(seed)
        _ = self.trainer  # first weights are drawn from the seed, and before the clock runs

    @property
    def exploration(self) -> float:
        """How often a move is now tried at random."""
        settings = self.settings
        left = max(0.0, 1 - self.num_updates / settings.steps)
        return float(settings.last + left * (settings.first - settings.last))

    def play_and_learn(self, start: Any, opponent: Opponent) -> Played:
        last: tuple[list[float], int] | None = None

        def choose(position: Any) -> Any:
            nonlocal last
            state = features(position)
            if last is not None:
                self._experience(*last, 0.0, state)
            legal = {str(move): move for move in position.legal_moves()}
            while self.moves[action := self._wanted(state)] not in legal:
                self._experience(state, action, ILLEGAL, None)
            last = state, action
            return legal[self.moves[action]]

        played = play_game(start, choose, opponent)
        if last is not None:
            self._experience(*last, REWARDS[played.score], None)
        return played

    def _wanted(self, state: list[float]) -> int:
        if self.random.random() < self.exploration:
            return self.random.randrange(len(self.moves))
        return self.trainer.best(state)

    def _experience(
        self, state: list[float], action: int, reward: float, after: list[float] | None
    ) -> None:
        if after is None or self.num_moves % self.settings.every == 0:
            self.replay.add(Experience(state, action, reward, after))
        self.num_moves += 1
        if len(self.replay) >= self.settings.batch:
            self.trainer.learn(self.replay.sample(self.settings.batch, self.random))
            self.num_updates += 1

    def summary(self) -> str:
        return f"made {self.num_updates} steps of learning"

    def save(self, file: Path, schooling: dict[str, Any]) -> None:
        about = {
            "options": dataclasses.asdict(self.settings),
            "schooling": schooling,
            "num_moves": self.num_moves,
            "num_updates": self.num_updates,
        }
        write_arrays(file, self.game, about, {**self.trainer.arrays(), **self.replay.arrays()})

    def save_weights(self, file: Path) -> None:
        """Keep what playing needs."""
        arrays = self.trainer.arrays()
        names = shapes(len(features(self.game.start())), len(self.moves))
        write_arrays(file, self.game, {}, {name: arrays[name] for name in names})

    def load(self, file: Path) -> dict[str, Any]:
        about, arrays = read_arrays(file, self.game)
        if about.get("options") != dataclasses.asdict(self.settings):
            raise BadWeights(f"{quoted(str(file), 200)} was learned with other options, or is done")
        prefixes = ("", "target_", "squares_")
        self.trainer.restore({prefix: network(arrays, self.game, prefix) for prefix in prefixes})
        try:
            self.replay.restore(arrays)
            self.num_moves, self.num_updates = int(about["num_moves"]), int(about["num_updates"])
            schooling: dict[str, Any] = dict(about["schooling"])
        except (KeyError, TypeError, ValueError, IndexError):
            raise BadWeights(f"{quoted(str(file), 200)} is damaged") from None
        return schooling
