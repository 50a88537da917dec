"""What a search came to, as `info` lines."""

from collections.abc import Iterator

from ludus.core.player import Choice
from ludus.players.thinking import ExpectedLine, Progress
from ludus.protocol.speech import Speech, Turn

SANMILL_MAN, SANMILL_WIN = 5, 80


def progress_lines(
    progress: Progress, seconds: float, speech: Speech, turn: Turn, *, apart: bool
) -> Iterator[str]:
    """One line for each of the best moves."""
    per_second = int(progress.nodes / seconds) if seconds > 0 else 0
    for number, line in enumerate(progress.lines, 1):
        yield (
            f"info depth {progress.depth} seldepth {max(progress.deepest, progress.depth)}"
            f" multipv {number} score {score(line)} nodes {progress.nodes} nps {per_second}"
            f" time {int(1000 * seconds)} pv {_moves(line, speech, turn, apart)}"
        )


def score(line: ExpectedLine) -> str:
    """Hundredths, or the number of own moves to the end.

    >>> score(ExpectedLine((), 29_997, 3)), score(ExpectedLine((), -29_996, -4))
    ('mate 2', 'mate -2')
    """
    if line.plies_to_end is None:
        return f"cp {line.points}"
    moves = (abs(line.plies_to_end) + 1) // 2
    return f"mate {moves if line.plies_to_end > 0 else -moves}"


def choice_lines(choice: Choice, words: tuple[str, ...], *, with_score: bool) -> Iterator[str]:
    """What a player says about its choice when it could not be watched."""
    if choice.comment:
        yield f"info string {one_line(choice.comment)}"
    points = choice.scores.get(choice.move) if with_score else None
    if points is not None:
        yield f"info multipv 1 score cp {round(100 * points)} pv {' '.join(words)}"


def uci_answer(word: str, choice: Choice | None, turn: Turn) -> str:
    """The answer as chess programs give it."""
    return f"bestmove {word}"


def sanmill_answer(word: str, choice: Choice | None, turn: Turn) -> str:
    """The answer as Sanmill gives it: with a score in fifths of a man, as White sees it."""
    points = 0.0 if choice is None else choice.scores.get(choice.move, 0.0)
    score = max(-SANMILL_WIN, min(round(SANMILL_MAN * points), SANMILL_WIN))
    return f"info score {-score if turn.position.mover else score} bestmove {word}"


def one_line(text: str) -> str:
    """A text that can stand in one line of the protocol."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _moves(line: ExpectedLine, speech: Speech, turn: Turn, apart: bool) -> str:
    first, *rest = line.moves
    words = list(speech.words(first, turn.begun, apart=apart))
    for move in rest:
        words += speech.words(move, apart=apart)
    return " ".join(words)
