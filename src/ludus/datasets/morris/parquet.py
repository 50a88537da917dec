"""Datasets with exact labels as Parquet files; docs/data.md describes the columns."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadDataset, to_one_line
from ludus.core.files import quote_path
from ludus.core.parquet import (
    CATEGORY,
    TEXT_LIST,
    Column,
    import_pyarrow,
    make_schema,
    read_parquet_batches,
    write_parquet,
)
from ludus.datasets.morris.files import BadLine, Chunk, format_lines
from ludus.datasets.morris.labels import (
    LabelledBatch,
    Labels,
    format_kept_moves,
    pack_text,
)
from ludus.games.nine_mens_morris.batch import (
    NO_POINT,
    RESULT_NAMES,
    UNKNOWN,
    MoveBatch,
)
from ludus.games.nine_mens_morris.bitboards import count_men
from ludus.games.nine_mens_morris.board import NUM_POINTS, POINTS

FORMAT = "ludus dataset"
VERSION = 1
"""Version of the columns."""

COLUMNS = (
    Column("state", "string", "24 letters and 4 digits, the state of a dataset line"),
    Column("own", "int32", "men of the side to move, bit i for point i"),
    Column("other", "int32", "men of the other side"),
    Column("own_hand", "uint8", "men in hand of the side to move"),
    Column("other_hand", "uint8", "men in hand of the other side"),
    Column("phase", "uint8", "1 with men in hand, 3 with three men left, else 2"),
    Column("move", "string", "the entry's move as in a dataset line", is_nullable=True),
    Column("to", CATEGORY, "the point a man goes to", is_nullable=True),
    Column("from", CATEGORY, "the point it leaves", is_nullable=True),
    Column("remove", CATEGORY, "the point from which a man is taken", is_nullable=True),
    Column("value", CATEGORY, "win, draw or loss of the side to move", is_nullable=True),
    Column("depth", "int16", "plies to the end of a won or lost game", is_nullable=True),
    Column("num_legal", "uint16", "number of legal moves"),
    Column("num_kept", "uint16", "number of moves that keep the value", is_nullable=True),
    Column("kept_moves", TEXT_LIST, "moves that keep the value", is_nullable=True),
    Column("move_keeps", "bool", "whether the entry's move keeps the value", is_nullable=True),
    Column("critical", "bool", "whether some legal move loses value", is_nullable=True),
    Column("reachable", "bool", "whether the numbers of men can occur in a game"),
)
"""What is null: parts that a move does not have; what follows from a value that is not solved."""

ROWS_PER_BATCH = 1 << 16

POSITION_COLUMNS = ("own", "other", "own_hand", "other_hand", "to", "from", "remove")
LABEL_COLUMNS = ("value", "depth", "num_legal", "num_kept", "kept_moves", "move_keeps", "reachable")


def write_labelled(path: Path, parts: Iterable[LabelledBatch], about: Mapping[str, Any]) -> int:
    """Write entries with their labels, a row group for each part; return the number of rows.

    `about` goes into the metadata, beside the format and the names of the points.
    """
    import_pyarrow()  # before the first part is labelled
    metadata = {"format": FORMAT, "version": VERSION, **about, "points": list(POINTS)}
    schema = make_schema(COLUMNS, metadata)
    return write_parquet(path, schema, (_make_columns(*part) for part in parts))


def read_labelled(path: Path | str, batch_size: int = ROWS_PER_BATCH) -> Iterator[LabelledBatch]:
    """Read entries and labels of a Parquet file, `batch_size` rows at a time at most."""
    path = Path(path)
    columns = (*POSITION_COLUMNS, *LABEL_COLUMNS)
    for batch in read_parquet_batches(path, columns, batch_size, BadDataset):
        with _refuse_damage(path):
            moves = _read_moves(batch)
            labels = _read_labels(batch, moves)
        if not _is_valid(moves).all():
            raise BadDataset(f"{path} has rows that are no positions")
        yield LabelledBatch(moves, labels)


def read_parquet_chunks(path: Path, batch_size: int = ROWS_PER_BATCH) -> Iterator[Chunk]:
    """Read entries without labels, as `read_chunks` reads lines; rows are numbered from 1."""
    first = 1
    for batch in read_parquet_batches(path, POSITION_COLUMNS, batch_size, BadDataset):
        with _refuse_damage(path):
            moves = _read_moves(batch)
            is_good = _is_valid(moves)
        numbers = np.arange(first, first + len(moves))
        bad = [BadLine(row, "is no position") for row in numbers[~is_good].tolist()]
        yield Chunk(moves[is_good], numbers[is_good], bad)
        first += len(moves)


@contextmanager
def _refuse_damage(path: Path) -> Iterator[None]:
    """Raise BadDataset for columns that cannot be converted, such as nulls where none may be."""
    try:
        yield
    except ValueError as error:
        text = to_one_line(str(error))
        raise BadDataset(f"cannot read {quote_path(path)}: {text}") from error


def _make_columns(entries: MoveBatch, labels: Labels) -> dict[str, Any]:
    pa = import_pyarrow()
    lines = format_lines(entries).decode().splitlines()
    is_unknown = labels.result == UNKNOWN
    ends = np.concatenate([[0], np.cumsum(labels.num_kept)]).astype(np.int32)
    points = pa.array(POINTS)

    def point_column(part: NDArray[np.int8]) -> Any:
        codes = pa.array(part, pa.int8(), mask=part == NO_POINT)
        return pa.DictionaryArray.from_arrays(codes, points)

    def known(values: Any, kind: Any = None, mask: Any = is_unknown) -> Any:
        return pa.array(values, kind, mask=mask)

    return {
        "state": pa.array([line[:28] for line in lines]),
        "own": pa.array(entries.own),
        "other": pa.array(entries.other),
        "own_hand": pa.array(entries.own_hand),
        "other_hand": pa.array(entries.other_hand),
        "phase": pa.array(entries.phases),
        "move": pa.array([line[29:] or None for line in lines]),
        "to": point_column(entries.to),
        "from": point_column(entries.frm),
        "remove": point_column(entries.take),
        "value": pa.DictionaryArray.from_arrays(
            known(labels.result, pa.int8()), pa.array(RESULT_NAMES[:UNKNOWN])
        ),
        "depth": known(labels.depth, mask=labels.depth < 0),
        "num_legal": pa.array(labels.num_legal, pa.uint16()),
        "num_kept": known(labels.num_kept, pa.uint16()),
        "kept_moves": pa.ListArray.from_arrays(
            pa.array(ends),
            pa.array(format_kept_moves(labels), pa.string()),
            mask=pa.array(is_unknown),
        ),
        "move_keeps": known(labels.move_keeps, mask=is_unknown | ~entries.has_move),
        "critical": known(labels.is_critical),
        "reachable": pa.array(labels.is_reached),
    }


def _read_moves(batch: Any) -> MoveBatch:
    own, other = (_to_numpy(batch.column(name), np.int32, -1) for name in ("own", "other"))
    own_hand, other_hand = (
        _to_numpy(batch.column(name), np.uint8, 99) for name in ("own_hand", "other_hand")
    )
    to, frm, take = (
        _read_codes(batch.column(name), POINTS, NO_POINT) for name in POSITION_COLUMNS[4:]
    )
    return MoveBatch(own, other, own_hand, other_hand, to, frm, take)


def _read_labels(batch: Any, moves: MoveBatch) -> Labels:
    kept = batch.column("kept_moves")
    counts = _to_numpy(kept.value_lengths(), np.int64, 0)
    is_placed = np.repeat(moves.own_hand > 0, counts).tolist()
    packed = [
        pack_text(move, placed)
        for move, placed in zip(kept.flatten().to_pylist(), is_placed, strict=True)
    ]
    return Labels(
        _read_codes(batch.column("value"), RESULT_NAMES[:UNKNOWN], UNKNOWN).astype(np.int64),
        _to_numpy(batch.column("depth"), np.int16, -1),
        _to_numpy(batch.column("num_legal"), np.int64, 0),
        counts,
        _to_numpy(batch.column("move_keeps"), np.bool_, False),
        _to_numpy(batch.column("reachable"), np.bool_, False),
        np.array(packed, dtype=np.int32),
    )


def _to_numpy(column: Any, kind: Any, null: Any) -> NDArray[Any]:
    """Return a column as an array, `null` where it has no value."""
    filled: NDArray[Any] = column.fill_null(null).to_numpy(zero_copy_only=False)
    return filled.astype(kind)


def _read_codes(column: Any, names: tuple[str, ...], null: int) -> NDArray[np.int8]:
    """Return the index of each text in `names`; raise BadDataset for other texts."""
    pa = import_pyarrow()
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    stored = encoded.dictionary.to_pylist()
    if not set(stored) <= set(names):
        raise BadDataset(f"a column holds {sorted(set(stored) - set(names))[0]!r:.40}")
    numbers = np.array([*(names.index(text) for text in stored), null], dtype=np.int8)
    codes: NDArray[np.int8] = numbers[_to_numpy(encoded.indices, np.int64, len(stored))]
    return codes


def _is_valid(moves: MoveBatch) -> NDArray[np.bool_]:
    """Return which rows could be lines: men on the board once, and a move of the right parts."""
    is_good = (moves.own >= 0) & (moves.other >= 0) & (moves.own & moves.other == 0)
    is_good &= (moves.own | moves.other) >> NUM_POINTS == 0
    is_good &= (count_men(moves.own) <= 9) & (count_men(moves.other) <= 9)
    is_good &= (moves.own_hand <= 9) & (moves.other_hand <= 9)
    has_from, has_move = moves.frm != NO_POINT, moves.has_move
    is_good &= np.where(has_move, has_from == (moves.own_hand == 0), ~has_from)
    is_right: NDArray[np.bool_] = is_good & (has_move | (moves.take == NO_POINT))
    return is_right
