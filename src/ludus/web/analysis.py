"""Evaluations, verdicts, reviews and advice: exact where solved, else by the best analyst."""

from typing import Any

from ludus.analysis.review import describe_distance
from ludus.core.game import CHANCE, AnyGame
from ludus.games.backgammon.cube import RESIGNATION_TOLERANCE
from ludus.web.errors import OutOfTurn
from ludus.web.game_tree import GameNode
from ludus.web.schemas.analysis import (
    AdviceView,
    EvaluatedMoveView,
    EvaluationView,
    ReviewPointView,
    ReviewSideView,
    ReviewView,
    VerdictView,
)
from ludus.web.session import Session
from ludus.web.worker_pool import WorkerPool

Json = dict[str, Any]


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


async def fetch_evaluation(session: Session, number: int, workers: WorkerPool) -> EvaluationView:
    """Return the evaluation of a node and of its moves."""
    node = session.node(number)
    found = await _load_evaluation(session, number, workers)
    view = EvaluationView(node=number, mover=node.position.mover, known="certainty" in found)
    if not view.known:
        return view
    moves = [
        EvaluatedMoveView(**move, text=describe_move_value(session.game, move))
        for move in found["moves"]
    ]
    names = ("certainty", "source", "points", "value", "depth", "line")
    changes = {name: found[name] for name in names} | {"moves": moves, "share": _share(node, found)}
    changes["details"] = describe_details(found)
    return view.model_copy(update={**changes, "text": describe_value(session, node, found)})


def describe_details(evaluation: Json) -> list[str]:
    """Return the chances of the side to move and the equities of cube actions in words."""
    details = []
    chances, cube = evaluation["chances"], evaluation["cube"]
    if chances is not None:
        details.append(
            f"Wins {chances['win']:.1%}, gammons {chances['win_gammon']:.1%}; "
            f"loses gammons {chances['lose_gammon']:.1%}"
        )
    if cube is not None:
        equities = ", ".join(f"{name} {value:+.3f}" for name, value in cube["equities"].items())
        details.append(f"Cube: {cube['best']} ({equities})")
    return details


async def _load_evaluation(session: Session, number: int, workers: WorkerPool) -> Json:
    """Return the evaluation of a node as JSON; estimates are made again when tables are added."""
    session.node(number)
    known = session.evaluations.get(number)
    version = workers.tables_version
    if known is None or (known.get("certainty") != "exact" and known["version"] != version):
        found = await workers.run_job("evaluate", session.job(number))
        known = session.evaluations[number] = {**found, "version": version}
    return known


def _share(node: GameNode, evaluation: Json) -> float:
    """Return the expected score of the first side, 0 to 1."""
    points = min(max(float(evaluation["points"]), -1.0), 1.0)
    return (1 + (points if node.position.mover == 0 else -points)) / 2


def describe_value(session: Session, node: GameNode, evaluation: Json) -> str:
    """Return one sentence about the value of a position."""
    mover = node.position.mover
    sides = [name.capitalize() for name in session.game.sides]
    points = evaluation["points"]
    leader = sides[mover if points > 0 else 1 - mover]
    if evaluation["value"] in ("win", "loss"):
        return f"Win for {leader}{describe_distance(evaluation['depth'])}"
    if evaluation["value"] == "draw":
        return "Draw"
    if session.game.oracle_kind == "equities":
        return f"{leader} ahead by {abs(points):.3f} points a game"
    if abs(points) < EVEN_POINTS:
        return "About even"
    return f"{'Much better' if abs(points) > CLEAR_POINTS else 'Better'} for {leader}"


EVEN_POINTS, CLEAR_POINTS = 0.15, 0.5
"""Expected results from which a side stands better, and much better."""

VERBS = {"win": "wins", "draw": "draws", "loss": "loses"}


def describe_move_value(game: AnyGame, move: Json) -> str:
    """Return what a move leads to, in two or three words."""
    if move["value"] in VERBS:
        return f"{VERBS[move['value']]}{describe_distance(move['depth'])}"
    unit = " points" if game.oracle_kind == "equities" else ""
    # Adding 0 turns -0.0 into 0.0; a minus sign is as wide as a plus sign.
    return f"{round(move['points'], 2) + 0:+.2f}{unit}".replace("-", "−")


