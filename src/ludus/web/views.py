"""Views of a game: what the page shows of a node, and what has changed since an earlier view."""

import zlib
from collections import OrderedDict
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from ludus.core.game import Outcome, Position
from ludus.core.marks import Marks
from ludus.games import registered_game
from ludus.games.move_entry import PartialMove, get_move_entry
from ludus.render.overlay import draw_annotations
from ludus.web.analysis import Analyses
from ludus.web.drawing import draw_mark_shapes, draw_men_shapes, find_last_decision
from ludus.web.errors import OutOfTurn
from ludus.web.game_record import GameRecord
from ludus.web.game_tree import DICE, PERSON, RULES, GameNode
from ludus.web.replies import Replies
from ludus.web.schemas.games import (
    BoardView,
    ChangeBase,
    EntryStateView,
    EntryView,
    ExplanationView,
    GameChange,
    GameState,
    GameStatus,
    GameView,
    LineChange,
    MoveView,
    OutcomeView,
    SeatView,
    StakesView,
)
from ludus.web.seats import Seat

MAX_LOGGED_VIEWS = 4
"""Views of the current node that are kept, so that clients who have them are sent what changed."""

MAX_REPORTED_MOVES = 6
"""Moves reported at once."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a node: its state, and the lines of its drawing."""

    state: GameState
    lines: tuple[str, ...]

    def pack(self) -> bytes:
        """Return this in a few kilobytes, since a server keeps it for a thousand games."""
        text = "\n".join((self.state.model_dump_json(), *self.lines))
        return zlib.compress(text.encode(), 1)

    @classmethod
    def unpack(cls, packed: bytes) -> "Shown":
        state, *lines = zlib.decompress(packed).decode().split("\n")
        return cls(GameState.model_validate_json(state), tuple(lines))


