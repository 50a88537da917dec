"""JSON views of a session, with prompts and move descriptions."""

from dataclasses import asdict
from typing import Any

from ludus.core.game import CHANCE, Outcome, Position
from ludus.core.marks import Marks
from ludus.games.move_entry import PartialMove
from ludus.render.overlay import draw_annotations
from ludus.web.drawing import find_last_decision, make_hint_notes, mark_evaluated_places
from ludus.web.game_tree import DICE, PERSON, RULES, GameNode
from ludus.web.schemas.games import (
    ExplanationView,
    GameView,
    MoveView,
    OutcomeView,
    SeatView,
    StakesView,
)
from ludus.web.seats import Seat
from ludus.web.session import Session


def describe_move(session: Session, node: GameNode) -> str:
    """Return a move as a sentence; a person playing alone is addressed as `you`."""
    if node.move is None:
        return ""
    mover = node.mover if node.mover in (0, 1) else node.position.mover
    if mover not in (0, 1):
        return f"{node.move}."
    predicate = (
        "could not move"
        if node.made_by == RULES
        else session.move_entry.describe_move(node.move, node.position)
    )
    return f"{session.game.name_sides(session.people)[mover].capitalize()} {predicate}."


MAX_REPORTED_MOVES = 6
"""Moves reported at once."""

VERDICT_OVERLAY, HINT_OVERLAY = "verdicts", "hint"
"""Overlays of the board: good and bad places, or the last hint."""


def make_view(
    session: Session, number: int | None = None, entry: PartialMove | None = None, overlay: str = ""
) -> GameView:
    """Return the view of a game at a node, with the partial move entered there, if any."""
    node = session.tree.current if number is None else session.node(number)
    position, outcome = node.position, session.outcome_at(node)
    status = get_status(session, node)
    if entry is None:
        entry = _start_entry(session, node, status)
    last = session.move_entry.last_places(session.tree.path_to(node.number))
    points = entry.marks(last) | _verdict_marks(session, node, entry, overlay)
    board = entry.position.drawing(Marks(points=points, dice_left=entry.dice_left))
    if overlay == HINT_OVERLAY and node.number in session.hints:
        board = draw_annotations(
            board,
            make_hint_notes(session.move_entry, position, entry, session.hints[node.number]),
        )
    side = getattr(position, "turn", 0) if position.mover == CHANCE else position.mover
    return GameView(
        id=session.id,
        revision=session.revision,
        game=session.game.id,
        title=session.game.title,
        rules=session.game_spec[1],
        node=node.number,
        at=session.tree.current_number,
        position=str(position),
        # The page supplies the style sheet: its Content-Security-Policy forbids inline styles.
        svg=board.svg(has_style=False),
        places=list(entry.places),
        labels={place: _label_place(session, entry, place, side) for place in board.places},
        touched=list(entry.touched),
        prompt=_write_prompt(session, node, entry, status),
        told=_report_moves(session, node),
        status=status,
        mover=position.mover,
        outcome=None if outcome is None else OutcomeView(**asdict(outcome)),
        seats=[
            _seat_view(session, entry.position, side, seat)
            for side, seat in enumerate(session.seats)
        ],
        delay=session.pace.delay,
        moves=[_move_view(session, other) for other in session.tree.nodes],
        thought=_explanation_view(find_last_decision(session, node)),
        has_dice=session.move_entry.has_dice,
        stakes=_stakes_view(session, position, outcome),
        resignations=list(session.game.resignation_levels(position)),
    )


def _stakes_view(session: Session, position: Any, outcome: Outcome | None) -> StakesView | None:
    """Return the cube and the score; points of a money session include those of this game."""
    stakes = getattr(position, "stakes", None)
    if stakes is None:
        return None
    score = list(stakes.score if stakes.rules.match else session.earlier.score)
    if outcome is not None and outcome.winner is not None and not stakes.rules.match:
        score[outcome.winner] += outcome.points
    return StakesView(
        cube=stakes.value if stakes.has_cube else None,
        owner=stakes.owner,
        match=stakes.rules.match,
        score=(score[0], score[1]),
        game_number=0 if stakes.rules.match else session.earlier.num_games + 1,
        crawford=stakes.crawford,
        jacoby=stakes.rules.jacoby,
        can_resign=stakes.rules.resign,
    )


def _start_entry(session: Session, node: GameNode, status: str) -> PartialMove:
    """Return the beginning of a person's move, also at a past node, where it opens a variation."""
    mover = node.position.mover
    is_past = status == "looking" and mover in (0, 1) and session.outcome_at(node) is None
    if status == "yours" or (is_past and session.seats[mover].is_person):
        return session.move_entry.enter(node.position, ())
    return PartialMove((), (), "begin", None, node.position)


def get_status(session: Session, node: GameNode) -> Any:
    """Return the status of a node."""
    position = node.position
    if node.number != session.tree.current_number:
        return "looking"
    if session.outcome_at(node) is not None:
        return "over"
    if session.failure:
        return "trouble"
    if session.seats[position.mover].is_person:
        return "yours"
    return "paused" if session.pace.is_paused else "thinking"


