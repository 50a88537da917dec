"""The Game class of Nine Men's Morris and its variants."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ludus.core.errors import BadMove, quote
from ludus.core.game import Game
from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES, Move
from ludus.games.nine_mens_morris.notation import PositionFields, parse_points, parse_position
from ludus.games.nine_mens_morris.rules import PRESETS, Rules


class NineMensMorris(Game[Any, Move]):
    """The Morris family; positions are native unless the engine is `python`."""

    id: ClassVar[str] = "nine_mens_morris"
    title: ClassVar[str] = "Nine Men's Morris"
    sides: ClassVar[tuple[str, str]] = ("white", "black")
    presets: ClassVar[Mapping[str, Rules]] = PRESETS
    win_reasons: ClassVar[Mapping[str, str]] = {
        "men": "{loser} had too few men left",
        "blocked": "{loser} could not move",
    }
    draw_reasons: ClassVar[Mapping[str, str]] = {
        "blocked": "neither side could move",
        "full": "the board was full",
        "repetition": "the position was repeated",
        "quiet": "nothing was placed or taken for too long",
    }
    # Galassi 2018
    reason_terms: ClassVar[Mapping[str, str]] = {"men": "removing", "blocked": "suffocating"}

    def __init__(self, rules: Rules | None = None, engine: str = "native") -> None:
        super().__init__(rules, engine)
        self._start = self.parse("start")

    def start(self) -> Any:
        return self._start

    def parse(self, text: str) -> Any:
        return self.position(parse_position(text, self.rules))

    def position(self, fields: PositionFields) -> Any:
        """Make a position of this game's engine from its fields."""
        quiet = fields.quiet if self.rules.quiet_plies else 0
        if self.engine == "python":
            from ludus.games.nine_mens_morris.position import Position

            return Position(self.rules, *fields._replace(quiet=quiet))
        from ludus.games.nine_mens_morris import native

        return native.make_position(self.rules, fields._replace(quiet=quiet))

    def parse_move(self, text: str, position: Any) -> Move:
        points = parse_points(text)
        legal: list[Move] = position.legal_moves()
        for move in legal:
            if tuple(number for number in move if number is not None) == points:
                return move
        shown = ", ".join(map(str, legal[:3])) + (", …" if len(legal) > 3 else "")
        hint = f"legal are {shown}" if legal else "the game is over"
        raise BadMove(f"{quote(text)} is not legal in {position}; {hint}")

    def steps(self, move: Move) -> tuple[str, ...]:
        return tuple(POINTS[number] for number in move if number is not None)

    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        return SYMMETRIES

    def transform(self, position: Any, symmetry: Sequence[int]) -> Any:
        white, black = (frozenset(symmetry[man] for man in men) for men in position.men)
        return self.position(
            PositionFields(
                (white, black),
                position.hands,
                position.mover,
                position.occurrence,
                position.quiet,
            )
        )

    def transform_move(self, move: Move, symmetry: Sequence[int]) -> Move:
        return Move(*(None if number is None else symmetry[number] for number in move))

    def canonical(self, position: Any) -> Any:
        """Return the symmetric position whose bitboards, White's first, are smallest."""
        if self.engine == "native":
            return position.canonical()
        transformed = (self.transform(position, symmetry) for symmetry in SYMMETRIES)
        return min(transformed, key=lambda other: other.bits)

    def perft(self, position: Any, depth: int) -> int:
        if self.engine == "native":
            nodes: int = position.perft(depth)
            return nodes
        return super().perft(position, depth)
