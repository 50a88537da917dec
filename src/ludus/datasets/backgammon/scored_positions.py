"""Backgammon positions scored by an expert: sampling by theme, scores of moves, and the file.

Positions as they occur in play would be mostly of a few kinds, and a network overfits to what is
frequent. Each theme therefore has a fixed proportion of the positions, which come from games of the
conventional program. A line of the file is a position with its roll, theme and the expert's scores:

    4HPwATDgc/ABMA 31 opening 8/5,6/5=100 24/23,13/10=-49

The fields are GNU Backgammon's Position ID with the mover on roll, the dice, the theme, and the
commented moves, each with a score from -100 (worst) to 100 (best). Spaces within a move are commas.
Legal moves that are not listed are uncommented. Lines that begin with # are comments.

Positions scored by hand may use an XGID (which holds the dice, so `-` may stand for them), any
theme, and moves with or without the stars of hits.
"""

import math
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Final, TypeVar

from ludus.core.errors import MAX_TEXT, BadMove, BadPosition, BadRecord, LudusError, quote
from ludus.games.backgammon import Backgammon, Move, Position, to_position_id
from ludus.games.backgammon.batch import (
    BoardRow,
    parse_moves,
    position_to_row,
    row_to_position,
    row_to_view,
)
from ludus.games.backgammon.board import BAR, HOME, OFF, View
from ludus.players.backgammon_features import (
    OPPONENT_HOME,
    count_back_men,
    count_pips,
    find_longest_run,
    has_contact,
)

THEME_WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "opening": 12,
        "middle": 22,
        "attack": 12,
        "entering": 10,
        "holding": 12,
        "containing": 8,
        "escaping": 6,
        "back_game": 4,
        "bearing_in": 8,
        "bearing_off": 6,
        "against_anchor": 4,
        "race": 6,
    }
)
"""Number of positions of each theme in 110 positions."""

MIN_OPENING_PIPS = 130
"""Minimum pip count of both sides in the opening."""

LONG_PRIME = 4
"""Minimum number of points in a row of a prime."""

HOLDING_POINTS = frozenset(range(18, 23))
"""Anchors that make a holding game."""

FAR_BEHIND = 40
"""Pips behind from which two anchors are a back game."""


def classify_theme(view: View) -> str:
    """Return the theme of the board before a move, from the mover's point of view."""
    if not has_contact(view):
        return "bearing_off" if _is_home(view) else "race"
    flipped = view.flip()
    own, other = count_pips(view.own), count_pips(flipped.own)
    own_points, other_points = _points(view.own), _points(flipped.own)
    anchors = own_points & set(OPPONENT_HOME)
    if view.own[BAR]:
        return "entering"
    if view.other[OFF] or (count_back_men(flipped) and _has_blot_in_home(view)):
        return "attack"
    if len(anchors) > 1 and own - other >= FAR_BEHIND:
        return "back_game"
    if _is_home(view):
        return "against_anchor"
    if count_back_men(view) == 0 and count_back_men(flipped) and own < MIN_OPENING_PIPS:
        return "bearing_in"
    if find_longest_run(own_points) >= LONG_PRIME and count_back_men(flipped):
        return "containing"
    if find_longest_run(other_points) >= LONG_PRIME and count_back_men(view):
        return "escaping"
    if min(own, other) >= MIN_OPENING_PIPS and view.own[24] and flipped.own[24]:
        return "opening"
    if own_points & HOLDING_POINTS or other_points & HOLDING_POINTS:
        return "holding"
    return "middle"


def _points(men: tuple[int, ...]) -> frozenset[int]:
    return frozenset(point for point in range(1, BAR) if men[point] > 1)


def _is_home(view: View) -> bool:
    return not any(view.own[HOME.stop :])


def _has_blot_in_home(view: View) -> bool:
    """Return whether the other side has a blot in the viewer's home."""
    return any(view.other[point] == 1 for point in HOME)


OPENING: Final = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5"

