"""A player's move in each of many positions, without playing games."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ludus.core.errors import BadPosition, LudusError, quote
from ludus.core.game import CHANCE, AnyGame, Game, P, Position
from ludus.core.player import Limit, Player
from ludus.core.spec import check_choice

BATCH_SIZE = 2048
"""Positions that a player chooses moves for at once, if it gains from batches."""
MAX_LISTED_ERRORS = 5
"""Number of further invalid lines that an error lists."""


class ParsedPosition(NamedTuple):
    """A position, and the format of the response (`Game.move_formats`)."""

    position: Position
    format_move: Callable[[Any], str]


class GameOver(BadPosition):
    """The game is over in this position, so there is no move to choose."""


def parse_positions(
    text: str, game: AnyGame, notation: str = "auto", skip_finished: bool = False
) -> list[ParsedPosition]:
    """Parse one position per line; BadPosition names the invalid lines.

    Positions of finished games are invalid, or dropped if `skip_finished`. `notation` is one of
    `Game.move_formats`; with `auto` the notation of each position decides.
    """
    formats = game.move_formats()
    check_choice(f"{game.id} has no notation", notation, ("auto", *formats))
    found: list[ParsedPosition] = []
    errors: list[tuple[int, LudusError]] = []
    # Not splitlines, which knows ten kinds of line ends: line numbers must be those of editors.
    lines = text.removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, 1):
        try:
            position = _parse_position(line, game)
            name = game.detect_move_format(line) if notation == "auto" else notation
            found.append(ParsedPosition(position, formats[name]))
        except LudusError as error:
            if not (skip_finished and isinstance(error, GameOver)):
                errors.append((number, error))
    if errors:
        raise _make_line_error(errors)
    return found


def _make_line_error(errors: Sequence[tuple[int, LudusError]]) -> BadPosition:
    """Return an error with the first message in full and the numbers of the other lines."""
    (number, first), *others = errors
    also = ", ".join(str(number) for number, _ in others[:MAX_LISTED_ERRORS])
    left = len(others) - MAX_LISTED_ERRORS
    tail = f"; bad lines too: {also}{f' and {left} more' if left > 0 else ''}" if others else ""
    return BadPosition(f"line {number}: {first}{tail}")


def choose_and_format(
    player: Player, requests: Sequence[ParsedPosition], limit: Limit, batch: int = BATCH_SIZE
) -> Iterator[list[str]]:
    """Yield the player's moves as text, one list per batch of positions."""
    formats = iter([each.format_move for each in requests])
    for part in choose_moves(player, [each.position for each in requests], limit, batch):
        yield [next(formats)(move) for move in part]


def choose_moves(
    player: Player, positions: Sequence[Position], limit: Limit, batch: int
) -> Iterator[list[Any]]:
    """Yield the player's moves, one list per batch of positions; raise LudusError for illegal
    moves.
    """
    for first in range(0, len(positions), batch):
        part = positions[first : first + batch]
        made = [choice.move for choice in player.choose_many(part, limit)]
        if len(made) != len(part):
            raise LudusError(f"{player.spec} chose {len(made)} moves in {len(part)} positions")
        for line, (position, move) in enumerate(zip(part, made, strict=True), first + 1):
            if move not in position.legal_moves():
                what = f"{quote(str(move))}, which is illegal"
                raise LudusError(f"position {line}: {player.spec} chose {what}")
        yield made


def get_batch_size(player: Player) -> int:
    """Return the batch size; players without `choose_many` get small batches, to show progress."""
    return BATCH_SIZE if type(player).choose_many is not Player.choose_many else 16


def _parse_position(line: str, game: Game[P, Any]) -> P:
    if not line.strip():
        raise BadPosition("is empty")
    position = game.parse(line)
    if (outcome := position.outcome()) is not None:
        raise GameOver(f"the game is over: {outcome}")
    if position.mover == CHANCE:
        raise BadPosition("dice are to be rolled, so there is no move to choose")
    return position
