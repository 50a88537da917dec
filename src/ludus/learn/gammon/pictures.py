"""The moves that a network scores highest, side by side."""

from collections.abc import Mapping
from typing import Any

from ludus.core.game import AnyGame
from ludus.core.pictures import Note, Picture

MOST = 3


def best_moves(game: AnyGame, position: Any, scores: Mapping[Any, float]) -> list[Picture]:
    """A board for each of the best moves, with its score and how far it stands behind."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:MOST]
    pictures = []
    for rank, (move, score) in enumerate(ranked):
        steps = game.steps(move)
        behind = f", {ranked[0][1] - score:.0f} behind the best" if rank else ""
        pictures.append(
            Picture(
                str(move),
                text=f"Scored {score:+.0f}{behind}.",
                notes=tuple(
                    Note(pair, colour=rank) for pair in zip(steps[::2], steps[1::2], strict=True)
                ),
            )
        )
    return pictures
