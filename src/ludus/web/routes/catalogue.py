"""Routes for games, opponents, positions, puzzles, tournaments and training curves."""

import asyncio
import datetime
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request

from ludus.core.errors import LudusError
from ludus.core.runs import Run, list_runs
from ludus.games import GAMES, registered_game
from ludus.games.move_entry import AnyMoveEntry, Arrangement, get_move_entry
from ludus.web.errors import RequestRefused
from ludus.web.learners import compare_choice, list_learners
from ludus.web.middleware import is_owner
from ludus.web.routes.games import ERROR_RESPONSES
from ludus.web.schemas.analysis import SolveView
from ludus.web.schemas.catalogue import (
    ComparedChoiceView,
    CurveView,
    GameKindView,
    LearnersView,
    OpponentView,
    PuzzleKindView,
    PuzzleView,
    RulesTestView,
    RulesView,
    RunView,
    ServerFeaturesView,
    TournamentView,
)
from ludus.web.schemas.games import ArrangementView, ImportView, PositionView
from ludus.web.schemas.requests import (
    ArrangementRequest,
    ImportRequest,
    PlacedMen,
    PositionRequest,
    SolveRequest,
)
from ludus.web.solving import FORBIDDEN

if TYPE_CHECKING:
    from ludus.web.game_registry import GameRegistry
    from ludus.web.settings import Settings
    from ludus.web.solving import GameSolver


router = APIRouter(prefix="/api", responses=ERROR_RESPONSES, tags=["catalogue"])


@router.post("/arrangements")
async def arrange_position(body: ArrangementRequest) -> ArrangementView:
    """Draw a position set up by hand, and report what is wrong with it."""
    game = registered_game(body.game, body.rules)
    move_entry = get_move_entry(game)
    if body.men is None:
        position = game.parse(body.position) if body.position else game.start()
        arrangement = move_entry.to_arrangement(position)
    else:
        men = {place: (man.side, man.count) for place, man in body.men.items()}
        dice = (body.dice[0], body.dice[1]) if body.dice and move_entry.has_dice else None
        arrangement = Arrangement(men, body.mover, (body.hands[0], body.hands[1]), dice)
    _check_arrangement(move_entry, arrangement)
    position = move_entry.from_arrangement(arrangement)
    arrangement = move_entry.to_arrangement(position)
    drawing, text = position.drawing(), str(position)
    return ArrangementView(
        position=text,
        problem=_find_problem(move_entry, text),
        svg=drawing.svg(has_style=False),
        labels={
            place: f"{place}, {move_entry.describe_place(position, place) or 'empty'}"
            for place in drawing.places
        },
        men={
            place: PlacedMen(side=side, count=count)
            for place, (side, count) in arrangement.men.items()
        },
        mover=arrangement.mover,
        hands=list(arrangement.hands),
        most=move_entry.max_men_per_place,
        hand_title=move_entry.hand_title,
        dice=None if arrangement.dice is None else list(arrangement.dice),
        has_dice=move_entry.has_dice,
        hands_are_placed=bool(move_entry.hand_title) and not move_entry.has_dice,
    )


def _check_arrangement(move_entry: AnyMoveEntry, arrangement: Arrangement) -> None:
    """Check that all places exist and hold no more men than they can."""
    places = move_entry.game.start().drawing().places
    for place, (_, count) in arrangement.men.items():
        if place not in places or count > move_entry.max_men_per_place:
            raise RequestRefused(f"{count} men cannot stand there: {place}")


def _find_problem(move_entry: AnyMoveEntry, text: str) -> str:
    """Return why a position cannot be played; empty if it can."""
    try:
        position = move_entry.game.parse(text)
    except LudusError as error:
        return str(error)
    return "the game would be over" if position.outcome() is not None else ""


GameQuery = Annotated[str, Query(min_length=1, max_length=100)]
RulesQuery = Annotated[str, Query(max_length=1_000)]


@router.get("/kinds")
async def list_games() -> list[GameKindView]:
    """List the available games."""
    kinds = []
    for name in GAMES:
        game = registered_game(name)
        kinds.append(
            GameKindView(
                game=name,
                title=game.title,
                sides=[side.capitalize() for side in game.sides],
                presets=list(game.presets),
                start=str(game.start()),
                has_puzzles=game.puzzle_rules is not None,
            )
        )
    return kinds


@router.get("/how")
async def get_rules(game: GameQuery, rules: RulesQuery = "") -> RulesView:
    """Explain how a game is played."""
    named = registered_game(game, rules)
    return RulesView(title=named.title, sentences=get_move_entry(named).describe_rules())


@router.get("/opponents")
async def list_opponents(
    request: Request, game: GameQuery, rules: RulesQuery = ""
) -> list[OpponentView]:
    """List the players for a game, with their measured strength."""
    registry: GameRegistry = request.app.state.registry
    return list((await registry.find_offers(game, rules)).values())


@router.post("/imports")
async def read_text(request: Request, body: ImportRequest) -> ImportView:
    """Read a pasted text: a game, a list of moves, or a position of any game."""
    found = await request.app.state.workers.read_text("import", body.model_dump())
    return ImportView(**found)


@router.post("/positions")
async def read_position(body: PositionRequest) -> PositionView:
    """Read a position in any notation; return it in all notations and as SVG."""
    game = registered_game(body.game, body.rules)
    position = game.parse(body.position) if body.position else game.start()
    return PositionView(
        position=str(position),
        svg=position.drawing().svg(has_style=False),
        mover=position.mover,
        over=position.outcome() is not None,
        texts=game.position_texts(position),
    )


