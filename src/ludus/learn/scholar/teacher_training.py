"""The same scorer taught by a teacher who can err: all it is told are the moves that he made."""

from dataclasses import replace

import torch
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.datasets.morris import Entries
from ludus.learn.scholar.critical import OVER
from ludus.learn.scholar.examples import NO_POINT, ExampleSource, Positions
from ludus.learn.scholar.lessons import as_array
from ludus.learn.scholar.scorer_training import ScorerCourse, ScorerTraining
from ludus.learn.scholar.seeing import tensor, tensors

SHARPNESS = 8.0
"""How much likelier, as a power of e, a move is whose score is better by one."""


class TeacherTraining(ScorerTraining):
    """The move that the teacher made should have the best score of all."""

    def __init__(
        self,
        source: ExampleSource,
        course: ScorerCourse,
        device: torch.device,
        entries: Entries,
        batch: int = 2048,
    ) -> None:
        """`batch`: positions in a step, each with all its moves."""
        self.entries, self.batch = entries, batch
        # What it learns are scores, not chances: there is nothing to be careful about.
        super().__init__(source, replace(course, care=1.0), device)

    def _begin(self, source: ExampleSource) -> None:
        entries = self.entries
        boards = [entries.own.astype("int32"), entries.other.astype("int32")]
        columns = source.columns([*boards, entries.own_hand, entries.other_hand])
        found = source.examples(Positions(*columns))
        moves = tensor(found.children.move)
        is_made = (moves == self._made(moves)[:, None]) & tensor(found.children.is_move)
        known = is_made.any(1).nonzero()[:, 0]
        if not len(known):
            raise BadSpec("the teacher has made no legal move at all")
        self.found = found[as_array(known)]
        self.number = is_made[known].int().argmax(1)

    def _made(self, moves: torch.Tensor) -> torch.Tensor:
        """The teacher's moves, packed as in Children."""
        made = torch.zeros(len(moves), dtype=moves.dtype)
        for place, part in enumerate((self.entries.to, self.entries.frm, self.entries.take)):
            points = torch.as_tensor(part.astype("int32"))
            made += torch.where(points < 0, NO_POINT, points) << 8 * place
        return made.to(moves.device)

    @property
    def examples_a_step(self) -> int:
        return self.batch

    def step(self, rate: float) -> torch.Tensor:
        """Learn from some positions; the loss."""
        return self.pupil.learn(self.pupil.lesson(self._loss, is_same=False), rate)

    def _loss(self) -> torch.Tensor:
        rows = torch.randint(len(self.number), (self.batch,), device=self.number.device)
        found = self.found[as_array(rows)]
        is_move, value = tensor(found.children.is_move), tensor(found.children.value)
        positions = [column[is_move] for column in tensors(found.children.positions.columns)]
        scores = torch.full(is_move.shape, -torch.inf, device=is_move.device)
        scores[is_move] = self.scores_by(self.pupil.networks, positions, self.course.care)
        # Whether a game is won the rules say.
        scores = torch.where(is_move & (value == OVER), 1.0, scores)
        return functional.cross_entropy(SHARPNESS * scores, self.number[rows])[None]
