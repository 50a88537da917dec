"""Training of the scorer on exact values, or by imitation of the moves of a dataset."""

import itertools
from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.learn.common.optimizer import EmaOptimizer
from ludus.learn.common.replay_buffer import ReplayBuffer, ValuedPositions
from ludus.learn.equivariant.model import EquivariantNetwork
from ludus.learn.scholar import model
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.examples import DRAW, NO_POINT, ExampleBatch, ExampleSource, PositionBatch
from ludus.learn.scholar.inference import DRAW_CLASS, RESULT_NAMES, WIN_CLASS, utility
from ludus.learn.scholar.model import (
    LOST_VALUE,
    TensorEncoder,
    as_tensor,
    as_tensors,
    select_best_moves,
)
from ludus.learn.scholar.training_data import (
    ExampleGenerator,
    TrainingConfig,
    select_moves,
    to_source_array,
)


@dataclass(frozen=True)
class ExpertBank:
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
class ScorerConfig(TrainingConfig):
    """Training parameters of the scorer."""

    banks: tuple[ExpertBank, ...]
    """Banks that cover all experts in order."""

    care: float = 40.0
    """Loss aversion in its own games: lower than in play, as uncertain positions are
    instructive."""

    def experts(self) -> list[range]:
        """Return the experts of each bank."""
        ends = [bank.upto for bank in self.banks]
        if ends != sorted(set(ends)) or ends[-1] != NUM_EXPERTS:
            raise BadSpec(f"banks of experts must end at {NUM_EXPERTS}, not at {ends}")
        return [range(*pair) for pair in itertools.pairwise([0, *ends])]


