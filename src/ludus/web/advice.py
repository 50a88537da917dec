"""Hints: exact where the game is solved, and a good player's opinion elsewhere."""

import asyncio

from ludus.core.game import CHANCE
from ludus.web.answers import Advice
from ludus.web.errors import OutOfTurn
from ludus.web.hall import Hall
from ludus.web.table import Table
from ludus.web.thinkers import Thinkers
from ludus.web.verdicts import verdict_on

ADVISERS = ("negascout:multipv=4", "gammon", "playouts")
"""Who is asked where perfect play is not known, the first of them that plays the game."""

MAX_MOVES = 12


async def advice_on(table: Table, number: int, hall: Hall, thinkers: Thinkers) -> Advice:
    """Moves to consider at a node, best first."""
    position = table.node(number).position
    if position.outcome() is not None or position.mover == CHANCE:
        raise OutOfTurn("there is nothing to decide here")
    verdict = await verdict_on(table, number)
    if verdict.known:
        moves = table.hints[number] = [each.model_dump() for each in verdict.moves]
        return Advice(
            exact=True, by="perfect play", text=_said(verdict.value, verdict.depth), moves=moves
        )
    known = [each["name"] for each in await hall.opponents(*table.names)]
    adviser = next((spec for spec in ADVISERS if spec.partition(":")[0] in known), known[0])
    job = {**table.job(number), "player": adviser, "seed": table.seed}
    answer = await thinkers.choose(job, asyncio.Event())
    scores = dict(answer["scores"])
    others = [move for move, _ in answer["scores"] if move != answer["move"]]
    ranked = [answer["move"], *others][:MAX_MOVES]
    moves = table.hints[number] = [{"move": move, "score": scores.get(move)} for move in ranked]
    return Advice(exact=False, by=adviser.partition(":")[0], text=answer["comment"], moves=moves)


def _said(value: str | None, depth: int | None) -> str:
    verb = {"win": "You can win", "draw": "A draw with best play", "loss": "Lost against best play"}
    told = verb[value or "draw"]
    return told if depth is None else f"{told}, in {depth} {'ply' if depth == 1 else 'plies'}"
