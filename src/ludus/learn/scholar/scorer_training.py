"""Teaching the scorer: all experts at once, each on examples of its own."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from ludus.learn.scholar.examples import DRAW, ExampleSource
from ludus.learn.scholar.experts import NUM_EXPERTS, table
from ludus.learn.scholar.fields import MOVED, Board, board, fields
from ludus.learn.scholar.lessons import Lessons, Mixture, expert_numbers
from ludus.learn.scholar.shelves import Judged, Shelves
from ludus.learn.symmetric.networks import Symmetric

LOSS, DRAWN, WIN = range(3)
"""The outputs: what a position is for its mover."""


@dataclass(frozen=True)
class Course:
    """How the scorer is taught."""

    channels: int = 64
    blocks: int = 2
    batch: int = 4096
    """Examples of each expert in a step."""

    shelf: int = 1 << 20
    """Examples that wait for each expert."""

    learning_rate: float = 2e-3
    warmup: int = 300
    """Steps in which the learning rate rises."""

    averaging: float = 0.999
    """How slowly the averaged weights follow."""

    rounds_ahead: int = 40
    """Rounds of lessons before the first step."""

    steps_a_round: int = 1
    mixture: Mixture = Mixture()
    seed: int = 1


def results(values: torch.Tensor) -> torch.Tensor:
    """What the oracle's values mean for the mover: LOSS, DRAWN or WIN."""
    won = values.long() % 2 * WIN
    return torch.where(values == DRAW, torch.full_like(won, DRAWN), won)


class ScorerTraining:
    """A scorer, its optimizer, its averaged weights, and where its examples come from."""

    def __init__(self, source: ExampleSource, course: Course, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course, self.device = course, device
        self.kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.board = on_device(device, self.kind)
        self.on = torch.as_tensor(table(), device=device)
        self.shelves = Shelves(NUM_EXPERTS, course.shelf, device)
        self.lessons = Lessons(source, self.shelves, course.mixture, self.on, course.seed)
        self.network = self._network()
        self.averaged = self._network()
        self.averaged.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=course.learning_rate, fused=device.type == "cuda"
        )
        self.steps = 0

    def _network(self) -> Symmetric:
        course = self.course
        return Symmetric(MOVED, 3, course.channels, course.blocks, NUM_EXPERTS).to(self.device)

    def step(self, rate: float) -> torch.Tensor:
        """Learn from one batch for every expert; each expert's loss."""
        batch = self.shelves.take(self.course.batch)
        outputs = self.network(self.inputs(batch)).float()
        wanted = results(batch.value)
        losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
        by_expert = losses.view(wanted.shape).mean(1)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        by_expert.sum().backward()
        self.optimizer.step()
        self.steps += 1
        self._average()
        return by_expert.detach()

    def inputs(self, positions: Judged) -> torch.Tensor:
        """(experts, batch) positions to (experts, batch, columns)."""
        shape = positions.own.shape
        flat = [column.flatten() for column in positions[:4]]
        return columns_of(flat, self.board).view(*shape, -1)

    @torch.no_grad()
    def _average(self) -> None:
        share = min(self.course.averaging, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.averaged.parameters()), list(self.network.parameters()), 1 - share
        )

    @torch.no_grad()
    def score(self, columns: list[torch.Tensor], averaged: bool = True) -> torch.Tensor:
        """What positions are worth to the side that is NOT to move: from -1, lost, to 1."""
        network = self.averaged if averaged else self.network
        network.eval()
        expert = expert_numbers(columns, self.on)
        order = torch.argsort(expert)
        counts = torch.bincount(expert, minlength=NUM_EXPERTS).tolist()
        found = torch.empty(len(expert), device=expert.device)
        for number, rows in enumerate(order.split(counts)):
            for part in rows.split(1 << 16):
                if len(part) == 0:
                    continue
                inputs = columns_of([column[part] for column in columns], self.board)
                chances = network.alone(number, inputs).float().softmax(-1)
                found[part] = chances[:, LOSS] - chances[:, WIN]
        return found


def on_device(device: torch.device, kind: torch.dtype) -> Board:
    """The matrices of the board where the network is."""
    made = {}
    for name, values in vars(board()).items():
        tensor = torch.as_tensor(values, device=device)
        made[name] = tensor.to(kind) if tensor.is_floating_point() else tensor.int()
    return Board(**made)


def columns_of(columns: list[torch.Tensor], on: Board) -> torch.Tensor:
    """What the network sees of some positions."""
    return torch.cat(fields(*columns, on), dim=1)
