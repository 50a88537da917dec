"""Training positions: random ones, games of the oracle, and self-play with its errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.learn.common.optimizer import NUM_WARMUP_CALLS
from ludus.learn.common.prefetch import Prefetcher
from ludus.learn.common.replay_buffer import ReplayBuffer
from ludus.learn.scholar.encoding import MEN_PER_SIDE, select_expert
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.model import OptimizerName, as_tensor
from ludus.learn.scholar.sampling import ParallelGames, ParallelGamesOptions
from ludus.oracles.morris.sectors import Subspace


@dataclass(frozen=True)
class SelfPlayConfig:
    """Parameters of parallel games in which the scholar may play."""

    games: int
    """Number of games; each advances by one ply per round."""

    noise: float
    """Probability of a random move."""

    own: float
    """Probability that other plies are the scholar's move instead of a random value-keeping one; 0
    saves the inference."""

    plays_errors: bool
    """Whether the scholar's move is played even if it gives the value away."""

    max_plies: int
    """Length in plies after which a game restarts."""

    from_start: float
    """Proportion of restarts at the start of the game."""

    from_errors: float
    """Proportion of restarts where the scholar erred; the rest are anywhere."""


@dataclass(frozen=True)
class DataMixture:
    """Sources of the positions of a round."""

    drawn: int = 1 << 15
    """Positions sampled at random."""

    free: SelfPlayConfig = SelfPlayConfig(1 << 15, 0.15, 0.0, False, 50, 0.6, 0.0)
    """Games without the scholar; many, so that positions rarely repeat."""

    wild: SelfPlayConfig = SelfPlayConfig(1 << 12, 0.2, 0.7, True, 60, 0.4, 0.3)
    """Games with many errors, so that the scholar is trained on unusual positions, too."""

    sound: SelfPlayConfig = SelfPlayConfig(1 << 13, 0.01, 1.0, False, 40, 0.7, 0.3)
    """Games against perfect play until the first error."""

    moves: int = 2
    """Number of value-keeping moves, and of other moves, sampled from a critical position."""

    calm: float = 0.1
    """Proportion of examples among positions in which every move keeps the value."""

    losses: float = 0.6
    """While placing: factor on the sampling weight for each captured man."""


def compute_subspace_weights(subspaces: Sequence[Subspace], mixture: DataMixture) -> list[float]:
    """Return the sampling weights of the subspaces.

    All kinds of positions (experts) are equally likely. Within a kind, subspaces with many captures
    while men are still in hand are rarer, because they are rare in play.
    """
    kinds = np.array(
        [select_expert(s.mover_hand, s.other_hand, s.mover, s.other) for s in subspaces]
    )
    weights = np.array([_subspace_weight(each, mixture.losses) for each in subspaces])
    totals = np.bincount(kinds, weights)
    normalized: list[float] = (weights / totals[kinds]).tolist()
    return normalized


def _subspace_weight(space: Subspace, losses: float) -> float:
    if space.mover_hand + space.other_hand == 0:
        return 1.0
    return float(losses ** (2 * MEN_PER_SIDE - sum(space)))


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Training parameters shared by scorer and chain."""

    buffer_size: int = 1 << 20
    """Capacity of the replay buffer per expert."""

    averaging: float = 0.999
    """Decay of the averaged weights."""

    optimizer: OptimizerName = "adam"
    weight_decay: float = 0.0
    """Of the weights that Muon trains, in learning rates: without it they grow with every step."""

    rounds_ahead: int = 20
    """Rounds of examples generated before the first step."""

    steps_a_round: int = 4

    rounds_an_own: int = 2
    """Interval, in rounds, at which the scholar itself plays: its inference takes time."""

    mixture: DataMixture = field(default_factory=DataMixture)
    seed: int = 1


ChooseMoves = Callable[[ExampleBatch], torch.Tensor]
"""Returns the index of the move that the scholar would play in each position."""

NewExamples = tuple[Any, torch.Tensor]
"""Columns of the replay buffer, and the ring of each example."""

MakeExamples = Callable[[ExampleBatch, torch.Tensor], NewExamples]
"""Makes examples of positions; the tensor holds the index of the scholar's error in each, or -1."""

AddExamples = Callable[[ExampleBatch, torch.Tensor], None]
"""Adds examples of positions to those of the round; its arguments are those of MakeExamples."""

