"""Games played in compiled code, compared with matches of the players they stand for."""

from collections.abc import Mapping, Sequence
from typing import Any


def check_like_matches(many: Mapping[str, Any], few: Sequence[Any]) -> None:
    """Proportions of wins and the mean length agree within four standard errors of the matches."""
    lengths = [len(match.moves) for match in few]
    mean = sum(lengths) / len(few)
    error = (sum((length - mean) ** 2 for length in lengths)) ** 0.5 / len(few)
    assert abs(many["plies"] / many["games"] - mean) < 4 * error
    for side in (0, 1):
        share = many["wins"][side] / many["games"]
        found = sum(match.outcome.winner == side for match in few) / len(few)
        assert abs(found - share) < 4 * (share * (1 - share) / len(few)) ** 0.5
