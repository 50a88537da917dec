"""Parquet files: written as a stream of row groups and read in batches, with pyarrow.

A table is described by `Column` values, so that the description needs no pyarrow. The metadata of
a file hold one JSON object under the key `ludus`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quote, to_one_line
from ludus.core.extras import require_package
from ludus.core.files import atomic_file, describe_os_error, quote_path

SUFFIX = ".parquet"
METADATA_KEY = b"ludus"

CATEGORY, TEXT_LIST = "category", "list"
"""Types that pyarrow does not know by name: repeated texts, stored once, and lists of texts."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str

    kind: str
    """A type by pyarrow's name, CATEGORY or TEXT_LIST."""

    meaning: str

    is_nullable: bool = False


def is_parquet(path: Path | str) -> bool:
    """Return whether a file is named as Parquet."""
    return Path(path).suffix.lower() == SUFFIX


def import_pyarrow() -> Any:
    """Import pyarrow with its Parquet module; MissingPackage where it is not installed."""
    require_package("pyarrow.parquet", "a Parquet file")
    return require_package("pyarrow", "a Parquet file")


def make_schema(columns: Sequence[Column], metadata: Mapping[str, Any]) -> Any:
    """Return the pyarrow schema of a table; its metadata also hold the meaning of each column."""
    pa = import_pyarrow()
    kinds = {CATEGORY: pa.dictionary(pa.int8(), pa.string()), TEXT_LIST: pa.list_(pa.string())}
    fields = [
        pa.field(
            each.name,
            kinds.get(each.kind) or pa.type_for_alias(each.kind),
            each.is_nullable,
            {"meaning": each.meaning},
        )
        for each in columns
    ]
    return pa.schema(fields, {METADATA_KEY: json.dumps(metadata).encode()})


def write_parquet(path: Path, schema: Any, groups: Iterable[Mapping[str, Any]]) -> int:
    """Write columns, by name, one row group at a time; return the number of rows.

    The file gets its name when it is complete.
    """
    pa = import_pyarrow()
    written = 0
    with (
        atomic_file(path, "wb") as file,
        pa.parquet.ParquetWriter(
            file, schema, compression="zstd", write_page_checksum=True
        ) as writer,
    ):
        for columns in groups:
            table = pa.table([columns[field.name] for field in schema], schema=schema)
            writer.write_table(table, row_group_size=max(len(table), 1))
            written += len(table)
    return written


def read_parquet_batches(
    path: Path, columns: Sequence[str], batch_size: int, error: type[LudusError] = LudusError
) -> Iterator[Any]:
    """Yield pyarrow record batches of these columns; raise `error` for a file without them."""
    pa = import_pyarrow()
    try:
        with pa.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            missing = [name for name in columns if name not in file.schema_arrow.names]
            if missing:
                raise error(f"{quote_path(path)} has no column {quote(missing[0])}")
            yield from file.iter_batches(batch_size, columns=list(columns))
    # A name of a column may be no UTF-8.
    except (OSError, UnicodeDecodeError, pa.ArrowException) as reason:
        text = to_one_line(describe_os_error(reason))
        raise error(f"cannot read {quote_path(path)}: {text}") from reason
