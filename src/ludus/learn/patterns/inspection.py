"""Inspect a pattern network: scores, moves between patterns, drawings as text and SVG."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ludus.learn.patterns.inference import FuzzySettings, build_policy, propagate_scores
from ludus.learn.patterns.network import (
    NUM_PATTERNS,
    NUM_PLACES,
    PatternNetwork,
    count_mills,
    describe_move,
    format_bits,
)
from ludus.render.canvas import Canvas, Point
from ludus.render.theme import STYLE


@dataclass(frozen=True, slots=True)
class Vertex:
    """A pattern with the parts of its score."""

    pattern: int
    frequency: int
    mill: int
    """millScore: number of closed mills."""

    token: int
    """tokenScore: number of men."""

    freq: float
    """freqScore: the frequency, divided by the highest one."""

    mutual: float
    """mutualScore: proportion of the neighbours' mean score."""

    score: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A move from one pattern to another."""

    pattern: int
    """The pattern at the other end."""

    move: str
    count: int
    weight: float
    """Conditional probability of the move, given the pattern it starts from."""

    score: float
    """Score of the pattern at the other end."""


class NetworkView:
    """A network with its scores under given settings."""

    def __init__(self, network: PatternNetwork, settings: FuzzySettings) -> None:
        self.network = network
        self.settings = settings
        self._scores = build_policy(network, settings).scores
        self._mutual = propagate_scores(network, settings).mutual_scores
        self._highest = max(network.frequency) or 1

    @property
    def num_edges(self) -> int:
        return sum(map(len, self.network.edges.values()))

    def list_observed(self) -> list[int]:
        """Return the patterns that occurred in training."""
        return [number for number in range(NUM_PATTERNS) if self.network.frequency[number]]

    def vertex(self, number: int) -> Vertex:
        frequency = self.network.frequency[number]
        return Vertex(
            number,
            frequency,
            count_mills(number),
            number.bit_count(),
            frequency / self._highest,
            self._mutual[number],
            self._scores[number],
        )

    def top(self, number: int) -> list[Vertex]:
        """Return the patterns with the highest scores."""
        ranked = sorted(self.list_observed(), key=lambda each: (-self._scores[each], each))
        return [self.vertex(each) for each in ranked[:number]]

    def outgoing(self, number: int) -> list[Neighbour]:
        """Return the moves from a pattern, the most frequent first."""
        moves = self.network.edges.get(number, {})
        return _sort_by_count(self._neighbour(number, new, new) for new in moves)

    def incoming(self, number: int) -> list[Neighbour]:
        """Return the moves to a pattern, the most frequent first."""
        sources = [old for old, moves in self.network.edges.items() if number in moves]
        return _sort_by_count(self._neighbour(old, number, old) for old in sources)

    def _neighbour(self, old: int, new: int, other: int) -> Neighbour:
        moves, move = self.network.edges[old], describe_move(old, new)
        weight = moves[new] / sum(moves.values())
        return Neighbour(other, move, moves[new], weight, self._scores[other])


def _sort_by_count(neighbours: Iterable[Neighbour]) -> list[Neighbour]:
    return sorted(neighbours, key=lambda each: (-each.count, each.pattern))


MAN_CHARACTER, EMPTY_CHARACTER = "●", "·"
TEXT_WIDTH = 13
ROW_HALF_WIDTHS = (6, 4, 2)
"""Half the width of each row in characters, the outer one first."""

CELL_SIZE: Point = (170, 136)
POINT_SPACING, MAN_RADIUS = 22, 9
MAX_COLUMNS = 4


def format_pattern(number: int) -> list[str]:
    """Format a pattern, as the top quadrant, in three lines of characters."""
    bits = [
        MAN_CHARACTER if number >> (NUM_PLACES - 1 - place) & 1 else EMPTY_CHARACTER
        for place in range(NUM_PLACES)
    ]
    lines = []
    for row, reach in enumerate(ROW_HALF_WIDTHS):
        left, middle, right = bits[3 * row : 3 * row + 3]
        line = "─" * (reach - 1)
        lines.append(f"{left}{line}{middle}{line}{right}".center(TEXT_WIDTH))
    return lines


def format_patterns(numbers: Sequence[int], columns: int = 5) -> list[str]:
    """Format patterns side by side, each with its number below."""
    lines: list[str] = []
    for start in range(0, len(numbers), columns):
        shown = numbers[start : start + columns]
        blocks = [[*format_pattern(number), f"{number}".center(TEXT_WIDTH)] for number in shown]
        lines += ["   ".join(parts).rstrip() for parts in zip(*blocks, strict=True)]
        lines.append("")
    return lines[:-1]


def draw_patterns(vertices: Sequence[Vertex], title: str) -> str:
    """Draw patterns, as top quadrants, with their scores as an SVG document."""
    columns = min(MAX_COLUMNS, max(1, len(vertices)))
    rows = -(-len(vertices) // columns)
    width, height = columns * CELL_SIZE[0], max(1, rows) * CELL_SIZE[1] + 40
    described = "; ".join(f"{each.pattern} ({format_bits(each.pattern)})" for each in vertices)
    canvas = Canvas(width, height, title, described, style=STYLE)
    canvas.rect((0, 0), width, height, "ground", 14)
    canvas.text((width / 2, 22), title, "caption")
    for index, vertex in enumerate(vertices):
        row, column = divmod(index, columns)
        _draw_pattern(canvas, vertex, (column * CELL_SIZE[0], 40 + row * CELL_SIZE[1]))
    return canvas.drawing().svg()


def _draw_pattern(canvas: Canvas, vertex: Vertex, corner: Point) -> None:
    left, top = corner
    middle = left + CELL_SIZE[0] / 2
    canvas.rect((left + 6, top), CELL_SIZE[0] - 12, CELL_SIZE[1] - 8, "board", 10)
    places = [
        (middle + side * POINT_SPACING * (3 - row), top + 24 + POINT_SPACING * 1.2 * row)
        for row in range(3)
        for side in (-1, 0, 1)
    ]
    for row in range(3):
        canvas.line(places[3 * row], places[3 * row + 2], "line")
    canvas.line(places[1], places[7], "line")
    for place, centre in enumerate(places):
        is_taken = vertex.pattern >> (NUM_PLACES - 1 - place) & 1
        canvas.circle(centre, MAN_RADIUS if is_taken else 4, "man black" if is_taken else "dot")
    label = f"{vertex.pattern}: score {vertex.score:.3g}"
    canvas.text((middle, top + CELL_SIZE[1] - 24), label, "label")
