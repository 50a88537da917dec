"""Accuracy, legality and reliability tests of a chain on a dataset (Galassi 2016, chapter 6)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from ludus.core.spec import check_choice
from ludus.datasets.morris.augmentation import augment
from ludus.games.nine_mens_morris.batch import (
    NO_POINT,
    MoveBatch,
    PositionBatch,
    generate_moves,
)
from ludus.games.nine_mens_morris.bitboards import (
    ALL_POINTS,
    Boards,
    Mask,
    closes_mill,
    men_in_mills,
    neighbour_masks,
    point_bits,
    removable_men,
)
from ludus.games.nine_mens_morris.rules import PRESETS
from ludus.learn.move_explanation import DecodingRule
from ludus.learn.nnmm.chain import DEFAULT_BREADTH, NetworkChain
from ludus.learn.nnmm.data import split_contiguously
from ludus.learn.nnmm.parts import (
    NUM_CLASSES,
    MoveClasses,
    classes_to_points,
    points_to_classes,
)


@dataclass(frozen=True, slots=True)
class Hits:
    """A number of hits out of a number of cases."""

    hits: int
    total: int

    @classmethod
    def count(cls, is_hit: Mask, among: Mask | None = None) -> Self:
        """Count the hits among all cases, or among those selected by `among`."""
        if among is None:
            return cls(int(np.count_nonzero(is_hit)), len(is_hit))
        return cls(int(np.count_nonzero(is_hit & among)), int(np.count_nonzero(among)))

    @property
    def percent(self) -> float | None:
        """Percentage of hits; None if there were no cases."""
        return 100 * self.hits / self.total if self.total else None

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(self.hits + other.hits, self.total + other.total)


HitTable = dict[str, Hits]
"""The rows of a test by name."""


def add_tables(parts: Iterable[HitTable]) -> HitTable:
    """Add up the rows of the parts of a dataset."""
    found: HitTable = {}
    for lines in parts:
        for name, proportion in lines.items():
            found[name] = found[name] + proportion if name in found else proportion
    return found


PHASES = (1, 2, 3)


def compute_accuracy(
    positions: PositionBatch, predicted: MoveClasses, true: MoveClasses
) -> HitTable:
    """Compute the accuracy test (section 6.3): how often the predicted move is that of the dataset.

    Rows with `0` distinguish moves that lack the part from moves that have it. The phase is that of
    the mover alone: it places, moves, or flies.
    """
    is_right = predicted == true
    to, frm, remove = is_right.T
    whole = is_right.all(axis=1)
    lines = {"TO": Hits.count(to)}
    for name, right, part in (("FROM", frm, 1), ("REMOVE", remove, 2)):
        has_part = true[:, part] != 0
        lines[name] = Hits.count(right)
        lines[f"{name} not 0"] = Hits.count(right, has_part)
        lines[f"{name} 0"] = Hits.count(right, ~has_part)
    lines["whole move"] = Hits.count(whole)
    phases = positions.phases
    for phase in PHASES:
        lines[f"whole move, phase {phase}"] = Hits.count(whole, phases == phase)
    return lines


LegalityStandard = Literal["rules", "author"]
LEGALITY_STANDARDS: tuple[LegalityStandard, ...] = ("rules", "author")
"""The rules of the game, and the check of the author's program."""

STANDARD_RULES = PRESETS["standard"]


class LegalityChecks(NamedTuple):
    """For each predicted move, which of the five tests of section 6.4 it passes.

    Each test checks a part by itself or its relation to other parts; the properties combine them. A
    move is legal if it passes all five.
    """

    to_self: Mask
    """TO is free and, for a man that steps, next to a man of the mover."""

    from_self: Mask
    """FROM is a man of the mover, or none while men are placed."""

    remove_self: Mask
    """REMOVE is none, or a man of the enemy that may be taken."""

    from_to: Mask
    """A man that steps goes along a line."""

    remove_from_to: Mask
    """A man is taken if and only if a mill is closed."""

    @property
    def whole_from(self) -> Mask:
        """TO and FROM are legal, by themselves and together."""
        return self.to_self & self.from_self & self.from_to

    @property
    def whole_remove(self) -> Mask:
        """As published: without checking that FROM and TO are adjacent."""
        return self.to_self & self.from_self & self.remove_self & self.remove_from_to

    @property
    def whole_move(self) -> Mask:
        return self.whole_from & self.whole_remove


