"""Figure 3: cumulative minimax regret of MIGO and of four systems of reinforcement learning.

A row of the TOML file names a learner, how its start boards are drawn, and the published system
it is laid over. The null hypothesis is tested against the rows with a `rival`. HER has two: on the
authors' board of each run, which reproduces the published figure and decides, and on boards drawn
anew as the paper says (`further`), which is shown beside it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.learn import RunResult
from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Finding,
    PublishedRow,
    Remark,
    Table,
)

from .runs import collect_runs, draw_curves, get_final_regrets, make_curve, measure_regret
from .significance_tests import (
    SIGNIFICANT,
    adjust_holm,
    count_games_to_converge,
    decide,
    get_published_summary,
    mann_whitney_test,
    welch_test,
)

TITLES = {"noughts_and_crosses": "Noughts and crosses", "hexapawn": "Hexapawn 3"}
DATA_NAMES = {"noughts_and_crosses": "noughts_and_crosses", "hexapawn": "hexapawn3"}

Found = Mapping[str, list[RunResult]]
"""Row to its runs."""


def run(context: Context) -> Iterator[Finding]:
    found: dict[str, list[RunResult]] = {}
    for row in context.published.rows:
        found[row.name] = collect_runs(context, row.extra, get_num_runs(context, row), row.name)
        yield measure_regret(row, found[row.name])
    for game, title in TITLES.items():
        rows = [row for row in context.published.rows if row["game"] == game]
        yield Figure(
            f"Figure 3, {title.lower()}",
            draw_curves,
            [_make_curve(row, found) for row in rows if row.extra.get("drawn", True)],
            "Mean cumulative regret. Broad pale lines are the authors' runs, thin ones ours; "
            "broken ones are ours alone.",
        )
    tests = list(check_null_hypothesis(context, found))
    further = {
        row.name.split(": ")[1] for row in context.published.rows if row.extra.get("further")
    }
    relevant = [test for test in tests if test[2] not in further]
    yield _make_verdict(relevant)
    for title in TITLES.values():
        yield conclude_null_hypothesis(title, [test for test in relevant if test[0] == title])
    claims = list(check_further_claims(context, found))
    for claim, theirs, ours in claims:
        yield Conclusion(
            claim, decide(ours), f"p = {ours:.2g}, by the published figures {theirs:.2g}"
        )
    yield Table(
        "Null hypothesis 1: MIGO cannot converge faster",
        ("game", "MIGO", "against", "p, published", "p, ours", "p, Holm", "lower regret",
         "games to converge", "of the other", "p"),
        tests,
        "One-sided. Published: Welch's test of the final cumulative regret, from means and "
        "deviations. Ours: Mann and Whitney's, adjusted for all comparisons; how often a run of "
        "MIGO has the lower regret; then the same test of the games a run needs to converge, "
        "with the medians.",
    )  # fmt: skip
    yield Table(
        "Further claims",
        ("claim", "p, published", "p, ours"),
        claims,
        "One-sided tests of the final cumulative regret, as above.",
    )


def get_num_runs(context: Context, row: PublishedRow) -> int:
    """Networks take a hundred times as long as tables, so they may have fewer runs."""
    runs = int(context.setting("runs")[row["game"]])
    slow = int(context.setting("slow")) * int(row.extra.get("slow", runs))
    return min(runs, slow)


def _make_curve(row: PublishedRow, found: Found) -> dict[str, Any]:
    label = row.name.split(": ", 1)[1]
    system = row.extra.get("system", "")
    return make_curve(label, found[row.name], DATA_NAMES[row["game"]], system)


def check_null_hypothesis(context: Context, found: Found) -> Iterator[list[Any]]:
    """Each variant of MIGO against each other system."""
    rows = {row.name: row for row in context.published.rows}
    pairs = [
        (own, other)
        for own in rows.values()
        for other in rows.values()
        if own.extra.get("is_migo") and other.extra.get("rival") and own["game"] == other["game"]
    ]
    tests = [
        mann_whitney_test(get_final_regrets(found[a.name]), get_final_regrets(found[b.name]))
        for a, b in pairs
    ]
    adjusted = adjust_holm([p for p, _ in tests])
    for (own, other), (p, lower), p_all in zip(pairs, tests, adjusted, strict=True):
        random_regret = context.published["random"][own["game"]]
        first, second = (
            sorted(
                count_games_to_converge(marks.regret, random_regret) for marks in found[row.name]
            )
            for row in (own, other)
        )
        faster, _ = mann_whitney_test(first, second)
        theirs = rows[other["rival"]]
        yield [
            TITLES[own["game"]], own.name.split(": ")[1], other.name.split(": ")[1],
            welch_test(get_published_summary(own), get_published_summary(theirs)),
            p, p_all, lower,
            first[len(first) // 2], second[len(second) // 2], faster,
        ]  # fmt: skip


def check_further_claims(context: Context, found: Found) -> Iterator[list[Any]]:
    """Claims of the form `this system has less regret than that one`."""
    rows = {row.name: row for row in context.published.rows}
    for claim in context.published["claims"]:
        less, more = (rows[claim[side]] for side in ("less", "more"))
        ours = mann_whitney_test(
            get_final_regrets(found[less.name]), get_final_regrets(found[more.name])
        )[0]
        theirs = [
            get_published_summary(rows[row.extra.get("rival", row.name)]) for row in (less, more)
        ]
        yield [claim["text"], welch_test(*theirs), ours]


def conclude_null_hypothesis(title: str, tests: list[list[Any]]) -> Conclusion:
    """Decide whether MIGO has less regret than every other system, after Holm's adjustment."""
    kept = [f"{own} against {other} p = {p:.2g}" for _, own, other, _, _, p, *_ in tests
            if p >= SIGNIFICANT]  # fmt: skip
    is_reversed = any(decide(p) is False for _, _, _, _, p, *_ in tests)
    text = f"final regret is significantly lower in {len(tests) - len(kept)} of {len(tests)}"
    return Conclusion(
        f"{title}: MIGO converges faster than every other system, refuting null hypothesis 1",
        False if is_reversed else None if kept else True,
        f"{text} comparisons; not for {', '.join(kept)}" if kept else f"{text} comparisons",
    )


def _make_verdict(tests: list[list[Any]]) -> Remark:
    kept = [f"{own} against {other}" for _, own, other, _, _, p, *_ in tests if p >= SIGNIFICANT]
    text = f"Null hypothesis 1 is refuted in {len(tests) - len(kept)} of {len(tests)} comparisons"
    return Remark(f"{text}; not for {', '.join(kept)}." if kept else f"{text}.")