SET_UPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "back_game": (
            "24:2,22:2,13:3,8:3,6:5 13:4,8:4,6:4,5:2,24:1",
            "23:2,22:2,13:4,8:2,6:3,5:2 13:2,9:2,8:3,7:2,6:3,4:3",
            "24:3,21:2,13:3,8:3,6:4 11:2,8:3,7:3,6:3,5:3,2:1",
            "24:2,21:2,16:1,13:3,8:3,6:4 13:3,8:3,7:3,6:3,5:2,2:1",
        ),
        "containing": (
            "13:3,8:3,7:2,6:3,5:2,4:2 24:2,13:4,8:3,6:4,3:2",
            "24:1,13:3,8:2,7:2,6:3,5:2,4:2 24:2,22:1,13:3,8:3,6:4,3:2",
            "13:2,9:2,8:2,7:3,6:3,5:2,3:1 24:3,13:4,6:4,4:2,3:2",
        ),
        "escaping": (
            "24:2,13:4,8:3,6:4,3:2 13:3,8:3,7:2,6:3,5:2,4:2",
            "24:2,22:1,13:3,8:3,6:4,3:2 24:1,13:3,8:2,7:2,6:3,5:2,4:2",
            "24:1,23:1,13:4,8:3,6:4,5:2 13:3,9:2,8:2,7:3,6:3,5:2",
        ),
        "against_anchor": (
            "6:4,5:3,4:3,3:3,2:2 24:2,6:3,5:3,4:3,3:2,2:2",
            "6:4,5:4,4:4,2:3 22:2,8:2,6:3,5:3,4:3,3:2",
            "6:3,5:3,3:3,2:2,1:2,off:2 21:2,7:2,6:3,5:3,4:3,3:2",
            "6:4,5:4,4:4,3:3 23:2,24:2,6:3,5:3,4:3,3:2",
        ),
        "bearing_in": (
            "13:2,9:2,8:3,6:4,5:4 21:2,13:3,8:3,6:4,5:3",
            "11:2,8:3,7:2,6:3,5:3,4:2 24:2,13:2,8:3,6:4,4:4",
            "12:1,8:3,7:3,6:4,4:4 20:2,14:2,7:2,6:4,5:3,4:2",
        ),
        "holding": (
            "20:2,13:4,8:3,6:6 21:2,13:4,8:3,6:6",
            "21:2,13:4,8:3,6:6 24:2,13:4,8:3,6:4,5:2",
            "18:2,13:4,8:3,6:6 24:2,13:3,8:4,6:4,5:2",
        ),
        "race": (
            "12:2,10:2,8:3,6:4,5:2,4:2 12:2,9:2,8:2,6:4,5:3,4:2",
            "13:1,9:3,7:3,6:4,5:2,3:2 11:1,9:3,7:2,6:4,4:3,3:2",
        ),
        "bearing_off": (
            "6:4,5:3,4:3,3:2,2:2,1:1 7:1,6:4,5:3,4:3,3:2,2:2",
            "6:3,5:2,4:2,3:1,1:1,off:6 6:2,5:3,4:2,2:2,off:6",
            "6:2,4:2,3:1,1:1,off:9 5:2,4:1,3:2,2:1,off:9",
        ),
    }
)
"""Set-ups that lead to themes which games from the opening reach too rarely.

A set-up is the men of both sides in position notation, each counted from its own side. Play from
there is random, so every game gives other positions of the same kind.
"""


NUM_GAMES: Final = 6
"""Number of games per batch while searching for a position of the theme."""

RANDOM_MOVE_RATE: Final = 0.1
"""Probability of a random move in these games, for variety."""

MIN_MOVES: Final = 3
"""Minimum number of legal moves of a sampled position."""

CYCLE: Final = sum(THEME_WEIGHTS.values())


@dataclass(frozen=True, slots=True)
class SampledPosition:
    """A position with its roll, side 0 to move, and its theme."""

    position: Position
    theme: str


def sample_position(number: int, seed: int) -> SampledPosition:
    """Sample position `number`; the same number and seed always give the same position."""
    theme = choose_theme(number)
    rng = random.Random(f"{seed}/{number}")
    while True:
        found = [sample for sample in _play_games(theme, rng) if sample.theme == theme]
        if found:
            return rng.choice(found)