def check_legality(
    positions: PositionBatch, predicted: MoveClasses, judge: LegalityStandard = "rules"
) -> LegalityChecks:
    """Check predicted moves, rows of TO, FROM and REMOVE, by one of two standards.

    `rules` is the game itself: men in mills may be taken if all men are in mills.

    `author` is the check of Galassi's program, which produced the published figures. For the same
    exception it tests whether all *points* are in lines with two more men, which never holds: so
    men in mills are never taken, and a move that closes a mill is illegal if there is no other man
    to take. It also requires men that are placed, if a FROM is predicted for them, to follow the
    lines of the board.

    Positions are those of unfinished games; whether a game is over is not checked.
    """
    own, other, phases = positions.own, positions.other, positions.phases
    to, frm, take = classes_to_points(predicted).T
    to_bit, frm_bit, take_bit = point_bits(to), point_bits(frm), point_bits(take)
    near = neighbour_masks(STANDARD_RULES.diagonals)
    steps = phases == 2
    is_free = to_bit & ~(own | other) & ALL_POINTS != 0
    closes = closes_mill(own & ~frm_bit | to_bit, to, STANDARD_RULES.diagonals)
    if judge == "author":
        booty = other & ~men_in_mills(other, STANDARD_RULES.diagonals)
        must_take = closes
        is_held_to_lines = (phases != 3) & (frm != NO_POINT)
    else:
        booty = removable_men(other, STANDARD_RULES)
        must_take = closes & (booty != 0)
        is_held_to_lines = steps & (frm != NO_POINT)
    takes = take != NO_POINT
    return LegalityChecks(
        to_self=is_free & (~steps | _intersects(near[to], own)),
        from_self=np.where(phases == 1, frm == NO_POINT, _intersects(frm_bit, own)),
        remove_self=~takes | _intersects(take_bit, booty),
        from_to=~is_held_to_lines | _intersects(near[frm], to_bit),
        remove_from_to=takes == must_take,
    )


def compute_legality(
    positions: PositionBatch, predicted: MoveClasses, judge: LegalityStandard = "rules"
) -> HitTable:
    """Compute all rows of the legality test, in the order of the thesis."""
    found = check_legality(positions, predicted, judge)
    return {
        "TO self": Hits.count(found.to_self),
        "FROM self": Hits.count(found.from_self),
        "REMOVE self": Hits.count(found.remove_self),
        "FROM-TO relation": Hits.count(found.from_to),
        "REMOVE-FROM-TO relation": Hits.count(found.remove_from_to),
        "whole FROM": Hits.count(found.whole_from),
        "whole phase 2 FROM": Hits.count(found.whole_from, positions.phases == 2),
        "whole REMOVE": Hits.count(found.whole_remove),
        "whole chosen REMOVE": Hits.count(found.whole_remove, predicted[:, 2] != 0),
        "whole move": Hits.count(found.whole_move),
    }


def _intersects(first: Boards, second: Boards) -> Mask:
    meets: Mask = first & second != 0
    return meets


Probabilities = NDArray[np.floating]
"""Shape (positions, 25); only their order matters."""

NUM_RECALL_LEVELS = NUM_CLASSES
"""Number of recall levels at which precision is measured."""


@dataclass(frozen=True, slots=True)
class PrecisionCurve:
    """Precision at each recall level, summed over positions."""

    sums: NDArray[np.float64]
    positions: int

    @classmethod
    def empty(cls) -> Self:
        return cls(np.zeros(NUM_RECALL_LEVELS), 0)

    def __add__(self, other: "PrecisionCurve") -> "PrecisionCurve":
        return PrecisionCurve(self.sums + other.sums, self.positions + other.positions)

    @property
    def percent(self) -> list[float]:
        """The mean precision at each recall level; empty if there were no positions."""
        return (100 * self.sums / self.positions).tolist() if self.positions else []


def compute_reliability(
    positions: PositionBatch,
    order: Sequence[int],
    chosen: MoveClasses,
    distributions: Sequence[Probabilities],
    judge: LegalityStandard = "author",
) -> list[PrecisionCurve]:
    """Compute the reliability test of Galassi's program: how far legal choices rank above illegal
    ones.

    Return one curve for each network of a chain, in its order. A network ranks the 25 classes of
    its part. At each rank, precision is the proportion of legal classes so far, recall the
    proportion of all legal classes so far. The curve is the mean precision at 25 equally spaced
    recalls, from 4% to 100%, over the positions where the network's first choice is a point, not
    "none", and where the earlier choices can still become a legal move. A class is legal if some
    legal move, by the standard `judge`, has it together with the earlier choices.

    `order` has the columns of `chosen` in the order of the networks, and `distributions` the
    probabilities of each network, given the choices before it.
    """
    owner, moves = _list_legal_moves(positions, judge)
    curves = []
    fits = np.ones(len(owner), dtype=bool)
    for part, distribution in zip(order, distributions, strict=True):
        is_legal = np.zeros((len(positions), NUM_CLASSES), dtype=bool)
        is_legal[owner[fits], moves[fits, part]] = True
        curves.append(compute_curve(distribution, is_legal))
        fits &= moves[:, part] == chosen[owner, part]
    return curves


