"""Exact verdicts for the page, with what each move costs."""

from typing import Any

from ludus.web.answers import RatedMoveView, Verdict
from ludus.web.table import Table
from ludus.web.views import SCORES


async def verdict_on(table: Table, number: int) -> Verdict:
    """What perfect play makes of a node."""
    found = await table.verdict(number)
    node = table.node(number)
    value: Any = found.get("value")
    return Verdict(
        node=number,
        known=found["known"],
        why=found["why"],
        value=value,
        depth=found.get("depth"),
        mover=node.position.mover,
        moves=[
            RatedMoveView(
                move=each["move"],
                value=each["value"],
                depth=each["depth"],
                cost=SCORES[value] - SCORES[each["value"]],
            )
            for each in found.get("moves", [])
        ],
    )
