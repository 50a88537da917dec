"""What gives the points between the thesis's recipe and ours: each change alone, equal epochs."""

from collections.abc import Iterator

from ludus.reproduce import Context, Finding

from . import ablation


def run(context: Context) -> Iterator[Finding]:
    yield from ablation.run(context)
