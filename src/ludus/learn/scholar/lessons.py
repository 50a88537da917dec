"""Lessons out of the solved game: which positions are put before the scholar.

A round looks at many positions with all their moves. Part of them come out of the scholar's own
games, and where it erred there it will stand again.
"""

from collections.abc import Callable

import torch

from ludus.learn.scholar.examples import Array, Examples, ExampleSource
from ludus.learn.scholar.mixture import Mixture, Sort, shares
from ludus.learn.scholar.playing import Play, PlayOptions
from ludus.learn.scholar.seeing import tensor

Choose = Callable[[Examples], torch.Tensor]
"""The number of the move that the scholar would play in each position."""

Teach = Callable[[Examples, torch.Tensor], None]
"""Make examples of positions; the tensor has the number of the scholar's error in each, or -1."""

NO_ERROR = -1


class Lessons:
    """Looks at positions, round by round, and hands them on."""

    def __init__(
        self, source: ExampleSource, mixture: Mixture, choose: Choose, teach: Teach, seed: int
    ) -> None:
        self.source, self.mixture, self.teach = source, mixture, teach
        self.weights = shares(source.subspaces, mixture)
        self.rounds = seed << 32
        self.parties = [
            Party(source, sort, choose, teach, self.weights, 3 * seed + number)
            for number, sort in enumerate((mixture.free, mixture.wild, mixture.sound))
        ]

    def round(self, own: bool) -> None:
        """Look at drawn positions and at every game; `own`: let the scholar play on in them."""
        self.rounds += 1
        drawn = self.source.draw(self.mixture.drawn, self.rounds, weights=self.weights)
        found = self.source.examples(drawn, seed=self.rounds)
        self.teach(found, without_errors(found))
        for party in self.parties:
            if own and party.sort.own:
                party.own_ply()
            else:
                party.other_ply()


class Party:
    """Games of one sort."""

    def __init__(
        self,
        source: ExampleSource,
        sort: Sort,
        choose: Choose,
        teach: Teach,
        weights: list[float],
        seed: int,
    ) -> None:
        self.sort, self.choose, self.teach = sort, choose, teach
        men = source.rules.men
        # Where only endings are solved no game can begin at the start.
        from_start = sort.from_start if (0, 0, men, men) in source.subspaces else 0.0
        options = PlayOptions(sort.noise, sort.max_plies, from_start, sort.from_errors)
        self.play = Play(source, sort.games, seed, options, weights=weights)

    def other_ply(self) -> None:
        """The games go on by themselves."""
        found = self.play.examples
        self.teach(found, without_errors(found))
        self.play.step()

    def own_ply(self) -> None:
        """The scholar chooses everywhere, and some of its moves are played."""
        found = self.play.examples
        chosen = self.choose(found)
        is_error = ~tensor(found.keeps).gather(1, chosen[:, None])[:, 0]
        self.teach(found, torch.where(is_error, chosen, NO_ERROR))
        move = tensor(found.children.move).gather(1, chosen[:, None])[:, 0]
        is_played = torch.rand(len(move), device=move.device) < self.sort.own
        if not self.sort.plays_errors:
            self.play.note_errors(as_array(move))
            is_played &= ~is_error
        self.play.step(as_array(torch.where(is_played, move, -1)))


def without_errors(found: Examples) -> torch.Tensor:
    """Of positions in which the scholar has not chosen."""
    return torch.full_like(tensor(found.value), NO_ERROR, dtype=torch.long)


def as_array(values: torch.Tensor) -> Array:
    """What a source takes: its own kind of array."""
    return values if values.is_cuda else values.numpy()


def pairs(
    found: Examples, error: torch.Tensor, mixture: Mixture
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and columns of the moves to learn from: where it matters, good ones and bad ones.

    What the scholar must learn is to tell them apart. Its own errors are taught twice as often as
    other bad moves; of positions where all moves are good, a share is taught.
    """
    is_move, keeps = tensor(found.children.is_move), tensor(found.keeps)
    is_critical, is_error = tensor(found.is_critical), error != NO_ERROR
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
            columns.append(any_of(moves[row]))
    return torch.cat(rows), torch.cat(columns)


def any_of(moves: torch.Tensor) -> torch.Tensor:
    """(positions, moves) sets of moves to one of each, at random."""
    chance = torch.rand(moves.shape, device=moves.device)
    return torch.where(moves, chance, -1.0).argmax(1)
