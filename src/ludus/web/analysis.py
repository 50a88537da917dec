"""Evaluations, reviews and advice of a game: exact where solved, else by the best analyst."""

from ludus.analysis.evaluation import EvaluatedMoveJson, EvaluationJson, Mark, PositionJson
from ludus.analysis.review import (
    MARKS,
    GameReviewJson,
    ReviewedMoveJson,
    SideSummaryJson,
)
from ludus.core.game import CHANCE, AnyGame
from ludus.games.backgammon.cube import RESIGNATION_TOLERANCE
from ludus.oracles.interface import describe_distance
from ludus.web.drawing import draw_hints
from ludus.web.errors import OutOfTurn
from ludus.web.game_record import GameRecord
from ludus.web.game_tree import GameNode
from ludus.web.schemas.analysis import (
    AdviceView,
    EvaluationView,
    ReviewPointView,
    ReviewSideView,
    ReviewView,
)
from ludus.web.worker_pool import WorkerPool


class Analyses:
    """The evaluations of one game, as far as they were requested."""

    def __init__(self, record: GameRecord, workers: WorkerPool) -> None:
        self._record, self._workers = record, workers
        self._positions: dict[int, tuple[int, PositionJson | None]] = {}
        """Evaluations by node, with the version of the tables of solved games."""

        self.moves: dict[int, ReviewedMoveJson] = {}
        """Reviewed moves by the node they lead to."""

    async def evaluate(self, number: int) -> PositionJson | None:
        """Return the evaluation of a node; None where nobody has a move to choose.

        Estimates are made again when tables are added.
        """
        self._record.node(number)
        version = self._workers.tables_version
        known_version, known = self._positions.get(number, (-1, None))
        is_exact = known is not None and known["certainty"] == "exact"
        if not is_exact and known_version != version:
            answer = await self._workers.run_job("evaluate", self._record.job(number))
            known = answer["analysis"]
            self._positions[number] = version, known
        return known

    async def review(self) -> tuple[list[GameNode], GameReviewJson]:
        """Return the current line, continued as far as redo leads, and its review."""
        line = self._record.tree.full_path()
        answer = await self._workers.review(self._record.job(line[-1].number))
        found: GameReviewJson = answer["review"]
        marked = {
            node.number: reviewed
            for node, reviewed in zip(line[1:], found["moves"], strict=True)
            if reviewed is not None and self.moves.get(node.number) != reviewed
        }
        self.moves |= marked
        if marked:
            self._record.announce_notes(list(marked))
        return line, found


async def describe_evaluation(
    analyses: Analyses, record: GameRecord, number: int
) -> EvaluationView:
    """Return the evaluation of a node and of its moves."""
    node, game = record.node(number), record.game
    found = await analyses.evaluate(number)
    if found is None:
        return EvaluationView(node=number, mover=node.position.mover, analysis=None)
    return EvaluationView(
        node=number,
        mover=node.position.mover,
        analysis=found,
        text=describe_value(game, node.position.mover, found),
        share=_share(node, found),
        texts=[describe_move_value(game, move) for move in found["moves"]],
        details=describe_details(found),
    )


def describe_details(evaluation: PositionJson) -> list[str]:
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


def _share(node: GameNode, evaluation: EvaluationJson) -> float:
    """Return the expected score of the first side, 0 to 1."""
    points = min(max(evaluation["points"], -1.0), 1.0)
    return (1 + (points if node.position.mover == 0 else -points)) / 2


def describe_value(game: AnyGame, mover: int, evaluation: EvaluationJson) -> str:
    """Return one sentence about the value of a position."""
    sides = [name.capitalize() for name in game.sides]
    points = evaluation["points"]
    leader = sides[mover if points > 0 else 1 - mover]
    if evaluation["value"] in ("win", "loss"):
        return f"Win for {leader}{describe_distance(evaluation['depth'])}"
    if evaluation["value"] == "draw":
        return "Draw"
    if game.is_in_points:
        return f"{leader} ahead by {abs(points):.3f} points a game"
    if abs(points) < EVEN_POINTS:
        return "About even"
    return f"{'Much better' if abs(points) > CLEAR_POINTS else 'Better'} for {leader}"


EVEN_POINTS, CLEAR_POINTS = 0.15, 0.5
"""Expected results from which a side stands better, and much better."""

VERBS = {"win": "wins", "draw": "draws", "loss": "loses"}