def _write_prompt(session: Session, node: GameNode, entry: PartialMove, status: str) -> str:
    """Return what to do next."""
    position, move_entry = node.position, session.move_entry
    outcome = session.outcome_at(node)
    if status == "looking":
        return f"Looking back: {describe_move(session, node) or 'the beginning.'}"
    if outcome is not None:
        return session.game.describe_outcome(outcome, session.people)
    if status == "trouble":
        return session.failure
    mover = move_entry.side_name(position.mover)
    seat = session.seats[position.mover]
    if status == "thinking":
        return f"{mover} ({seat.persona or seat.title}) is thinking …"
    if status == "paused":
        return f"{mover} ({seat.persona or seat.title}) is paused: press Resume"
    task = move_entry.describe_task(position, entry)
    task = f"{mover}: {task[0].lower()}{task[1:]}" if len(session.people) == 2 else task
    return f"{task}{_warn_of_repetition(node, entry)}"


REPETITION = "repetition"
"""Outcome reason of a draw by a repeated position."""

MIN_REPETITION_PLIES = 3
"""Plies after which a position can come again."""


def _warn_of_repetition(node: GameNode, entry: PartialMove) -> str:
    """Return which moves would end the game as a draw because the position comes again."""
    position = node.position
    # A position can come again only after some moves without placing or taking.
    if entry.touched or len(getattr(position, "history_keys", ())) < MIN_REPETITION_PLIES:
        return ""
    ends = [(move, position.play(move).outcome()) for move in position.legal_moves()]
    moves = [str(move) for move, end in ends if end is not None and end.reason == REPETITION]
    return f". Careful: {' or '.join(moves[:2])} repeats a position: a draw" if moves else ""


def _report_moves(session: Session, node: GameNode) -> str:
    """Describe the moves since a person's last move; with two persons include that move."""
    line = session.tree.path_to(node.number)[1:]
    since = next((at for at in range(len(line) - 1, -1, -1) if line[at].made_by == PERSON), -1)
    recent = line[max(since, 0) :] if len(session.people) == 2 else line[since + 1 :]
    if not session.people:
        recent = recent[-1:]
    is_rolled = bool(recent) and recent[-1].made_by == DICE
    if is_rolled and session.seats[node.position.mover].is_person:
        before = session.tree.path_to(node.number)[-2].position
        if not getattr(before, "opening", ""):  # an opening roll says who begins, too
            recent = recent[:-1]  # shown in the prompt
    return " ".join(
        describe_move(session, recent_node) for recent_node in recent[-MAX_REPORTED_MOVES:]
    )


def _verdict_marks(
    session: Session, node: GameNode, entry: PartialMove, overlay: str
) -> dict[str, str]:
    evaluation = session.evaluations.get(node.number)
    if overlay != VERDICT_OVERLAY or not entry.places or evaluation is None:
        return {}
    moves = evaluation.get("moves", ())
    return mark_evaluated_places(session.move_entry, node.position, entry, moves)


def _label_place(session: Session, entry: PartialMove, place: str, side: int) -> str:
    """Describe a place for screen readers."""
    name = session.move_entry.place_name(place, max(side, 0))
    words = [name, session.move_entry.describe_place(entry.position, place) or "empty"]
    if place == entry.selected:
        words.append("chosen")
    if place in entry.places:
        words.append(
            {"begin": "can be chosen", "go": "can go here", "take": "can be taken"}[entry.stage]
        )
    return ", ".join(words)


def _seat_view(session: Session, position: Position, side: int, seat: Seat) -> SeatView:
    return SeatView(
        side=session.move_entry.side_name(side),
        title=session.learned_specs.title(seat),
        player=seat.player,
        level=seat.level,
        choices=dict(seat.choices),
        standing=session.move_entry.describe_side(position, side),
        persona=seat.persona,
    )


def _move_view(session: Session, node: GameNode) -> MoveView:
    return MoveView(
        node=node.number,
        parent=node.parent,
        mover=node.mover,
        text=node.text,
        by=node.made_by,
        comment=node.comment,
        **_move_verdict(session, node),
    )


def _move_verdict(session: Session, node: GameNode) -> dict[str, Any]:
    """Return whether a move lost value, and its mark, as far as it has been reviewed."""
    reviewed = session.reviewed.get(node.number)
    if reviewed is None:
        return {"verdict": "", "mark": ""}
    return {"verdict": "lost" if reviewed["mark"] else "kept", "mark": reviewed["mark"]}


def _explanation_view(node: GameNode) -> ExplanationView | None:
    if node.explanation is None:
        return None
    return ExplanationView(
        comment=node.explanation["comment"],
        scores=[(move, score) for move, score in node.explanation["scores"]],
        pictures=[picture["title"] for picture in node.explanation["pictures"]],
    )
