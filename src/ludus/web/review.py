"""The line that was played, as perfect play sees it: its values, and where they were given away."""

from typing import Any

from ludus.web.answers import Review, ReviewPoint
from ludus.web.table import Table
from ludus.web.thinkers import Thinkers
from ludus.web.tree import Node
from ludus.web.views import SCORES


async def review_of(table: Table, thinkers: Thinkers) -> Review:
    """The values along the line to where the game stands and on, as far as redoing leads."""
    line = table.tree.whole_line()
    found = await thinkers.work("values", {**table.job(line[-1].number), "line": True})
    if not found["known"]:
        return Review(known=False, why=found["why"], points=[])
    scores = [_score(node, value) for node, value in zip(line, found["line"], strict=True)]
    points = [
        ReviewPoint(
            node=node.number,
            text=node.text,
            mover=node.mover,
            share=None if score is None else (score + 1) / 2,
            depth=None if value is None else value["depth"],
            lost=_lost(node, before, score),
        )
        for node, value, before, score in zip(
            line, found["line"], [None, *scores[:-1]], scores, strict=True
        )
    ]
    table.lost |= {
        point.node: point.lost
        for point, before in zip(points, [None, *scores[:-1]], strict=True)
        if before is not None and point.share is not None and point.mover in (0, 1)
    }
    is_known = any(point.share is not None for point in points)
    why = "" if is_known else "this game has not come to where it is solved"
    return Review(known=is_known, why=why, points=points)


def _score(node: Node, value: dict[str, Any] | None) -> int | None:
    """1 if the first side wins, -1 if it loses."""
    if value is None:
        return None
    score = SCORES[value["value"]]
    return score if node.position.mover == 0 else -score


def _lost(node: Node, before: int | None, after: int | None) -> int:
    """What the side that moved gave away with its move."""
    if before is None or after is None or node.mover not in (0, 1):
        return 0
    lost = before - after if node.mover == 0 else after - before
    return max(lost, 0)
