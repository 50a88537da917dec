"""Matches for experiments, in processes or in compiled code."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from ludus.arena.executors import Executor
from ludus.arena.jobs import GameConditions, GameResult, derive_seed
from ludus.arena.match import play_compiled_games
from ludus.arena.report import tournament as play_tournament
from ludus.arena.tournament import Tournament
from ludus.core.errors import LudusError
from ludus.core.match import MAX_PLIES, MatchTally
from ludus.core.player import Limit
from ludus.games import game as named_game
from ludus.players import player as named_player

MatchStarter = Literal["first", "second", "alternate"]
"""The player that begins: always the first, always the second, or both in turn, the first first."""


@dataclass(frozen=True, slots=True)
class Match:
    """A number of games between two players."""

    game: str
    first: str
    second: str
    games: int
    rules: str = ""
    starter: MatchStarter = "alternate"
    limit: Limit = Limit()  # noqa: RUF009 - frozen
    max_plies: int = MAX_PLIES
    seed: int = 0

    @property
    def key(self) -> str:
        """Everything that determines the games, as a text."""
        return f"{self.first} – {self.second} {asdict(self)}"


def check_match(match: Match) -> None:
    """Raise LudusError for a match that cannot be played, rather than lose every game."""
    if match.starter not in ("first", "second", "alternate"):
        raise LudusError(f"starter={match.starter!r:.40} must be first, second or alternate")
    if match.games < 1:
        raise LudusError(f"{match.games} games cannot be played")
    game = named_game(match.game, match.rules)
    for spec in (match.first, match.second):
        named_player(spec, game)


def play_compiled(match: Match, threads: int) -> MatchTally | None:
    """Play the match in compiled code; None if one of the players is not compiled."""
    total = MatchTally()
    for side, (num_games, is_swapped) in enumerate(_split_games(match)):
        if not num_games:
            continue
        players = (match.second, match.first) if is_swapped else (match.first, match.second)
        found = play_compiled_games(
            named_game(match.game, match.rules),
            players,
            num_games,
            derive_seed(match.key, side),
            threads,
            match.max_plies,
        )
        if found is None:
            return None
        total += MatchTally.from_compiled(found, is_swapped)
    return total


def _split_games(match: Match) -> Iterable[tuple[int, bool]]:
    """Return the numbers of games that the first and that the second player begins."""
    if match.starter == "alternate":
        return ((match.games + 1) // 2, False), (match.games // 2, True)
    return ((match.games, match.starter == "second"),)


def play_in_arena(
    match: Match, executor: Executor, folder: Path, report: Callable[[int, int, str], None]
) -> MatchTally:
    """Play the match as a tournament of two players, storing each game when it ends.

    `report` is called with the number of games played, the total and the names of the players.
    """
    is_swapped = match.starter == "second"
    players = (match.second, match.first) if is_swapped else (match.first, match.second)
    tournament = Tournament(
        GameConditions(match.game, match.rules, match.limit, max_plies=match.max_plies),
        players,
        match.games,
        match.seed,
        starter="alternate" if match.starter == "alternate" else "fixed",
        name=match.key,
    )

    def track(results: Iterable[GameResult], num_missing: int) -> Iterator[GameResult]:
        done, label = match.games - num_missing, f"{match.first} – {match.second}"
        report(done, match.games, label)
        for number, result in enumerate(results, done + 1):
            _check_fault(result)
            yield result
            report(number, match.games, label)

    file = folder / "games.sqlite"
    found = play_tournament(tournament, store=file, executor=executor, track=track)
    tally = found.standings.pairs[players]
    wins = tally.wins[::-1] if is_swapped else tally.wins
    return replace(tally, wins=wins, reasons=tally.rank_reasons())


def _check_fault(result: GameResult) -> None:
    """Raise LudusError for a game lost by a fault: it would falsify the table and is not stored."""
    if result.reason in ("crash", "illegal"):
        loser = result.key.second if result.winner == 0 else result.key.first
        raise LudusError(f"{loser} lost a game by {result.reason}: {result.message}")
