"""Run a tournament; standings, ratings and significance tests of its results."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ludus.arena.executors import Executor, choose_executor, split_players
from ludus.arena.jobs import (
    FAULT_REASONS,
    GameConditions,
    GameResult,
    Job,
    StartPositions,
)
from ludus.arena.progress import Track, track_playing
from ludus.arena.ratings import Rating, check_anchor, compute_ratings
from ludus.arena.result_store import ResultStore
from ludus.arena.tournament import Starter, Tournament, TournamentFormat
from ludus.core.errors import BadSpec, quote_value
from ludus.core.game import AnyGame
from ludus.core.html import format_panel, format_table
from ludus.core.match import MatchTally
from ludus.core.player import Limit, Player
from ludus.core.statistics import WinComparison, compare_wins
from ludus.core.text_table import Table, format_text_table
from ludus.games import game as named_game
from ludus.games import resolve_game
from ludus.players import player as named_player


@dataclass
class PlayerStanding:
    """Results of all games of one player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """Games lost by an illegal move, by time, or by a crash."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins plus half of the draws."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points as a proportion of the games."""
        return self.points / self.games if self.games else 0.0


@dataclass
class Standings:
    """Results of all pairs and players so far."""

    pairs: dict[tuple[str, str], MatchTally]
    lines: dict[str, PlayerStanding]
    messages: Counter[tuple[str, str]]
    """Number of faults by player and message."""

    @property
    def games(self) -> int:
        return sum(pair.games for pair in self.pairs.values())

    @property
    def reasons(self) -> Counter[str]:
        return sum((Counter(pair.reasons) for pair in self.pairs.values()), Counter[str]())


def compute_standings(tournament: Tournament, results: Iterable[GameResult]) -> Standings:
    """Count the results that belong to a tournament as it is scheduled now."""
    found = Standings(
        {pair: MatchTally() for pair in tournament.pairs()},
        {player: PlayerStanding() for player in tournament.players},
        Counter(),
    )
    for result in results:
        players = result.key.first, result.key.second
        if players not in found.pairs or result.key.number >= tournament.games:
            continue
        found.pairs[players].add(result.winner, result.reason, result.plies)
        for seat, player in enumerate(players):
            line = found.lines[player]
            if result.winner is None:
                line.draws += 1
            elif result.winner == seat:
                line.wins += 1
            else:
                line.losses += 1
                if result.reason in FAULT_REASONS:
                    line.faults[result.reason] += 1
                    found.messages[player, result.message] += 1
    return found


NUM_MESSAGES_SHOWN = 10


