"""What there is: games, players, positions, puzzles, and results of tournaments and trainings."""

import datetime
import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request

from ludus.core.marks import NO_MARKS
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.web import notations
from ludus.web.answers import (
    ArrangementView,
    CurveView,
    HowView,
    Kind,
    Opponent,
    PositionView,
    PuzzleView,
    Shown,
    TournamentView,
)
from ludus.web.asked import ArrangementAsked, PositionAsked
from ludus.web.boards import board_of
from ludus.web.editor import edited
from ludus.web.games import REFUSALS
from ludus.web.picture import drawn

if TYPE_CHECKING:
    from ludus.web.settings import Settings

router = APIRouter(prefix="/api", responses=REFUSALS, tags=["catalogue"])

GameQuery = Annotated[str, Query(min_length=1, max_length=100)]
RulesQuery = Annotated[str, Query(max_length=1_000)]

PUZZLE_TASKS = {
    "win": "{side} to move: one move alone wins. Find it.",
    "hold": "{side} to move: one move alone does not lose. Find it.",
}


@router.get("/kinds")
async def kinds() -> list[Kind]:
    """The games that can be played."""
    found = []
    for name in GAMES:
        game = named_game(name)
        found.append(
            Kind(
                game=name,
                title=game.title,
                sides=[side.capitalize() for side in game.sides],
                presets=list(game.presets),
                start=str(game.start()),
            )
        )
    return found


@router.get("/how")
async def how(game: GameQuery, rules: RulesQuery = "") -> HowView:
    """How a game is played, for people who do not know it."""
    found = named_game(game, rules)
    return HowView(title=found.title, sentences=board_of(found).how())


@router.get("/opponents")
async def opponents(request: Request, game: GameQuery, rules: RulesQuery = "") -> list[Opponent]:
    """Everybody who plays a game, with an honest word on how well."""
    found = await request.app.state.hall.opponents(game, rules)
    return [Opponent(**each) for each in found]


@router.post("/positions")
async def position(asked: PositionAsked) -> PositionView:
    """A position read in any notation of its game, written in all of them, and drawn."""
    game = named_game(asked.game, asked.rules)
    found = game.parse(asked.position) if asked.position else game.start()
    svg, _ = drawn(found, NO_MARKS)
    return PositionView(
        position=str(found),
        svg=svg,
        mover=found.mover,
        over=found.outcome() is not None,
        texts=notations.texts(game, found),
    )


@router.post("/arrangements")
async def arrangement(asked: ArrangementAsked) -> ArrangementView:
    """A position put together by hand, drawn, and what is wrong with it."""
    return edited(asked)


@router.get("/puzzles")
async def puzzle(
    request: Request,
    game: Annotated[Literal["nine_mens_morris", "hexapawn", "noughts_and_crosses"], Query()],
    kind: Annotated[Literal["win", "hold"], Query()] = "win",
    grade: Annotated[int, Query(ge=1, le=3)] = 1,
    number: Annotated[int | None, Query(ge=0, lt=2**53)] = None,
) -> PuzzleView:
    """A puzzle by its number, or today's."""
    rules = "four" if game == "hexapawn" else ""
    seed = _today(game, kind, grade) if number is None else number
    found: dict[str, Any] = await request.app.state.thinkers.work(
        "puzzle", {"game": game, "rules": rules, "kind": kind, "grade": grade, "seed": seed}
    )
    position = named_game(game, rules).parse(found["position"])
    side = named_game(game, rules).sides[position.mover].capitalize()
    return PuzzleView(
        game=game,
        rules=rules,
        position=found["position"],
        svg=drawn(position, NO_MARKS)[0],
        kind=kind,
        task=PUZZLE_TASKS[kind].format(side=side),
        grade=found["grade"],
        plies=found["plies"],
        side=position.mover,
    )


@router.get("/shown")
async def shown(request: Request) -> Shown:
    """What this server shows beside games."""
    settings: Settings = request.app.state.settings
    return Shown(
        tournament=settings.tournament_file is not None,
        training=settings.curves_folder is not None,
    )


@router.get("/tournament")
async def tournament(request: Request) -> list[TournamentView]:
    """The tournament that this server was told to show, as far as it has been played."""
    settings: Settings = request.app.state.settings
    plan = settings.tournament_file
    if plan is None:
        return []
    store = settings.results_file or plan.with_suffix(".sqlite")
    job = {"plan": str(plan), "store": str(store)}
    found = await request.app.state.thinkers.work("tournament", job)
    return [TournamentView(**each) for each in found["tournaments"]]


@router.get("/training")
async def training(request: Request) -> list[CurveView]:
    """The curves of the training that this server was told to show."""
    settings: Settings = request.app.state.settings
    if settings.curves_folder is None:
        return []
    job = {"folder": str(settings.curves_folder)}
    found = await request.app.state.thinkers.work("training", job)
    return [CurveView(**each) for each in found["curves"]]


def _today(*words: object) -> int:
    """A number that changes with the day."""
    text = " ".join(map(str, (datetime.date.today().isoformat(), *words)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])
