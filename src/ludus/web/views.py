"""A table as a page shows it."""

from typing import Any

from ludus.core.game import CHANCE
from ludus.core.marks import NO_MARKS, Marks
from ludus.web import picture
from ludus.web.answers import Ending, MoveView, SeatView, Thought, View
from ludus.web.boards.board import Entry
from ludus.web.hints import hint_notes
from ludus.web.layers import laid_over
from ludus.web.seats import Seat
from ludus.web.seen import decided
from ludus.web.table import Table
from ludus.web.tree import DICE, PERSON, Node
from ludus.web.words import ending, told

SCORES = {"win": 1, "draw": 0, "loss": -1}

MAX_TOLD = 6
"""Moves that are told of at once."""

VERDICTS, HINT = "verdicts", "hint"
"""What may be laid over the board: exact verdicts, or the hint that was asked for here."""


def view_of(
    table: Table, number: int | None = None, entry: Entry | None = None, overlay: str = ""
) -> View:
    """The game at a node, with a move that may have been begun there."""
    node = table.tree.current if number is None else table.node(number)
    position = node.position
    status = status_of(table, node)
    if entry is None:
        entry = _untouched(table, node, status)
    marks = picture.marks_of(
        entry, _last_places(table, node), _laid_over(table, node, entry, overlay)
    )
    svg, places = picture.drawn(entry.position, marks)
    if overlay == HINT and node.number in table.hints:
        svg = laid_over(svg, hint_notes(table.board, position, table.hints[node.number]))
    side = getattr(position, "turn", 0) if position.mover == CHANCE else position.mover
    return View(
        id=table.id,
        revision=table.revision,
        game=table.game.id,
        title=table.game.title,
        rules=table.names[1],
        node=node.number,
        at=table.tree.at,
        position=str(position),
        svg=svg,
        places=list(entry.places),
        labels={place: _label(table, entry, place, side) for place in places},
        touched=list(entry.touched),
        prompt=_prompt(table, node, entry, status),
        told=_told(table, node),
        status=status,
        mover=position.mover,
        outcome=_ending(position),
        seats=[_seat(table, position, side, seat) for side, seat in enumerate(table.seats)],
        delay=table.pace.delay,
        moves=[_move(table, each) for each in table.tree.nodes],
        thought=_thought(decided(table, node)),
    )


def _untouched(table: Table, node: Node, status: str) -> Entry:
    if status == "yours":
        return table.board.enter(node.position, ())
    return Entry((), (), "begin", None, node.position)


def status_of(table: Table, node: Node) -> Any:
    """What is going on at a node."""
    position = node.position
    if node.number != table.tree.at:
        return "looking"
    if position.outcome() is not None:
        return "over"
    if table.trouble:
        return "trouble"
    if table.seats[position.mover].is_person:
        return "yours"
    return "paused" if table.pace.is_paused else "thinking"


def _prompt(table: Table, node: Node, entry: Entry, status: str) -> str:
    """What to do next."""
    position, board = node.position, table.board
    outcome = position.outcome()
    if status == "looking":
        return f"Looking back: {told(node, board, table.seats) or 'the beginning.'}"
    if outcome is not None:
        return ending(outcome, board, table.seats)
    if status == "trouble":
        return table.trouble
    mover = board.side(position.mover)
    if status == "thinking":
        return f"{mover} ({table.seats[position.mover].title}) is thinking …"
    if status == "paused":
        return f"{mover} ({table.seats[position.mover].title}) waits: press Go on"
    task = board.task(position, entry)
    two_people = all(seat.is_person for seat in table.seats)
    return f"{mover}: {task[0].lower()}{task[1:]}" if two_people else task


def _told(table: Table, node: Node) -> str:
    """What has happened since a person last moved; that move too if people play each other."""
    line = table.tree.line(node.number)[1:]
    since = next((at for at in range(len(line) - 1, -1, -1) if line[at].by == PERSON), -1)
    two_people = all(seat.is_person for seat in table.seats)
    recent = line[max(since, 0) :] if two_people else line[since + 1 :]
    if table.is_watched_only:
        recent = recent[-1:]
    if recent and recent[-1].by == DICE and table.seats[node.position.mover].is_person:
        recent = recent[:-1]  # the line above the board says it
    return " ".join(told(each, table.board, table.seats) for each in recent[-MAX_TOLD:])


def _last_places(table: Table, node: Node) -> list[str]:
    """Where the last move happened, rolls of the dice left aside."""
    line = (each for each in reversed(table.tree.line(node.number)) if each.move is not None)
    made = next((each for each in line if each.by != DICE), None)
    return [] if made is None else list(table.game.steps(made.move))


def _laid_over(table: Table, node: Node, entry: Entry, overlay: str) -> Marks:
    if overlay == VERDICTS and entry.places:
        verdict = table.verdicts.get(node.number, {})
        if verdict.get("known"):
            rated = {each["move"]: each["value"] for each in verdict["moves"]}
            steps = {str(move): table.game.steps(move) for move in node.position.legal_moves()}
            kept = {move for move in steps if rated.get(move) == verdict["value"]}
            return picture.judged(entry, steps, kept)
    return NO_MARKS


def _label(table: Table, entry: Entry, place: str, side: int) -> str:
    """A place in words, for those who do not see the board."""
    name = table.board.spoken(place, max(side, 0))
    words = [name, table.board.occupant(entry.position, place) or "empty"]
    if place == entry.selected:
        words.append("chosen")
    if place in entry.places:
        words.append(
            {"begin": "can be chosen", "go": "can go here", "take": "can be taken"}[entry.stage]
        )
    return ", ".join(words)


def _ending(position: Any) -> Ending | None:
    outcome = position.outcome()
    if outcome is None:
        return None
    return Ending(winner=outcome.winner, reason=outcome.reason, points=outcome.points)


def _seat(table: Table, position: Any, side: int, seat: Seat) -> SeatView:
    return SeatView(
        side=table.board.side(side),
        title=table.learning.title(seat),
        player=seat.player,
        level=seat.level,
        choices=dict(seat.choices),
        standing=table.board.standing(position, side),
    )


def _move(table: Table, node: Node) -> MoveView:
    return MoveView(
        node=node.number,
        parent=node.parent,
        mover=node.mover,
        text=node.text,
        by=node.by,
        comment=node.comment,
        verdict=_verdict(table, node),
    )


def _verdict(table: Table, node: Node) -> Any:
    """Whether a move gave something away, as far as somebody has asked an oracle."""
    if node.number in table.lost:
        return "lost" if table.lost[node.number] else "kept"
    verdict = {} if node.parent is None else table.verdicts.get(node.parent, {})
    if not verdict.get("known"):
        return ""
    rated = {each["move"]: each["value"] for each in verdict["moves"]}
    value = rated.get(str(node.move))
    return "" if value is None else "kept" if value == verdict["value"] else "lost"


def _thought(node: Node) -> Thought | None:
    if node.thought is None:
        return None
    return Thought(
        comment=node.thought["comment"],
        scores=[(move, score) for move, score in node.thought["scores"]],
        pictures=[picture["title"] for picture in node.thought["pictures"]],
    )
