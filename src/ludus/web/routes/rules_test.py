"""The route of the page that teaches learned rules, with a test before and after."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from ludus.games import registered_game
from ludus.web.errors import RequestRefused
from ludus.web.routes.catalogue import PUZZLE_TASKS, GameQuery
from ludus.web.routes.games import ERROR_RESPONSES
from ludus.web.schemas.catalogue import RulesTestTaskView, RulesTestView
from ludus.web.schemas.games import PictureView

router = APIRouter(prefix="/api", responses=ERROR_RESPONSES, tags=["rules test"])

GAME_RULES = {"noughts_and_crosses": "", "hexapawn": "four"}
"""Games with learned rules to teach, each with the rules that make it neither trivial nor long."""


@router.get("/rules-test")
async def get_rules_test(
    request: Request, game: GameQuery, seed: Annotated[int, Query(ge=0, lt=2**53)] = 0
) -> RulesTestView:
    """Return the rules that MIGO has learned, and the tasks of a test before and one after."""
    rules = GAME_RULES.get(game)
    if rules is None:
        raise RequestRefused(f"there are no learned rules of {game}")
    result: dict[str, Any] = await request.app.state.workers.run_job(
        "rules_test", {"game": game, "rules": rules, "seed": seed}
    )
    named = registered_game(game, rules)

    def make_task(task: dict[str, Any]) -> RulesTestTaskView:
        side = named.sides[task["side"]].capitalize()
        text = PUZZLE_TASKS[task["kind"]].format(side=side)
        return RulesTestTaskView(position=task["position"], task=text)

    return RulesTestView(
        game=game,
        title=named.title,
        rules=rules,
        sentences=result["sentences"],
        clauses=result["clauses"],
        examples=[PictureView(**each) for each in result["examples"]],
        before=list(map(make_task, result["before"])),
        after=list(map(make_task, result["after"])),
    )
