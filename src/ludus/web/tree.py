"""The moves of a game with all that was tried instead: a tree whose nodes never change place.

A node is a position and the move that led there. Its number is its place in the list, so a parent
always comes before its children and a stored game can be read from the top.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ludus.core.errors import BadRecord
from ludus.core.game import AnyGame
from ludus.core.record_line import Line
from ludus.core.record_line import Node as RecordNode

PERSON, PLAYER, DICE, RULES = "person", "player", "dice", "rules"
"""Who made a move; `rules` made it where nothing else could be done."""


@dataclass(slots=True)
class Node:
    """One position of the tree."""

    number: int
    parent: int | None
    move: Any
    """The move that led here; None at the root."""

    mover: int | None
    """Who made it, or CHANCE."""

    by: str
    position: Any
    comment: str = ""
    thought: dict[str, Any] | None = None
    """What the player who made the move thought, as its process told it."""

    children: list[int] = field(default_factory=list)
    """First what was played first; the others are variations."""

    text: str = ""
    """The move as its game writes it."""

    preferred: int | None = None
    """The child that was visited last, to which redoing leads."""

    def __post_init__(self) -> None:
        self.text = "" if self.move is None else str(self.move)


class Tree:
    """Nodes by number, and where the game stands."""

    def __init__(self, game: AnyGame, start: Any) -> None:
        self.game = game
        self.nodes = [Node(0, None, None, None, RULES, start)]
        self.at = 0

    @property
    def current(self) -> Node:
        return self.nodes[self.at]

    def child(self, node: Node, move: Any) -> Node | None:
        """The node that this move leads to, if it has been tried."""
        found = (self.nodes[number] for number in node.children)
        return next((child for child in found if child.move == move), None)

    def add(self, parent: int, move: Any, by: str, comment: str = "", thought: Any = None) -> Node:
        """One more move behind a node; the same move again leads to the same node."""
        before = self.nodes[parent]
        known = self.child(before, move)
        if known is not None:
            return known
        position = before.position.play(move)
        node = Node(
            len(self.nodes), parent, move, before.position.mover, by, position, comment, thought
        )
        self.nodes.append(node)
        before.children.append(node.number)
        return node

    def go(self, number: int) -> None:
        """Stand here; the way here becomes the way that redoing takes."""
        self.at = number
        for node in self.line(number):
            if node.parent is not None:
                self.nodes[node.parent].preferred = node.number

    def line(self, number: int) -> list[Node]:
        """The nodes from the root to this one."""
        found: list[Node] = []
        at: int | None = number
        while at is not None:
            found.append(self.nodes[at])
            at = self.nodes[at].parent
        return found[::-1]

    def whole_line(self) -> list[Node]:
        """The line to where the game stands, and on as far as redoing leads."""
        line = self.line(self.at)
        while (following := _following(line[-1])) is not None:
            line.append(self.nodes[following])
        return line

    def record_line(self) -> Line:
        """Everything as the moves of a record, variations in their places."""
        return Line(tuple(self._record_nodes(self.nodes[0])), self.nodes[0].comment)

    def _record_nodes(self, node: Node) -> Iterator[RecordNode]:
        while node.children:
            first, *others = (self.nodes[number] for number in node.children)
            variations = tuple(
                Line((RecordNode(str(other.move), other.comment), *self._record_nodes(other)))
                for other in others
            )
            yield RecordNode(str(first.move), first.comment, variations)
            node = first

    def add_line(self, line: Line, parent: int, limit: int) -> int:
        """Put the moves of a record behind a node; returns the last one of the line itself."""
        at = parent
        for node in line.moves:
            before = self.nodes[at]
            if len(self.nodes) >= limit:
                raise BadRecord(f"a game here may have at most {limit - 1} moves")
            move = self.game.parse_move(node.move, before.position)
            at = self.add(before.number, move, PERSON, node.comment).number
            for variation in node.variations:
                self.add_line(variation, before.number, limit)
        return at


def _following(node: Node) -> int | None:
    if node.preferred is not None:
        return node.preferred
    return node.children[0] if node.children else None
