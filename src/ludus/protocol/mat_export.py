"""Export of backgammon games in the .mat format (Jellyfish, unlimited session)."""

from collections.abc import Iterable, Sequence

from ludus.core.errors import BadRecord
from ludus.core.record import Record
from ludus.games.backgammon import Backgammon, Move, Position

COLUMN_WIDTH = 34
"""Width of the first player's column, after the line number."""

NUMBER_WIDTH = 5
"""Width of the line number."""


def format_mat(records: Iterable[Record]) -> str:
    """Format a session of complete games between the same two players.

    In moves 25 is the bar, 0 is off the board, and a star marks a hit.
    """
    rules = Backgammon()
    players: tuple[str, str] | None = None
    score = [0, 0]
    parts = [" 0 point match\n"]
    for number, record in enumerate(records, 1):
        names = _get_player_names(record, rules)
        players = players or names
        if sorted(names) != sorted(players):
            raise BadRecord(f"game {number} has other players than the first one")
        # The players may swap colours between games, but each keeps the same column.
        is_swapped = names != players
        positions = record.replay(rules)
        parts += ["\n", f" Game {number}\n", f"{_format_heading(players, score)}\n"]
        parts += [f"{line}\n" for line in _format_turns(record, rules, positions, is_swapped)]
        outcome = positions[-1].outcome()
        if outcome is None or outcome.winner is None:
            raise BadRecord(f"game {number} was not played to its end")
        winner = outcome.winner ^ is_swapped
        score[winner] += outcome.points
        indent = " " * (NUMBER_WIDTH + COLUMN_WIDTH * winner)
        parts.append(f"{indent}Wins {outcome.points} point{'s' * (outcome.points > 1)}\n")
    return "".join(parts)


def _format_heading(players: tuple[str, str], score: list[int]) -> str:
    left, right = (f"{name} : {points}" for name, points in zip(players, score, strict=True))
    return f" {left:<{NUMBER_WIDTH + COLUMN_WIDTH - 2}} {right}"


def _get_player_names(record: Record, game: Backgammon) -> tuple[str, str]:
    """Return the players' names as one word each: programs parse what follows as the score."""
    first, second = (record.headers.get(side.capitalize(), side) for side in game.sides)
    return _to_single_word(first), _to_single_word(second)


def _to_single_word(name: str) -> str:
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return kept[:24] or "player"


def _format_turns(
    record: Record, game: Backgammon, positions: Sequence[Position], is_swapped: bool
) -> list[str]:
    """Return numbered lines of two turns each; the first left one is empty if player 2 begins."""
    turns: list[tuple[int, str]] = []
    for before, node in zip(positions, record.line.moves, strict=False):
        if before.dice is None:
            continue
        move = game.parse_move(node.move, before)
        assert isinstance(move, Move)
        text = f"{before.dice[0]}{before.dice[1]}: {_format_move(move)}"
        turns.append((before.turn ^ is_swapped, text))
    cells = [""] if turns and turns[0][0] == 1 else []
    cells += [text for _, text in turns] + [""]
    pairs = zip(cells[::2], cells[1::2], strict=False)
    return [
        f"{number:3}) {left:<{COLUMN_WIDTH - 1}} {right}".rstrip()
        for number, (left, right) in enumerate(pairs, 1)
    ]


def _format_move(move: Move) -> str:
    return " ".join(f"{step.start}/{step.end}{'*' * step.hit}" for step in move.steps)
