"""Every reading of what the paper leaves open, and how well each explains its Table 1."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ludus.reproduce import Context, MatchTally

GAME = "nine_mens_morris"

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

    >>> round(log_likelihood((1, 0, 0), (10**9, 0, 0)), 6)
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
