"""Exact labels of dataset entries: the value under perfect play and the moves that keep it.

A labelled line has five fields separated by tabs:

    EMOO…1156-d5b2   draw   -   19   d5b2 d5c3

the entry itself; `win`, `draw` or `loss` for the side to move, or `unknown` where the oracle has no
value; the plies to the end, or `-`; the number of legal moves; and the moves that keep the value,
in legal order, separated by spaces. A move that keeps a win may make it longer. A state is critical
if some legal move does not keep its value, that is, if the last field has fewer moves than the
number before it. Finished games have no moves.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadDataset, quote
from ludus.core.files import check_end, describe_os_error, quote_path
from ludus.datasets.morris.files import (
    LINE_LENGTHS,
    Chunk,
    format_lines,
    parse_lines,
    raise_bad_lines,
    split_at_lines,
)
from ludus.datasets.morris.validation import has_reachable_counts
from ludus.games.nine_mens_morris.batch import (
    LOSS,
    NO_POINT,
    NO_VALUE,
    RESULT_NAMES,
    UNKNOWN,
    WIN,
    MoveBatch,
    PositionBatch,
    classify,
    generate_moves,
    keeps_value,
    pack_moves,
    unpack_moves,
)
from ludus.games.nine_mens_morris.board import POINT_NUMBERS, POINTS
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles import oracle as find_oracle
from ludus.oracles.morris.oracle import MorrisOracle

LABEL_CHUNK = 1 << 17
"""Number of entries that are sorted for the oracle and come back in order at a time."""

LABEL_BATCH = 4096
"""Number of entries labelled at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The oracle's labels of some entries, as arrays of their length."""

    result: NDArray[np.int64]
    """Index into RESULT_NAMES."""

    depth: NDArray[np.int16]
    """Plies to the end; -1 for draws and unknown values."""

    num_legal: NDArray[np.int64]
    num_kept: NDArray[np.int64]
    """Number of moves that keep the value."""

    move_keeps: NDArray[np.bool_]
    """Whether the entry's own move keeps the value."""

    is_reached: NDArray[np.bool_]
    """Whether a game can reach these numbers of men."""

    kept_moves: NDArray[np.int32]
    """The moves that keep the value, packed, those of one entry consecutively in legal order."""

    @property
    def is_critical(self) -> NDArray[np.bool_]:
        """Mask of entries with a move that does not keep the value."""
        is_known: NDArray[np.bool_] = self.result != UNKNOWN
        return is_known & (self.num_kept < self.num_legal)

    def __getitem__(self, numbers: NDArray[np.intp]) -> Self:
        """Select labels by indices."""
        starts = np.cumsum(self.num_kept) - self.num_kept
        counts = self.num_kept[numbers]
        places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = self.kept_moves[np.repeat(starts[numbers], counts) + places]
        columns = [getattr(self, each.name)[numbers] for each in fields(self)[:-1]]
        return type(self)(*(*columns, kept))

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join labels of consecutive entries."""
        return cls(
            *(np.concatenate([getattr(p, each.name) for p in parts]) for each in fields(cls))
        )


def label(entries: MoveBatch, oracle: MorrisOracle) -> Labels:
    """Label entries. Batches of a few thousand use memory best."""
    owner, moves = generate_moves(entries, oracle.rules)
    values, next_values = _look_up(entries, oracle), _look_up(moves.play(), oracle)
    keeps = keeps_value(values[owner], next_values)
    num_legal, num_kept = (
        np.bincount(owner[which], minlength=len(entries)) for which in (slice(None), keeps)
    )
    is_own = moves.pack() == entries.pack()[owner]
    move_keeps = np.zeros(len(entries), dtype=bool)
    move_keeps[owner[is_own & keeps]] = True
    result = classify(values)
    depth = np.where((result == LOSS) | (result == WIN), values.astype(np.int16), np.int16(-1))
    # The oracle has no values of positions that the mover has already won.
    own, other = entries.totals
    few = oracle.rules.lose_below
    is_won = (other < few) & (own >= few) & ~entries.has_too_many_men(oracle.rules)
    result[is_won], depth[is_won] = WIN, 0
    if not oracle.has_depth:
        depth[:] = -1
    reached = has_reachable_counts(entries, oracle.rules)
    kept = pack_moves(moves[keeps].points)
    return Labels(result, depth, num_legal, num_kept, move_keeps, reached, kept)


class LabelledBatch(NamedTuple):
    """Some consecutive entries of a dataset with their labels."""

    moves: MoveBatch
    labels: Labels


@dataclass(frozen=True, slots=True)
class LabelTask:
    """The task of labelling a batch, for executors; every worker opens the oracle once."""

    rules: Rules
    oracle: Path | None = None
    """The folder of a database, which all machines must have; None: what `ludus.oracle` finds."""

    def __call__(self, entries: MoveBatch) -> Labels:
        return label(entries, _open_oracle_once(self.rules, self.oracle))


def open_oracle(rules: Rules, folder: Path | None) -> MorrisOracle:
    """Return the oracle of a database, or the one that `ludus.oracle` finds."""
    found = find_oracle(NineMensMorris(rules), folder)
    assert isinstance(found, MorrisOracle)
    return found


_open_oracle_once = cache(open_oracle)


BatchLabeller = Callable[[Iterable[MoveBatch]], Iterable[Labels]]
"""Labels batches and returns their labels in the same order, here or in other processes."""


def label_chunks(
    chunks: Iterable[MoveBatch], label_batches: BatchLabeller
) -> Iterator[LabelledBatch]:
    """Label entries chunk by chunk; within a chunk batches have equal numbers of men."""
    waiting: deque[tuple[MoveBatch, NDArray[np.intp], int]] = deque()

    def make_batches() -> Iterator[MoveBatch]:
        for chunk in chunks:
            groups = list(group_by_men(chunk, LABEL_BATCH))
            if groups:
                waiting.append((chunk, np.concatenate(groups), len(groups)))
            yield from (chunk[numbers] for numbers in groups)

    found: list[Labels] = []
    for labels in label_batches(make_batches()):
        found.append(labels)
        chunk, order, num_batches = waiting[0]
        if len(found) == num_batches:
            waiting.popleft()
            yield LabelledBatch(chunk, Labels.concatenate(found)[np.argsort(order)])
            found = []


def cut_chunks(parts: Iterable[MoveBatch], size: int = LABEL_CHUNK) -> Iterator[MoveBatch]:
    """Yield the entries of parts in chunks of `size`; the last one is smaller."""
    held: list[MoveBatch] = []
    for part in parts:
        held.append(part)
        while sum(map(len, held)) >= size:
            joined = MoveBatch.concatenate(held)
            yield joined[:size]
            held = [joined[size:]]
    if rest := [part for part in held if len(part)]:
        yield MoveBatch.concatenate(rest)


def format_labels(entries: MoveBatch, labels: Labels) -> list[str]:
    """Format entries as labelled lines without line ends."""
    lines = format_lines(entries).decode().splitlines()
    names = iter(format_kept_moves(labels))
    columns = (labels.result, labels.depth, labels.num_legal, labels.num_kept)
    written = []
    for line, result, depth, legal, kept in zip(
        lines, *(column.tolist() for column in columns), strict=True
    ):
        plies = "-" if depth < 0 else str(depth)
        moves = " ".join(next(names) for _ in range(kept))
        written.append(f"{line}\t{RESULT_NAMES[result]}\t{plies}\t{legal}\t{moves}")
    return written


def group_by_men(entries: MoveBatch, batch: int) -> Iterator[NDArray[np.intp]]:
    """Yield indices of entries in batches with equal numbers of men, which are read faster."""
    order = np.lexsort(entries.counts)
    for first in range(0, len(order), batch):
        yield order[first : first + batch]


def format_kept_moves(labels: Labels) -> list[str]:
    """Return the moves that keep the value in the notation of the lines."""
    columns = unpack_moves(labels.kept_moves).T.tolist()
    return [
        _POINT_NAMES[frm] + _POINT_NAMES[to] + _POINT_NAMES[take]
        for to, frm, take in zip(*columns, strict=True)
    ]


MAX_COUNT = np.iinfo(np.int16).max
"""Most plies of a label, which Parquet files hold as 16 bits."""

_POINT_NAMES = (*POINTS, "")
"""Point to name; the last, empty name is for NO_POINT."""


def has_labels(path: Path) -> bool:
    """Return whether a text file has labels behind its first entry."""
    try:
        with path.open("rb") as file:
            return b"\t" in file.readline(LINE_LENGTHS[-1] + 1)
    except (OSError, ValueError) as error:
        raise BadDataset(f"cannot read {quote_path(path)}: {describe_os_error(error)}") from error


def read_labelled_lines(path: Path, rules: Rules) -> Iterator[LabelledBatch]:
    """Read a file written by `ludus dataset label` in parts."""
    try:
        with path.open("rb") as file:
            check_end(file)
            first = 1
            for data in split_at_lines(file):
                lines = data.decode("ascii", "backslashreplace").splitlines()
                # Missing fields are refused as they are parsed.
                rows = ((line.split("\t") + [""] * 4)[:5] for line in lines)
                entries, *columns = zip(*rows, strict=True)
                part = parse_lines("".join(f"{entry}\n" for entry in entries).encode(), first)
                raise_bad_lines(path, part.bad_lines)
                yield LabelledBatch(part.moves, _parse_labels(part, columns, rules, path))
                first += len(lines)
    except (OSError, ValueError) as error:
        raise BadDataset(f"cannot read {quote_path(path)}: {describe_os_error(error)}") from error


def _parse_labels(
    part: Chunk, columns: Sequence[Sequence[str]], rules: Rules, path: Path
) -> Labels:
    """Parse the columns behind the entries: result, plies, number of legal moves, moves."""
    names = {name: number for number, name in enumerate(RESULT_NAMES)}
    rows = zip(part.numbers.tolist(), part.moves.own_hand.tolist(), *columns, strict=True)
    numbers: list[tuple[int, int, int, int]] = []
    kept: list[int] = []
    keeps = []
    for (number, hand, result, plies, legal, moves), own in zip(
        rows, part.moves.pack().tolist(), strict=True
    ):
        try:
            packed = [pack_text(move, hand > 0) for move in moves.split()]
            counts = _parse_count(plies.replace("-", "-1")), _parse_count(legal)
            numbers.append((names[result], *counts, len(packed)))
        except (KeyError, ValueError) as error:
            where = f"{quote_path(path)}, line {number}"
            raise BadDataset(f"{where}: {quote(str(error))} in its labels is wrong") from error
        kept += packed
        keeps.append(own in packed)
    table = np.array(numbers, dtype=np.int64).reshape(-1, 4)
    reached = has_reachable_counts(part.moves, rules)
    depth = table[:, 1].astype(np.int16)
    is_kept = np.array(keeps, dtype=bool)
    return Labels(
        table[:, 0], depth, table[:, 2], table[:, 3], is_kept, reached, np.array(kept, np.int32)
    )


def _parse_count(text: str) -> int:
    """Return a number of plies or moves, or -1; ValueError if it is not one."""
    if not -1 <= (number := int(text[:6])) <= MAX_COUNT or len(text) > 5:
        raise ValueError(text)
    return number


def pack_text(move: str, is_placed: bool) -> int:
    """Return a move in the notation of the lines as one number."""
    points = [POINT_NUMBERS[move[place : place + 2]] for place in range(0, len(move), 2)]
    frm, to, take = ([NO_POINT, *points] if is_placed else points) + [NO_POINT] * (
        3 - is_placed - len(points)
    )
    return to | frm << 8 | take << 16


def _look_up(positions: PositionBatch, oracle: MorrisOracle) -> NDArray[np.uint8]:
    """Return the oracle's values, NO_VALUE where it has none or a side has too many men."""
    values = np.full(len(positions), NO_VALUE, dtype=np.uint8)
    fits = ~positions.has_too_many_men(oracle.rules)
    values[fits] = oracle.lookup(positions[fits], missing="no_value")
    return values


