"""The Game class of backgammon."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from ludus.core.game import CHANCE, Game, GameStakes, OracleKind, Outcome
from ludus.games.backgammon import notation, position_ids
from ludus.games.backgammon.board import (
    FIRST_ROLLS,
    HOME,
    OPENING_ROLLS,
    ROLLS,
    Move,
    format_place,
    make_view,
    place_name,
)
from ludus.games.backgammon.position import Action, Position, start_position
from ludus.games.backgammon.rules import PRESETS, Rules
from ludus.games.backgammon.stakes import DOUBLE, ENDS, OFFERED_TURNS, RESIGN, CubeAction

CHANCES: Final = tuple((roll, 1 / 36 if roll.is_double else 1 / 18) for roll in ROLLS)
FIRST_CHANCES: Final = tuple((roll, 1 / len(FIRST_ROLLS)) for roll in FIRST_ROLLS)
OPENING_CHANCES: Final = tuple((roll, 1 / len(OPENING_ROLLS)) for roll in OPENING_ROLLS)
IDENTITY: Final = tuple(range(24))

MEN_IN_PUZZLES: Final = 2, 6
"""Men a side in a puzzle; with as many, equities are computed on first use."""


class Backgammon(Game[Position, Action]):
    """Backgammon: single games, money games with the cube, and matches.

    >>> game = Backgammon()
    >>> position = game.start().play(game.parse_move("31", game.start()))
    >>> str(position.play(game.parse_move("6/5 8/5", position)))
    '24:2,13:5,8:2,6:4,5:2 24:2,13:5,8:3,6:5 1 roll'
    """

    id: ClassVar[str] = "backgammon"
    title: ClassVar[str] = "Backgammon"
    sides: ClassVar[tuple[str, str]] = ("white", "black")
    presets: ClassVar[Mapping[str, Rules]] = PRESETS
    preset_aliases: ClassVar[Mapping[str, str]] = {"hypergammon": "hyper"}
    # In order of measured errors: experiments/backgammon/README.md, "Evaluators".
    analysts: ClassVar[tuple[str, ...]] = (
        "bgsage:plies=1",
        "gnubg:plies=2",
        "gammon:net=selfplay,ply=1",
        "playouts",
    )
    luck_analyst: ClassVar[str] = "gammon:net=selfplay"
    oracle_kind: ClassVar[OracleKind] = "equities"
    is_in_points: ClassVar[bool] = True
    puzzle_rules: ClassVar[str | None] = ""
    record_suffixes: ClassVar[tuple[str, ...]] = (".txt", ".mat", ".sgf")
    move_entry: ClassVar[str] = "ludus.games.backgammon.move_entry:BackgammonMoveEntry"
    coding: ClassVar[str] = "ludus.games.backgammon.coding:BackgammonCoding"
    win_reasons: ClassVar[Mapping[str, str]] = {
        "single": "{winner} bore off every checker",
        "gammon": "{winner} bore off every checker before {loser} bore off any",
        "backgammon": "{winner} bore off every checker before {loser} had left the start",
        "dropped": "{loser} dropped a double",
        "resigned": "{loser} resigned",
        "resigned_gammon": "{loser} resigned a gammon",
        "resigned_backgammon": "{loser} resigned a backgammon",
        "match": "{winner} has won the match",
    }

    man_name: ClassVar[str] = "checker"
    win_kinds: ClassVar[Mapping[str, str]] = {
        "gammon": "a gammon",
        "backgammon": "a backgammon",
        "resigned_gammon": "a gammon",
        "resigned_backgammon": "a backgammon",
    }

    rules: Rules

    def start(self) -> Position:
        return start_position(self.rules, self.engine)

    def parse(self, text: str) -> Position:
        """Parse a position from its own text, a GNU Backgammon ID or an XGID."""
        return notation.parse_position(text, self.rules, self.engine)

    def parse_move(self, text: str, position: Position) -> Action:
        """Parse a roll or a move.

        A roll is `31`, in any order; in an opening roll side 0's die comes first. A move is
        `8/5 6/5` in any order, `bar/22*`, `6/off(2)` or `pass`. Decisions about the cube are
        `roll`, `double`, `take`, `drop`; `resign`, `resign_gammon`, `resign_backgammon`, `accept`
        and `reject`.
        """
        if position.phase != "play":
            return notation.parse_action(text, position)
        if position.dice is None:
            return notation.parse_roll(text, position)
        return notation.parse_move(text, position)

    def steps(self, move: Action) -> tuple[str, ...]:
        """Return start and end of every step by fixed names: points as side 0 counts them.

        A decision about the stakes is one touch of its own name.
        """
        if isinstance(move, CubeAction):
            return (str(move),)
        if not isinstance(move, Move):
            return ()
        places = [place for step in move.steps for place in (step.start, step.end)]
        return tuple(place_name(format_place(place), move.side) for place in places)

    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Return the identity alone: every point has its own distance from home."""
        return (IDENTITY,)

    def transform(self, position: Position, symmetry: Sequence[int]) -> Position:
        return position

    def transform_move(self, move: Action, symmetry: Sequence[int]) -> Action:
        return move

    def detect_rules(self, text: str) -> Rules:
        """Return the rules of an XGID or of an ID with a Match ID, which have cube and score."""
        return position_ids.detect_rules(text)

    def position_texts(self, position: Position) -> dict[str, str]:
        texts = super().position_texts(position)
        if not position_ids.is_expressible(position):
            return texts
        return {
            **texts,
            "GNU Backgammon": position_ids.to_gnubg_id(position),
            "XGID": position_ids.to_xgid(position),
        }

    def classify_decision(self, position: Position, move: Action) -> str:
        """Return `move`, `double`, `take` (the answers to it), `resign` or `answer` to that.

        To roll where no double is possible is no decision.
        """
        if not isinstance(move, CubeAction):
            return super().classify_decision(position, move)
        if position.phase != "cube":
            return "take" if position.phase in OFFERED_TURNS else "answer"
        if move in RESIGN:
            return "resign"
        return "double" if DOUBLE in set(position.legal_moves()) else ""

    def turn(self, position: Position) -> int:
        return position.turn

    def dice(self, position: Position) -> tuple[int, int] | None:
        return position.dice

    def is_roll_for_turn(self, position: Position) -> bool:
        return bool(position.opening)

    def stakes(self, position: Position) -> GameStakes | None:
        stakes = position.stakes
        if stakes is None:
            return None
        return GameStakes(
            stakes.value if stakes.has_cube else None,
            stakes.owner,
            stakes.rules.match,
            stakes.score,
            stakes.crawford,
            stakes.rules.jacoby,
            stakes.rules.resign,
        )

    @property
    def has_sessions(self) -> bool:
        return not self.rules.match

    def resignation_levels(self, position: Position) -> tuple[str, ...]:
        """Return the three levels; none in a match, and none where they are legal actions."""
        stakes = position.stakes
        if stakes is not None and (stakes.rules.match or stakes.rules.resign):
            return ()
        return ("a single game", "a gammon", "a backgammon")

    def resignation_outcome(self, position: Position, side: int, level: int) -> Outcome:
        if not self.resignation_levels(position):
            return super().resignation_outcome(position, side, level)
        points = level if position.stakes is None else position.stakes.compute_points(level)
        return Outcome(1 - side, ENDS[level - 1], points)

    def is_capture(self, move: Action) -> bool:
        return isinstance(move, Move) and any(step.hit for step in move.steps)

    def stage(self, position: Position) -> str:
        """Return `contact` until the sides have passed each other, `race` or `bearing off`."""
        own, other = make_view(position.board, position.turn)
        rear = max((place for place, men in enumerate(own) if men), default=0)
        if rear > next((place for place, men in enumerate(other) if men), len(other)):
            return "contact"
        return "race" if rear not in HOME else "bearing off"

    def puzzle_positions(self, source: random.Random, is_solved: bool) -> Iterator[Position]:
        """Yield random rolls of bearing off with few men, whose values every installation knows."""
        while True:
            sides = (_format_ending(source, self.rules.men) for _ in range(2))
            dice = sorted(source.choices(range(1, 7), k=2), reverse=True)
            # White's side of the board is the near one.
            yield self.parse(f"{' '.join(sides)} 0 {dice[0]}{dice[1]}")

    def drawbacks(self, position: Position, move: Action, better: Action) -> Mapping[str, str]:
        from ludus.games.backgammon.drawbacks import find_drawbacks

        return find_drawbacks(position, move, better)

    @property
    def has_native_playouts(self) -> bool:
        return self.engine == "native" and not self.rules.has_stakes

    def native_playouts(
        self, position: Position, games: int, seed: int, threads: int, max_plies: int
    ) -> Counter[int]:
        """Play random games in one thread and to their end, whatever its length."""
        from ludus.games.backgammon import native

        sides = native.playouts(position, games, seed)
        return Counter(
            {
                points * sign: count
                for sign, counts in zip((1, -1), sides, strict=True)
                for points, count in enumerate(counts, 1)
            }
        )

    def perft(self, position: Position, depth: int) -> int:
        """Return the number of move sequences of this length (rolls count as moves)."""
        if self.engine == "native" and position.stakes is None:
            from ludus.games.backgammon import native

            return native.perft(position, max(depth, 0))
        return super().perft(position, depth)

    def chances(self, position: Position) -> list[tuple[Action, float]]:
        """Return every roll with its probability; nothing where no dice are rolled."""
        if position.mover != CHANCE:
            return []
        if position.opening == "roll_off":
            return list(OPENING_CHANCES)
        return list(FIRST_CHANCES if position.opening else CHANCES)


def _format_ending(source: random.Random, men: int) -> str:
    """Return the text of one side's men: a few at home, all others borne off."""
    left = min(source.randint(*MEN_IN_PUZZLES), men)
    points = Counter(source.choices(HOME, k=left))
    off = f",off:{men - left}" if men > left else ""
    return ",".join(f"{point}:{count}" for point, count in sorted(points.items())[::-1]) + off
