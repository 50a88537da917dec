"""Games against perfect play, many at once: how often a scholar gives the draw away, and when.

Perfect play takes any of the moves that keep the value. It never lets go of a won game, so the
first error of the scholar is a game lost.
"""

from random import Random
from typing import Any

import torch

from ludus.learn.scholar.examples import ExampleSource, Games
from ludus.learn.scholar.lessons import NO_ERROR, Choose, as_array
from ludus.learn.scholar.seeing import tensor

MAX_PLIES = 120
"""So long a game without an error is taken for a draw."""


def first_errors(
    source: ExampleSource, choose: Choose, games: int, seed: int, max_plies: int = MAX_PLIES
) -> torch.Tensor:
    """For each game the ply of the scholar's first error, or NO_ERROR.

    Games begin at the start; in every other one, from the first, the scholar has White.
    """
    seeds = Random(seed)
    begin = source.starts(games)
    stand = Games(begin, as_array(torch.zeros_like(tensor(begin.own), dtype=torch.int32)))
    first = torch.full((games,), NO_ERROR, device=tensor(begin.own).device)
    side = torch.arange(games, device=first.device) % 2
    for ply in range(max_plies):
        found = source.examples(stand.positions, seed=seeds.getrandbits(62))
        chosen = torch.full((games,), -1, dtype=torch.int32, device=first.device)
        rows = ((side == ply % 2) & (first == NO_ERROR)).nonzero()[:, 0]
        if len(rows):
            asked = found[as_array(rows)]
            number = choose(asked)[:, None]
            chosen[rows] = tensor(asked.children.move).gather(1, number)[:, 0]
            is_error = ~tensor(asked.keeps).gather(1, number)[:, 0]
            first[rows[is_error]] = ply
        stand = source.advance(
            stand,
            found,
            begin[:1],
            seeds.getrandbits(62),
            noise=0.0,
            max_plies=2 * max_plies,
            chosen=as_array(chosen),
        )
    return first


def told(first: torch.Tensor) -> dict[str, Any]:
    """Games lost with each colour, and when."""
    is_lost = first != NO_ERROR
    return {
        "games": len(first) // 2,
        "lost_as_white": int(is_lost[0::2].sum()),
        "lost_as_black": int(is_lost[1::2].sum()),
        "plies": torch.bincount(first[is_lost]).tolist(),
    }
