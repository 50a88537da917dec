"""Teaching the chain TO, FROM, REMOVE with sets of good choices instead of one."""

from dataclasses import dataclass

import torch

from ludus.learn.scholar.chain_lessons import ChainLessons, Taught, part_of
from ludus.learn.scholar.examples import NO_POINT, Examples, ExampleSource
from ludus.learn.scholar.experts import NUM_EXPERTS, table
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.lessons import Mixture, expert_numbers
from ludus.learn.scholar.scorer_training import columns_of, on_device
from ludus.learn.scholar.shelves import Shelves
from ludus.learn.symmetric.group import CHOICES, joined
from ludus.learn.symmetric.networks import Symmetric

PARTS = ("to", "from", "take")
THINGS = tuple(joined(MOVED, *[CHOICES] * part) for part in range(len(PARTS)))
"""What each network sees: the position and the choices before its own."""

KINDS = (torch.int32, torch.int32, torch.uint8, torch.uint8, *[torch.int32] * 4)


@dataclass(frozen=True)
class ChainCourse:
    """How the chain is taught."""

    channels: tuple[int, int, int] = (64, 48, 48)
    blocks: tuple[int, int, int] = (3, 2, 2)
    batch: int = 4096
    shelf: int = 1 << 19
    learning_rate: float = 2e-3
    warmup: int = 300
    averaging: float = 0.999
    rounds_ahead: int = 40
    steps_a_round: int = 1
    mixture: Mixture = Mixture()
    seed: int = 1


class ChainTraining:
    """Three banks of experts that are taught at the same time."""

    def __init__(self, source: ExampleSource, course: ChainCourse, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course, self.device = course, device
        self.kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.board = on_device(device, self.kind)
        self.on = torch.as_tensor(table(), device=device)
        self.shelves = Shelves(NUM_EXPERTS, course.shelf, device, Taught, KINDS)
        self.lessons = ChainLessons(source, self.shelves, course.mixture, self.on, course.seed)
        self.network, self.averaged = self._networks(), self._networks()
        self.averaged.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=course.learning_rate, fused=device.type == "cuda"
        )
        self.steps = 0

    def _networks(self) -> torch.nn.ModuleList:
        shapes = zip(THINGS, self.course.channels, self.course.blocks, strict=True)
        networks = (
            Symmetric(things, CHOICES, channels, blocks, NUM_EXPERTS)
            for things, channels, blocks in shapes
        )
        return torch.nn.ModuleList(networks).to(self.device)

    def step(self, rate: float) -> torch.Tensor:
        """Learn from one batch for every expert; the loss of each part."""
        batch = self.shelves.take(self.course.batch)
        shape = batch.own.shape
        things = columns_of([c.flatten() for c in batch[:4]], self.board).view(*shape, -1)
        sets = (batch.good_to, batch.good_from, batch.good_take)
        losses = []
        for part, (network, good) in enumerate(zip(self.network, sets, strict=True)):
            losses.append(_missing(network(things).float(), good))
            things = torch.cat([things, _one_of(part_of(batch.move, part), things)], dim=-1)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        by_part = torch.stack([loss.mean(1).sum() for loss in losses])
        by_part.sum().backward()
        self.optimizer.step()
        self.steps += 1
        self._average()
        return by_part.detach() / NUM_EXPERTS

    @torch.no_grad()
    def _average(self) -> None:
        share = min(self.course.averaging, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.averaged.parameters()), list(self.network.parameters()), 1 - share
        )

    @torch.no_grad()
    def choose(self, columns: list[torch.Tensor]) -> torch.Tensor:
        """The move, packed, part by part without a look at the rules."""
        expert = expert_numbers(columns, self.on)
        counts = torch.bincount(expert, minlength=NUM_EXPERTS).tolist()
        found = torch.zeros(len(expert), dtype=torch.int32, device=expert.device)
        for number, rows in enumerate(torch.argsort(expert).split(counts)):
            for part_rows in rows.split(1 << 15):
                if len(part_rows) == 0:
                    continue
                things = columns_of([column[part_rows] for column in columns], self.board)
                for part, network in enumerate(self.averaged):
                    choice = network.alone(number, things).argmax(-1)
                    found[part_rows] |= (choice << (8 * part)).int()
                    things = torch.cat([things, _one_of(choice, things)], dim=-1)
        return found

    def is_kept(self, found: Examples) -> tuple[torch.Tensor, torch.Tensor]:
        """For each position whether the move is legal, and whether it keeps the value."""
        columns = [torch.as_tensor(column) for column in found.positions.columns]
        chosen = self.choose(columns)[:, None] == torch.as_tensor(found.children.move)
        chosen &= torch.as_tensor(found.children.is_move)
        return chosen.any(1), (chosen & torch.as_tensor(found.keeps)).any(1)


def _one_of(choice: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.one_hot(choice.long(), NO_POINT + 1).to(like.dtype)


def _missing(outputs: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """How little of the probability lies on the good choices, as its negative logarithm."""
    bits = torch.arange(NO_POINT + 1, device=good.device, dtype=good.dtype)
    is_good = (good[..., None] >> bits) & 1 == 1
    on_good = outputs.masked_fill(~is_good, -torch.inf).logsumexp(-1)
    return outputs.logsumexp(-1) - on_good
