"""The learners of each game, how they learn, and their stored results, for side by side views."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import BaseModel, TypeAdapter

from ludus.core.game import AnyGame
from ludus.games.move_entry import get_move_entry
from ludus.web.analysis import describe_move_value
from ludus.web.drawing import draw_explanation, draw_move
from ludus.web.errors import RequestRefused
from ludus.web.explanations import ChosenMove
from ludus.web.opponents import load_strengths
from ludus.web.schemas.catalogue import (
    ComparedChoiceView,
    LearnersView,
    LearnerView,
    SamplePositionView,
)
from ludus.web.worker_pool import WorkerPool

if TYPE_CHECKING:
    from ludus.analysis.evaluation import PositionJson

SEED = 1
"""Random seed of the choices, so that a comparison can be repeated."""


class ComparedLearner(BaseModel):
    """A player that has learned, and its stored result."""

    player: str
    title: str
    how: str
    kept: float | None = None
    """Percentage of critical positions in which it gives nothing away."""

    critical: int | None = None
    lost: float | None = None
    """Thousandths of a point that it gives away in a move."""

    evaluated: int = 0
    row: str = ""
    """The stored result that the figures are from."""


class Learners(BaseModel):
    """The learners of a game, and the positions in which they are compared."""

    positions: list[SamplePositionView]
    """An empty one is the start."""

    learners: list[ComparedLearner]


@cache
def load_learners() -> dict[str, Learners]:
    """Return learners and positions by game."""
    text = files(__package__).joinpath("learners.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Learners]).validate_python(tomllib.loads(text))


def list_learners(game: AnyGame) -> LearnersView:
    """Return the learners of a game and the positions in which they are compared."""
    found = load_learners().get(game.id)
    if found is None:
        raise RequestRefused(f"there are no learners of {game.id} to compare")
    return LearnersView(
        game=game.id,
        title=game.title,
        positions=[
            each.model_copy(update={"position": each.position or str(game.start())})
            for each in found.positions
        ],
        learners=[_describe_learner(game, each) for each in found.learners],
    )


def _describe_learner(game: AnyGame, learner: ComparedLearner) -> LearnerView:
    """Return a learner with its stored result as a sentence and as a bar."""
    view = LearnerView(player=learner.player, title=learner.title, how=learner.how)
    if learner.lost is not None:
        text = (
            f"Gives away {learner.lost:.1f} thousandths of a point a move, "
            f"as bgsage evaluates {learner.evaluated:,} positions"
        )
        return view.model_copy(update={"result": text})
    critical, share = learner.critical, 0.0 if learner.kept is None else learner.kept / 100
    if critical is None:
        measured = load_strengths()[game.id][learner.player]
        critical, share = measured.critical, measured.kept / measured.critical
    text = f"Gives nothing away in {share:.1%} of {critical:,} positions where a move can"
    return view.model_copy(update={"result": text, "share": share})


async def compare_choice(
    game: AnyGame, position: str, player: str, workers: WorkerPool
) -> ComparedChoiceView:
    """Return the move of one learner in a position, its pictures, and what the move gives away."""
    known = load_learners().get(game.id)
    if known is None or player not in {each.player for each in known.learners}:
        raise RequestRefused(f"there is no learner {player[:100]!r} of {game.id}")
    start = game.parse(position) if position else game.start()
    if start.outcome() is not None or start.mover not in (0, 1):
        raise RequestRefused("nobody has a move to choose in this position")
    job = {"game": game.id, "rules": "", "start": str(start), "moves": []}
    answer = await workers.run_job("choose", {**job, "player": player, "seed": SEED})
    chosen = ChosenMove.model_validate(answer)
    found: PositionJson = (await workers.run_job("evaluate", job))["analysis"]
    verdict = next((each for each in found["moves"] if each["move"] == chosen.move), None)
    move_entry, is_good = get_move_entry(game), verdict is None or not verdict["mark"]
    return ComparedChoiceView(
        move=chosen.move,
        comment=chosen.comment,
        pictures=[
            draw_move(move_entry, start, chosen.move, is_good),
            *draw_explanation(move_entry, start, chosen),
        ],
        evaluation=verdict,
        text="" if verdict is None else describe_move_value(game, verdict),
    )