@router.get("/puzzles/kinds")
async def list_puzzles(request: Request, game: GameQuery) -> list[PuzzleKindView]:
    """List the kinds and grades of puzzles that a game has."""
    job = {"game": game, "rules": _get_puzzle_rules(game)}
    found = await request.app.state.workers.run_job("puzzle_kinds", job)
    return [PuzzleKindView(**each) for each in found["puzzles"]]


def _get_puzzle_rules(game: str) -> str:
    rules = GAMES[game].puzzle_rules
    if rules is None:
        raise RequestRefused(f"there are no puzzles of {game}")
    return rules


@router.get("/puzzles")
async def get_puzzle(
    request: Request,
    game: GameQuery,
    kind: Annotated[Literal["win", "hold", "best", "ending"], Query()] = "win",
    grade: Annotated[int, Query(ge=1, le=3)] = 1,
    number: Annotated[int | None, Query(ge=0, lt=2**53)] = None,
) -> PuzzleView:
    """Return a puzzle by its number, or today's."""
    rules = _get_puzzle_rules(game)
    seed = _seed_of_today(game, kind, grade) if number is None else number
    job = {"game": game, "rules": rules, "kind": kind, "grade": grade, "seed": seed}
    return PuzzleView(**await request.app.state.workers.run_job("puzzle", job))


RULES_OF_TEST = {"noughts_and_crosses": "", "hexapawn": "four"}
"""Games with learned rules to teach, each with the rules that make it neither trivial nor long."""


@router.get("/rules-test")
async def get_rules_test(
    request: Request, game: GameQuery, seed: Annotated[int, Query(ge=0, lt=2**53)] = 0
) -> RulesTestView:
    """Return the rules that MIGO has learned, and the tasks of a test before and one after."""
    rules = RULES_OF_TEST.get(game)
    if rules is None:
        raise RequestRefused(f"there are no learned rules of {game}")
    job = {"game": game, "rules": rules, "seed": seed}
    return RulesTestView(**await request.app.state.workers.run_job("rules_test", job))


@router.get("/learners")
async def get_learners(game: GameQuery) -> LearnersView:
    """Return the learners of a game, how they learn and how well, and positions to compare them."""
    return list_learners(registered_game(game))


@router.get("/learners/choice")
async def get_learner_choice(
    request: Request, game: GameQuery, player: GameQuery, position: RulesQuery = ""
) -> ComparedChoiceView:
    """Return the move of one learner in a position, its pictures, and what the move gives away."""
    return await compare_choice(registered_game(game), position, player, request.app.state.workers)


@router.get("/solve")
async def get_solve(request: Request, game: GameQuery, rules: RulesQuery = "") -> SolveView:
    """Return whether a game can be solved completely, and how far that is."""
    solver: GameSolver = request.app.state.solver
    if not is_owner(request):
        return SolveView(available=False, state="none", why=FORBIDDEN)
    return await solver.describe(game, rules)


@router.post("/solve")
async def control_solve(request: Request, body: SolveRequest) -> SolveView:
    """Start, resume or stop solving a game completely."""
    solver: GameSolver = request.app.state.solver
    if not is_owner(request):
        raise RequestRefused(FORBIDDEN)
    if body.action == "start":
        await solver.start(body.game, body.rules)
    else:
        await solver.stop()
    return await solver.describe(body.game, body.rules)


@router.get("/shown")
async def get_features(request: Request) -> ServerFeaturesView:
    """Return which optional pages this server offers."""
    settings: Settings = request.app.state.settings
    runs = await _find_runs(request)
    kinds = {run.kind for run in runs}
    return ServerFeaturesView(
        tournament=settings.tournament_file is not None or "tournament" in kinds,
        training=settings.curves_folder is not None or "training" in kinds,
        running=bool(runs),
        keeps_games=settings.games_file is not None,
    )


async def _find_runs(request: Request) -> list[Run]:
    return await asyncio.to_thread(list_runs) if is_owner(request) else []


@router.get("/runs")
async def get_runs(request: Request) -> list[RunView]:
    """Return what is running on this machine, the newest first."""
    return [
        RunView(kind=run.kind, title=run.title, began=run.began, done=run.done, total=run.total)
        for run in await _find_runs(request)
    ]


@router.get("/tournament")
async def get_tournament(request: Request) -> list[TournamentView]:
    """Return the tournament that this server shows, and those that are running."""
    settings: Settings = request.app.state.settings
    runs = [run for run in await _find_runs(request) if run.kind == "tournament"]
    stores = {Path(run.path): Path(run.results) for run in runs}
    plan = settings.tournament_file
    if plan is not None:
        stores = {plan.absolute(): settings.results_file or plan.with_suffix(".sqlite")} | stores
    found = []
    for file, store in stores.items():
        job = {"plan": str(file), "store": str(store)}
        result = await request.app.state.workers.run_job("tournament", job)
        found += [TournamentView(**tournament) for tournament in result["tournaments"]]
    return found


@router.get("/training")
async def get_training(request: Request) -> list[CurveView]:
    """Return the training curves that this server shows, and those of running trainings."""
    settings: Settings = request.app.state.settings
    runs = [run for run in await _find_runs(request) if run.kind == "training"]
    folders = [Path(run.path) for run in runs]
    if settings.curves_folder is not None:
        folders.insert(0, settings.curves_folder.absolute())
    found = []
    for folder in dict.fromkeys(folders):
        result = await request.app.state.workers.run_job("training", {"folder": str(folder)})
        found += [CurveView(**curve) for curve in result["curves"]]
    return found


def _seed_of_today(*words: object) -> int:
    """Return a number that changes daily."""
    text = " ".join(map(str, (datetime.date.today().isoformat(), *words)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])
