"""Every reading of what the paper leaves open, ranked by how well it explains Table 1."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ludus.reproduce import Context, MatchTally, Remark, Table

GAME = "nine_mens_morris"

SHOWN = 12
"""Readings in the report."""

ALIKE = 2.0
"""Readings whose log-likelihoods differ by less can hardly be told apart."""

Pair = tuple[str, str]

Counts = Sequence[int]
"""Games the first player won, the second player won, and nobody won."""

Published = Mapping[Pair, Mapping[str, Counts]]
"""Pair of players and starter to the published counts."""

OF_RULES = ("flying", "blocked", "lose_below", "take_from_mills", "draws")
OF_PLAYERS = ("opening", "taking", "among")
QUESTIONS = (*OF_RULES, *OF_PLAYERS)


@dataclass(frozen=True)
class Interpretation:
    """One answer to each question."""

    answers: tuple[str, ...]
    """In the order of QUESTIONS."""

    @property
    def rules(self) -> str:
        """The rules as `--rules` takes them."""
        named = dict(zip(OF_RULES, self.answers, strict=False))
        end = named.pop("draws")
        rest = "" if end.startswith("repetition") else ",repetition=0"
        return ",".join(f"{key}={value}" for key, value in named.items()) + f",{end}{rest}"

    def player(self, name: str) -> str:
        """Return a player of the paper under this reading; a newbie opens no mills."""
        named = dict(zip(OF_PLAYERS, self.answers[len(OF_RULES) :], strict=True))
        if name == "newbie":
            del named["opening"]
        return f"{name}:" + ",".join(f"{key}={value}" for key, value in named.items())


@dataclass(frozen=True)
class ScoredInterpretation:
    """A reading and its results."""

    reading: Interpretation
    log_likelihood: float
    tallies: Mapping[Pair, Mapping[str, Counts]]


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


def list_interpretations(grid: Mapping[str, Sequence[str]]) -> Iterator[Interpretation]:
    """The product of all answers."""
    for answers in product(*(grid[question] for question in QUESTIONS)):
        yield Interpretation(answers)


def score_interpretation(
    context: Context, reading: Interpretation, games: int, published: Published
) -> ScoredInterpretation:
    """Return a reading with the log-likelihood of the published counts."""
    found = {pair: _play_games(context, reading, pair, games) for pair in published}
    total = sum(
        compute_log_likelihood(counts, found[pair][starter])
        for pair, cells in published.items()
        for starter, counts in cells.items()
    )
    return ScoredInterpretation(reading, total, found)


def _play_games(
    context: Context, reading: Interpretation, pair: Pair, games: int
) -> dict[str, Counts]:
    """Play this number of games with each player beginning; alternating is half of each."""
    first, second = (reading.player(name) for name in pair)
    begun: dict[str, MatchTally] = {
        starter: context.matches(
            GAME,
            first,
            second,
            games,
            rules=reading.rules,
            starter=starter,
            compiled=True,
            is_cached=False,
        )
        for starter in ("first", "second")
    }
    both = begun["first"] + begun["second"]
    return {"alternate": both.counts, **{name: tally.counts for name, tally in begun.items()}}


def compute_log_likelihood(published: Counts, ours: Counts) -> float:
    """The logarithm of the probability of the published counts, knowing only our own.

    Our games say what the chances are, but not exactly, and an end that never came is not
    impossible: the chances have a Dirichlet distribution (from Jeffreys' prior), and the published
    counts a Dirichlet-multinomial one.

    >>> round(compute_log_likelihood((1, 0, 0), (10**9, 0, 0)), 6)
    0.0
    """
    weights = [count + 0.5 for count in ours]
    number, total = sum(published), sum(weights)
    ways = math.lgamma(number + 1) - sum(math.lgamma(count + 1) for count in published)
    return (
        ways
        + math.lgamma(total)
        - math.lgamma(total + number)
        + sum(
            math.lgamma(count + weight) - math.lgamma(weight)
            for count, weight in zip(published, weights, strict=True)
        )
    )


def compute_answer_weights(found: Sequence[ScoredInterpretation]) -> dict[tuple[str, str], float]:
    """Return the posterior weight of each answer to each question, from a uniform prior."""
    best = max(each.log_likelihood for each in found)
    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    total = 0.0
    for each in found:
        weight = math.exp(each.log_likelihood - best)
        total += weight
        for question, answer in zip(QUESTIONS, each.reading.answers, strict=True):
            weights[question, answer] += weight
    return {key: weight / total for key, weight in weights.items()}


def describe_starter(pair: Pair, starter: str) -> str:
    """Who begins, in words."""
    return {"alternate": "both in turn", "first": pair[0], "second": pair[1]}[starter]


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
