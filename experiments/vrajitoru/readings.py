"""Every reading of what the paper leaves open about the Fuzzy player, by how well it explains the
published tables.

Tables 3 to 5 hold twelve distinct settings, because each of them repeats one; Table 2 has two more.
Each is played against three heuristics, so there are 42 published counts of wins, losses and draws.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from ludus.learn.patterns import PatternConfig
from ludus.reproduce import Context, Finding, MatchTally, Measurement, Remark, Table, read_published

from .fuzzy_matches import (
    OPPONENTS,
    Condition,
    compute_percentage,
    get_trained_network,
    join_options,
    play_matches,
)
from .interpretations import Counts, compute_log_likelihood

TABLES = ("table_2", "table_3", "table_4", "table_5")
DEFAULTS = {"k": 4.0, "mutual": 0.2, "wL": 10.0, "wT": 0.33}
"""The paper's settings where a table names none."""

ALIKE = 2.0
"""Readings whose log-likelihoods differ by less can hardly be told apart."""

MAX_TABLE = 20
"""Readings in the report."""

Answers = tuple[tuple[str, str], ...]
"""Question and answer, in the order of the TOML file."""

Cells = Mapping[Condition, Counts]


@dataclass(frozen=True)
class Reading:
    """One answer to each question."""

    answers: Answers

    @property
    def settings(self) -> dict[str, str]:
        return dict(self.answers)

    def list_options(self, options: str, grid: Mapping[str, Mapping[str, str]]) -> str:
        """Return options of a table under this reading; those of Table 2 name no moveThr."""
        has_threshold = "moveThr=0" not in options
        chosen = self.settings
        if not has_threshold and chosen["Table 2"] == "without moveThr":
            chosen["moveThr"] = "no effect"
            if chosen["threats"] == "known as own moves are":
                chosen["threats"] = "any move seen in training"
        extra = [grid[question][answer] for question, answer in chosen.items()]
        if chosen["rateThr"] == "of the sums, before the power":
            power = float(dict(part.split("=") for part in options.split(",")).get("k", "4"))
            extra.append(f"rateThr={2**power:g}")
        return join_options(options, ",".join(filter(None, extra)))


@dataclass(frozen=True)
class RankedReading:
    """A reading, and how probable it makes the published counts."""

    reading: Reading
    log_likelihood: float
    tallies: Mapping[Condition, MatchTally]


def run(context: Context) -> Iterator[Finding]:
    published = list_published_counts()
    readings = list_readings(context.published["questions"])
    plain = Reading(tuple(context.published["plain"].items()))
    first = rank(context, readings, published, context.setting("screening_games"), "all readings")
    finalists = [each.reading for each in first[: context.setting("finalists")]]
    if plain not in finalists:
        finalists.append(plain)
    ranked = rank(context, finalists, published, context.setting("games"), "best readings")
    best = ranked[0]
    own = next(each for each in ranked if each.reading == plain)
    yield Measurement("log-likelihood of the best reading", best.log_likelihood)
    for opponent in OPPONENTS:
        tallies = [tally for (name, _), tally in best.tallies.items() if name == opponent]
        yield Measurement.proportion(
            f"{opponent}: mean of the fourteen settings, best reading",
            sum(tally.wins[0] for tally in tallies),
            sum(tally.games for tally in tallies),
        )
    yield Remark(
        f"Of {len(readings)} readings this one makes the published counts most probable: "
        f"{describe(best.reading)}. The preset `seed` has {own.log_likelihood:.1f}."
    )
    yield make_fit_remark(published, best)
    yield make_answers_table(ranked, context.published["questions"])
    yield make_readings_table(context, ranked)
    yield make_settings_table(published, best)
    yield make_networks_table(context, [each.reading for each in ranked], published)


def list_published_counts() -> dict[Condition, Counts]:
    """Return the published counts of wins, losses and draws; a repeated setting counts once."""
    found: dict[Condition, Counts] = {}
    seen: set[tuple[str, tuple[tuple[str, object], ...]]] = set()
    for name in TABLES:
        path = Path(__file__).with_name(f"{name}.toml")
        table = read_published(path, f"vrajitoru-{name}".replace("_", "-"))
        counts: dict[Condition, list[int]] = {}
        for row in table.rows:
            cell = counts.setdefault((row["opponent"], row["options"]), [])
            cell.append(int(row.published or 0))
        for (opponent, options), numbers in counts.items():
            given: dict[str, object] = {
                key: float(value) for key, value in (part.split("=") for part in options.split(","))
            }
            setting = opponent, tuple(sorted({**DEFAULTS, **given}.items()))
            if setting not in seen:
                seen.add(setting)
                found[opponent, options] = numbers
    return found


def list_readings(questions: Mapping[str, Mapping[str, str]]) -> list[Reading]:
    """Return the product of all answers, without those that play alike."""
    products = product(*([(name, answer) for answer in each] for name, each in questions.items()))
    readings = [Reading(answers) for answers in products]
    return [
        each
        for each in readings
        # Own moves are known from five times on in this reading of moveThr alone.
        if each.settings["moveThr"] == "a minimum count of a move"
        or (
            each.settings["threats"] != "known as own moves are"
            and (
                each.settings["moveThr"] != "no effect"
                or each.settings["Table 2"] == "without moveThr"
            )
        )
    ]