class ScorerTraining:
    """Training of a scorer, all experts at once, each on examples of its own kind of position."""

    def __init__(self, source: ExampleSource, course: ScorerConfig, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course = course
        self.experts = course.experts()
        self.sight = TensorEncoder(device)
        self.shelves = ReplayBuffer(NUM_EXPERTS, course.shelf, device)
        self.pupil = EmaOptimizer(self._networks, course.averaging, device)
        self._lesson = self.pupil.lesson(self._all_losses)
        self._begin(source)

    def _begin(self, source: ExampleSource) -> None:
        """Generate the first examples."""
        course = self.course
        self.lessons = ExampleGenerator(
            source, course.mixture, self.choose, self.teach, course.seed
        )
        for _ in range(course.rounds_ahead):
            self.lessons.round(own=False)

    def _networks(self) -> nn.ModuleList:
        return nn.ModuleList(
            EquivariantNetwork(
                FEATURE_PERMUTATIONS,
                len(RESULT_NAMES),
                bank.channels,
                bank.blocks,
                len(experts),
                repeats=bank.repeats,
            )
            for bank, experts in zip(self.course.banks, self.experts, strict=True)
        )

    @property
    def examples_a_step(self) -> int:
        banks = zip(self.course.banks, self.experts, strict=True)
        return sum(bank.batch * len(experts) for bank, experts in banks)

    def step(self, rate: float) -> torch.Tensor:
        """Train on one batch for every expert and return the loss of each."""
        if self.course.begins_round(self.pupil.steps):
            self.lessons.round(self.course.is_own(self.pupil.steps))
        return self.pupil.learn(self._lesson, rate)

    def _all_losses(self) -> torch.Tensor:
        """Return the loss of each expert on one batch."""
        banks = zip(self.pupil.networks.children(), self.course.banks, self.experts, strict=True)
        losses = [
            self._losses(network, self.shelves.take(bank.batch, slice(experts[0], experts[-1] + 1)))
            for network, bank, experts in banks
        ]
        return torch.cat(losses)

    def _losses(self, network: nn.Module, batch: ValuedPositions) -> torch.Tensor:
        outputs = network(self.sight.columns(batch[:4])).float()
        wanted = result_classes(batch.value)
        losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
        return losses.view(wanted.shape).mean(1)

    @torch.no_grad()
    def paces(self, expert: int, number: int = 1 << 16) -> model.PlyRegression:
        """Fit the last layer's rows of an expert that predict the plies to the end."""
        bank = next(at for at, experts in enumerate(self.experts) if expert in experts)
        network = list(self.pupil.averaged.children())[bank]
        assert isinstance(network, EquivariantNetwork)
        there = min(number, int(self.shelves.put[expert]))
        if not there:
            return model.default_ply_regression(network.channels)
        some: ValuedPositions = self.shelves.take(there, slice(expert, expert + 1))
        one = torch.tensor([expert - self.experts[bank][0]], device=some.own.device)
        units = network.last_units(one, self.sight.columns(some[:4]))
        return model.fit_ply_regression(units[0], some.value[0])

    def teach(self, found: ExampleBatch, error: torch.Tensor) -> None:
        """Add the positions after selected moves to the replay buffer, each to the ring of its
        expert."""
        row, column = select_moves(found, error, self.course.mixture)
        children = found.children
        own, other, own_hand, other_hand, value = (
            values[row, column]
            for values in as_tensors([*children.positions.columns, children.value])
        )
        judged = ValuedPositions(own, other, own_hand, other_hand, value)
        # The rules detect that a game is over; it need not be learned.
        going_on = (judged.value != LOST_VALUE).nonzero()[:, 0]
        judged = ValuedPositions._make(values[going_on] for values in judged)
        self.shelves.add(self.sight.experts(judged[:4]), judged)

    def choose(self, found: ExampleBatch) -> torch.Tensor:
        """Return the index of the move with the best score in each position."""
        return select_best_moves(found, self.score)

    @torch.no_grad()
    def score(self, positions: list[torch.Tensor]) -> torch.Tensor:
        """Return the utilities of positions, from -1 to 1, for the side that is NOT to move."""
        return self.scores_by(self.pupil.averaged, positions, self.course.care)

    def scores_by(
        self, networks: nn.Module, positions: list[torch.Tensor], care: float
    ) -> torch.Tensor:
        """Return the utilities by other networks, differentiably."""
        found = torch.zeros(len(positions[0]) + 1, device=positions[0].device)
        banks = list(networks.children())
        for part in self.sight.parts(positions, self.experts):
            network = banks[part.bank]
            assert isinstance(network, EquivariantNetwork)
            chances = network.by(part.experts, part.things).float().softmax(-1)
            found[part.rows] = utility(chances, care)
        return found[:-1]


def result_classes(values: torch.Tensor) -> torch.Tensor:
    """Return the result class for the mover of the oracle's values: LOSS, DRAW or WIN."""
    won = as_tensor(values).long() % 2 * WIN_CLASS
    return torch.where(values == DRAW, torch.full_like(won, DRAW_CLASS), won)


INVERSE_TEMPERATURE = 8.0
"""Factor from score differences to logits of moves."""


class ImitationTraining(ScorerTraining):
    """Training of the scorer on the moves of a teacher program that can err.

    The loss is the cross entropy of the teacher's move in the softmax over the scores of all legal
    moves.
    """

    def __init__(
        self,
        source: ExampleSource,
        course: ScorerConfig,
        device: torch.device,
        entries: MoveBatch,
        batch: int = 2048,
    ) -> None:
        """Prepare the training; `batch` is the number of positions in a step, each with all its
        moves."""
        self.entries, self.batch = entries, batch
        # Scores are learned directly, without probabilities, so loss aversion has no meaning.
        super().__init__(source, replace(course, care=1.0), device)

    def _begin(self, source: ExampleSource) -> None:
        entries = self.entries
        boards = [entries.own.astype("int32"), entries.other.astype("int32")]
        columns = source.columns([*boards, entries.own_hand, entries.other_hand])
        found = source.examples(PositionBatch(*columns))
        moves = as_tensor(found.children.move)
        is_made = (moves == self._made(moves)[:, None]) & as_tensor(found.children.is_move)
        known = is_made.any(1).nonzero()[:, 0]
        if not len(known):
            raise BadSpec("the teacher has made no legal move at all")
        self.found = found[to_source_array(known)]
        self.number = is_made[known].int().argmax(1)

    def _made(self, moves: torch.Tensor) -> torch.Tensor:
        """Return the teacher's moves, packed as in ChildBatch."""
        made = torch.zeros(len(moves), dtype=moves.dtype)
        for place, part in enumerate((self.entries.to, self.entries.frm, self.entries.take)):
            points = torch.as_tensor(part.astype("int32"))
            made += torch.where(points < 0, NO_POINT, points) << 8 * place
        return made.to(moves.device)

    @property
    def examples_a_step(self) -> int:
        return self.batch

    def step(self, rate: float) -> torch.Tensor:
        """Train on a batch of positions and return the loss."""
        return self.pupil.learn(self.pupil.lesson(self._loss, is_same=False), rate)

    def _loss(self) -> torch.Tensor:
        rows = torch.randint(len(self.number), (self.batch,), device=self.number.device)
        found = self.found[to_source_array(rows)]
        is_move, value = as_tensor(found.children.is_move), as_tensor(found.children.value)
        positions = [column[is_move] for column in as_tensors(found.children.positions.columns)]
        scores = torch.full(is_move.shape, -torch.inf, device=is_move.device)
        scores[is_move] = self.scores_by(self.pupil.networks, positions, self.course.care)
        # The rules detect that a game is won.
        scores = torch.where(is_move & (value == LOST_VALUE), 1.0, scores)
        return functional.cross_entropy(INVERSE_TEMPERATURE * scores, self.number[rows])[None]
