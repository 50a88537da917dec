"""The ranking of all readings: two rounds of games, and the tables that the report shows."""

from collections.abc import Iterator, Sequence
from typing import Any

from ludus.reproduce import Context, Remark, Table

from .interpretations import (
    QUESTIONS,
    Interpretation,
    Published,
    ScoredInterpretation,
    compute_answer_weights,
    describe_starter,
    list_interpretations,
    score_interpretation,
)

SHOWN = 12
"""Readings in the report."""

ALIKE = 2.0
"""Readings whose log-likelihoods differ by less can hardly be told apart."""


def rank_interpretations(
    context: Context, published: Published, plain: Interpretation
) -> list[ScoredInterpretation]:
    """All readings, the most likely first.

    The best of a first round and the plain one are measured again, with fresh games: who was only
    lucky in the first round falls back.
    """
    readings = list(list_interpretations(context.published["grid"]))
    first = play_round(context, readings, context.setting("grid"), published, "all readings")
    best = {each.reading for each in first[: context.setting("finalists")]} | {plain}
    finalists = [reading for reading in readings if reading in best]
    again = play_round(context, finalists, context.setting("final"), published, "best readings")
    return sort_by_likelihood([*again, *(each for each in first if each.reading not in best)])


def play_round(
    context: Context,
    readings: Sequence[Interpretation],
    games: int,
    published: Published,
    label: str,
) -> list[ScoredInterpretation]:
    """Readings with their likelihoods, in cells of one set of rules each."""
    found: list[ScoredInterpretation] = []
    by_rules: dict[str, list[Interpretation]] = {}
    for reading in readings:
        by_rules.setdefault(reading.rules, []).append(reading)
    for number, (rules, group) in enumerate(by_rules.items()):
        context.progress(number, len(by_rules), label)

        def compute(group: list[Interpretation] = group) -> list[Any]:
            done = [score_interpretation(context, reading, games, published) for reading in group]
            return [[each.log_likelihood, [*each.tallies.values()]] for each in done]

        answers = [reading.answers for reading in group]
        for reading, (likelihood, tallies) in zip(
            group, context.cached(f"{label} {rules} {games} {answers}", compute), strict=True
        ):
            found.append(
                ScoredInterpretation(
                    reading, likelihood, dict(zip(published, tallies, strict=True))
                )
            )
    return sort_by_likelihood(found)


def sort_by_likelihood(found: Sequence[ScoredInterpretation]) -> list[ScoredInterpretation]:
    return sorted(found, key=lambda each: -each.log_likelihood)


def make_tables(
    context: Context, found: Sequence[ScoredInterpretation], plain: Interpretation
) -> Iterator[Remark | Table]:
    """Which reading fits best, and what the published counts say about each question."""
    best = found[0]
    rank, own = next((n, it) for n, it in enumerate(found, 1) if it.reading == plain)
    alike = sum(best.log_likelihood - each.log_likelihood < ALIKE for each in found)
    yield Remark(
        f"Of {len(found)} readings of the paper this one makes the published counts most probable: "
        f"{describe_interpretation(best.reading)}; log-likelihood {format_score(best)}."
    )
    yield Remark(
        f"The plain reading ({describe_interpretation(plain)}) has {format_score(own)}"
        f" and is number {rank}."
        f" {alike} readings are within {ALIKE:g} of the best: 600 published games cannot tell them"
        " apart."
    )
    weights = compute_answer_weights(found)
    questions = context.published["questions"]
    rows = [
        [questions[question], answer, answer == plain_answer, 100 * weights[question, answer]]
        for question, plain_answer in zip(QUESTIONS, plain.answers, strict=True)
        for answer in context.published["grid"][question]
    ]
    yield Table(
        "What the published counts say",
        ("question", "answer", "plain reading", "weight, %"),
        rows,
        "The share of the likelihood of all readings with this answer, if all were equally"
        " probable before.",
    )
    yield Table(
        "Readings, the best first",
        ("", *QUESTIONS, "log-likelihood", *list_conditions(best)),
        [make_row(number, each) for number, each in enumerate(found[:SHOWN], 1)]
        + ([make_row(rank, own)] if rank > SHOWN else []),
        "Wins of the first player in percent. The last row is the plain reading."
        if rank > SHOWN
        else "Wins of the first player in percent.",
    )


def describe_interpretation(reading: Interpretation) -> str:
    answers = zip(QUESTIONS, reading.answers, strict=True)
    return ", ".join(answer if "=" in answer else f"{key}={answer}" for key, answer in answers)


def format_score(each: ScoredInterpretation) -> str:
    return f"{each.log_likelihood:.2f}".replace("-", "\N{MINUS SIGN}")


def list_conditions(scored_one: ScoredInterpretation) -> list[str]:
    return [
        f"{pair[0]}, {describe_starter(pair, starter)} first"
        if starter != "alternate"
        else f"{pair[0]}, turns"
        for pair, cells in scored_one.tallies.items()
        for starter in cells
    ]


def make_row(number: int, each: ScoredInterpretation) -> list[Any]:
    cells = [
        100 * counts[0] / sum(counts)
        for tallies in each.tallies.values()
        for counts in tallies.values()
    ]
    return [number, *each.reading.answers, each.log_likelihood, *cells]
