"""Which of the paper's conclusions hold in our games, under a reading of the player."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.reproduce import Conclusion, MatchTally, Proportion, compute_difference_interval

from .fuzzy_matches import OPPONENTS, Condition

Tallies = Mapping[Condition, MatchTally]


def draw_conclusions(
    claims: list[Mapping[str, Any]], tallies: Tallies, reading: str
) -> Iterator[Conclusion]:
    """Decide each claim of the TOML file.

    A claim has either `better` and `than`, settings compared against each of its `opponents`, or
    `settings` and `above`, the percentage of wins that each of them exceeds. It holds if every
    comparison is significant (95%), fails if one is significant the other way, and is otherwise
    open.
    """
    for claim in claims:
        opponents = claim.get("opponents", OPPONENTS)
        compared = list(
            _compare_settings(claim, tallies, opponents)
            if "better" in claim
            else _compare_with_percentage(claim, tallies, opponents)
        )
        lowest = min(low for _, low, _ in compared)
        is_refuted = any(high < 0 for *_, high in compared)
        holds = True if lowest > 0 else False if is_refuted else None
        evidence = "; ".join(text for text, *_ in compared)
        yield Conclusion(f"{reading}: {claim['text']}", holds, f"{evidence}.")


def _compare_settings(
    claim: Mapping[str, Any], tallies: Tallies, opponents: list[str]
) -> Iterator[tuple[str, float, float]]:
    for opponent in opponents:
        ours = _get_wins(tallies, opponent, claim["better"])
        for options in claim["than"]:
            other = _get_wins(tallies, opponent, options)
            low, high = compute_difference_interval(
                ours.value, ours.interval, other.value, other.interval
            )
            text = f"{opponent} {100 * ours.value:.1f} to {100 * other.value:.1f}% for {options}"
            yield text, low, high


def _compare_with_percentage(
    claim: Mapping[str, Any], tallies: Tallies, opponents: list[str]
) -> Iterator[tuple[str, float, float]]:
    for opponent in opponents:
        for options in claim["settings"]:
            wins = _get_wins(tallies, opponent, options)
            low, high = wins.interval
            limit = claim["above"] / 100
            yield f"{opponent} {100 * wins.value:.1f}% with {options}", low - limit, high - limit


def _get_wins(tallies: Tallies, opponent: str, options: str) -> Proportion:
    tally = tallies[opponent, options]
    return Proportion(tally.wins[0], tally.games)