def sample_played_position(number: int, seed: int) -> SampledPosition:
    """Sample position `number` as it occurs in a game from the opening, whatever its theme."""
    rng = random.Random(f"play/{seed}/{number}")
    return rng.choice(_play_from(OPENING, rng))


def choose_theme(number: int) -> str:
    """Return the theme of a position number, in the proportions of THEME_WEIGHTS.

    The themes are spread over the numbers: 37 is coprime to the cycle.

    >>> [choose_theme(number) for number in range(4)]
    ['opening', 'attack', 'containing', 'opening']
    """
    place = number * 37 % CYCLE
    return next(
        theme
        for theme, end in zip(THEME_WEIGHTS, accumulate(THEME_WEIGHTS.values()), strict=True)
        if place < end
    )


def _play_games(theme: str, rng: random.Random) -> list[SampledPosition]:
    """Return every position with enough moves from a few games of the conventional program."""
    set_ups = SET_UPS.get(theme, (OPENING,))
    # Half of the games of a rare theme begin normally: the theme must not be tied to the set-up.
    return _play_from(rng.choice(set_ups) if rng.random() < 0.5 else OPENING, rng)


def _play_from(set_up: str, rng: random.Random) -> list[SampledPosition]:
    """Return every position with enough moves from a few games that begin with a set-up."""
    is_opening = set_up == OPENING
    from ludus._native import gammon

    boards, rolls, facts = gammon.met_in_games(
        "tool",
        "tool",
        _make_row(set_up)[None],
        is_opening,
        NUM_GAMES,
        RANDOM_MOVE_RATE,
        rng.getrandbits(62),
    )
    return [
        SampledPosition(
            row_to_position(board, (int(roll[0]), int(roll[1]))), classify_theme(row_to_view(board))
        )
        for board, roll, (_, _, moves) in zip(boards, rolls, facts, strict=True)
        if moves >= MIN_MOVES
    ]


@cache
def _make_row(set_up: str) -> BoardRow:
    return position_to_row(GAME.parse(f"{set_up} 0 roll"))


HEADER: Final = "# Backgammon moves scored by an expert; see docs/gammon.md"
MIN_SCORE, MAX_SCORE = -100, 100
SCORE_PATTERN: Final = re.compile(r"[+-]?[0-9]{1,3}", re.ASCII)
DICE_PATTERN: Final = re.compile(r"[1-6][1-6]", re.ASCII)
THEME_PATTERN: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)
MAX_LINE: Final = 20_000
MAX_FILE: Final = 100 * MAX_TEXT

GAME: Final = Backgammon()


class BadScoredPosition(BadRecord):
    """A line of a scored-position file is invalid."""


@dataclass(frozen=True, slots=True)
class ScoredPosition:
    """A position with its roll and the expert's scores of some of its moves."""

    position: Position
    """Side 0 is the mover."""

    theme: str

    scores: Mapping[Move, int]
    """Commented moves with their scores, best first."""

    def __str__(self) -> str:
        assert self.position.dice is not None
        high, low = self.position.dice
        comments = [f"{str(move).replace(' ', ',')}={score}" for move, score in self.scores.items()]
        return " ".join([to_position_id(self.position), f"{high}{low}", self.theme, *comments])


def parse_scored_positions(text: str) -> Iterator[ScoredPosition]:
    """Parse the positions of a file; BadScoredPosition names the invalid line."""
    if len(text) > MAX_FILE:
        raise BadScoredPosition(f"a data base of {len(text)} characters is too long")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield parse_scored_position(line)
        except LudusError as error:
            raise BadScoredPosition(f"line {number}: {error}") from error


def parse_scored_position(line: str) -> ScoredPosition:
    """Parse the position of one line."""
    if len(line) > MAX_LINE:
        raise BadScoredPosition(f"{quote(line)} is too long for a scored position")
    fields = line.split()
    if len(fields) < 4:
        raise BadScoredPosition(f"{quote(line)} is not position, dice, theme and move=score …")
    where, dice, theme, *comments = fields
    if not THEME_PATTERN.fullmatch(theme):
        raise BadScoredPosition(f"theme {quote(theme)} must be small letters")
    position = _parse_position(where, dice)
    return ScoredPosition(position, theme, _parse_scores(comments, position))


