"""Figure 5: what was learned in one game helps in the next."""

from collections.abc import Iterator
from typing import Any

from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Finding,
    Measurement,
    PublishedRow,
    Remark,
    Table,
    compute_difference_interval,
)

from .runs import (
    collect_runs,
    draw_curves,
    get_final_regrets,
    make_curve,
    measure_regret,
    read_published_runs,
)
from .significance_tests import (
    SIGNIFICANT,
    decide,
    get_published_summary,
    mann_whitney_test,
    welch_test,
)

MAX_SIMILAR = 5.0
"""Regret by which two transfers may differ and still count as similar; the paper has no number."""


def run(context: Context) -> Iterator[Finding]:
    found = {}
    for row in context.published.rows:
        runs = int(context.setting("runs"))
        found[row.name] = collect_runs(context, row.extra, runs, row.name)
        yield measure_regret(row, found[row.name])
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
                welch_test(get_published_summary(less), get_published_summary(more)),
                _compare_published_runs(less, more),
                p,
                lower,
            ]
        )
    for title, theirs, _, p, _ in tests:
        yield Conclusion(
            f"{title}: what was learned helps to converge faster, refuting null hypothesis 2",
            decide(p),
            f"p = {p:.2g}, by the published figures {theirs:.2g}",
        )
    similar = context.published["similar"]
    yield conclude_similar(
        similar["text"],
        *(get_final_regrets(found[similar[key]]) for key in ("one", "other", "without")),
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


def conclude_similar(text: str, one: list[int], other: list[int], without: list[int]) -> Conclusion:
    """Decide whether two transfers help, and by about the same."""
    first, second = (Measurement.mean("", values) for values in (one, other))
    evidence = f"final regret {first.value:.1f} and {second.value:.1f}"
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Conclusion(text, None, evidence)  # a single run
    low, high = compute_difference_interval(
        first.value, (first.low, first.high), second.value, (second.low, second.high)
    )
    is_near = low > -MAX_SIMILAR and high < MAX_SIMILAR
    is_far = low > MAX_SIMILAR or high < -MAX_SIMILAR
    p_value = mann_whitney_test(one, without)[0]
    helps = p_value < SIGNIFICANT
    return Conclusion(
        text,
        False if is_far else True if is_near and helps else None,
        f"{evidence}, a difference of {first.value - second.value:+.1f}"
        f" ({low:+.1f} to {high:+.1f}); against no transfer p = {p_value:.2g}",
    )


def _compare_published_runs(less: PublishedRow, more: PublishedRow) -> Any:
    first, second = (read_published_runs(row["system"]) for row in (less, more))
    return mann_whitney_test(first, second)[0] if first and second else None
