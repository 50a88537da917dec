"""One call for each thing that people do: a match, a tournament, regret, an analysis.

Games and players are objects or specs. Specs are played in worker processes; a player that is
given as an object, such as one of a class in a notebook, plays in this process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import overload

from ludus.analysis.analyst import Analyst
from ludus.analysis.evaluation import PositionAnalysis
from ludus.analysis.review import GameReview, review_game
from ludus.arena.executors import Executor, LocalPool, ThisProcess
from ludus.arena.job_runner import PlayerCache
from ludus.arena.jobs import GameConditions, StartPositions
from ludus.arena.match_pool import MatchGame, play_here, play_in_parallel, schedule_games
from ludus.arena.progress import track_in_notebook
from ludus.arena.regret import RegretSchedule, RegretStatistics, measure_regret
from ludus.arena.report import TournamentReport, run_tournament
from ludus.arena.result_store import ResultStore
from ludus.arena.tournament import Starter, Tournament, TournamentFormat
from ludus.core.errors import BadArgument, BadSpec, quote_value
from ludus.core.game import AnyGame, Position
from ludus.core.html import format_panel, format_table
from ludus.core.match import MAX_PLIES, MatchTally, PlayedGame
from ludus.core.player import Limit, Player, check_decision, check_seed
from ludus.core.processes import count_cores
from ludus.core.record import Record
from ludus.core.spec import check_range
from ludus.core.statistics import WinComparison, compare_wins
from ludus.games import resolve_game
from ludus.oracles import Oracle
from ludus.players import player as named_player

MAX_GAMES = 10_000_000


@dataclass(frozen=True)
class MatchResult:
    """The games of a match and their score."""

    game: AnyGame
    players: tuple[str, str]
    """Specs of the first and the second player."""

    score: MatchTally
    records: tuple[PlayedGame, ...]
    """Every game, in order."""

    @property
    def wins(self) -> tuple[int, int]:
        """Games won by the first and by the second player."""
        return self.score.wins[0], self.score.wins[1]

    @property
    def draws(self) -> int:
        return self.score.draws

    @property
    def comparison(self) -> WinComparison:
        """The exact binomial test whether the players are equally strong."""
        return compare_wins(*self.wins)

    def __str__(self) -> str:
        first, second = self.players
        return (
            f"{first} {self.wins[0]}, {second} {self.wins[1]}, draws {self.draws} "
            f"(p = {self.comparison.p_value:.2g})"
        )

    def _repr_html_(self) -> str:
        rows = zip((*self.players, "draws"), self.score.counts, strict=True)
        ends = self.score.rank_reasons().items()
        return format_panel(
            f"{self.game.title}, {self.score.games} games, p = {self.comparison.p_value:.2g}",
            format_table(("player", "won"), rows),
            format_table(("end", "games"), ends),
        )


def match(
    game: AnyGame | str,
    first: Player | str,
    second: Player | str,
    *,
    games: int = 100,
    seed: int = 0,
    alternate: bool = True,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    start: Position | str | None = None,
    max_plies: int = MAX_PLIES,
    jobs: int = 1,
) -> MatchResult:
    """Play a match of two players and count the wins; equal seeds give equal games.

    The games are those of `ludus match --one-by-one`. By default both begin in turn; with
    `alternate=False` the first player always does. `jobs` is the number of processes, 0 for one
    per core; with more than one, players are given by specs.

    >>> found = match("hexapawn", "perfect", "random", games=10, seed=1)
    >>> found.wins[0] > found.wins[1], len(found.records)
    (True, 10)
    """
    chosen = resolve_game(game)
    check_range("games", games, 1, MAX_GAMES)
    check_seed(seed)
    players = _find_player(first, chosen), _find_player(second, chosen)
    if players[0] is players[1]:
        raise BadArgument(f"{first!r} cannot play against itself; make a second player")
    position = _find_position(chosen, start)
    schedule = schedule_games(games, seed, alternate)
    if jobs == 1:
        played = play_here(chosen, players, schedule, limit, position, max_plies)
    else:
        if not (isinstance(first, str) and isinstance(second, str)):
            raise BadArgument("several processes need players by specs; jobs=1 takes objects")
        rules = chosen.format_rules(chosen.rules)
        task = MatchGame(chosen.id, rules, (first, second), 0, limit, str(position), max_plies)
        played = play_in_parallel(task, schedule, jobs or count_cores())
    score, records = MatchTally(), []
    for is_swapped, record in track_in_notebook(played, games, "playing"):
        winner = record.outcome.winner
        score.add(
            None if winner is None else winner ^ is_swapped,
            record.outcome.reason,
            len(record.moves),
        )
        records.append(record)
    return MatchResult(chosen, (players[0].spec, players[1].spec), score, tuple(records))


def tournament(
    game: AnyGame | str,
    players: Sequence[Player | str],
    *,
    games: int = 100,
    seed: int = 0,
    format: TournamentFormat = "round_robin",  # noqa: A002 - the name in tournament files
    starter: Starter = "alternate",
    random_plies: int = 0,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    store: Path | str | None = None,
    anchor: str | None = None,
    jobs: int = 0,
) -> TournamentReport:
    """Play a tournament and return its standings and ratings.

    `games` is the number for each pair. Games are kept in the SQLite file `store`, if one is named:
    the same call resumes after an interruption, and more games or players add to it. `jobs` is the
    number of processes, 0 for one per core. `ludus.read_tournament` reads a tournament from a file.

    >>> tournament("hexapawn", ["perfect", "random"], games=10).ranking
    ['perfect', 'random']
    """
    chosen = resolve_game(game)
    if isinstance(players, str):
        raise BadSpec(f"players is a list of players, not {quote_value(players)}")
    specs, objects = _split_players(players, chosen)
    conditions = GameConditions(chosen.id, chosen.format_rules(chosen.rules), limit)
    starts = StartPositions(random_plies=random_plies)
    plan = Tournament(conditions, tuple(specs), games, seed, format, starter, starts)
    for spec in specs:
        starts.check_player(objects.get(spec) or named_player(spec, chosen), seed)
    track = partial(track_in_notebook, label="playing")
    executor = _make_executor(chosen, objects, jobs)
    if store is None:
        return run_tournament(plan, executor, anchor=anchor, track=track)
    with ResultStore(Path(store)) as kept:
        return run_tournament(plan, executor, kept, anchor=anchor, track=track)


def regret(
    game: AnyGame | str,
    player: Player | str,
    *,
    opponent: Player | str = "perfect",
    games: int = 100,
    seed: int = 0,
    alternate: bool = True,
    random_plies: int = 0,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    oracle: Oracle | None = None,
    jobs: int = 0,
) -> RegretStatistics:
    """Play games and compare every move of a player with perfect play.

    The games are those of `ludus regret` with the same seed. `oracle` is by default the one that
    `ludus.oracle` finds; `jobs` is the number of processes, 0 for one per core.

    >>> regret("noughts_and_crosses", "perfect", games=4).mean
    0.0
    """
    chosen = resolve_game(game)
    [spec, other], objects = _split_players((player, opponent), chosen)
    starts = StartPositions(random_plies=random_plies)
    for each in (spec, other):
        starts.check_player(objects.get(each) or named_player(each, chosen), seed)
    conditions = GameConditions(chosen.id, chosen.format_rules(chosen.rules), limit)
    check_range("games", games, 1, MAX_GAMES)
    plan = RegretSchedule(conditions, spec, other, games, seed, starts, alternate)
    track = partial(track_in_notebook, label="playing")
    return measure_regret(plan, oracle, _make_executor(chosen, objects, jobs), track=track)


@overload
def analyse(
    game: AnyGame | str, what: Record | PlayedGame, *, oracle: Oracle | None = None
) -> GameReview: ...
@overload
def analyse(
    game: AnyGame | str, what: Position | str, *, oracle: Oracle | None = None
) -> PositionAnalysis: ...
def analyse(
    game: AnyGame | str,
    what: Position | str | Record | PlayedGame,
    *,
    oracle: Oracle | None = None,
) -> PositionAnalysis | GameReview:
    """Evaluate every move of a position, or review a played game.

    Values are exact where the oracle has them, otherwise from the game's best analysts; each says
    which it is. A position may be given as text.

    >>> found = analyse("noughts_and_crosses", "XX./OO./... x")
    >>> str(found.best.move), found.best.evaluation.result
    ('c3', 'win')
    """
    chosen = resolve_game(game)
    analyst = Analyst(chosen, oracle)
    if isinstance(what, PlayedGame):
        what = Record.from_game(what, chosen)
    if isinstance(what, Record):
        positions = what.replay(chosen)
        nodes = zip(positions, what.line.moves, strict=False)
        moves = [chosen.parse_move(node.move, position) for position, node in nodes]
        return review_game(chosen, analyst, positions, moves)
    position = _find_position(chosen, what)
    check_decision(position)
    return replace(analyst.analyse(position), position=position)


def _make_executor(game: AnyGame, objects: Mapping[str, Player], jobs: int) -> Executor:
    """Return worker processes, unless they could not import the game or a player."""
    if objects or type(game).__module__ == "__main__":
        given = {(spec, number): each for spec, each in objects.items() for number in (0, 1)}
        return ThisProcess(PlayerCache(players=given))
    return LocalPool(jobs or count_cores())


def _find_player(player: Player | str, game: AnyGame) -> Player:
    if isinstance(player, str):
        return named_player(player, game)
    if player.game.id != game.id or player.game.rules != game.rules:
        raise BadArgument(f"{player!r} cannot play {game!r}; make it for that game")
    return player


def _split_players(
    players: Sequence[Player | str], game: AnyGame
) -> tuple[list[str], dict[str, Player]]:
    """Return the specs of all players, and those that are given as objects, by their specs."""
    objects: dict[str, Player] = {}
    specs = []
    for each in players:
        if isinstance(each, str):
            specs.append(each.strip())
            continue
        spec = _find_player(each, game).spec
        if objects.setdefault(spec, each) is not each:
            raise BadArgument(f"two players have the spec {spec}; give them different ones")
        specs.append(spec)
    return specs, objects


def _find_position(game: AnyGame, position: Position | str | None) -> Position:
    if position is None:
        return game.start()  # type: ignore[no-any-return]
    if isinstance(position, str):
        return game.parse(position)  # type: ignore[no-any-return]
    return position
