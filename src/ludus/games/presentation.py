"""A game as text for a language model: as it is known, turned, or turned and with other names.

A model that plays worse when the board is turned, or when its places have other names, recalled
what it had read; what it still does then it has worked out from the rules.
"""

import inspect
import random
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Literal, get_args

from ludus.core.errors import BadMove, BadSpec, check_length, quote
from ludus.core.game import AnyGame, Move, Outcome, Position
from ludus.core.spec import check_choice, check_range
from ludus.games.move_entry import get_move_entry

Variant = Literal["plain", "turned", "renamed"]
"""The game as it is known; under a symmetry of its board; and with other names, too."""

VARIANTS: tuple[str, ...] = get_args(Variant)

PLURALS: Final = {"man": "men", "pawn": "pawns", "checker": "checkers", "mill": "mills"}
"""Words of rules that get another name, and their plurals."""

MEN_NAMES: Final = ("token", "bead", "disc", "peg", "chip")
ROW_NAMES: Final = ("bond", "chain", "link", "trio", "bridge")
SIDE_NAMES: Final = (("red", "blue"), ("copper", "silver"), ("day", "night"), ("lime", "plum"))
PLACE_LETTERS: Final = "jkmnpqrtuvwyz"
"""First letters of new names; no board here has them, nor the signs `x` and `-` of moves."""

ANSWER: Final = re.compile(r"<move>(.*?)</move>", re.IGNORECASE | re.DOTALL)

MAX_LISTED = 150
"""Moves that are listed; only doubles of backgammon have more."""