def compute_curve(distribution: Probabilities, is_legal: Mask) -> PrecisionCurve:
    """Compute the curve of one network over the positions that count for it."""
    counts = is_legal.any(axis=1) & (distribution.argmax(axis=1) != 0)
    ranked = np.argsort(-distribution[counts], axis=1, kind="stable")
    hits = np.take_along_axis(is_legal[counts], ranked, axis=1)
    num_hits = hits.cumsum(axis=1)
    precision = np.zeros((len(hits), NUM_RECALL_LEVELS))
    row, rank = np.nonzero(hits)
    precision[row, num_hits[row, rank] - 1] = num_hits[row, rank] / (rank + 1)
    # The number of legal choices with which recall is at least level / 25.
    levels = np.arange(1, NUM_RECALL_LEVELS + 1)
    needed = -(-levels * num_hits[:, -1:] // NUM_RECALL_LEVELS)
    return PrecisionCurve(np.take_along_axis(precision, needed - 1, axis=1).sum(axis=0), len(hits))


def _list_legal_moves(
    positions: PositionBatch, judge: LegalityStandard
) -> tuple[NDArray[np.intp], MoveClasses]:
    """Return all legal moves: the index of their position, and their classes."""
    owner, moves = generate_moves(positions, STANDARD_RULES)
    classes = points_to_classes(moves.points)
    if judge == "author":
        # All moves that Galassi's check accepts are legal too, while a game is not over.
        is_legal = check_legality(moves, classes, judge).whole_move
        owner, classes = owner[is_legal], classes[is_legal]
    return owner, classes


EVALUATION_BATCH = 16_384
"""Positions per batch, after which progress is reported."""


class ChainEvaluation(NamedTuple):
    """The rows of the accuracy and the legality test."""

    accuracy: HitTable
    """Of the entries that have a move; empty if none has one."""

    legality: dict[str, HitTable]
    """By standard: the rules of the game, and the check of Galassi's program."""

    num_entries: int

    def to_dict(self) -> dict[str, Any]:
        """Return all rows as JSON has them."""
        return {
            "accuracy": _table_to_dict(self.accuracy),
            "legality": {name: _table_to_dict(table) for name, table in self.legality.items()},
        }


def _table_to_dict(table: HitTable) -> dict[str, Any]:
    return {
        name: {"percent": each.percent, "hits": each.hits, "of": each.total}
        for name, each in table.items()
    }


EvaluatedPart = Literal["all", "training", "validation", "test"]
"""Parts of a dataset by the author's split."""

Recipe = Literal["none", "published", "symmetries"]
"""How symmetric images of entries are added."""


def evaluate_dataset(
    chain: NetworkChain,
    entries: MoveBatch,
    recipe: Recipe = "published",
    part: EvaluatedPart = "all",
    rule: DecodingRule = "parts",
    symmetries: int = 1,
    breadth: int = DEFAULT_BREADTH,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ChainEvaluation:
    """Evaluate a chain on a part of a dataset, whose entries are expanded by a recipe first.

    The networks run in sequence: each gets the choices of those before it, right or wrong.
    `on_progress` gets the number of evaluated positions and that of all.
    """
    check_choice("there is no recipe", recipe, get_args(Recipe))
    check_choice("there is no part", part, get_args(EvaluatedPart))
    if recipe != "none":
        entries = augment(entries, recipe)
    if part != "all":
        entries = getattr(split_contiguously(entries), part)
    accuracy: list[HitTable] = []
    legality: dict[str, list[HitTable]] = {judge: [] for judge in LEGALITY_STANDARDS}
    for first in range(0, len(entries), EVALUATION_BATCH):
        batch = entries[first : first + EVALUATION_BATCH]
        predicted = chain.predict(batch, rule, symmetries, breadth).classes
        has_move = batch.has_move
        moves = batch[has_move]
        if len(moves):
            true = points_to_classes(moves.points)
            accuracy.append(compute_accuracy(moves, predicted[has_move], true))
        for judge in LEGALITY_STANDARDS:
            legality[judge].append(compute_legality(batch, predicted, judge))
        on_progress(min(first + EVALUATION_BATCH, len(entries)), len(entries))
    return ChainEvaluation(
        add_tables(accuracy),
        {judge: add_tables(tables) for judge, tables in legality.items()},
        len(entries),
    )