class ViewLog:
    """Makes the views of a game, and keeps the last ones of its current node by revision."""

    def __init__(self, record: GameRecord, replies: Replies, analyses: Analyses) -> None:
        self._record, self._replies, self._analyses = record, replies, analyses
        self._log: OrderedDict[int, bytes] = OrderedDict()

    def format(self, number: int | None = None, since: int | None = None) -> str:
        """Return the view of a node as JSON, by default the current one.

        For a client that has the view of the current node at the revision `since`, only what
        differs from it is returned, if that view is still known.
        """
        current = self._show_current()
        is_current = number in (None, self._record.tree.current_number)
        shown = current if is_current else self._show(self._record.node(number or 0))
        before = None if since is None else self._log.get(since)
        if before is None or since is None:
            return self._make_full_view(shown).model_dump_json()
        change = _find_change(since, Shown.unpack(before), shown, self._list_moves(since))
        return change.model_dump_json(exclude_unset=True)

    def view(self) -> GameView:
        """Return the whole view of the current node."""
        return self._make_full_view(self._show_current())

    def list_entry(self, number: int, touched: tuple[str, ...]) -> EntryView:
        """Return the ways to complete a move after these touches at a node."""
        node = self._record.node(number)
        if not self._can_enter(node, self.status(node)):
            raise OutOfTurn("no move can be made here now")
        return self._make_entry(node, touched)

    def status(self, node: GameNode) -> GameStatus:
        """Return the status of a node."""
        record = self._record
        if node.number != record.tree.current_number:
            return "looking"
        if record.outcome_at(node) is not None:
            return "over"
        if self._replies.failure:
            return "trouble"
        if record.seats[node.position.mover].is_person:
            return "yours"
        return "paused" if record.pace.is_paused else "thinking"

    def _show_current(self) -> Shown:
        """Return what is shown of the current node; drawn once for all who watch."""
        revision = self._record.revision
        if revision in self._log:
            return Shown.unpack(self._log[revision])
        shown = self._show(self._record.tree.current)
        self._log[revision] = shown.pack()
        if len(self._log) > MAX_LOGGED_VIEWS:
            self._log.popitem(last=False)
        return shown

    def _show(self, node: GameNode) -> Shown:
        record, position = self._record, node.position
        outcome, status = record.outcome_at(node), self.status(node)
        made = () if node.mover not in (0, 1) else record.game.completed_rows(position, node.mover)
        places = record.move_entry.last_places(record.tree.path_to(node.number))
        side = position.mover if position.mover in (0, 1) else record.game.turn(position)
        viewer = min(record.people) if len(record.people) == 1 else side
        board = position.drawing(Marks(points=dict.fromkeys(places, "last"), viewer=viewer))
        entry = self._make_entry(node) if self._can_enter(node, status) else None
        state = GameState(
            revision=record.revision,
            node=node.number,
            at=record.tree.current_number,
            position=str(position),
            labels={place: self._label_place(position, place, viewer) for place in board.places},
            entry=entry,
            prompt=self._write_prompt(node, status),
            told=self._report_moves(node),
            status=status,
            mover=position.mover,
            outcome=None if outcome is None else OutcomeView(**asdict(outcome)),
            seats=[self._seat_view(position, side, seat) for side, seat in enumerate(record.seats)],
            delay=record.pace.delay,
            thought=_explanation_view(find_last_decision(record, node)),
            stakes=self._stakes_view(position, outcome),
            resignations=list(record.game.resignation_levels(position)),
        )
        # The page supplies the style sheet: its Content-Security-Policy forbids inline styles. It
        # has labels in the place of tooltips, which change with the side that counts the points.
        board = replace(board, tooltips=dict.fromkeys(board.tooltips, ""))
        # A row that the last move has completed.
        board = draw_annotations(board, (), [row for row in made if not {*row}.isdisjoint(places)])
        return Shown(state, tuple(board.svg(has_style=False).split("\n")))

    def _make_full_view(self, shown: Shown) -> GameView:
        record = self._record
        return GameView(
            **dict(shown.state),
            id=record.id,
            game=record.game.id,
            title=record.game.title,
            rules=record.game_spec[1],
            has_dice=record.move_entry.has_dice,
            board=_describe_board(record.game_spec),
            svg="\n".join(shown.lines),
            moves=self._list_moves(-1),
        )

    def _list_moves(self, since: int) -> list[MoveView]:
        """Return the nodes that are new or changed since a revision."""
        nodes = self._record.tree.nodes
        return [self._move_view(node) for node in nodes if node.revision > since]

    def _can_enter(self, node: GameNode, status: GameStatus) -> bool:
        """Return whether a person may enter a move: also at a past node, as a variation."""
        mover = node.position.mover
        if status == "yours":
            return self._record.move_entry.is_decision(node.position, {mover})
        is_past = status == "looking" and mover in (0, 1)
        is_open = is_past and self._record.outcome_at(node) is None
        return is_open and self._record.seats[mover].is_person

    def _make_entry(self, node: GameNode, touched: tuple[str, ...] = ()) -> EntryView:
        """Return the ways to enter a move at a node, after these touches."""
        move_entry, position = self._record.move_entry, node.position
        steps = move_entry.list_steps(position, touched)
        texts: dict[str, int] = {}

        def number(text: str) -> int:
            return texts.setdefault(text, len(texts))

        states = [
            EntryStateView(
                task=number(self._write_task(node, state.task)),
                stage=state.stage,
                next=dict(state.next),
                standings=(number(state.standings[0]), number(state.standings[1])),
                dice_left=None if state.dice_left is None else list(state.dice_left),
            )
            for state in steps.states
        ]
        return EntryView(
            moves=[str(move) for move in steps.moves],
            states=states,
            go_task=number(self._write_task(node, steps.go_task)),
            texts=list(texts),
            stacks=move_entry.stacks(position),
        )

    def _write_prompt(self, node: GameNode, status: GameStatus) -> str:
        """Return what to do next."""
        record, position = self._record, node.position
        outcome = record.outcome_at(node)
        if status == "looking":
            before = "the beginning." if node.move is None else f"{node.text}."
            return f"Looking back: {describe_move(record, node) or before}"
        if outcome is not None:
            return record.game.describe_outcome(outcome, record.people, record.player_names)
        if status == "trouble":
            return self._replies.failure
        mover = record.move_entry.side_name(position.mover)
        seat = record.seats[position.mover]
        if status in ("thinking", "paused"):
            is_named = seat.persona and len(record.people) == 1
            name = seat.persona if is_named else f"{mover} ({seat.persona or seat.title})"
            return f"{name} is {'thinking …' if status == 'thinking' else 'paused: press Resume'}"
        entry = PartialMove((), (), "begin", None, position)
        task = self._write_task(node, record.move_entry.describe_task(position, entry))
        repeating = record.game.repeating_moves(position)
        if not repeating:
            return task
        moves = " or ".join(map(str, repeating[:2]))
        return f"{task}. Careful: {moves} repeats a position: a draw"

    def _write_task(self, node: GameNode, task: str) -> str:
        """Return what a person has to do; of two persons the one is named."""
        if len(self._record.people) < 2 or not task:
            return task
        side = self._record.move_entry.side_name(node.position.mover)
        return f"{side}: {task[0].lower()}{task[1:]}"

    def _report_moves(self, node: GameNode) -> str:
        """Describe the moves since a person's last move; with two persons include that move."""
        record = self._record
        line = record.tree.path_to(node.number)[1:]
        since = next((at for at in range(len(line) - 1, -1, -1) if line[at].by == PERSON), -1)
        recent = line[max(since, 0) :] if len(record.people) == 2 else line[since + 1 :]
        if not record.people:
            recent = recent[-1:]
        is_rolled = bool(recent) and recent[-1].made_by == DICE
        if is_rolled and record.seats[node.position.mover].is_person:
            before = record.tree.path_to(node.number)[-2].position
            if not record.game.is_roll_for_turn(before):  # which says who begins, too
                recent = recent[:-1]  # shown in the prompt
        told = [describe_move(record, each) for each in recent]
        return " ".join([each for each in told if each][-MAX_REPORTED_MOVES:])

    def _label_place(self, position: Position, place: str, side: int) -> str:
        """Describe a place for screen readers."""
        move_entry = self._record.move_entry
        men = move_entry.describe_place(position, place) or "empty"
        return f"{move_entry.place_name(place, side)}, {men}"

    def _seat_view(self, position: Position, side: int, seat: Seat) -> SeatView:
        record = self._record
        return SeatView(
            side=record.move_entry.side_name(side),
            title=record.learned_specs.title(seat),
            player=seat.player,
            level=seat.level,
            choices=seat.choices,
            standing=record.move_entry.describe_side(position, side),
            persona=seat.persona,
        )

    def _stakes_view(self, position: Position, outcome: Outcome | None) -> StakesView | None:
        """Return the cube and the score; points of a money session include those of this game."""
        earlier, stakes = self._record.earlier, self._record.game.stakes(position)
        if stakes is None:
            return None
        score = list(stakes.score if stakes.match else earlier.score)
        if outcome is not None and outcome.winner is not None and not stakes.match:
            score[outcome.winner] += outcome.points
        return StakesView(
            **{**asdict(stakes), "score": (score[0], score[1])},
            game_number=0 if stakes.match else earlier.num_games + 1,
        )

    def _move_view(self, node: GameNode) -> MoveView:
        reviewed = self._analyses.moves.get(node.number)
        return MoveView(
            node=node.number,
            parent=node.parent,
            mover=node.mover,
            text=node.text,
            by=node.by,
            comment=node.comment,
            mark=None if reviewed is None else reviewed["mark"],
        )


