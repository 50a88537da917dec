"""Tuning on the whole dataset (6.2): the networks for TO, FROM and REMOVE."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.reproduce import Context, Finding

from .tuning import draw_series, run_series


def run(context: Context) -> Iterator[Finding]:
    yield from run_series(context, context.setting("entries"), draw)


def draw(axes: Any, data: Mapping[str, Any]) -> None:
    draw_series(axes, data)
