"""What an engine says while it thinks: the last line about its best move is kept."""

from collections.abc import Mapping
from typing import Any

from ludus.core.errors import quoted
from ludus.protocol.errors import ExternalError
from ludus.protocol.telling import one_line

LONGEST_COMMENT = 300
LONGEST_WORD = 200


def option_name(line: str) -> str:
    """The name in an `option` line.

    >>> option_name("option name Clear Hash type button")
    'Clear Hash'
    """
    _, _, rest = line.partition(" name ")
    return rest.partition(" type ")[0].strip()


class Hearing:
    """One search, as it is heard."""

    def __init__(self) -> None:
        self._info = ""
        self._error = ""

    def answer(self, line: str) -> str | None:
        """The move, once it is said."""
        words = line.split()
        # Sanmill has it all in one line: `info score 5 bestmove d6`.
        if "bestmove" in words and words[:2] != ["info", "string"]:
            return self._word(words[words.index("bestmove") :])
        if words == ["nobestmove"]:
            raise ExternalError("has no move")
        if line.startswith("info string error:"):
            self._error = line.removeprefix("info string error:").strip()
        elif line.startswith("info ") and " score " in line and _is_best(line):
            self._info = line
        return None

    def _word(self, words: list[str]) -> str:
        word = words[1] if len(words) > 1 else ""
        if self._error:  # its move, if it has one, may be meant for another position
            raise ExternalError(f"says {quoted(self._error, 300)}")
        if word in ("", "(none)", "none", "0000", "-"):
            raise ExternalError("has no move")
        return word[:LONGEST_WORD]

    @property
    def comment(self) -> str:
        """Score, depth and expected moves, as it told them."""
        words = self._info.split()
        if not words:
            return ""
        depth = f" at depth {_after(words, 'depth')}" if "depth" in words else ""
        line = f": {' '.join(words[words.index('pv') + 1 :])}" if "pv" in words else ""
        kind, value = _after(words, "score"), _after(words, _after(words, "score"))
        return one_line(f"{kind} {value}{depth}{line}")[:LONGEST_COMMENT]

    def scores(self, move: Any) -> Mapping[Any, float]:
        """What it thinks of the move, where that is a number."""
        words = self._info.split()
        try:
            return {move: int(_after(words, "cp")[:9]) / 100}
        except ValueError:
            return {}


def _is_best(line: str) -> bool:
    """Whether a line is about the best move, not about the second and third."""
    words = line.split(" pv ", maxsplit=1)[0].split()
    return "multipv" not in words or _after(words, "multipv") == "1"


def _after(words: list[str], name: str) -> str:
    """The word behind another; empty if there is none."""
    place = words.index(name) + 1 if name in words else len(words)
    return words[place] if place < len(words) else ""