@lru_cache(maxsize=64)
def _describe_board(game_spec: tuple[str, str]) -> BoardView:
    """Return what the page draws by itself, which is the same in all games with these rules."""
    slots = get_move_entry(registered_game(*game_spec)).slots()
    return BoardView(
        slots=dict(slots), marks=draw_mark_shapes(game_spec), men=draw_men_shapes(game_spec)
    )


def describe_move(record: GameRecord, node: GameNode) -> str:
    """Return a move as a sentence; a person playing alone is addressed as `you`.

    A decision that goes without saying, such as not to double, gives an empty text.
    """
    if node.move is None:
        return ""
    mover = node.mover if node.mover in (0, 1) else node.position.mover
    if mover not in (0, 1):
        return f"{node.move}."
    predicate = (
        "could not move"
        if node.made_by == RULES
        else record.move_entry.describe_move(node.move, node.position)
    )
    name = record.game.name_sides(record.people, record.player_names)[mover]
    return f"{name[0].upper()}{name[1:]} {predicate}." if predicate else ""


def _explanation_view(node: GameNode) -> ExplanationView | None:
    if node.explanation is None:
        return None
    return ExplanationView(
        comment=node.explanation.comment,
        scores=node.explanation.scores,
        pictures=[picture.title for picture in node.explanation.pictures],
    )


def _find_change(since: int, before: Shown, after: Shown, moves: list[MoveView]) -> ChangeBase:
    """Return what differs between two views."""
    old, new = before.state, after.state
    changed = {name: value for name, value in new if value != getattr(old, name)}
    if "labels" in changed:
        changed["labels"] = dict(new.labels.items() - old.labels.items())
    lines: list[LineChange] = [
        (start, end - start, list(after.lines[first:last]))
        for kind, start, end, first, last in SequenceMatcher(
            None, before.lines, after.lines, autojunk=False
        ).get_opcodes()
        if kind != "equal"
    ]
    changed |= {"since": since, "revision": new.revision, "svg": lines, "moves": moves}
    return GameChange(**changed)
