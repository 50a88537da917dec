"""The conventional backgammon player `tool`: 17 hand-weighted terms, no look-ahead.

The reference implementation of native/core/gammon/tool.hpp.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ludus.core.game import AnyGame
from ludus.core.player import Choice, Limit, Player
from ludus.games.backgammon.batch import generate_afterstates, row_to_view
from ludus.games.backgammon.board import OFF, View
from ludus.games.backgammon.position import Position as BackgammonPosition
from ludus.games.backgammon.rules import check_cubeless
from ludus.players.backgammon_features import (
    compute_board_features,
    compute_pips_at_risk,
    count_builders,
    count_crossovers,
    count_home_gaps,
    count_stacked_men,
    has_contact,
)

POINT_VALUES: Final[Mapping[int, float]] = MappingProxyType(
    {1: 0.2, 2: 0.35, 3: 0.55, 4: 0.85, 5: 1.0, 6: 0.9}
    | {7: 0.8, 8: 0.5, 9: 0.3, 10: 0.25, 11: 0.2, 12: 0.2}
    | {13: 0.3, 14: 0.1, 15: 0.15, 16: 0.2, 17: 0.2, 18: 0.3}
    | {19: 0.3, 20: 0.9, 21: 0.8, 22: 0.55, 23: 0.3, 24: 0.2}
)
"""The value of holding each point."""

CONTACT_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "race": 1.0,
        "exposure": -0.5,
        "risk": -1.6,
        "home": 0.9,
        "points": 1.2,
        "prime": 0.6,
        "blockade": 0.9,
        "escape": 0.5,
        "anchor": 0.25,
        "back_men": -0.5,
        "closing_out": 1.3,
        "trapped": 0.25,
        "chances": 0.5,
        "builders": 0.5,
        "stacked": -0.5,
        "off": 0.8,
        "waste": -0.2,
    }
)
RACE_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {name: {"race": 1.0, "off": 3.0, "waste": -0.6}.get(name, 0.0) for name in CONTACT_WEIGHTS}
)


def compute_terms(end: View) -> dict[str, float]:
    """Compute the terms of a board after a move, by name, for the side that has moved.

    A term lies roughly between 0 and 1. It has one weight while there is contact and another in a
    race.
    """
    found = compute_board_features(end)
    return {
        # Pips ahead.
        "race": min(max((found.their_pips - found.own_pips) / 100, -1.5), 1.5),
        # Probability that a blot is hit, and the expected loss of pips.
        "exposure": found.own_blot_shots.any / 36,
        "risk": compute_pips_at_risk(found.own_blot_shots) / 25,
        # Points made: in the home board, anywhere weighted by value, and consecutive.
        "home": found.home_points / 6,
        "points": sum(POINT_VALUES[point] for point in POINT_VALUES if end.own[point] > 1) / 5,
        "prime": max(found.own_prime - 2, 0) / 4,
        # How hard their rearmost man escapes, and how easily the own one.
        "blockade": 1 - found.their_escapes / 24,
        "escape": found.own_escapes / 24,
        # Own men in their home board: a safe point there, and the men still to bring home.
        "anchor": float(found.anchors > 0),
        "back_men": found.num_own_back_men / 4,
        # Their men on the bar against a strong home board, and their men still behind.
        "closing_out": min(end.other[OFF], 2) * found.home_points / 12,
        "trapped": found.num_their_back_men / 4,
        # Probability of a hit by the next own roll.
        "chances": found.their_blot_shots.any / 36,
        # Men that can make points, and stacked men.
        "builders": count_builders(end) / 8,
        "stacked": count_stacked_men(end) / 8,
        # Men borne off, and pips wasted in bearing off.
        "off": end.own[OFF] / 15,
        "waste": (count_home_gaps(end) + end.own[1] + end.own[2]) / 15 + count_crossovers(end) / 30,
    }


def evaluate_board(end: View) -> float:
    """Return the weighted sum of the terms of a board after a move."""
    weights = CONTACT_WEIGHTS if compute_board_features(end).has_contact else RACE_WEIGHTS
    return sum(weights[name] * value for name, value in compute_terms(end).items())


NUM_MENTIONED_TERMS = 2
"""Number of terms named in the comment."""


class ToolPlayer(Player):
    """Plays the move after which the weighted sum of its terms is highest."""

    title: ClassVar[str] = "a conventional backgammon program: 17 weighted terms, no look-ahead"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    def __init__(self, game: AnyGame, settings: Any, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_cubeless(game.rules, "tool")

    def choose(self, position: BackgammonPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        after = generate_afterstates(position)
        from ludus._native import gammon

        scores = gammon.tool_scores(after)
        best = int(scores.argmax())
        comment = _explain_choice(
            row_to_view(after[best]), row_to_view(after[int(scores.argmin())])
        )
        return Choice(legal[best], comment, dict(zip(legal, scores.tolist(), strict=True)))


def _explain_choice(best: View, worst: View) -> str:
    """Name the terms that favour the best move most over the worst one."""
    weights = CONTACT_WEIGHTS if has_contact(best) else RACE_WEIGHTS
    good, bad = compute_terms(best), compute_terms(worst)
    gains = {name: weights[name] * (good[name] - bad[name]) for name in weights}
    names = sorted(gains, key=lambda name: -gains[name])[:NUM_MENTIONED_TERMS]
    return "likes " + ", ".join(f"{name} {gains[name]:+.2f}" for name in names if gains[name] > 0)
