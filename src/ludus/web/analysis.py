"""Verdicts, reviews and advice, from exact values where the game is solved."""

import asyncio

from ludus.core.game import CHANCE
from ludus.oracle.oracle import Value
from ludus.web.errors import OutOfTurn
from ludus.web.game_registry import GameRegistry
from ludus.web.game_tree import GameNode
from ludus.web.schemas import AdviceView, ReviewPointView, ReviewView, VerdictView
from ludus.web.session import Session
from ludus.web.worker_pool import WorkerPool


async def fetch_verdict(session: Session, number: int) -> VerdictView:
    """Return the exact verdict on a node, with the cost of each move."""
    verdict, why = await session.fetch_verdict(number)
    return VerdictView(
        node=number,
        known=verdict is not None,
        why=why,
        mover=session.node(number).position.mover,
        **({} if verdict is None else verdict.to_json()),
    )


async def fetch_review(session: Session, workers: WorkerPool) -> ReviewView:
    """Return the values along the current line, continued as far as redo leads."""
    line = session.tree.full_path()
    result = await workers.run_job("values", {**session.job(line[-1].number), "line": True})
    if not result["known"]:
        return ReviewView(known=False, why=result["why"], points=[])
    values = [None if data is None else Value.from_json(data) for data in result["line"]]
    scores = [_first_side_score(node, value) for node, value in zip(line, values, strict=True)]
    points = [
        ReviewPointView(
            node=node.number,
            text=node.text,
            mover=node.mover,
            share=None if score is None else min(max((score + 1) / 2, 0), 1),
            depth=None if value is None else value.depth,
            lost=_value_lost(node, before, score),
        )
        for node, value, before, score in zip(
            line, values, [None, *scores[:-1]], scores, strict=True
        )
    ]
    session.value_lost |= {
        point.node: point.lost
        for point, before in zip(points, [None, *scores[:-1]], strict=True)
        if before is not None and point.share is not None and point.mover in (0, 1)
    }
    is_known = any(point.share is not None for point in points)
    why = "" if is_known else "no position of this game is solved"
    return ReviewView(known=is_known, why=why, points=points)


def _first_side_score(node: GameNode, value: Value | None) -> float | None:
    """Return 1 if the first side wins, 0 for a draw, -1 if it loses; or its equity."""
    if value is None:
        return None
    return value.utility if node.position.mover == 0 else -value.utility


def _value_lost(node: GameNode, before: float | None, after: float | None) -> float:
    """Return the value lost by the side that moved."""
    if before is None or after is None or node.mover not in (0, 1):
        return 0
    lost = before - after if node.mover == 0 else after - before
    return max(lost, 0)


ADVISERS = ("negascout:multipv=4", "gammon:net=selfplay,ply=1", "playouts")
"""Players for unsolved positions; the first available one is used."""

MAX_ADVISED_MOVES = 12


async def fetch_advice(
    session: Session, number: int, registry: GameRegistry, workers: WorkerPool
) -> AdviceView:
    """Return moves to consider, best first: exact if solved, else by a player."""
    position = session.node(number).position
    if position.outcome() is not None or position.mover == CHANCE:
        raise OutOfTurn("there is no move to choose here")
    verdict, _ = await session.fetch_verdict(number)
    if verdict is not None:
        moves = session.hints[number] = [rated.to_json() for rated in verdict.moves]
        return AdviceView(
            exact=True,
            by="perfect play",
            text=_describe_value(verdict.value),
            moves=moves,
        )
    known = [opponent["name"] for opponent in await registry.opponents(*session.game_spec)]
    adviser = next((spec for spec in ADVISERS if spec.partition(":")[0] in known), known[0])
    job = {**session.job(number), "player": adviser, "seed": session.seed}
    response = await workers.choose(job, asyncio.Event())
    scores = dict(response["scores"])
    others = [move for move, _ in response["scores"] if move != response["move"]]
    ranked = [response["move"], *others][:MAX_ADVISED_MOVES]
    moves = session.hints[number] = [{"move": move, "score": scores.get(move)} for move in ranked]
    return AdviceView(
        exact=False, by=adviser.partition(":")[0], text=response["comment"], moves=moves
    )


def _describe_value(value: Value) -> str:
    if value.equity is not None:
        return f"{value.equity:+.3f} points a game with best play"
    verb = {"win": "You can win", "draw": "A draw with best play", "loss": "Lost against best play"}
    depth = str(value).removeprefix(value.result)
    return f"{verb[value.result]},{depth}" if depth else verb[value.result]
