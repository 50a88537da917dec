"""The ranking of all readings: two rounds of games, and the tables that the report shows."""

from collections.abc import Iterator, Sequence
from typing import Any

from ludus.reproduce import Context, Remark, Table

from .readings import (
    QUESTIONS,
    Published,
    Reading,
    Scored,
    all_readings,
    begins,
    scored,
    weights_of_answers,
)

SHOWN = 12
"""Readings in the report."""

ALIKE = 2.0
"""Readings whose log-likelihoods differ by less can hardly be told apart."""


def ranked(context: Context, published: Published, plain: Reading) -> list[Scored]:
    """All readings, the most likely first.

    The best of a first round and the plain one are measured again, with fresh games: who was only
    lucky in the first round falls back.
    """
    readings = list(all_readings(context.published["grid"]))
    first = round_of(context, readings, context.setting("grid"), published, "all readings")
    best = {each.reading for each in first[: context.setting("finalists")]} | {plain}
    finalists = [reading for reading in readings if reading in best]
    again = round_of(context, finalists, context.setting("final"), published, "best readings")
    return by_likelihood([*again, *(each for each in first if each.reading not in best)])


def round_of(
    context: Context, readings: Sequence[Reading], games: int, published: Published, label: str
) -> list[Scored]:
    """Readings with their likelihoods, in cells of one set of rules each."""
    found: list[Scored] = []
    by_rules: dict[str, list[Reading]] = {}
    for reading in readings:
        by_rules.setdefault(reading.rules, []).append(reading)
    for number, (rules, group) in enumerate(by_rules.items()):
        context.progress(number, len(by_rules), label)

        def compute(group: list[Reading] = group) -> list[Any]:
            done = [scored(context, reading, games, published) for reading in group]
            return [[each.log_likelihood, [*each.tallies.values()]] for each in done]

        answers = [reading.answers for reading in group]
        for reading, (likelihood, tallies) in zip(
            group, context.cached(f"{label} {rules} {games} {answers}", compute), strict=True
        ):
            found.append(Scored(reading, likelihood, dict(zip(published, tallies, strict=True))))
    return by_likelihood(found)


def by_likelihood(found: Sequence[Scored]) -> list[Scored]:
    return sorted(found, key=lambda each: -each.log_likelihood)


def readings_tables(
    context: Context, found: Sequence[Scored], plain: Reading
) -> Iterator[Remark | Table]:
    """Which reading fits best, and what the published counts say about each question."""
    best = found[0]
    rank, own = next((n, it) for n, it in enumerate(found, 1) if it.reading == plain)
    alike = sum(best.log_likelihood - each.log_likelihood < ALIKE for each in found)
    yield Remark(
        f"Of {len(found)} readings of the paper this one makes the published counts most probable: "
        f"{described(best.reading)}; log-likelihood {score(best)}."
    )
    yield Remark(
        f"The plain reading ({described(plain)}) has {score(own)} and is number {rank}."
        f" {alike} readings are within {ALIKE:g} of the best: 600 published games cannot tell them"
        " apart."
    )
    weights = weights_of_answers(found)
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
        ("", *QUESTIONS, "log-likelihood", *conditions(best)),
        [ranking_row(number, each) for number, each in enumerate(found[:SHOWN], 1)]
        + ([ranking_row(rank, own)] if rank > SHOWN else []),
        "Wins of the first player in percent. The last row is the plain reading."
        if rank > SHOWN
        else "Wins of the first player in percent.",
    )


def described(reading: Reading) -> str:
    answers = zip(QUESTIONS, reading.answers, strict=True)
    return ", ".join(answer if "=" in answer else f"{key}={answer}" for key, answer in answers)


def score(each: Scored) -> str:
    return f"{each.log_likelihood:.2f}".replace("-", "\N{MINUS SIGN}")


def conditions(scored_one: Scored) -> list[str]:
    return [
        f"{pair[0]}, {begins(pair, starter)} first"
        if starter != "alternate"
        else f"{pair[0]}, turns"
        for pair, cells in scored_one.tallies.items()
        for starter in cells
    ]


def ranking_row(number: int, each: Scored) -> list[Any]:
    cells = [
        100 * counts[0] / sum(counts)
        for tallies in each.tallies.values()
        for counts in tallies.values()
    ]
    return [number, *each.reading.answers, each.log_likelihood, *cells]
