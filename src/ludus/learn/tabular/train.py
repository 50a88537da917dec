"""MENACE (Michie 1963), HER (Gardner 1962) and tabular Q-learning as learners.

The beads and rewards of MENACE and HER, and the parameters of Q-learning, are those of Muggleton
and Hocquette 2019.
"""

from abc import abstractmethod
from typing import Any, Literal

from pydantic import Field

from ludus.core.game import AnyGame, Move, Position
from ludus.learn.config import Options, argument_field
from ludus.learn.episodes import (
    MAX_GAMES,
    Episode,
    EpisodeConfig,
    EpisodeTraining,
    PerfectOpponent,
    count_plies_to,
    play_episode,
)
from ludus.learn.tabular.table import Symmetry, TableLearner, TableRow

MAX_BEADS = 1000
"""Upper limit of rewards and of initial beads."""


class BeadOptions(Options):
    """Initial beads, and the rewards of a game."""

    beads: int = Field(4, ge=1, le=MAX_BEADS)
    """Beads for a move at the start of the game; fewer later in the game."""

    win: int = Field(3, ge=-MAX_BEADS, le=MAX_BEADS)
    """Beads added for each move of a game that was won."""

    draw: int = Field(1, ge=-MAX_BEADS, le=MAX_BEADS)
    """Beads added for each move of a drawn game."""

    loss: int = Field(-1, ge=-MAX_BEADS, le=MAX_BEADS)
    """Beads added for each move of a lost game."""

    symmetry: Symmetry = "both"
    """Whether mirror images share a box and beads (both), only moves of one board share beads
    (moves), or nothing is shared (none).
    """

    def reward(self, score: int) -> int:
        """Return the reward for a game with this score."""
        return (self.draw, self.win, self.loss)[score]


class BeadLearner(TableLearner):
    """A matchbox for each position, with beads for its moves, sampled at random.

    After a game each box on its path gains or loses beads of the chosen move. A position with one
    legal move has no box; in an empty box the move is random.
    """

    Options = BeadOptions

    def __init__(self, game: AnyGame, options: Any = None, spec: str = "") -> None:
        super().__init__(game, options, spec)
        self._sampled_beads: list[tuple[TableRow, str]] = []
        self._plies: dict[Position, int] = {}

    @abstractmethod
    def initial_beads(self, ply: int) -> int:
        """Return the initial beads per move of a box that is first opened after `ply` plies."""

    def train_episode(self, start: Position, opponent: PerfectOpponent) -> Episode:
        self._sampled_beads = []
        if start not in self._plies:
            self._plies[start] = count_plies_to(self.game, start)
        ply = self._plies[start]

        def choose(position: Position) -> Move:
            nonlocal ply
            move = self.sample_move(position, ply)
            ply += 2
            return move

        played = play_episode(start, choose, opponent)
        reward = self.options.reward(played.score)
        for box, bead in self._sampled_beads:
            box[bead] = max(0, box[bead] + reward)
        return played

    def sample_move(self, position: Position, ply: int) -> Move:
        """Sample a move from the box of a position."""
        key, names = self.row_index.locate(position)
        if len(names) == 1:
            return next(iter(names))
        if key not in self.table:
            self.table[key] = dict.fromkeys(names.values(), max(1, self.initial_beads(ply)))
        box = self.table[key]
        beads = list(box.values())
        bead = self.random.choices(list(box), beads if any(beads) else None)[0]
        self._sampled_beads.append((box, bead))
        return next(move for move, name in names.items() if name == bead)


class MenaceLearner(BeadLearner):
    """The Matchbox Educable Noughts And Crosses Engine, for noughts and crosses."""

    system = "menace"

    def initial_beads(self, ply: int) -> int:
        own_moves = ply // 2
        return int(self.options.beads) - own_moves


class HerLearner(BeadLearner):
    """The Hexapawn Educable Robot, for hexapawn."""

    system = "her"

    def initial_beads(self, ply: int) -> int:
        return int(2 * self.options.beads - ply) // 2


REWARDS_BY_SCORE = (0.5, 1.0, -1.0)
"""Rewards for a game that was drawn, won and lost, indexed by its score."""


class QLearningOptions(Options):
    """Hyperparameters of Q-learning."""

    alpha: float = Field(0.3, ge=0, le=1)
    """Learning rate."""

    gamma: float = Field(0.9, ge=0, le=1)
    """Discount factor of the next position's value."""

    epsilon: float = Field(0.0, ge=0, le=1)
    """Probability of a random move."""

    initial: float = Field(1.0, ge=-1000, le=1000)
    """Initial value of a move. The value of a win makes the learner try everything."""

    end: float = Field(0.0, ge=-1000, le=1000)
    """Value of a final position, beyond the reward. The implementation that the paper names has 1
    there, the initial value.
    """

    ties: Literal["random", "first", "last"] = "random"
    """Which of the moves with the highest value is played."""

    symmetry: Symmetry = "none"
    """Whether mirror images share values: positions and moves (both), moves (moves), or none."""


class QLearner(TableLearner):
    """Plays a move with the highest value.

    There is no exploration by default besides the optimistic initial values.
    """

    Options = QLearningOptions
    system = "qlearning"

    def train_episode(self, start: Position, opponent: PerfectOpponent) -> Episode:
        last: tuple[TableRow, str] | None = None

        def choose(position: Position) -> Move:
            nonlocal last
            row, names = self._row(position)
            if last is not None:
                self._learn(*last, self.options.gamma * max(row.values()))
            move = self._choose(row, names)
            last = row, names[move]
            return move

        played = play_episode(start, choose, opponent)
        if last is not None:
            self._learn(
                *last, REWARDS_BY_SCORE[played.score] + self.options.gamma * self.options.end
            )
        return played

    def _row(self, position: Position) -> tuple[TableRow, dict[Move, str]]:
        key, names = self.row_index.locate(position)
        if key not in self.table:
            self.table[key] = dict.fromkeys(names.values(), self.options.initial)
        return self.table[key], names

    def _choose(self, row: TableRow, names: dict[Move, str]) -> Move:
        if self.options.epsilon and self.random.random() < self.options.epsilon:
            return self.random.choice(list(names))
        most = max(row.values())
        best = [move for move, name in names.items() if row[name] == most]
        if self.options.ties == "random":
            return self.random.choice(best)
        return best[0 if self.options.ties == "first" else -1]

    def _learn(self, row: TableRow, move: str, target: float) -> None:
        row[move] += self.options.alpha * (target - row[move])


class MenaceConfig(EpisodeConfig, BeadOptions):
    """Configuration of MENACE."""


class MenaceTraining(EpisodeTraining):
    """Train MENACE, which learns by beads for the moves in matchboxes."""

    Config = MenaceConfig
    learner_class = MenaceLearner


class HerConfig(EpisodeConfig, BeadOptions):
    """Configuration of HER."""

    game: str = argument_field("hexapawn")
    """A game, optionally with a preset and options: hexapawn:size=4."""

    games: int = Field(100, ge=1, le=MAX_GAMES)
    """Number of games."""


class HerTraining(EpisodeTraining):
    """Train HER, the matchbox learner for hexapawn."""

    Config = HerConfig
    learner_class = HerLearner


class QLearningConfig(EpisodeConfig, QLearningOptions):
    """Configuration of Q-learning."""


class QLearningTraining(EpisodeTraining):
    """Train a table of action values by Q-learning."""

    Config = QLearningConfig
    learner_class = QLearner