NO_ERROR = -1

MIN_STEPS_BEFORE_THREAD = NUM_WARMUP_CALLS + 2
"""Steps before rounds are generated on a thread: until then a step may be captured as a graph."""

MINED_DIVISOR = 16
"""Positions in which an earlier network erred are sampled less often than random ones by this."""


class ExampleGenerator:
    """Generator of training positions from the solved game, round by round.

    A round evaluates many positions with all their moves: random ones, and those of parallel games.
    Some are the scholar's own games; positions in which it erred become restart positions.

    Rounds can be generated ahead on a thread while networks are trained: to launch their many small
    kernels takes a processor longer than a GPU needs for them. The scholar then plays with weights
    that are a few steps old, or in the middle of a step, and no two runs are the same.
    """

    def __init__(
        self,
        source: ExampleSource,
        config: TrainingConfig,
        choose: ChooseMoves,
        make_examples: MakeExamples,
        replay_buffer: ReplayBuffer[Any],
    ) -> None:
        """Generate the rounds of examples before the first step."""
        self.source, self.config, self.make_examples = source, config, make_examples
        self.choose, self.replay_buffer = choose, replay_buffer
        self.device = replay_buffer.num_added.device
        self.is_threaded = False
        """Whether rounds are generated on a thread, once training has begun."""

        self._round: list[NewExamples] = []
        self._next_number = 0
        self._num_steps = 0
        self._prefetcher: Prefetcher[list[NewExamples]] | None = None
        self.mined: PositionBatch | None = None
        """Positions in which an earlier network erred."""

        mixture, seed = config.mixture, config.seed
        self.weights = compute_subspace_weights(source.subspaces, mixture)
        self.rounds = seed << 32
        self.games = [
            SelfPlay(source, games, choose, self.add_examples, self.weights, 3 * seed + number)
            for number, games in enumerate((mixture.free, mixture.wild, mixture.sound))
        ]
        for _ in range(config.rounds_ahead):
            self._store(self.generate(self_play=False))

    def skip(self, steps: int) -> None:
        """Go on with other random numbers than those of the first `steps` steps."""
        self.rounds += self.config.rounds_ahead + 1 + steps // self.config.steps_a_round
        for number, games in enumerate(self.games):
            games.play.reseed(self.rounds * len(self.games) + number)

    def prepare_step(self, steps: int) -> None:
        """Add the round of examples, if any, that precedes the step after `steps` steps."""
        self._num_steps += 1
        number, step = divmod(steps, self.config.steps_a_round)
        if step:
            return
        if self._prefetcher is None:
            self._next_number = number
            if self.is_threaded and self._num_steps > MIN_STEPS_BEFORE_THREAD:
                state = [dict(vars(games.play)) for games in self.games]
                self._prefetcher = Prefetcher(self._generate_next, self.device, in_use=state)
        self._store(self._generate_next() if self._prefetcher is None else self._prefetcher.get())

    def close(self) -> None:
        """End the thread; the next step starts another one."""
        if self._prefetcher is not None:
            self._prefetcher.close()
            self._prefetcher = None

    def _generate_next(self) -> list[NewExamples]:
        number, self._next_number = self._next_number, self._next_number + 1
        return self.generate(self_play=number % self.config.rounds_an_own == 0)

    def _store(self, made: list[NewExamples]) -> None:
        for columns, rings in made:
            self.replay_buffer.add(columns, rings)

    def add_examples(self, examples: ExampleBatch, error: torch.Tensor) -> None:
        """Add examples to those of the round that is being generated."""
        self._round.append(self.make_examples(examples, error))

    def generate(self, self_play: bool) -> list[NewExamples]:
        """Return examples of random positions and of every game.

        `self_play`: the scholar plays in games that allow it.
        """
        self.rounds += 1
        self._round = []
        positions = self.source.sample_positions(
            self.config.mixture.drawn, self.rounds, weights=self.weights
        )
        examples = self.source.examples(positions, seed=self.rounds)
        self.add_examples(examples, make_no_errors(examples))
        if self_play and self.mined is not None:
            self._add_mined(self.mined)
        for games in self.games:
            if self_play and games.config.own:
                games.play_policy_ply()
            else:
                games.play_oracle_ply()
        return self._round

    def _add_mined(self, mined: PositionBatch) -> None:
        """Add examples of positions in which an earlier network erred, with the errors of now."""
        generator = np.random.default_rng(self.rounds)
        count = self.config.mixture.drawn // MINED_DIVISOR
        numbers = generator.integers(len(mined), size=count)
        (rows,) = self.source.to_columns([numbers])
        examples = self.source.examples(mined[rows], seed=self.rounds)
        self.add_examples(examples, find_errors(examples, self.choose(examples)))