class Presentation:
    """How a game is shown: its board under a symmetry, its places, sides and men by their names.

    >>> from ludus.games import game
    >>> hexapawn = game("hexapawn")
    >>> shown = Presentation(hexapawn, symmetry=1)
    >>> start = hexapawn.start()
    >>> shown.parse_move("c1-c2", start), shown.format_move(start.legal_moves()[0])
    (<Move a1-a2>, 'c1-c2')
    """

    def __init__(self, game: AnyGame, symmetry: int = 0, names: int | None = None) -> None:
        """Show a game under the symmetry of this number, with names drawn from the seed `names`."""
        symmetries = game.symmetries()
        check_range(f"{game.id} symmetry", symmetry, 0, len(symmetries) - 1)
        self.game = game
        self.symmetry = symmetry
        self._entry = get_move_entry(game)
        self._permutation = symmetries[symmetry]
        self.is_renamed = names is not None
        self._words, self._places = self._draw_names(names)

    @classmethod
    def draw(cls, game: AnyGame, variant: Variant, seed: int) -> "Presentation":
        """Return the presentation of a variant that a seed determines."""
        check_choice("there is no variant", variant, VARIANTS, BadSpec)
        source = random.Random(f"{variant} {seed}")
        symmetry = 0 if variant == "plain" else source.randrange(len(game.symmetries()))
        return cls(game, symmetry, source.getrandbits(62) if variant == "renamed" else None)

    def _draw_names(self, seed: int | None) -> tuple[dict[str, str], dict[str, str]]:
        """Return new words, and new names of places unless these are numbers to count with."""
        if seed is None:
            return {}, {}
        game, source = self.game, random.Random(seed)
        if not game.move_entry:
            raise BadSpec(f"{game.id} has no `move_entry`, and so no list of its men to be renamed")
        men, row = source.choice(MEN_NAMES), source.choice(ROW_NAMES)
        words = dict(zip(game.sides, source.choice(SIDE_NAMES), strict=True))
        for old, new in ((game.man_name, men), (game.row_name, row)):
            if old in PLURALS:
                words |= {old: new, PLURALS[old]: f"{new}s"}
        places = self._board
        if any(name.isdigit() for name in places):
            return words, {}
        fresh = [f"{letter}{digit}" for letter in PLACE_LETTERS for digit in range(1, 10)]
        return words, dict(zip(places, source.sample(fresh, len(places)), strict=True))

    @cached_property
    def _board(self) -> tuple[str, ...]:
        return tuple(self.game.start().drawing().places)

    @property
    def title(self) -> str:
        """The name of the game."""
        return "A board game" if self.is_renamed else self.game.title

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the sides."""
        first, second = (self._words.get(side, side) for side in self.game.sides)
        return first, second

    def rules(self) -> str:
        """Explain the rules in sentences, one in a line; renamed, with a map of the board."""
        described = self._entry.describe_rules() or [inspect.getdoc(self.game) or ""]
        sentences = [self._reword(each) for each in described]
        begins = [f"First to move: {self.sides[0]}."] if self.game.start().mover == 0 else []
        return "\n".join(f"- {each}" for each in [*sentences, *begins, *self._describe_board()])

    def _describe_board(self) -> list[str]:
        """Return a map of the board where its places have other names."""
        if not self._places:
            return []
        if lines := self.game.board_lines():
            shown = ", ".join("–".join(self._places[place] for place in line) for line in lines)
            return [f"The lines of the board, place by place: {shown}."]
        rows: defaultdict[float, list[str]] = defaultdict(list)
        for place, area in self.game.start().drawing().places.items():
            rows[area.y].append(self._places[place])
        grid = " / ".join(" ".join(rows[y]) for y in sorted(rows))
        return [f"The squares of the board, row by row from the top: {grid}."]

    def _reword(self, text: str) -> str:
        """Return a text with the new words, capitalized where the old ones were."""
        if not self._words:
            return text
        return re.sub(
            rf"\b({'|'.join(self._words)})\b",
            lambda found: _capitalize_as(found[0], self._words[found[0].lower()]),
            text,
            flags=re.IGNORECASE,
        )

    def rename(self, text: str) -> str:
        """Return a text about a position with the names that places, sides and men are shown by."""
        return self._reword(_replace_names(text, self._shown_places))

    @cached_property
    def _shown_places(self) -> dict[str, str]:
        """The name of each place as it is shown: that of its image under the symmetry."""
        if not self.symmetry and not self._places:
            return {}
        images = [self._board[image] for image in self._permutation]
        return {
            place: self._places.get(image, image)
            for place, image in zip(self._board, images, strict=True)
        }

    def turn(self, position: Position) -> Any:
        """Return a position as it is shown; it keeps its history unless the board is turned."""
        if not self.symmetry:
            return position
        return self.game.transform(position, self._permutation)

    def format_move(self, move: Move) -> str:
        """Return a move as it is shown."""
        shown = self.game.transform_move(move, self._permutation) if self.symmetry else move
        return _replace_names(str(shown), self._places)

    def list_moves(self, position: Position) -> list[str]:
        """Return the legal moves as they are shown, in alphabetical order.

        The order of the game itself would tell the names of places.
        """
        return sorted(map(self.format_move, position.legal_moves()))

    def parse_move(self, text: str, position: Position) -> Any:
        """Return the legal move that a text names; BadMove if it names none."""
        written = " ".join(check_length(text, BadMove).split())
        wanted = _drop_signs(written)
        for move in position.legal_moves():
            if _drop_signs(self.format_move(move)) == wanted:
                return move
        if self.is_renamed:
            raise BadMove(f"{quote(written)} is not a legal move here")
        shown = self.game.parse_move(written, self.turn(position))
        if not self.symmetry:
            return shown
        return next(
            move
            for move in position.legal_moves()
            if self.game.transform_move(move, self._permutation) == shown
        )

    def parse_answer(self, answer: str, position: Position) -> Any:
        """Return the move of an answer: between the last <move> and </move>, or its last line."""
        marked = ANSWER.findall(answer)
        lines = answer.strip().splitlines() or [""]
        return self.parse_move(marked[-1] if marked else lines[-1].strip(" `*."), position)

    def describe(self, position: Position) -> str:
        """Draw a position, or list its men where the places have other names."""
        if not self._places:
            return self._reword(self.turn(position).text())
        shown = self.turn(position)
        stacks = self._entry.stacks(shown)
        men: tuple[list[str], list[str]] = ([], [])
        for place, (side, _) in stacks.items():
            men[side].append(self._places[place])
        free = sorted(new for old, new in self._places.items() if old not in stacks)
        lines = [
            f"{name}: {' '.join(sorted(men[side])) or 'none'}"
            f" ({self._reword(self._entry.describe_side(shown, side))})".replace(" ()", "")
            for side, name in enumerate(self.sides)
        ]
        lines.append(f"free: {' '.join(free) or 'none'}")
        if (outcome := shown.outcome()) is not None:
            return "\n".join([*lines, self.describe_outcome(outcome)])
        return "\n".join([*lines, f"{self.sides[shown.mover].capitalize()} to move"])

    def describe_outcome(self, outcome: Outcome) -> str:
        """Describe how a game ended, in a sentence."""
        return self._reword(self.game.describe_outcome(outcome))

    def describe_moves(self, position: Position) -> str:
        """List the legal moves in a line, and those that end the game by repeating a position."""
        moves = self.list_moves(position)
        more = f", and {len(moves) - MAX_LISTED} more" if len(moves) > MAX_LISTED else ""
        listed = f"Legal moves: {', '.join(moves[:MAX_LISTED])}{more}"
        repeating = sorted(map(self.format_move, self.game.repeating_moves(position)))
        if not repeating:
            return listed
        return f"{listed}\nDrawn at once, since the position comes again: {', '.join(repeating)}"


def _replace_names(text: str, names: Mapping[str, str]) -> str:
    return re.sub("|".join(names), lambda found: names[found[0]], text) if names else text


def _drop_signs(move: str) -> str:
    """Return a move in lower case and without asterisks: for hits, or for heavy type."""
    return move.lower().replace("*", "")


def _capitalize_as(old: str, new: str) -> str:
    return new.capitalize() if old[0].isupper() else new
