"""What the paper leaves open about the Fuzzy player, and how well each reading explains a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ludus.reproduce import Context, Finding, MatchTally, Remark, Table

from .fuzzy_matches import OPPONENTS, Condition, compute_percentage, join_options, play_matches
from .interpretations import compute_log_likelihood

READINGS = {
    "moveThr as a rate": "",
    "moveThr as a least count": "moveThr=0,seen=5",
    "no moveThr": "moveThr=0",
}
TAKES = {
    "best": "the man worth most is taken",
    "share": "a man is taken by what it is worth",
    "random": "any man is taken",
}


@dataclass(frozen=True)
class FuzzyInterpretation:
    """One reading of the paper and its results."""

    name: str
    options: str
    found: Mapping[Condition, MatchTally]
    log_likelihood: float


def rank_interpretations(
    context: Context, counts: Mapping[Condition, Sequence[int]]
) -> list[FuzzyInterpretation]:
    """Every reading, the one that makes the published counts most probable first."""
    has_threshold = not all("moveThr=0" in options for _, options in counts)
    readings = READINGS if has_threshold else {"no moveThr": ""}
    read = []
    for name, changes in readings.items():
        for take in TAKES:
            extra = ",".join(filter(None, (changes, f"take={take}")))
            found = {
                condition: play_matches(
                    context,
                    condition[0],
                    join_options(condition[1], extra),
                    context.setting("reading_games"),
                )
                for condition in counts
            }
            score = sum(compute_log_likelihood(counts[each], found[each].counts) for each in counts)
            read.append(FuzzyInterpretation(f"{name}, {TAKES[take]}", extra, found, score))
    return sorted(read, key=lambda each: -each.log_likelihood)


def make_tables(read: Sequence[FuzzyInterpretation]) -> Iterator[Finding]:
    """How well each reading explains the published table."""
    yield Remark(f"The published counts are most probable if the paper is read so: {read[0].name}.")
    yield Table(
        "Readings of the paper",
        ("reading", "options", *(f"{name}, %" for name in OPPONENTS), "log-likelihood"),
        [
            [each.name, each.options, *compute_means(each.found), each.log_likelihood]
            for each in read
        ],
        "Mean share of wins against each heuristic over the table's settings, and the logarithm"
        " of the probability of the published counts.",
    )


def compute_means(found: Mapping[Condition, MatchTally]) -> list[float]:
    """The mean percentage of wins against each heuristic."""
    shares: dict[str, list[float]] = {name: [] for name in OPPONENTS}
    for (opponent, _), tally in found.items():
        shares[opponent].append(compute_percentage(tally))
    return [sum(each) / len(each) for each in shares.values()]
