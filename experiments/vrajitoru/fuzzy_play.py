"""Matches of the Fuzzy player with some options against a heuristic."""

from ludus.reproduce import Context, MatchTally

GAME, RULES = "nine_mens_morris", "vrajitoru"
OPPONENTS = ("newbie", "basic", "focused")

Condition = tuple[str, str]
"""Opponent, and options of the Fuzzy player."""


def play_matches(context: Context, opponent: str, options: str, games: int = 0) -> MatchTally:
    """Play the number of games of the size, or as many as given."""
    spec = f"fuzzy:{options}" if options else "fuzzy"
    return context.matches(GAME, spec, opponent, games or context.setting("games"), rules=RULES)


def compute_percentage(tally: MatchTally) -> float:
    return 100 * tally.wins[0] / tally.games


def join_options(options: str, extra: str) -> str:
    """Options with others added; what both name is as the later ones say."""
    pairs = dict(part.split("=") for part in f"{options},{extra}".split(",") if part)
    return ",".join(f"{key}={value}" for key, value in pairs.items())
