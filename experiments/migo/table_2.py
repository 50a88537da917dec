"""Table 2: processor time of one game, played and learned from.

The authors' program proves every goal again. Rows with `learner = "migo:memo=no"` do the same, and
rows with `migo:memo=count` count the inferences this takes, which no machine influences.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import mean
from typing import Any

from ludus.games import game as named_game
from ludus.learn import learner as named_learner
from ludus.learn import train_learner
from ludus.reproduce import Context, Finding, Measurement, PublishedRow, Remark

from .runs import collect_runs, make_run_config


def run(context: Context) -> Iterator[Finding]:
    faster: list[float] = []
    means: dict[str, float] = {}
    for row in context.published.rows:
        if "of" in row.extra:
            yield _compare_growth(row, means)
            continue
        values = _measure(context, row)
        means[row.name] = mean(values)
        note = f"the authors' files have {row['file']:.2g} s" if "file" in row.extra else ""
        yield Measurement.mean(row.name, values, note, row.unit)
        if row.published is not None:
            faster.append(row.published / means[row.name])
    yield Remark(
        "Other processors, another language and an opponent that looks replies up make times "
        f"incomparable; with cached proofs ours are {min(faster):.0f} to {max(faster):.0f} times "
        "shorter. What can be compared is their order and, without cached proofs, their growth."
    )


def _measure(context: Context, row: PublishedRow) -> Sequence[float]:
    """Seconds or inferences a game, for each run."""
    if row.unit == "inferences":
        return [
            context.cached(f"{row.name} {number}", partial(_count, context, row, number))
            for number in range(int(context.setting("runs")))
        ]
    runs = int(context.setting(row.extra.get("runs", "runs")))
    found = collect_runs(context, row.extra, runs, row.name)
    return [sum(each.seconds) / len(each.seconds) for each in found]


def _count(context: Context, row: PublishedRow, number: int) -> float:
    """Inferences a game of one run, on the boards that the timed run of this number has."""
    fields: Mapping[str, Any] = row.extra
    config = make_run_config(fields, context.seed, number)
    learner: Any = train_learner(
        named_learner(config.learner, named_game(config.game)), config.games, config.seed
    ).learner
    return float(learner.strategy_learner.reasoner.num_inferences) / config.games


def _compare_growth(row: PublishedRow, means: Mapping[str, float]) -> Measurement:
    """How many times longer a game of one kind takes than one of the other."""
    longer, shorter = row["of"]
    counted = [means[f"{name}: inferences"] for name in (longer, shorter)]
    timed = [means[f"{name}: MIGO mixed, no cached proofs"] for name in (longer, shorter)]
    # In few games nothing may have been learned, so that nothing is proved.
    note = f"of times; of inferences {counted[0] / max(counted[1], 1e-9):.1f}"
    return Measurement(row.name, timed[0] / timed[1], note=note, unit="times")
