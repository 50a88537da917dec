"""Training data: random positions, games of the oracle, and self-play with its errors."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from queue import Empty, Queue
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.checkpoint import TrainingState, prefix_names
from ludus.learn.optimizer import NUM_WARMUP_CALLS
from ludus.learn.replay_buffer import ReplayBuffer
from ludus.learn.scholar.config import DataMixture, SelfPlayConfig, TrainerConfig
from ludus.learn.scholar.encoding import MEN_PER_SIDE, select_expert
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource, to_numpy
from ludus.learn.scholar.network import as_tensor, to_source_array
from ludus.learn.scholar.sampling import ParallelGames
from ludus.oracles.morris.sectors import Subspace

T = TypeVar("T")

POLL_SECONDS = 0.1
"""Interval at which `close` looks whether the thread has ended."""


class _Item(NamedTuple):
    value: Any
    error: BaseException | None
    event: Any
    """CUDA event after which the value can be used, or None."""


class Prefetcher(Generic[T]):
    """Calls a function again and again on a thread, and keeps some results ready.

    On a GPU the function's work is queued on its own stream, beside that of the caller. Results may
    be tensors, or tuples and lists of them. The function must not share anything with the caller
    that may not change at any time; no CUDA graph may be captured meanwhile.
    """

    def __init__(
        self,
        function: Callable[[], T],
        device: torch.device,
        num_ahead: int = 2,
        in_use: Any = None,
    ) -> None:
        """Start the thread.

        `in_use` holds tensors of the caller that the function may replace by others. They are kept
        until its first result is used: their memory would otherwise be given to the caller again
        while the GPU still reads it on the other stream.
        """
        self._function, self._device = function, device
        self._in_use = in_use
        self._ready: Queue[_Item] = Queue(num_ahead)
        self._is_closed = threading.Event()
        self._started: Any = None
        if device.type == "cuda":
            # What the caller has queued so far is done before the function's first work.
            self._started = torch.cuda.current_stream(device).record_event()
        self._thread = threading.Thread(target=self._run, name="prefetch", daemon=True)
        self._thread.start()

    def get(self) -> T:
        """Return the next result; raise what the function raised."""
        item = self._ready.get()
        if item.error is not None:
            self.close()
            raise item.error
        if item.event is not None:
            stream = torch.cuda.current_stream(self._device)
            stream.wait_event(item.event)
            for tensor in _list_tensors(item.value):
                tensor.record_stream(stream)
        self._in_use = None
        value: T = item.value
        return value

    def close(self) -> None:
        """End the thread; results that are ready are dropped."""
        self._is_closed.set()
        while self._thread.is_alive():
            try:
                self._ready.get(timeout=POLL_SECONDS)
            except Empty:
                continue

    def _run(self) -> None:
        if self._device.type != "cuda":
            self._produce()
            return
        with torch.cuda.device(self._device):
            stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
            stream.wait_event(self._started)
            with torch.cuda.stream(stream):
                self._produce()
                stream.synchronize()

    def _produce(self) -> None:
        while not self._is_closed.is_set():
            try:
                value = self._function()
                event = None
                if self._device.type == "cuda":
                    event = torch.cuda.current_stream(self._device).record_event()
                item = _Item(value, None, event)
            except BaseException as error:
                item = _Item(None, error, None)
            self._ready.put(item)
            if item.error is not None:
                return


def _list_tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _list_tensors(each)


def compute_subspace_weights(subspaces: Sequence[Subspace], mixture: DataMixture) -> list[float]:
    """Return the sampling weights of the subspaces.

    All kinds of positions (experts) are equally likely. Within a kind, subspaces with many captures
    while men are still in hand are rarer, because they are rare in play.
    """
    kinds = np.array(
        [select_expert(s.mover_hand, s.other_hand, s.mover, s.other) for s in subspaces]
    )
    weights = np.array([_subspace_weight(each, mixture.capture_factor) for each in subspaces])
    totals = np.bincount(kinds, weights)
    normalized: list[float] = (weights / totals[kinds]).tolist()
    return normalized


def _subspace_weight(space: Subspace, capture_factor: float) -> float:
    if space.mover_hand + space.other_hand == 0:
        return 1.0
    return float(capture_factor ** (2 * MEN_PER_SIDE - sum(space)))


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
        config: TrainerConfig,
        choose: ChooseMoves,
        make_examples: MakeExamples,
        replay_buffer: ReplayBuffer[Any],
    ) -> None:
        self.source, self.config, self.make_examples = source, config, make_examples
        self.choose, self.replay_buffer = choose, replay_buffer
        self.device = replay_buffer.num_added.device
        self.is_threaded = False
        """Whether rounds are generated on a thread, once training has begun."""

        self._is_filled = False
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
            for number, games in enumerate(mixture.all_games)
        ]

    def fill(self) -> None:
        """Generate the rounds of examples before the first step, unless that is done."""
        if not self._is_filled:
            self._is_filled = True
            for _ in range(self.config.rounds_ahead):
                self._store(self.generate(self_play=False))

    def state(self) -> TrainingState:
        """Return the replay buffer and all games; only without a thread is that well defined."""
        buffer = self.replay_buffer
        arrays = {
            "added": to_numpy(buffer.num_added),
            "taken": to_numpy(buffer.num_taken),
            **{f"column{number}": to_numpy(each) for number, each in enumerate(buffer.columns)},
        }
        facts: dict[str, Any] = {"rounds": self.rounds, "is_filled": self._is_filled}
        for number, games in enumerate(self.games):
            state = games.play.state()
            facts[f"games{number}"] = state.facts
            arrays |= prefix_names(f"games{number}", state.arrays)
        return TrainingState(facts, arrays)

    def load(self, state: TrainingState) -> None:
        """Go on from what `state` returned."""
        buffer = self.replay_buffer
        pairs: list[tuple[torch.Tensor, Any]] = [
            (buffer.num_added, state.arrays["added"]),
            (buffer.num_taken, state.arrays["taken"]),
            *((each, state.arrays[f"column{n}"]) for n, each in enumerate(buffer.columns)),
        ]
        for tensor, values in pairs:
            tensor.copy_(torch.tensor(values))
        self.rounds, self._is_filled = state.facts["rounds"], state.facts["is_filled"]
        for number, games in enumerate(self.games):
            name = f"games{number}"
            games.play.load(TrainingState(state.facts[name], state.select(name)))

    def skip(self, steps: int) -> None:
        """Go on with other random numbers than those of the first `steps` steps."""
        self.rounds += self.config.rounds_ahead + 1 + steps // self.config.steps_a_round
        for number, games in enumerate(self.games):
            games.play.reseed(self.rounds * len(self.games) + number)

    def prepare_step(self, steps: int) -> None:
        """Add the round of examples, if any, that precedes the step after `steps` steps."""
        self.fill()
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
            self.config.mixture.random_positions, self.rounds, weights=self.weights
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
        count = self.config.mixture.random_positions // MINED_DIVISOR
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
        # If only endings are solved, no game can begin at the start.
        options = config.play if source.has_start else replace(config.play, from_start=0.0)
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
    is_sampled = torch.rand(len(error), device=error.device) < mixture.uncritical
    times = mixture.moves
    picks = [
        (is_critical, keeps, times),
        (is_critical & ~is_error, is_move & ~keeps, times),
        (is_critical & is_error, keeps, times),
        (~is_critical & is_sampled & is_move.any(1), is_move, 1),
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
