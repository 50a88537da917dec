"""Sets of networks that choose together: one equivariant, one averaged over all symmetries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.datasets import MoveBatch
from ludus.games import game as named_game
from ludus.learn.nnmm import (
    Committee,
    NetworkChain,
    VotingOptions,
    compute_accuracy,
    compute_legality,
    load_weights,
    points_to_classes,
    split_contiguously,
)
from ludus.reproduce import Context, Finding, Measurement, Remark, Table

from .data import STATES, WHOLE, read_positions, sample_entries
from .games import GAME, RULES
from .systems import System, list_systems

ALL_SYMMETRIES = 16
AVERAGED = "ours thesis TFR"
"""The set that gains from averaging; each of our other sets is joined with it."""

VALIDATION, TEST = "validation", "test"
RULES_OF_CHOICE = ("parts", "joint")
LINES = ("TO", "FROM", "REMOVE", "whole move", *(f"whole move, phase {n}" for n in (1, 2, 3)))


@dataclass(frozen=True)
class Images:
    """Entries with one image of each under the symmetries, and the number of images there were."""

    entries: MoveBatch
    counts: NDArray[np.intp]


@dataclass(frozen=True)
class JoinedSets:
    """A chain of one or two sets, and its key."""

    name: str
    key: str
    committee: Committee


@dataclass(frozen=True)
class MeasuredSets:
    """What sets choose with one rule: hits and cases of each line, by part of the dataset."""

    name: str
    rule: str
    validation: dict[str, list[int]]
    test: dict[str, list[int]]
    states: dict[str, list[int]] | None

    def measure_whole_move(self, is_sample: bool) -> Iterator[Measurement]:
        """The whole move of the test part; all of it has no interval."""
        name, (right, total) = f"{self.name}, {self.rule}: whole move", self.test["whole move"]
        if is_sample:
            yield Measurement.proportion(name, right, total)
        else:
            yield Measurement(name, 100 * right / total, count=total, unit="%")

    @property
    def cells(self) -> list[Any]:
        return [
            self.name,
            self.rule,
            compute_percentage(self.validation["whole move"]),
            *(compute_percentage(self.test[line]) for line in LINES),
            compute_percentage(self.test["legal"]),
            None if self.states is None else compute_percentage(self.states["legal"]),
        ]

    @property
    def counts(self) -> list[Any]:
        right, total = self.test["whole move"]
        return [self.name, self.rule, right, total - self.test["legal"][0], total]


def run(context: Context) -> Iterator[Finding]:
    systems = {
        each.name: each for each in list_systems(context, context.published["ways"]) if each.is_ours
    }
    averaged = systems.pop(AVERAGED)
    rows = list(measure_alone(context, averaged, ALL_SYMMETRIES))
    shares: list[list[Any]] = []
    for system in systems.values():
        rows += measure_alone(context, system, 1)
        accuracy = {
            share: count_lines(context, join(system, averaged, share), VALIDATION, "joint")
            for share in context.setting("shares")
        }
        shares += [
            [system.name, share, compute_percentage(found["whole move"])]
            for share, found in accuracy.items()
        ]
        best = max(accuracy, key=lambda share: accuracy[share]["whole move"][0])
        yield Remark(f"{system.name}: the share {best:g} is the best on the validation part.")
        joined = join(system, averaged, best)
        rows += [measure(context, joined, rule, has_states=True) for rule in RULES_OF_CHOICE]
    for row in rows:
        yield from row.measure_whole_move(is_sample=context.setting("positions") > 0)
    yield Table("Sets alone and joined", HEADINGS, [row.cells for row in rows], CAPTION)
    yield Table("Whole moves of the test part", COUNT_HEADINGS, [row.counts for row in rows])
    yield Table("Shares of the set joined with thesis", SHARE_HEADINGS, shares, SHARE_CAPTION)


HEADINGS = (
    *("networks", "rule", "validation: whole move, %"),
    *(f"test: {line}, %" for line in LINES),
    *("test: legal, %", "states: legal, %"),
)
CAPTION = (
    "thesis through 16 symmetries, the other sets, which are equivariant, through one. Legal moves"
    " by the rules of the game, without a mask."
)
SHARE_HEADINGS = ("networks", "share", "validation: whole move, %")
SHARE_CAPTION = "With the rule joint. The best one is then measured on the test part."
COUNT_HEADINGS = ("networks", "rule", "right", "illegal", "entries")


def join(system: System, averaged: System, share: float) -> JoinedSets:
    """Join two sets, the first with this weight in the mean of probabilities."""
    committee = Committee.combine(
        load_weights(system.file),
        load_weights(averaged.file),
        voting=[VotingOptions(share, 1), VotingOptions(1 - share, ALL_SYMMETRIES)],
    )
    name = f"{system.name} and thesis, {share:g} and {1 - share:g}"
    return JoinedSets(name, f"{system.key} {averaged.key} {share:g}", committee)


def measure_alone(context: Context, system: System, symmetries: int) -> Iterator[MeasuredSets]:
    voting = [VotingOptions(1, symmetries)]
    committee = Committee.combine(load_weights(system.file), voting=voting)
    name = system.name if symmetries == 1 else f"{system.name}, {symmetries} symmetries"
    alone = JoinedSets(name, f"{system.key} {symmetries}", committee)
    for rule in RULES_OF_CHOICE:
        yield measure(context, alone, rule)


def measure(
    context: Context, joined: JoinedSets, rule: Any, has_states: bool = False
) -> MeasuredSets:
    return MeasuredSets(
        joined.name,
        rule,
        count_lines(context, joined, VALIDATION, rule),
        count_lines(context, joined, TEST, rule),
        count_lines(context, joined, STATES, rule) if has_states else None,
    )


def compute_percentage(count: list[int]) -> float | None:
    hits, total = count
    return round(100 * hits / total, 4) if total else None


def count_lines(
    context: Context, joined: JoinedSets, where: str, rule: Any
) -> dict[str, list[int]]:
    """Run `evaluate_images` on a part of the dataset, or on the states."""

    def compute() -> dict[str, list[int]]:
        images = read_images(context, where)
        context.progress(0, len(images.entries), f"{joined.name}, {rule}, {where}")
        return evaluate_images(joined.committee, images, rule)

    return context.cached(f"{joined.key} {where} {rule}", compute)


def evaluate_images(committee: Committee, images: Images, rule: Any) -> dict[str, list[int]]:
    """Return the lines of the accuracy test, if there are moves, and `legal`, over all images."""
    predicted = NetworkChain(committee).predict(images.entries.positions, rule).classes
    entries = images.entries[np.repeat(np.arange(len(images.entries)), images.counts)]
    predicted = np.repeat(predicted, images.counts, axis=0)
    found = {"legal": compute_legality(entries, predicted, "rules")["whole move"]}
    if entries.has_move.all():
        found |= compute_accuracy(entries, predicted, points_to_classes(entries.points))
    return {name: [each.hits, each.total] for name, each in found.items()}


def read_images(context: Context, where: str) -> Images:
    """Return one image of each entry of a part of the dataset, or of each state."""
    if where == STATES:
        entries = read_positions(STATES)
    else:
        split = split_contiguously(read_positions(WHOLE))
        entries = split.test if where == TEST else split.validation
    entries = sample_entries(entries, context.setting("positions"), context.seed_for(where))
    return find_distinct_images(entries)


def find_distinct_images(entries: MoveBatch) -> Images:
    """Return the distinct canonical images of the entries under the symmetries."""
    symmetries = named_game(GAME, RULES).symmetries()
    leading = entries.find_canonical()[1]
    images = MoveBatch.concatenate(
        entries[leading == number].transform(symmetry) for number, symmetry in enumerate(symmetries)
    )
    rows = np.stack([column.astype(np.int64) for column in images.columns], axis=1)
    _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    return Images(images[first], counts)
