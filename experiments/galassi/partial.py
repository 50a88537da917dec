"""Tuning on part of the dataset (6.1): dropout, width, depth, and the three architectures."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.reproduce import Context, Finding

from .tuning import draw_series, run_series


def run(context: Context) -> Iterator[Finding]:
    yield from run_series(context, context.setting("entries"), draw)


def draw(axes: Any, data: Mapping[str, Any]) -> None:
    draw_series(axes, data)
