"""Rows of networks that were trained at published size on a GPU, kept in `networks.json`.

The file maps the id of an experiment to its rows by key; `on_gpu.py` adds to it. With it reports of
published size need no training and no data.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ludus.reproduce import Context, write_bytes

ROWS_FILE = Path(__file__).with_name("networks.json")

DECIMALS = 5
"""Rows are rounded to this number of decimals."""

Rows = Mapping[str, Mapping[str, Any]]
"""Rows by experiment and key."""


def load_rows(file: Path = ROWS_FILE) -> Rows:
    """Return all rows of a file; none if there is no file."""
    rows: Rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return rows


def fill_cache(context: Context, rows: Rows) -> None:
    """Put the rows of an experiment into its cache."""
    for key, value in rows.get(context.published.id, {}).items():
        context.cached(key, partial(_return, value))


def save_rows(rows: Rows, file: Path = ROWS_FILE) -> None:
    """Write all rows, one in a line."""
    experiments = []
    for identity, found in rows.items():
        lines = [f"  {json.dumps(key)}: {json.dumps(_round(row))}" for key, row in found.items()]
        experiments.append(
            f" {json.dumps(identity)}: {{\n" + ",\n".join(lines) + "\n }"
            if lines
            else f" {json.dumps(identity)}: {{}}"
        )
    write_bytes(file, ("{\n" + ",\n".join(experiments) + "\n}\n").encode())


def _return(value: Any) -> Any:
    return value


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, list):
        return [_round(each) for each in value]
    return {key: _round(each) for key, each in value.items()}