@dataclass(slots=True)
class LabelCounts:
    """Counts of results, and of critical entries whose move keeps the value."""

    entries: int = 0
    results: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(RESULT_NAMES), dtype=np.int64)
    )
    critical: int = 0
    critical_kept: int = 0
    """Critical entries whose own move keeps the value."""

    critical_reached: int = 0
    """Critical entries whose numbers of men a game can reach."""

    critical_reached_kept: int = 0
    random_kept: float = 0.0
    """Expected number of critical entries whose value a uniformly random move keeps."""

    def add(self, labels: Labels) -> None:
        critical, reached = labels.is_critical, labels.is_reached
        self.entries += len(labels.result)
        self.results += np.bincount(labels.result, minlength=len(RESULT_NAMES))
        self.critical += int(critical.sum())
        self.critical_kept += int((critical & labels.move_keeps).sum())
        self.critical_reached += int((critical & reached).sum())
        self.critical_reached_kept += int((critical & reached & labels.move_keeps).sum())
        self.random_kept += float((labels.num_kept[critical] / labels.num_legal[critical]).sum())

    def as_json(self) -> dict[str, Any]:
        """Return the counts by name."""
        return {
            "entries": self.entries,
            "results": dict(zip(RESULT_NAMES, self.results.tolist(), strict=True)),
            "critical": self.critical,
            "critical_kept": self.critical_kept,
            "critical_reached": self.critical_reached,
            "critical_reached_kept": self.critical_reached_kept,
            "critical_kept_at_random": round(self.random_kept, 3),
        }
