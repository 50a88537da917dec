"""Games in the .mat format that other backgammon programs read (Jellyfish's, an unlimited session).

Each game is a table of two columns, the first player's moves on the left. A step is written from
place to place, with 25 for the bar and 0 for off, and a star where it hits.
"""

from collections.abc import Iterable, Sequence

from ludus.core.errors import BadRecord
from ludus.core.record import Record
from ludus.games.backgammon import Backgammon, Move, Position

COLUMN = 34
"""Where the second player's moves begin, after the number of the line."""

INDENT = 5
"""What the number of a line takes."""


def mat(records: Iterable[Record], game: Backgammon | None = None) -> str:
    """A session of whole games between the same two players, one after the other."""
    rules = game or Backgammon()
    players: tuple[str, str] | None = None
    score = [0, 0]
    parts = [" 0 point match\n"]
    for number, record in enumerate(records, 1):
        names = _names(record, rules)
        players = players or names
        if sorted(names) != sorted(players):
            raise BadRecord(f"game {number} has other players than the first one")
        # The players take turns as white, but each keeps his column.
        is_swapped = names != players
        positions = record.replay(rules)
        parts += ["\n", f" Game {number}\n", f"{_heading(players, score)}\n"]
        parts += [f"{line}\n" for line in _lines(record, rules, positions, is_swapped)]
        outcome = positions[-1].outcome()
        if outcome is None or outcome.winner is None:
            raise BadRecord(f"game {number} was not played to its end")
        winner = outcome.winner ^ is_swapped
        score[winner] += outcome.points
        indent = " " * (INDENT + COLUMN * winner)
        parts.append(f"{indent}Wins {outcome.points} point{'s' * (outcome.points > 1)}\n")
    return "".join(parts)


def _heading(players: tuple[str, str], score: list[int]) -> str:
    left, right = (f"{name} : {points}" for name, points in zip(players, score, strict=True))
    return f" {left:<{INDENT + COLUMN - 2}} {right}"


def _names(record: Record, game: Backgammon) -> tuple[str, str]:
    """The players, in one word each: programs take what follows for the score."""
    first, second = (record.headers.get(side.capitalize(), side) for side in game.sides)
    return _word(first), _word(second)


def _word(name: str) -> str:
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return kept[:24] or "player"


def _lines(
    record: Record, game: Backgammon, positions: Sequence[Position], is_swapped: bool
) -> list[str]:
    """Numbered lines of two turns each; the left one is empty where the second player begins."""
    turns: list[tuple[int, str]] = []
    for before, node in zip(positions, record.line.moves, strict=False):
        if before.dice is None:
            continue
        move = game.parse_move(node.move, before)
        assert isinstance(move, Move)
        text = f"{before.dice[0]}{before.dice[1]}: {_written(move)}"
        turns.append((before.turn ^ is_swapped, text))
    cells = [""] if turns and turns[0][0] == 1 else []
    cells += [text for _, text in turns] + [""]
    pairs = zip(cells[::2], cells[1::2], strict=False)
    return [
        f"{number:3}) {left:<{COLUMN - 1}} {right}".rstrip()
        for number, (left, right) in enumerate(pairs, 1)
    ]


def _written(move: Move) -> str:
    return " ".join(f"{step.start}/{step.end}{'*' * step.hit}" for step in move.steps)