@dataclass(frozen=True, repr=False)
class TournamentReport:
    """Standings, ratings and tests of a tournament."""

    tournament: Tournament
    standings: Standings
    ratings: dict[str, Rating]
    tests: dict[tuple[str, str], WinComparison]

    @property
    def game(self) -> AnyGame:
        return named_game(self.tournament.conditions.game, self.tournament.conditions.rules)

    @property
    def ranking(self) -> list[str]:
        """The players, the strongest first."""
        return sorted(self.tournament.players, key=lambda player: -self.ratings[player].elo)

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON-compatible dictionary."""
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
                    "reasons": pair.rank_reasons(),
                    "p_value": self.tests[players].p_value,
                    "share": self.tests[players].proportion,
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

    def _tabulate(self) -> list[Table]:
        """Return standings, cross table and pairs, each as headings and rows."""
        ranking, standings = self.ranking, []
        for number, player in enumerate(ranking, 1):
            line, rating = self.standings.lines[player], self.ratings[player]
            faults = [f"{reason} {count}" for reason, count in line.faults.most_common()]
            standings.append(
                (
                    f"{number}. {player}",
                    str(line.games),
                    f"{line.wins}/{line.draws}/{line.losses}",
                    f"{line.score:.1%}",
                    f"{rating.elo:+.0f} ± {rating.margin:.0f}",
                    ", ".join(faults),
                )
            )
        points = [
            (f"{number}. {player}", *(self.format_points(player, other) for other in ranking))
            for number, player in enumerate(ranking, 1)
        ]
        pairs = [
            (
                f"{first} – {second}",
                f"{pair.wins[0]}:{pair.wins[1]}",
                _format_p_value(self.tests[first, second].p_value),
            )
            for (first, second), pair in self.standings.pairs.items()
        ]
        numbers = map(str, range(1, len(ranking) + 1))
        return [
            (("player", "games", "won/drawn/lost", "score", "Elo, 95%", "lost by"), standings),
            (("points of row against column", *numbers), points),
            (("pair", "won", "p, exact binomial test"), pairs),
        ]

    def format(self, width: int | None = None) -> str:
        """Return the tables, the ends and the faults as text of this width."""
        tables = [format_text_table(*table, width) for table in self._tabulate()]
        messages = self.standings.messages.most_common(NUM_MESSAGES_SHOWN)
        ends = f"{self.standings.games} games; ends: {', '.join(self.format_endings())}"
        faults = [
            f"{player} failed {count} times: {message}" for (player, message), count in messages
        ]
        return "\n\n".join([*tables, "\n".join([ends, *faults])])

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return (
            f"<TournamentReport of {self.game.id}: {self.standings.games} games, "
            f"{', '.join(self.ranking)}>"
        )

    def _repr_html_(self) -> str:
        """Return standings and cross table, which notebooks show."""
        standings, points, _ = self._tabulate()
        title = f"{self.game.title}, {self.standings.games} games"
        return format_panel(title, format_table(*standings), format_table(*points))

    def format_points(self, player: str, other: str) -> str:
        """Format the points of a player against another; a draw is half a point."""
        for seat, players in enumerate(((player, other), (other, player))):
            if pair := self.standings.pairs.get(players):
                return f"{pair.wins[seat] + pair.draws / 2:g}"
        return ""

    def format_endings(self) -> list[str]:
        """Return the counts of outcome reasons, with published terms where there are any."""
        terms = self.game.reason_terms
        return [
            f"{reason} ({terms[reason]}) {count}" if reason in terms else f"{reason} {count}"
            for reason, count in self.standings.reasons.most_common()
        ]


def _format_p_value(p_value: float) -> str:
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.1e}"


def make_report(
    tournament: Tournament, results: Iterable[GameResult], anchor: str | None = None
) -> TournamentReport:
    """Compute the report of the results so far."""
    found = compute_standings(tournament, results)
    scores = {
        players: (pair.wins[0], pair.draws, pair.wins[1]) for players, pair in found.pairs.items()
    }
    return TournamentReport(
        tournament,
        found,
        compute_ratings(tournament.players, scores, anchor),
        {players: compare_wins(*pair.wins) for players, pair in found.pairs.items()},
    )


def tournament(
    game: AnyGame | str | Tournament,
    players: Sequence[Player | str] = (),
    *,
    games: int = 100,
    seed: int = 0,
    format: TournamentFormat = "round_robin",  # noqa: A002 - the name in tournament files
    starter: Starter = "alternate",
    random_plies: int = 0,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    store: ResultStore | Path | str | None = None,
    anchor: str | None = None,
    jobs: int = 0,
    executor: Executor | None = None,
    track: Track = track_playing,
) -> TournamentReport:
    """Play a tournament, or the games that are missing, and return its standings and ratings.

    `games` is the number for each pair. A `Tournament`, such as `ludus.read_tournament` reads from
    a file, says all this itself. Games are kept in the SQLite file `store`, if one is named: the
    same call resumes after an interruption, and more games or players add to it. `anchor` is the
    player whose rating is 0, by default the mean of all. `jobs` is the number of worker processes,
    0 for one per core; with 1 the games are played in this process.

    >>> tournament("hexapawn", ["perfect", "random"], games=10).ranking
    ['perfect', 'random']
    """
    objects: dict[str, Player] = {}
    if isinstance(game, Tournament):
        plan, chosen = game, named_game(game.conditions.game, game.conditions.rules)
    else:
        chosen = resolve_game(game)
        if isinstance(players, str):
            raise BadSpec(f"players is a list of players, not {quote_value(players)}")
        specs, objects = split_players(players, chosen)
        conditions = GameConditions(chosen.id, chosen.format_rules(chosen.rules), limit)
        starts = StartPositions(random_plies=random_plies)
        plan = Tournament(conditions, tuple(specs), games, seed, format, starter, starts)
        for spec in specs:
            starts.check_player(objects.get(spec) or named_player(spec, chosen), seed)
    check_anchor(anchor, plan.players)
    with ExitStack() as stack:
        if not isinstance(store, ResultStore):
            store = stack.enter_context(ResultStore(store or ":memory:"))
        missing = list_missing_games(plan, store)
        if executor is None:
            executor = stack.enter_context(choose_executor(chosen, plan.players, objects, jobs))
        for result in track(executor.run(missing), len(missing)):
            store.add(result)
        return make_report(plan, store.results(plan.id), anchor)


def list_missing_games(tournament: Tournament, store: ResultStore) -> list[Job]:
    """Return the games of a tournament without a result in the store."""
    store.begin(tournament)
    stored = store.keys(tournament.id)
    return [job for job in tournament.schedule() if job.key not in stored]
