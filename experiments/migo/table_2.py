"""Table 2: processor time of one game, played and learned from."""

from collections.abc import Iterator

from ludus.reproduce import Context, Finding, Measurement, Remark

from .runs import collect_runs


def run(context: Context) -> Iterator[Finding]:
    faster: list[float] = []
    for row in context.published.rows:
        runs = int(context.setting("runs"))
        found = collect_runs(context, row.extra, runs, row.name)
        seconds = [sum(each.seconds) / len(each.seconds) for each in found]
        note = f"the authors' files have {row['file']:.2g} s" if "file" in row.extra else ""
        yield Measurement.mean(row.name, seconds, note, "s")
        if row.published is not None:
            faster.append(row.published / (sum(seconds) / len(seconds)))
    yield Remark(
        "Other processors, another language and an opponent that looks replies up make times "
        f"incomparable; ours are {min(faster):.0f} to {max(faster):.0f} times shorter. What can be "
        "compared is their order."
    )
