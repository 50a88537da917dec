"""Games read back from the store: their content is checked like that of a request.

A file of games may be damaged or come from a stranger; neither may crash the server.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationError

from ludus.core.errors import BadRecord, LudusError, to_one_line
from ludus.games import registered_game
from ludus.web.explanations import Explanation
from ludus.web.game_tree import GameTree
from ludus.web.schemas.requests import SeatRequest
from ludus.web.store import STORED_VALUE_ERRORS, BadGameFile, StoredGame, StoredNode


class StoredState(BaseModel):
    """The mutable part of a stored game; older versions lack the last ones."""

    at: Annotated[int, Field(ge=0)]
    seats: Annotated[list[SeatRequest], Field(min_length=2, max_length=2)]
    paused: bool
    delay: Annotated[float, Field(ge=0, le=60)]
    comment: str
    learned: tuple[dict[str, str], dict[str, str]] = ({}, {})
    resigned: (
        tuple[Annotated[int, Field(ge=0)], Literal[0, 1]]
        | tuple[Annotated[int, Field(ge=0)], Literal[0, 1], Literal[1, 2, 3]]
        | None
    ) = None
    earlier: tuple[int, int, int] = (0, 0, 0)
    """Points of both sides in earlier games of a money session, and the number of these games."""


class StoredMove(BaseModel):
    """A row of the table of moves."""

    number: Annotated[int, Field(ge=1)]
    parent: Annotated[int, Field(ge=0)]
    move: str
    made_by: Literal["person", "player", "dice", "rules"]
    comment: str
    explanation: Explanation | None


def restore_tree(stored: StoredGame, nodes: Sequence[StoredNode]) -> tuple[GameTree, StoredState]:
    """Return the tree and the state of a stored game; raise BadGameFile if it is damaged."""
    try:
        if not isinstance(stored.seed, int):
            raise BadRecord("its seed is not a number")
        if not all(isinstance(each, str) for each in (stored.name, stored.rules, stored.start)):
            raise BadRecord("its game, rules or start is not a text")
        state = StoredState.model_validate(stored.state)
        game = registered_game(stored.name, stored.rules)
        tree = GameTree(game, game.parse(stored.start))
        tree.nodes[0].comment = state.comment
        for node in nodes:
            _restore_node(tree, node)
        if state.at >= len(tree.nodes):
            raise BadRecord(f"move {state.at} is missing")
        tree.go_to(state.at)
    except (LudusError, ValidationError, *STORED_VALUE_ERRORS) as error:
        why = to_one_line(str(error), 200)
        raise BadGameFile(f"the stored game {stored.id} is damaged: {why}") from error
    return tree, state


def _restore_node(tree: GameTree, node: StoredNode) -> None:
    row = StoredMove.model_validate(node._asdict())
    if row.parent >= len(tree.nodes):
        raise BadRecord(f"move {row.parent} is missing")
    move = tree.game.parse_move(row.move, tree.nodes[row.parent].position)
    added = tree.add(row.parent, move, row.made_by, row.comment, row.explanation)
    if added.number != row.number:
        raise BadRecord(f"move {row.number} is not where it should be")
