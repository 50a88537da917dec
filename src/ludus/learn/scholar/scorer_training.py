"""Teaching the scorer: all experts at once, each on examples of its own."""

from dataclasses import dataclass, field

import torch
from torch.nn import functional

from ludus.learn.scholar.critical import OVER, best_moves
from ludus.learn.scholar.examples import DRAW, Examples, ExampleSource
from ludus.learn.scholar.experts import FIRST_FLYING, NUM_EXPERTS, table
from ludus.learn.scholar.fields import MOVED, Board, board, fields
from ludus.learn.scholar.lessons import Lessons, expert_numbers, pairs, tensor
from ludus.learn.scholar.mixture import Mixture
from ludus.learn.scholar.shelves import Judged, Shelves
from ludus.learn.symmetric.networks import Symmetric

LOSS, DRAWN, WIN = range(3)
"""The outputs: what a position is for its mover."""

BANKS = (slice(0, FIRST_FLYING), slice(FIRST_FLYING, NUM_EXPERTS))
"""Experts of one size: those for placing and moving, and those for flying, which is easy."""


@dataclass(frozen=True)
class Course:
    """How the scorer is taught."""

    channels: tuple[int, int] = (96, 40)
    """Of the experts for placing and moving, and for flying."""

    blocks: int = 2

    batch: tuple[int, int] = (6144, 2048)
    """Examples of each expert in a step."""

    shelf: int = 1 << 20
    """Examples that wait for each expert."""

    learning_rate: float = 2e-3
    warmup: int = 300
    """Steps in which the learning rate rises."""

    averaging: float = 0.999
    """How slowly the averaged weights follow."""

    rounds_ahead: int = 20
    """Rounds of lessons before the first step."""

    steps_a_round: int = 2
    mixture: Mixture = field(default_factory=Mixture)
    seed: int = 1


class ScorerTraining:
    """A scorer, its optimizer, its averaged weights, and where its examples come from."""

    def __init__(self, source: ExampleSource, course: Course, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course, self.device = course, device
        self.kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.board = on_device(device, self.kind)
        self.on = torch.as_tensor(table(), device=device)
        self.shelves = Shelves(NUM_EXPERTS, course.shelf, device)
        self.network, self.averaged = self._networks(), self._networks()
        self.averaged.load_state_dict(self.network.state_dict())
        self.lessons = Lessons(source, course.mixture, self.choose, self.teach, course.seed)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=course.learning_rate, fused=device.type == "cuda"
        )
        self.steps = 0

    def _networks(self) -> torch.nn.ModuleList:
        banks = zip(BANKS, self.course.channels, strict=True)
        networks = (
            Symmetric(MOVED, 3, channels, self.course.blocks, bank.stop - bank.start)
            for bank, channels in banks
        )
        return torch.nn.ModuleList(networks).to(self.device)

    def prepare(self) -> None:
        """Fill the shelves."""
        for _ in range(self.course.rounds_ahead):
            self.lessons.round(own=False)

    def step(self, rate: float) -> torch.Tensor:
        """Learn from one batch for every expert; each expert's loss."""
        if self.steps % self.course.steps_a_round == 0:
            self.lessons.round(own=self.steps > 10 * self.course.warmup)
        losses = [
            self._losses(network, self.shelves.take(batch, bank))
            for network, batch, bank in zip(self.network, self.course.batch, BANKS, strict=True)
        ]
        by_expert = torch.cat(losses)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        by_expert.sum().backward()
        self.optimizer.step()
        self.steps += 1
        self._average()
        return by_expert.detach()

    def _losses(self, network: torch.nn.Module, batch: Judged) -> torch.Tensor:
        shape = batch.own.shape
        columns = [column.flatten() for column in batch[:4]]
        outputs = network(columns_of(columns, self.board).view(*shape, -1)).float()
        wanted = results(batch.value)
        losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
        return losses.view(shape).mean(1)

    @torch.no_grad()
    def _average(self) -> None:
        share = min(self.course.averaging, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.averaged.parameters()), list(self.network.parameters()), 1 - share
        )

    def teach(self, found: Examples, must: torch.Tensor) -> None:
        """Put the positions after some moves on the shelves of those who judge them."""
        row, column = pairs(found, must, self.course.mixture.calm)
        children = found.children
        picked = [tensor(values)[row, column] for values in children.positions.columns]
        judged = Judged(*picked, tensor(children.value)[row, column])
        # Whether a game is over the rules say; nobody needs to learn it.
        going_on = (judged.value != OVER).nonzero()[:, 0]
        judged = Judged(*(values[going_on] for values in judged))
        self.shelves.add(expert_numbers(judged[:4], self.on), judged)

    def choose(self, found: Examples) -> torch.Tensor:
        """The number of the move with the best score in each position."""
        return best_moves(found, self.score)

    @torch.no_grad()
    def score(self, columns: list[torch.Tensor]) -> torch.Tensor:
        """What positions are worth to the side that is NOT to move: from -1, lost, to 1."""
        expert = expert_numbers(columns, self.on)
        counts = torch.bincount(expert, minlength=NUM_EXPERTS).tolist()
        found = torch.empty(len(expert), device=expert.device)
        for number, rows in enumerate(torch.argsort(expert).split(counts)):
            bank = int(number >= FIRST_FLYING)
            for part in rows.split(1 << 16):
                if len(part):
                    inputs = columns_of([column[part] for column in columns], self.board)
                    outputs = self.averaged[bank].alone(number - BANKS[bank].start, inputs)
                    chances = outputs.float().softmax(-1)
                    found[part] = chances[:, LOSS] - chances[:, WIN]
        return found


def results(values: torch.Tensor) -> torch.Tensor:
    """What the oracle's values mean for the mover: LOSS, DRAWN or WIN."""
    won = values.long() % 2 * WIN
    return torch.where(values == DRAW, torch.full_like(won, DRAWN), won)


def on_device(device: torch.device, kind: torch.dtype) -> Board:
    """The matrices of the board where the network is."""
    made = {}
    for name, values in vars(board()).items():
        given = torch.as_tensor(values, device=device)
        made[name] = given.to(kind) if given.is_floating_point() else given.int()
    return Board(**made)


def columns_of(columns: list[torch.Tensor], on: Board) -> torch.Tensor:
    """What the network sees of some positions."""
    return torch.cat(fields(*columns, on), dim=1)
