"""The tree of a game's moves and variations, and the moves that dice and rules force."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ludus.core.errors import BadRecord
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.movetext import Line
from ludus.core.movetext import Node as RecordNode
from ludus.games.move_entry import AnyMoveEntry
from ludus.web.explanations import MoveExplanation

PERSON, PLAYER, DICE, RULES, RECORD = "person", "player", "dice", "rules", "record"
"""Who made a move; `rules` for a forced pass, `record` for a move of an imported game."""


@dataclass(slots=True)
class GameNode:
    """A position of the tree and the move that led to it.

    Its number is its index in `GameTree.nodes` and never changes; parents precede their children,
    so a stored game can be read in order.
    """

    number: int
    parent: int | None
    move: Move | None
    """The move that led here; None at the root."""

    mover: int | None
    """The side that made the move, or CHANCE."""

    made_by: str
    position: Position
    comment: str = ""
    explanation: MoveExplanation | None = None
    """What the player said that made the move."""

    children: list[int] = field(default_factory=list)
    """Main line first, then variations."""

    text: str = ""
    """The move in the notation of its game."""

    preferred: int | None = None
    """The child visited last, which redo follows."""

    revision: int = 0
    """The revision of the game at which the node was added, or its comment or mark changed."""

    @property
    def by(self) -> str:
        """Who made the move, as it is shown: moves of a record are a person's."""
        return PERSON if self.made_by == RECORD else self.made_by

    def __post_init__(self) -> None:
        self.text = "" if self.move is None else str(self.move)


class GameTree:
    """Nodes by number, and the number of the current node."""

    def __init__(self, game: AnyGame, start: Position) -> None:
        self.game = game
        self.nodes = [GameNode(0, None, None, None, RULES, start)]
        self.current_number = 0

    @property
    def current(self) -> GameNode:
        return self.nodes[self.current_number]

    def child(self, node: GameNode, move: Move) -> GameNode | None:
        """Return the node that a move leads to, if it exists."""
        children = (self.nodes[number] for number in node.children)
        return next((child for child in children if child.move == move), None)

    def add(
        self,
        parent: int,
        move: Move,
        made_by: str,
        comment: str = "",
        explanation: MoveExplanation | None = None,
    ) -> GameNode:
        """Add a move after a node; return the existing node if the move was played before."""
        line = LinePlan(self, self.nodes[parent])
        line.play(move, made_by, comment, explanation)
        self.attach(line.new_nodes)
        return line.last

    def attach(self, nodes: Sequence[GameNode]) -> None:
        """Add planned nodes, numbered from the end of the tree, parents first."""
        for node in nodes:
            assert node.number == len(self.nodes)
            assert node.parent is not None
            self.nodes.append(node)
            self.nodes[node.parent].children.append(node.number)

    def go_to(self, number: int) -> None:
        """Make a node current and let redo follow the path to it."""
        self.current_number = number
        for node in self.path_to(number):
            if node.parent is not None:
                self.nodes[node.parent].preferred = node.number

    def path_to(self, number: int) -> list[GameNode]:
        """Return the nodes from the root to this one."""
        path: list[GameNode] = []
        current: int | None = number
        while current is not None:
            path.append(self.nodes[current])
            current = self.nodes[current].parent
        return path[::-1]

    def depth_after(self, move: Move) -> int:
        """Return how many variations the current node lies in, after this move."""
        path = self.path_to(self.current_number)
        chosen = [(node, after.number) for node, after in pairwise(path)]
        child = self.child(path[-1], move)
        last = [(path[-1], -1 if child is None else child.number)] if path[-1].children else []
        return sum(node.children[0] != number for node, number in chosen + last)

    def full_path(self) -> list[GameNode]:
        """Return the line through the current node, continued as far as redo leads."""
        line = self.path_to(self.current_number)
        while (following := _next_on_line(line[-1])) is not None:
            line.append(self.nodes[following])
        return line

    def record_line(self) -> Line:
        """Return the tree as the moves of a record, with variations."""
        return Line(tuple(self._record_nodes(self.nodes[0])), self.nodes[0].comment)

    def _record_nodes(self, node: GameNode) -> Iterator[RecordNode]:
        while node.children:
            first, *others = (self.nodes[number] for number in node.children)
            variations = tuple(
                Line((RecordNode(str(other.move), other.comment), *self._record_nodes(other)))
                for other in others
            )
            yield RecordNode(str(first.move), first.comment, variations)
            node = first

    def add_line(self, line: Line, parent: int, limit: int) -> int:
        """Add the moves of a record after a node; return the last node of its main line."""
        last = parent
        for node in line.moves:
            before = self.nodes[last]
            if len(self.nodes) >= limit:
                raise BadRecord(f"a game here may have at most {limit - 1} moves")
            move = self.game.parse_move(node.move, before.position)
            last = self.add(before.number, move, RECORD, node.comment).number
            for variation in node.variations:
                self.add_line(variation, before.number, limit)
        return last


def _next_on_line(node: GameNode) -> int | None:
    if node.preferred is not None:
        return node.preferred
    return node.children[0] if node.children else None


MAX_FORCED = 100
"""Maximum number of consecutive dice rolls and passes."""


class LinePlan:
    """Moves after a node that are not yet in the tree, so that they can be stored first."""

    def __init__(self, tree: GameTree, start: GameNode) -> None:
        self._tree = tree
        self.last = start
        """The last node of the line, in the tree or planned."""

        self.new_nodes: list[GameNode] = []
        """The planned nodes, parents first; a move that was played before gives none."""

    def play(
        self,
        move: Move,
        made_by: str,
        comment: str = "",
        explanation: MoveExplanation | None = None,
    ) -> None:
        """Continue the line by a move."""
        before = self.last
        known = self._tree.child(before, move)
        if known is None:
            number = len(self._tree.nodes) + len(self.new_nodes)
            mover, position = before.position.mover, before.position.play(move)
            known = GameNode(
                number, before.number, move, mover, made_by, position, comment, explanation
            )
            self.new_nodes.append(known)
        self.last = known

    def play_forced_moves(self, move_entry: AnyMoveEntry, seed: int) -> None:
        """Continue the line by dice rolls and forced passes."""
        for _ in range(MAX_FORCED):
            position = self.last.position
            if position.outcome() is not None:
                break
            if position.mover == CHANCE:
                self.play(self._roll_dice(seed), DICE)
            elif move_entry.is_pass(position):
                self.play(position.legal_moves()[0], RULES)
            else:
                break

    def _roll_dice(self, seed: int) -> Move:
        """Roll the dice; a roll made before is reused, so undo gives no new roll."""
        if self.last.children:
            return self._tree.nodes[self.last.children[0]].move
        rolls, weights = zip(*self._tree.game.chances(self.last.position), strict=True)
        dice = random.Random(f"{seed} {self.last.number}")
        roll: Move = dice.choices(rolls, weights)[0]
        return roll