def describe_move_value(game: AnyGame, move: EvaluatedMoveJson) -> str:
    """Return what a move leads to, in two or three words."""
    if move["value"] in VERBS:
        return f"{VERBS[move['value']]}{describe_distance(move['depth'])}"
    unit = " points" if game.is_in_points else ""
    # Adding 0 turns -0.0 into 0.0; a minus sign is as wide as a plus sign.
    return f"{round(move['points'], 2) + 0:+.2f}{unit}".replace("-", "−")


async def describe_review(analyses: Analyses, record: GameRecord) -> ReviewView:
    """Return the evaluations along the current line, and a verdict on each move."""
    line, found = await analyses.review()
    points = []
    for number, (node, evaluation) in enumerate(zip(line, found["evaluations"], strict=True)):
        rolled = found["rolls"][number - 1] if number else None
        points.append(
            ReviewPointView(
                node=node.number,
                text=node.text,
                mover=node.mover,
                share=None if evaluation is None else _share(node, evaluation),
                evaluation=evaluation,
                move=found["moves"][number - 1] if number else None,
                luck=None if rolled is None else rolled["luck"],
            )
        )
    has_rolls = any(found["rolls"])
    sides = [
        _summarize(record.game, points, side, found["sides"][side], has_rolls) for side in (0, 1)
    ]
    return ReviewView(points=points, sides=sides)


def _summarize(
    game: AnyGame,
    points: list[ReviewPointView],
    side: int,
    summary: SideSummaryJson,
    has_rolls: bool,
) -> ReviewSideView:
    """Return the moves of a side; luck and rating are for games with dice."""
    own = [point.move for point in points if point.mover == side and point.move is not None]
    marked = [move for move in own if move["mark"]]
    marks: list[Mark] = [move["mark"] for move in marked]
    return ReviewSideView(
        side=game.sides[side].capitalize(),
        moves=len(own),
        marks={mark: marks.count(mark) for mark in MARKS},
        lost=round(sum(move["cost"] for move in marked), 3),
        cube_mistakes=sum(move["kind"] != "move" for move in marked),
        accuracy=summary["accuracy"],
        stages=summary["stages"],
        summary=summary if has_rolls else None,
    )


async def check_resignation(analyses: Analyses, record: GameRecord, level: int) -> None:
    """Raise OutOfTurn if a side cannot resign this, or a player expects to win more."""
    side, node = record.find_resigning_side(), record.tree.current
    stakes = record.game.stakes(node.position)
    if stakes is not None and stakes.can_resign:
        raise OutOfTurn("resigning is offered before the roll, on the board")
    levels = record.game.resignation_levels(node.position)
    if level > max(len(levels), 1):
        raise OutOfTurn("there is no such choice in this game")
    if not levels or record.seats[1 - side].is_person:
        return
    found = await analyses.evaluate(node.number)
    if found is None:
        raise OutOfTurn("a resignation is judged after the roll; go to a move first")
    expected = found["points"] if node.position.mover != side else -found["points"]
    if level + RESIGNATION_TOLERANCE < expected:
        name = record.game.sides[1 - side].capitalize()
        raise OutOfTurn(f"{name} plays on: it expects to win {expected:.1f} points")


MAX_ADVISED_MOVES = 12

CERTAINTY_TEXTS = {"exact": "exact", "likely": "confident", "estimate": "an estimate"}


CHOICES_AMONG_EQUALS = {
    "exact": ". Of {} equal moves this one leaves the other side the fewest good replies",
    "likely": ". Of {} equal moves this one does best in random games",
}


def _is_equal(one: EvaluatedMoveJson, other: EvaluatedMoveJson) -> bool:
    return all(one[key] == other[key] for key in ("value", "depth", "certainty"))


async def describe_advice(
    analyses: Analyses, record: GameRecord, number: int, touched: tuple[str, ...]
) -> AdviceView:
    """Return moves to consider after these touches, best first, and their drawing."""
    node, game = record.node(number), record.game
    if node.position.outcome() is not None or node.position.mover == CHANCE:
        raise OutOfTurn("there is no move to choose here")
    found = await analyses.evaluate(number)
    assert found is not None
    moves = found["moves"][:MAX_ADVISED_MOVES]
    certainty = found["certainty"]
    value = describe_value(game, node.position.mover, found)
    equal = sum(_is_equal(move, moves[0]) for move in found["moves"])
    why = CHOICES_AMONG_EQUALS.get(certainty, "") if equal > 1 and found["value"] else ""
    return AdviceView(
        exact=certainty == "exact",
        by="perfect play" if certainty == "exact" else found["source"],
        text=f"{value} ({CERTAINTY_TEXTS[certainty]})" + why.format(equal),
        moves=moves,
        texts=[describe_move_value(game, move) for move in moves],
        svg=draw_hints(record.move_entry, node.position, touched, moves),
    )
