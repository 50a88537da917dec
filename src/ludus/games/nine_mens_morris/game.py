"""The Game class of Nine Men's Morris and its variants."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from ludus.core.errors import BadMove, BadPosition, LudusError, quote
from ludus.core.game import MAN_VALUE, Game, GameTally, OracleKind, PlaceRow
from ludus.games.nine_mens_morris import notation
from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES, Move, mills, neighbours
from ludus.games.nine_mens_morris.notation import PositionFields, parse_points, parse_position
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.games.nine_mens_morris.rules import PRESETS, Rules

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.native import Position as NativePosition

FREE_POINT_VALUE = 4
"""The value of a free point adjacent to an own man, where a man has MAN_VALUE."""

MIN_REPETITION_PLIES = 3
"""Plies after which a position can come again."""

FEW_MEN, MANY_MEN = 4, 7
"""Maximum men per side in a puzzle: from the built-in endgames, and if the whole game is solved."""


class NineMensMorris(Game[MorrisPosition, Move]):
    """The Morris family; positions are native unless the engine is `python`."""

    id: ClassVar[str] = "nine_mens_morris"
    title: ClassVar[str] = "Nine Men's Morris"
    sides: ClassVar[tuple[str, str]] = ("white", "black")
    presets: ClassVar[Mapping[str, Rules]] = PRESETS
    default_player: ClassVar[str] = "negascout"
    analysts: ClassVar[tuple[str, ...]] = ("scholar", "negascout", "playouts")
    oracle_kind: ClassVar[OracleKind] = "tables"
    puzzle_rules: ClassVar[str | None] = ""
    move_entry: ClassVar[str] = "ludus.games.nine_mens_morris.move_entry:MorrisMoveEntry"
    coding: ClassVar[str] = "ludus.games.nine_mens_morris.coding:MorrisCoding"
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
    row_name: ClassVar[str] = "mill"
    # Galassi 2018
    reason_terms: ClassVar[Mapping[str, str]] = {"men": "removing", "blocked": "suffocating"}

    def __init__(self, rules: Rules | None = None, engine: str = "native") -> None:
        super().__init__(rules, engine)
        self._start = self.parse("start")

    def start(self) -> MorrisPosition:
        return self._start

    def parse(self, text: str) -> MorrisPosition:
        return self.position(parse_position(text, self.rules))

    def position(self, fields: PositionFields) -> MorrisPosition:
        """Make a position of this game's engine from its fields."""
        quiet = fields.quiet if self.rules.quiet_plies else 0
        if self.engine == "python":
            from ludus.games.nine_mens_morris.position import Position

            return Position(self.rules, *fields._replace(quiet=quiet))
        from ludus.games.nine_mens_morris import native

        return native.make_position(self.rules, fields._replace(quiet=quiet))

    def is_native(self, position: MorrisPosition) -> "TypeGuard[NativePosition]":
        """Return whether positions of this game are those of the native engine."""
        return self.engine == "native"

    def parse_move(self, text: str, position: MorrisPosition) -> Move:
        points = parse_points(text)
        legal: list[Move] = position.legal_moves()
        for move in legal:
            if tuple(number for number in move if number is not None) == points:
                return move
        examples = ", ".join(map(str, legal[:3])) + (", …" if len(legal) > 3 else "")
        hint = f"legal are {examples}" if legal else "the game is over"
        raise BadMove(f"{quote(text)} is not legal in {position}; {hint}")

    def steps(self, move: Move) -> tuple[str, ...]:
        return tuple(POINTS[number] for number in move if number is not None)

    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        return SYMMETRIES

    def transform(self, position: MorrisPosition, symmetry: Sequence[int]) -> MorrisPosition:
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

    def repeating_moves(self, position: MorrisPosition) -> list[Move]:
        # A position can come again only after some moves without placing or taking.
        if len(position.history_keys) < MIN_REPETITION_PLIES:
            return []
        ends = [(move, position.play(move).outcome()) for move in position.legal_moves()]
        return [move for move, end in ends if end is not None and end.reason == "repetition"]

    def canonical(self, position: MorrisPosition) -> MorrisPosition:
        """Return the symmetric position whose bitboards, White's first, are smallest."""
        if self.is_native(position):
            return position.canonical()
        transformed = (self.transform(position, symmetry) for symmetry in SYMMETRIES)
        return min(transformed, key=lambda other: other.bits)

    def perft(self, position: MorrisPosition, depth: int) -> int:
        if self.is_native(position):
            return position.perft(depth)
        return super().perft(position, depth)

    def position_texts(self, position: MorrisPosition) -> dict[str, str]:
        texts = super().position_texts(position)
        with suppress(BadPosition):  # the dataset has no letters for more than nine men
            texts["dataset letters"] = notation.to_thesis(position)
        return {**texts, "Sanmill": notation.to_sanmill(position)}

    def move_formats(self) -> Mapping[str, Callable[[Move], str]]:
        """Return our own format, that of Galassi (2018) and that of PlayOK."""
        return {
            **super().move_formats(),
            "thesis": lambda move: notation.to_thesis_move(move) or "pass",
            "playok": notation.to_playok_move,
        }

    def detect_move_format(self, text: str) -> str:
        return "thesis" if notation.is_thesis(text) else "game"

    def move_notation(self) -> notation.MorrisMoveNotation:
        return notation.MorrisMoveNotation(self)

    def stage(self, position: MorrisPosition) -> str:
        """Return whether the mover places, moves or flies."""
        if position.hands[position.mover] > 0:
            return "placing"
        can_fly = self.rules.flying and len(position.men[position.mover]) <= 3
        return "flying" if can_fly else "moving"

    def evaluate(self, position: MorrisPosition) -> int:
        """Evaluate by men, on the board or in hand, and by mobility."""
        white, black = position.bits
        white_hand, black_hand = position.hands
        near, free = _neighbour_bits(self.rules.diagonals), ~(white | black)
        men = white.bit_count() + white_hand - black.bit_count() - black_hand
        mobility = _count_steps(white, free, near) - _count_steps(black, free, near)
        good_for_white: int = MAN_VALUE * men + FREE_POINT_VALUE * mobility
        return -good_for_white if position.mover else good_for_white

    def is_capture(self, move: Move) -> bool:
        return move.take is not None

    @property
    def has_native_playouts(self) -> bool:
        return self.engine == "native"

    def native_playouts(
        self, position: MorrisPosition, games: int, seed: int, threads: int, max_plies: int
    ) -> Counter[int]:
        assert self.is_native(position)
        tally = position.playouts(games, seed=seed, threads=threads, max_plies=max_plies)
        return Counter({1: tally["wins"][0], 0: tally["draws"], -1: tally["wins"][1]})

    def play_native_games(
        self, players: tuple[Any, Any], games: int, seed: int, threads: int, max_plies: int
    ) -> GameTally | None:
        """Play over 100,000 games a second.

        A player is the spec of a heuristic with all of its options, or a compiled `Fuzzy`.
        """
        start = self.start()
        if not self.is_native(start):
            return None
        first, second = players
        if isinstance(first, str) and isinstance(second, str):
            return start.heuristic_games(first, second, games, seed, threads, max_plies)
        from ludus._native import patterns

        position, run = (start.bits, start.hands, start.mover), (games, seed % 2**64)
        return patterns.games(self.rules, *position, first, second, *run, threads, max_plies)

    def board_lines(self) -> tuple[PlaceRow, ...]:
        return tuple(tuple(POINTS[each] for each in line) for line in mills(self.rules.diagonals))

    def completed_rows(self, position: MorrisPosition, side: int) -> tuple[PlaceRow, ...]:
        lines, men = mills(self.rules.diagonals), position.men[side]
        return tuple(tuple(POINTS[each] for each in line) for line in lines if men >= {*line})

    def threatened_rows(
        self, position: MorrisPosition, side: int
    ) -> Mapping[str, tuple[PlaceRow, ...]]:
        on_turn = self.position(PositionFields(position.men, position.hands, side))
        found: dict[str, tuple[PlaceRow, ...]] = {}
        for frm, to in dict.fromkeys((move.frm, move.to) for move in on_turn.legal_moves()):
            men = {*position.men[side], to} - {frm}
            for line in mills(self.rules.diagonals):
                if to in line and men >= {*line}:
                    place, row = POINTS[to], tuple(POINTS[each] for each in line)
                    found[place] = tuple(dict.fromkeys((*found.get(place, ()), row)))
        return found

    def puzzle_positions(self, source: random.Random, is_solved: bool) -> Iterator[MorrisPosition]:
        """Yield random positions of the moving phase, with few men unless all are solved."""
        max_men = MANY_MEN if is_solved else FEW_MEN
        while True:
            counts = source.randint(3, max_men), source.randint(3, max_men)
            points = source.sample(range(len(POINTS)), sum(counts))
            men = frozenset(points[: counts[0]]), frozenset(points[counts[0] :])
            try:
                yield self.position(PositionFields(men, (0, 0), source.randint(0, 1), 1, 0))
            except LudusError:
                continue


@cache
def _neighbour_bits(diagonals: bool) -> tuple[int, ...]:
    """Return for each point the bitboard of its neighbours."""
    return tuple(sum(1 << point for point in points) for points in neighbours(diagonals))


def _count_steps(men: int, free: int, near: tuple[int, ...]) -> int:
    """Return the number of steps from these men to adjacent free points."""
    return sum((bits & free).bit_count() for man, bits in enumerate(near) if men >> man & 1)