def rank(
    context: Context, readings: Sequence[Reading], published: Cells, games: int, label: str
) -> list[RankedReading]:
    """Return the readings, the one first that makes the published counts most probable."""
    found = []
    for number, reading in enumerate(readings):
        context.progress(number, len(readings), label)
        found.append(measure(context, reading, published, games))
    return sorted(found, key=lambda each: -each.log_likelihood)


def measure(
    context: Context, reading: Reading, published: Cells, games: int, network: str = ""
) -> RankedReading:
    """Play the games of all settings under a reading."""
    questions = context.published["questions"]
    extra = f"network={network}" if network else ""
    tallies = {
        (opponent, options): play_matches(
            context, opponent, join_options(reading.list_options(options, questions), extra), games
        )
        for opponent, options in published
    }
    total = sum(compute_log_likelihood(published[each], tallies[each].counts) for each in published)
    return RankedReading(reading, total, tallies)


def compute_means(ranked: RankedReading) -> dict[str, float]:
    """Return the mean percentage of wins against each heuristic."""
    shares: dict[str, list[float]] = {name: [] for name in OPPONENTS}
    for (opponent, _), tally in ranked.tallies.items():
        shares[opponent].append(compute_percentage(tally))
    return {name: sum(each) / len(each) for name, each in shares.items()}


def make_fit_remark(published: Cells, best: RankedReading) -> Remark:
    """Say how far the best reading is from the published wins, by a test of fit."""
    total = 0.0
    for condition, (wins, losses, draws) in published.items():
        number = wins + losses + draws
        tally = best.tallies[condition]
        expected = (tally.wins[0] + 0.5) / (tally.games + 1)
        for count, share in ((wins, expected), (number - wins, 1 - expected)):
            total += 2 * count * math.log(count / (number * share)) if count else 0.0
    return Remark(
        f"Wins or not, the {len(published)} published counts have a deviance of {total:.1f} from "
        f"it; if it were right, about {len(published)} would be expected, with a standard "
        f"deviation of {math.sqrt(2 * len(published)):.1f}."
    )


def make_answers_table(
    ranked: Sequence[RankedReading], questions: Mapping[str, Mapping[str, str]]
) -> Table:
    """What the published counts say about each question."""
    best = ranked[0].log_likelihood
    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    highest: dict[tuple[str, str], float] = {}
    for each in ranked:
        for answer in each.reading.answers:
            weights[answer] += math.exp(each.log_likelihood - best)
            highest[answer] = max(highest.get(answer, -math.inf), each.log_likelihood)
    total = sum(math.exp(each.log_likelihood - best) for each in ranked)
    rows: list[list[Any]] = [
        [name, answer, 100 * weights[name, answer] / total, highest[name, answer]]
        for name, answers in questions.items()
        for answer in answers
        if (name, answer) in highest
    ]
    return Table(
        "What the published counts say",
        ("question", "answer", "weight, %", "log-likelihood of the best"),
        rows,
        "Of the readings that were played at full size; the weight is the share of their"
        " likelihood, if all were equally probable before.",
    )


def make_readings_table(context: Context, ranked: Sequence[RankedReading]) -> Table:
    """The best readings with their means."""
    names = list(context.published["questions"])
    return Table(
        "Readings of the paper",
        (*names, *(f"{name}, %" for name in OPPONENTS), "log-likelihood"),
        [
            [*each.reading.settings.values(), *compute_means(each).values(), each.log_likelihood]
            for each in ranked[:MAX_TABLE]
        ],
        "Mean share of wins against each heuristic over the fourteen distinct settings of Tables 2"
        " to 5, and the logarithm of the probability of the published counts.",
    )


def make_settings_table(published: Cells, best: RankedReading) -> Table:
    """Published and measured wins of each setting under the best reading."""
    return Table(
        "Wins under the best reading",
        ("opponent", "options", "published, %", "measured, %"),
        [
            [*each, 100 * counts[0] / sum(counts), compute_percentage(best.tallies[each])]
            for each, counts in published.items()
        ],
        "The published ones are of 100 games each, so their standard error is about 5.",
    )


def make_networks_table(context: Context, readings: Sequence[Reading], published: Cells) -> Table:
    """The best readings again with other networks, trained by the same plan."""
    rows: list[list[Any]] = []
    for reading in readings[: context.setting("compared")]:
        found = [
            measure(context, reading, published, context.setting("network_games"), path)
            for path in list_networks(context)
        ]
        rows.append([describe(reading), *(each.log_likelihood for each in found)])
    numbers = range(1, context.setting("networks") + 1)
    return Table(
        "The best readings with other networks",
        ("reading", *(f"network {number}" for number in numbers)),
        rows,
        "Log-likelihood with networks that were trained anew on 430 games each: the order of"
        " readings should not depend on the network.",
    )


def list_networks(context: Context) -> list[str]:
    """Return files of independently trained networks."""
    numbers = range(context.setting("networks"))
    plans = [PatternConfig(seed=context.seed_for("network", number)) for number in numbers]
    return [
        str(get_trained_network(context, plan, str(number))) for number, plan in enumerate(plans)
    ]


def describe(reading: Reading) -> str:
    return "; ".join(f"{name}: {answer}" for name, answer in reading.answers)
