"""The conventional program as a player."""

from typing import Any, ClassVar

from ludus._native import gammon
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.games.backgammon.view import View
from ludus.players.tool.facts import has_contact
from ludus.players.tool.rows import ends, view_of_row
from ludus.players.tool.terms import CONTACT_WEIGHTS, RACE_WEIGHTS, terms

MENTIONED = 2
"""How many terms the comment names."""


class ToolPlayer(Player):
    """Plays the move after which the weighted sum of its terms is highest."""

    title: ClassVar[str] = "a conventional backgammon program: 17 weighted terms, no look-ahead"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        after = ends(position)
        scores = gammon.tool_scores(after)
        best = int(scores.argmax())
        comment = _reason(view_of_row(after[best]), view_of_row(after[int(scores.argmin())]))
        return Choice(legal[best], comment, dict(zip(legal, scores.tolist(), strict=True)))


def _reason(best: View, worst: View) -> str:
    """The terms that speak most for the best move against the worst one."""
    weights = CONTACT_WEIGHTS if has_contact(best) else RACE_WEIGHTS
    good, bad = terms(best), terms(worst)
    gains = {name: weights[name] * (good[name] - bad[name]) for name in weights}
    names = sorted(gains, key=lambda name: -gains[name])[:MENTIONED]
    return "likes " + ", ".join(f"{name} {gains[name]:+.2f}" for name in names if gains[name] > 0)