class SelfPlay:
    """Parallel games with one set of parameters."""

    def __init__(
        self,
        source: ExampleSource,
        config: SelfPlayConfig,
        choose: ChooseMoves,
        add_examples: AddExamples,
        weights: list[float],
        seed: int,
    ) -> None:
        self.config, self.choose, self.add_examples = config, choose, add_examples
        men = source.rules.men
        # If only endings are solved, no game can begin at the start.
        from_start = config.from_start if (0, 0, men, men) in source.subspaces else 0.0
        options = ParallelGamesOptions(
            config.noise, config.max_plies, from_start, config.from_errors
        )
        self.play = ParallelGames(source, config.games, seed, options, weights=weights)

    def play_oracle_ply(self) -> None:
        """Advance the games without the scholar."""
        examples = self.play.examples
        self.add_examples(examples, make_no_errors(examples))
        self.play.step()

    def play_policy_ply(self) -> None:
        """Let the scholar choose in all games and play some of its moves."""
        examples = self.play.examples
        chosen = self.choose(examples)
        errors = find_errors(examples, chosen)
        is_error = errors != NO_ERROR
        self.add_examples(examples, errors)
        move = as_tensor(examples.children.move).gather(1, chosen[:, None])[:, 0]
        is_played = torch.rand(len(move), device=move.device) < self.config.own
        if not self.config.plays_errors:
            self.play.record_errors(to_source_array(move))
            is_played &= ~is_error
        self.play.step(to_source_array(torch.where(is_played, move, -1)))


def find_errors(examples: ExampleBatch, chosen: torch.Tensor) -> torch.Tensor:
    """Return the chosen move where it gives the value away, else NO_ERROR."""
    is_kept = as_tensor(examples.keeps_value).gather(1, chosen[:, None])[:, 0]
    return torch.where(is_kept, NO_ERROR, chosen)


def make_no_errors(examples: ExampleBatch) -> torch.Tensor:
    """Return NO_ERROR for each position, as the scholar has not chosen there."""
    return torch.full_like(as_tensor(examples.value), NO_ERROR, dtype=torch.long)


def to_source_array(values: torch.Tensor) -> Array:
    """Convert a tensor to the array type of its source."""
    return values if values.is_cuda else values.numpy()


def select_moves(
    examples: ExampleBatch, error: torch.Tensor, mixture: DataMixture
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows and columns of the moves to learn from.

    Critical positions give value-keeping and other moves, which the scholar must learn to separate.
    Its own errors are sampled twice as often as other bad moves. Of positions in which all moves
    keep the value a proportion is sampled.
    """
    is_move, keeps = as_tensor(examples.children.is_move), as_tensor(examples.keeps_value)
    is_critical, is_error = as_tensor(examples.is_critical), error != NO_ERROR
    is_calm = torch.rand(len(error), device=error.device) < mixture.calm
    times = mixture.moves
    picks = [
        (is_critical, keeps, times),
        (is_critical & ~is_error, is_move & ~keeps, times),
        (is_critical & is_error, keeps, times),
        (~is_critical & is_calm & is_move.any(1), is_move, 1),
    ]
    row = (is_critical & is_error).nonzero()[:, 0]
    rows, columns = [row] * 2 * times, [error[row]] * 2 * times
    for which, moves, number in picks:
        row = which.nonzero()[:, 0]
        for _ in range(number):
            rows.append(row)
            columns.append(sample_one(moves[row]))
    return torch.cat(rows), torch.cat(columns)


def sample_one(moves: torch.Tensor) -> torch.Tensor:
    """Sample one move of each row of a (positions, moves) mask."""
    uniform = torch.rand(moves.shape, device=moves.device)
    return torch.where(moves, uniform, -1.0).argmax(1)