async def fetch_review(session: Session, workers: WorkerPool) -> ReviewView:
    """Return the evaluations along the current line, continued as far as redo leads."""
    line = session.tree.full_path()
    found = await workers.review(session.job(line[-1].number))
    points = []
    for number, node in enumerate(line):
        reviewed = found["moves"][number - 1] if number else None
        evaluation = found["evaluations"][number]
        if reviewed is not None:
            session.reviewed[node.number] = reviewed
        rolled = found["rolls"][number - 1] if number else None
        points.append(_review_point(node, evaluation, reviewed, rolled))
    sides = [
        _summarize(session, points, side, found["sides"][side] if any(found["rolls"]) else None)
        for side in (0, 1)
    ]
    return ReviewView(known=True, why="", points=points, sides=sides)


def _review_point(
    node: GameNode, evaluation: Json | None, reviewed: Json | None, rolled: Json | None
) -> ReviewPointView:
    point = ReviewPointView(
        node=node.number,
        text=node.text,
        mover=node.mover,
        share=None if evaluation is None else _share(node, evaluation),
        depth=None if evaluation is None else evaluation["depth"],
        certainty=None if evaluation is None else evaluation["certainty"],
        lost=0 if reviewed is None else reviewed["cost"],
        luck=None if rolled is None else rolled["luck"],
    )
    if reviewed is None:
        return point
    names = ("mark", "best", "line", "reply", "reason", "kind")
    update = {name: reviewed[name] for name in names}
    return point.model_copy(update={**update, "mark_certainty": reviewed["certainty"]})


def _summarize(
    session: Session, points: list[ReviewPointView], side: int, rated: Json | None
) -> ReviewSideView:
    """Return the moves of a side; `rated` is its luck and rating in a game with dice."""
    own = [each for each in points if each.mover == side and each.mark_certainty is not None]
    marks = [each.mark for each in own]
    return ReviewSideView(
        side=session.game.sides[side].capitalize(),
        moves=len(own),
        inaccuracies=marks.count("?!"),
        mistakes=marks.count("?"),
        blunders=marks.count("??"),
        lost=round(sum(each.lost for each in own if each.mark), 3),
        cube_mistakes=sum(each.mark != "" and each.kind != "move" for each in own),
        **(
            {}
            if rated is None
            else {name: rated[name] for name in ("luck", "performance_rating", "rating")}
        ),
    )


async def check_resignation(session: Session, level: int, workers: WorkerPool) -> None:
    """Raise OutOfTurn if a side cannot resign this, or a player expects to win more."""
    side, node = session.find_resigning_side(), session.tree.current
    stakes = getattr(node.position, "stakes", None)
    if stakes is not None and stakes.rules.resign:
        raise OutOfTurn("resigning is offered before the roll, on the board")
    levels = session.game.resignation_levels(node.position)
    if level > max(len(levels), 1):
        raise OutOfTurn("there is no such choice in this game")
    if not levels or session.seats[1 - side].is_person:
        return
    found = await _load_evaluation(session, node.number, workers)
    if "points" not in found:
        raise OutOfTurn("a resignation is judged after the roll; go to a move first")
    expected = found["points"] if node.position.mover != side else -found["points"]
    if level + RESIGNATION_TOLERANCE < expected:
        name = session.game.sides[1 - side].capitalize()
        raise OutOfTurn(f"{name} plays on: it expects to win {expected:.1f} points")


MAX_ADVISED_MOVES = 12

SOURCES = {"exact": "perfect play", "likely": "analysis", "estimate": "analysis"}
CERTAINTY_TEXTS = {"exact": "exact", "likely": "very likely", "estimate": "an estimate"}


async def fetch_advice(session: Session, number: int, workers: WorkerPool) -> AdviceView:
    """Return moves to consider, best first: exact if solved, else by the best analyst."""
    node = session.node(number)
    if node.position.outcome() is not None or node.position.mover == CHANCE:
        raise OutOfTurn("there is no move to choose here")
    found = await _load_evaluation(session, number, workers)
    moves = session.hints[number] = [
        {**move, "score": move["points"], "text": describe_move_value(session.game, move)}
        for move in found["moves"][:MAX_ADVISED_MOVES]
    ]
    certainty = found["certainty"]
    return AdviceView(
        exact=certainty == "exact",
        by=SOURCES[certainty] if certainty == "exact" else found["source"],
        text=f"{describe_value(session, node, found)} ({CERTAINTY_TEXTS[certainty]})",
        moves=moves,
    )
