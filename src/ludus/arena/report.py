"""A tournament's results put together: standings, ratings and tests, ready to be written."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ludus.arena.binomial import Comparison, compare
from ludus.arena.jobs import GameResult
from ludus.arena.ratings import Rating, ratings
from ludus.arena.standings import THESIS_WORDS, Standings, standings
from ludus.arena.tournament import Tournament
from ludus.core.game import AnyGame
from ludus.games import game as named_game


@dataclass(frozen=True)
class Report:
    """Everything a table of a tournament shows."""

    tournament: Tournament
    standings: Standings
    ratings: dict[str, Rating]
    tests: dict[tuple[str, str], Comparison]

    @property
    def game(self) -> AnyGame:
        return named_game(self.tournament.conditions.game, self.tournament.conditions.rules)

    @property
    def ranking(self) -> list[str]:
        """The players, the strongest first."""
        return sorted(self.tournament.players, key=lambda player: -self.ratings[player].elo)

    def as_json(self) -> dict[str, Any]:
        """The report as an object for programs."""
        found = self.standings
        return {
            "tournament": self.tournament.id,
            "name": self.tournament.name,
            "game": self.game.id,
            "rules": asdict(self.game.rules),
            "games": found.games,
            "reasons": dict(found.reasons.most_common()),
            "players": [self._player(player) for player in self.ranking],
            "pairs": [
                {
                    "players": list(players),
                    "games": pair.games,
                    "wins": pair.wins,
                    "draws": pair.draws,
                    "reasons": dict(pair.reasons.most_common()),
                    "p_value": self.tests[players].p_value,
                    "share": self.tests[players].share,
                    "interval": list(self.tests[players].interval),
                }
                for players, pair in found.pairs.items()
            ],
            "failures": [
                {"player": player, "message": message, "games": count}
                for (player, message), count in found.messages.most_common()
            ],
        }

    def _player(self, player: str) -> dict[str, Any]:
        line, rating = self.standings.lines[player], self.ratings[player]
        return {
            "player": player,
            "games": line.games,
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
            "score": round(line.score, 6),
            "elo": round(rating.elo, 2),
            "elo_standard_error": round(rating.error, 2),
            "elo_margin": round(rating.margin, 2),
            "faults": dict(line.faults),
        }

    def endings(self) -> list[str]:
        """How games ended, with the thesis's words where it has some for this game."""
        words = THESIS_WORDS if self.game.id == "nine_mens_morris" else {}
        return [
            f"{reason} ({words[reason]}) {count}" if reason in words else f"{reason} {count}"
            for reason, count in self.standings.reasons.most_common()
        ]


def report(
    tournament: Tournament, results: Iterable[GameResult], anchor: str | None = None
) -> Report:
    """Put the results together that have been played so far."""
    found = standings(tournament, results)
    scores = {
        players: (pair.wins[0], pair.draws, pair.wins[1]) for players, pair in found.pairs.items()
    }
    return Report(
        tournament,
        found,
        ratings(tournament.players, scores, anchor),
        {players: compare(*pair.wins) for players, pair in found.pairs.items()},
    )
