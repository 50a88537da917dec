"""Figure 5: what was learned in one game helps in the next."""

from collections.abc import Iterator
from typing import Any

from ludus.learn import RunResult
from ludus.reproduce import Context, Figure, Finding, Measurement, PublishedRow, Remark, Table

from .curves import draw_curves, make_curve, read_published_runs
from .runs import collect_runs, get_final_regrets
from .significance_tests import Summary, mann_whitney_test, summarize, welch_test

SIGNIFICANT = 0.05


def run(context: Context) -> Iterator[Finding]:
    found = {}
    for row in context.published.rows:
        runs = int(context.setting("runs"))
        found[row.name] = collect_runs(context, row.extra, runs, row.name)
        values = get_final_regrets(found[row.name])
        note = f"standard deviation {summarize(values).deviation:.2f}"
        if "deviation" in row.extra:
            note += f", published {row['deviation']:.2f}"
        yield Measurement.mean(row.name, values, note, "regret")
    rows = {row.name: row for row in context.published.rows}
    tests = []
    for part in context.published["parts"]:
        names = [row.name for row in rows.values() if row["part"] == part["id"]]
        yield Figure(
            f"Figure 5{part['id']}",
            draw_curves,
            [
                make_curve(
                    name.split(": ")[1],
                    found[name],
                    part["data"],
                    rows[name].extra.get("system", ""),
                )
                for name in names
            ],
            f"{part['title']}. Broad pale lines are the authors' runs, thin ones ours.",
        )
        less, more = rows[part["with"]], rows[part["without"]]
        p, lower = mann_whitney_test(
            get_final_regrets(found[less.name]), get_final_regrets(found[more.name])
        )
        tests.append(
            [
                part["title"],
                _compare_published_means(less, more),
                _compare_published_runs(less, more),
                p,
                lower,
            ]
        )
    refuted = [test[0] for test in tests if test[3] < SIGNIFICANT]
    yield Remark(
        f"Null hypothesis 2 is refuted in {len(refuted)} of {len(tests)} transfers"
        f"{': ' + '; '.join(refuted) if refuted else ''}."
    )
    yield Table(
        "Null hypothesis 2: MIGO cannot transfer what it has learned",
        ("transfer", "p, published", "p, published runs", "p, ours", "lower regret"),
        tests,
        "One-sided tests of the final cumulative regret: Welch's of the published means and "
        "deviations, and Mann and Whitney's of the authors' runs, where those are at hand, and of "
        "ours; how often a run with transfer has the lower regret.",
    )


def _make_curve(row: PublishedRow, found: list[RunResult], data: str) -> dict[str, Any]:
    return make_curve(row.name.split(": ")[1], found, data, row.extra.get("system", ""))


def _compare_published_means(less: PublishedRow, more: PublishedRow) -> float | None:
    first, second = (
        Summary(row.published or 0.0, row["deviation"], row["published_runs"])
        for row in (less, more)
    )
    return welch_test(first, second)


def _compare_published_runs(less: PublishedRow, more: PublishedRow) -> Any:
    first, second = (read_published_runs(row["system"]) for row in (less, more))
    return mann_whitney_test(first, second)[0] if first and second else None
