"""One move for each of many positions: what a player knows, without playing games."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ludus.core.errors import BadPosition, LudusError, UnknownName, quoted
from ludus.core.game import CHANCE, AnyGame
from ludus.core.limit import Limit
from ludus.core.player import Player

Notation = Literal["auto", "game", "thesis", "playok"]

THESIS_LENGTH = 28
MORRIS = "nine_mens_morris"
BATCH = 2048
MAX_NAMED = 5
"""Further bad lines that an error names by their number."""


class Asked(NamedTuple):
    """A line of a file: a position, and the notation its answer is wanted in."""

    position: Any
    notation: str


class GameOver(BadPosition):
    """A position in which there is nothing to choose any more."""


def read_positions(
    text: str, game: AnyGame, notation: str = "auto", leaves_out_over: bool = False
) -> list[Asked]:
    """The positions of a text, one a line; BadPosition tells which lines are none.

    Games that are over count as none, or are left out.

    In `auto` the answer is in the game's notation, but for Morris positions written as in the
    thesis (24 letters, four digits, perhaps a move behind them) it is as in the thesis.
    """
    if notation in ("thesis", "playok") and game.id != MORRIS:
        raise UnknownName(f"the notation {notation} is for {MORRIS}, not for {game.id}")
    found: list[Asked] = []
    errors: list[tuple[int, LudusError]] = []
    # Not splitlines, for which there are ten kinds of line ends: numbers are those of editors.
    lines = text.removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Asked(_position(line, game), _notation(line, game, notation)))
        except LudusError as error:
            if not (leaves_out_over and isinstance(error, GameOver)):
                errors.append((number, error))
    if errors:
        raise _bad_lines(errors)
    return found


def _bad_lines(errors: Sequence[tuple[int, LudusError]]) -> BadPosition:
    """The first of them in full, the others by their numbers."""
    (number, first), *others = errors
    also = ", ".join(str(number) for number, _ in others[:MAX_NAMED])
    more = "" if len(others) <= MAX_NAMED else f" and {len(others) - MAX_NAMED} more"
    tail = f"; bad lines too: {also}{more}" if others else ""
    return BadPosition(f"line {number}: {first}{tail}")


def choose_all(
    player: Player, asked: Sequence[Asked], limit: Limit, batch: int = BATCH
) -> Iterator[list[str]]:
    """The player's moves, written, one list for each batch of positions."""
    notations = iter([each.notation for each in asked])
    for part in choices(player, [each.position for each in asked], limit, batch):
        yield [written(move, next(notations)) for move in part]


def choices(
    player: Player, positions: Sequence[Any], limit: Limit, batch: int
) -> Iterator[list[Any]]:
    """The player's moves, one list for each batch of positions; legal ones, or LudusError."""
    for first in range(0, len(positions), batch):
        part = positions[first : first + batch]
        made = [choice.move for choice in player.choose_many(part, limit)]
        if len(made) != len(part):
            raise LudusError(f"{player.spec} chose {len(made)} moves in {len(part)} positions")
        for line, (position, move) in enumerate(zip(part, made, strict=True), first + 1):
            if move not in position.legal_moves():
                what = f"{quoted(str(move))}, which is illegal"
                raise LudusError(f"position {line}: {player.spec} chose {what}")
        yield made


def batch_for(player: Player) -> int:
    """How many positions to hand over at a time: players that take one by one show progress."""
    return BATCH if type(player).choose_many is not Player.choose_many else 16


def written(move: Any, notation: str) -> str:
    """A move in a notation. A pass is called so everywhere."""
    if notation == "game" or str(move) == "pass":
        return str(move)
    from ludus.games.nine_mens_morris import to_playok_move, to_thesis_move

    return to_thesis_move(move) if notation == "thesis" else to_playok_move(move)


def _position(line: str, game: AnyGame) -> Any:
    if not line.strip():
        raise BadPosition("is empty")
    position = game.parse(line)
    if (outcome := position.outcome()) is not None:
        raise GameOver(f"the game is over: {outcome}")
    if position.mover == CHANCE:
        raise BadPosition("dice are to be rolled, and nobody has a choice")
    return position


def _notation(line: str, game: AnyGame, notation: str) -> str:
    if notation != "auto":
        return notation
    head = line.strip()[:THESIS_LENGTH]
    is_thesis = game.id == MORRIS and len(head) == THESIS_LENGTH and head.isalnum()
    return "thesis" if is_thesis else "game"