def _parse_position(where: str, dice: str) -> Position:
    if DICE_PATTERN.fullmatch(dice) and not where.startswith("XGID="):
        return GAME.parse(f"{where}:0:{dice}")
    position = GAME.parse(where)
    if dice not in ("-", "".join(map(str, position.dice or ()))):
        raise BadScoredPosition(f"dice {quote(dice)} are not those of the position")
    if position.dice is None:
        raise BadPosition(f"{quote(where)} has no dice")
    return position


def _parse_scores(comments: Iterable[str], position: Position) -> dict[Move, int]:
    texts, scores = [], []
    for comment in comments:
        move, equals, score = comment.rpartition("=")
        if not equals or not SCORE_PATTERN.fullmatch(score):
            raise BadScoredPosition(f"{quote(comment)} is not move=score")
        if not MIN_SCORE <= int(score) <= MAX_SCORE:
            raise BadScoredPosition(f"score {score} must be from {MIN_SCORE} to {MAX_SCORE}")
        texts.append(move.replace(",", " "))
        scores.append(int(score))
    moves = _parse_moves(texts, position)
    if len(set(moves)) != len(moves):
        raise BadScoredPosition(f"a move of {position} is scored twice")
    ranked = sorted(zip(moves, scores, strict=True), key=lambda pair: -pair[1])
    return dict(ranked)


def _parse_moves(texts: list[str], position: Position) -> list[Move]:
    """Parse moves in the strict notation of these files or, if that fails, in free notation."""
    try:
        return parse_moves(texts, position)
    except BadMove:
        return [GAME.parse_move(text, position) for text in texts]  # type: ignore[misc]


def format_scored_positions(positions: Iterable[ScoredPosition]) -> str:
    """Return the text of a whole file."""
    return "\n".join([HEADER, *map(str, positions), ""])


M = TypeVar("M")

SCORE_SCALE: Final = 0.15
"""Loss in points per game that lowers the score from 100 to about -26."""

MAX_ALTERNATIVE_LOSS: Final = 0.05
"""Maximum loss of an alternative, in points per game."""

MIN_MISTAKE_LOSS: Final = 0.08
"""Minimum loss of a mistake, in points per game."""

MAX_ALTERNATIVES: Final = 2
MAX_MISTAKES: Final = 1
NUM_TEMPTING: Final = 3
"""Mistakes are taken from this number of moves that the conventional program ranks highest."""

MIN_SPREAD: Final = 0.04
"""Minimum difference of best and worst move for a position to be scored, in points per game."""


def score_loss(loss: float) -> int:
    """Return the score of a move with this loss against the best move, in points per game.

    >>> [score_loss(loss) for loss in (0, 0.02, 0.05, 0.16, 1)]
    [100, 75, 43, -31, -100]
    """
    return round(-100 + 200 * math.exp(-loss / SCORE_SCALE))


def choose_scored_moves(losses: Mapping[M, float], tempting: Sequence[M]) -> dict[M, int]:
    """Return the moves the expert comments on, with scores, best first; empty if losses hardly
    differ.

    A human expert comments on the best move, its alternatives and typical mistakes. Here the loss
    of every move is known: an alternative loses little, and a typical mistake is a move that a
    conventional program ranks high. `losses` has every legal move; `tempting` has the same moves in
    the order of the conventional program.
    """
    ranked = sorted(losses, key=lambda move: losses[move])
    if losses[ranked[-1]] < MIN_SPREAD:
        return {}
    best, others = ranked[0], ranked[1:]
    close = [move for move in others if losses[move] <= MAX_ALTERNATIVE_LOSS][:MAX_ALTERNATIVES]
    mistakes = [move for move in tempting[:NUM_TEMPTING] if losses[move] >= MIN_MISTAKE_LOSS][
        :MAX_MISTAKES
    ]
    chosen = [move for move in ranked if move == best or move in close or move in mistakes]
    return {move: score_loss(losses[move]) for move in chosen}
