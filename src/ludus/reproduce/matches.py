"""Matches for experiments: compiled where both players are, in the arena's processes elsewhere."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Self

from ludus.arena.jobs import Conditions, GameResult, seed_of
from ludus.arena.run import Executor
from ludus.arena.store import Store
from ludus.arena.tournament import Tournament
from ludus.core.errors import LudusError
from ludus.core.limit import Limit
from ludus.core.match import MAX_PLIES
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.reproduce.compiled import compiled_games

Starter = Literal["first", "second", "alternate"]
"""Who begins: always the first player, always the second, or both in turn, the first one first."""

Report = Callable[[int, int], None]
"""Told how many games have been played, and of how many."""


@dataclass(frozen=True, slots=True)
class Match:
    """Some games between two players."""

    game: str
    first: str
    second: str
    games: int
    rules: str = ""
    starter: Starter = "alternate"
    limit: Limit = Limit()  # noqa: RUF009 - frozen
    max_plies: int = MAX_PLIES
    seed: int = 0

    @property
    def key(self) -> str:
        """Everything that decides about the games, as a text."""
        return f"{self.first} – {self.second} {asdict(self)}"


@dataclass(slots=True)
class Tally:
    """What some games came to, by player and not by side."""

    games: int = 0
    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    plies: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Self) -> "Tally":
        """The games of both."""
        return Tally(
            self.games + other.games,
            [mine + theirs for mine, theirs in zip(self.wins, other.wins, strict=True)],
            self.draws + other.draws,
            self.plies + other.plies,
            dict(Counter(self.reasons) + Counter(other.reasons)),
        )

    @property
    def counts(self) -> tuple[int, int, int]:
        """Games the first player won, the second player won, and nobody won."""
        return self.wins[0], self.wins[1], self.draws


def check(match: Match) -> None:
    """Better an error now than a loss in every game."""
    if match.starter not in ("first", "second", "alternate"):
        raise LudusError(f"starter={match.starter!r:.40} must be first, second or alternate")
    if match.games < 1:
        raise LudusError(f"{match.games} games cannot be played")
    game = named_game(match.game, match.rules)
    for spec in (match.first, match.second):
        named_player(spec, game)


def played_compiled(match: Match, threads: int) -> Tally | None:
    """The match played by compiled code; None if one of the players is not compiled."""
    if match.limit != Limit():
        return None
    total = Tally()
    for side, (share, is_swapped) in enumerate(_halves(match)):
        if not share:
            continue
        players = (match.second, match.first) if is_swapped else (match.first, match.second)
        found = compiled_games(
            named_game(match.game, match.rules),
            players,
            share,
            seed_of(match.key, side),
            threads,
            match.max_plies,
        )
        if found is None:
            return None
        wins = found["wins"][::-1] if is_swapped else found["wins"]
        total += Tally(share, list(wins), found["draws"], found["plies"], found["reasons"])
    return total


def _halves(match: Match) -> Iterable[tuple[int, bool]]:
    """Games in which the first player begins, and games in which the second one does."""
    if match.starter == "alternate":
        return ((match.games + 1) // 2, False), (match.games // 2, True)
    return ((match.games, match.starter == "second"),)


def played_in_arena(match: Match, executor: Executor, file: Path, report: Report) -> Tally:
    """The match as a tournament of two, whose games are kept in a file as they end."""
    is_swapped = match.starter == "second"
    players = (match.second, match.first) if is_swapped else (match.first, match.second)
    tournament = Tournament(
        Conditions(match.game, match.rules, match.limit, max_plies=match.max_plies),
        players,
        match.games,
        match.seed,
        starter="alternate" if match.starter == "alternate" else "fixed",
        name=match.key,
    )
    with Store(file) as store:
        store.begin(tournament)
        there = store.keys(tournament.id)
        missing = [job for job in tournament.schedule() if job.key not in there]
        done = match.games - len(missing)
        report(done, match.games)
        for number, result in enumerate(executor.run(missing), done + 1):
            _check_fault(result)
            store.add(result)
            report(number, match.games)
        pair = [r for r in store.results(tournament.id) if r.key[1:3] == players]
    return _tally(pair[: match.games], is_swapped)


def _check_fault(result: GameResult) -> None:
    """A table in which a player broke down says nothing; such a game is not even kept."""
    if result.reason in ("crash", "illegal"):
        loser = result.key.second if result.winner == 0 else result.key.first
        raise LudusError(f"{loser} lost a game by {result.reason}: {result.message}")


def _tally(results: Iterable[GameResult], is_swapped: bool) -> Tally:
    total, reasons = Tally(), Counter[str]()
    for result in results:
        total.games += 1
        total.plies += result.plies
        reasons[result.reason] += 1
        if result.winner is None:
            total.draws += 1
        else:
            total.wins[result.winner ^ is_swapped] += 1
    total.reasons = dict(reasons.most_common())
    return total
