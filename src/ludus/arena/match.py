"""A match of two players: its games as jobs, or thousands of games a second in compiled code."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from ludus.arena.executors import find_player, is_from_main
from ludus.arena.jobs import GameConditions, Job, JobKey, PlayerCache, play_job
from ludus.arena.progress import Track, track_playing
from ludus.arena.tournament import MAX_GAMES
from ludus.core.errors import BadArgument, BadSpec
from ludus.core.executors import LocalProcesses
from ludus.core.files import atomic_file
from ludus.core.game import AnyGame, GameTally, Position
from ludus.core.html import format_panel, format_table
from ludus.core.match import MAX_PLIES, MatchTally, PlayedGame
from ludus.core.player import Limit, Player, check_seed
from ludus.core.processes import count_cores
from ludus.core.record import Record
from ludus.core.spec import check_range, parse_spec
from ludus.core.statistics import WinComparison, compare_wins
from ludus.games import resolve_game
from ludus.players import find_player_class
from ludus.players import player as named_player

GAMES_PER_CALL = 20_000
"""Games per call of compiled code; between calls progress is shown and Ctrl-C is handled."""


SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True, repr=False)
class MatchResult:
    """The games of a match and their score."""

    game: AnyGame
    players: tuple[str, str]
    """Specs of the first and the second player."""

    score: MatchTally
    records: tuple[PlayedGame, ...]
    """Every game, in order; none of compiled games."""

    compiled: bool = False
    """Whether the games were played in compiled code."""

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
        """Return the games won by each player, the ends, and whether the difference is chance."""
        p_value = self.comparison.p_value
        verdict = "no more than chance" if p_value >= SIGNIFICANCE_LEVEL else "more than chance"
        width = max(map(len, (*self.players, "draws")))
        digits = len(str(self.score.games))
        counts = zip((*self.players, "draws"), self.score.counts, strict=True)
        ends = [f"{reason} {count}" for reason, count in self.score.rank_reasons().items()]
        return "\n".join(
            [
                *(f"{name:{width}}  {count:>{digits}}" for name, count in counts),
                f"{'ends':{width}}  {', '.join(ends)}",
                f"the difference is {verdict} (p = {p_value:.2g})",
            ]
        )

    def __repr__(self) -> str:
        first, second = self.players
        wins, draws = f"{self.wins[0]}:{self.wins[1]}", self.draws
        return f"<MatchResult of {self.game.id}: {first} {wins} {second}, {draws} draws>"

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
    compiled: bool = False,
    record: Path | str | TextIO | None = None,
    keep_records: bool = True,
    stop_at_interrupt: bool = False,
    track: Track = track_playing,
) -> MatchResult:
    """Play a match of two players and count the wins; equal seeds give equal games.

    The games are those of `ludus match`. By default both begin in turn; with `alternate=False` the
    first player always does. `jobs` is the number of processes, 0 for one per core; with more than
    one, players are given by specs. `compiled` plays in compiled code, far faster: other games for
    a seed, of players that have a compiled twin, without records or limits.

    The games are written to `record`, a file that is named or open. With `stop_at_interrupt` Ctrl-C
    ends the match after a whole game, if there is one.

    >>> found = match("hexapawn", "perfect", "random", games=10, seed=1)
    >>> found.wins[0] > found.wins[1], len(found.records)
    (True, 10)
    """
    chosen = resolve_game(game)
    check_range("games", games, 1, MAX_GAMES)
    check_seed(seed)
    players = find_player(first, chosen), find_player(second, chosen)
    if players[0] is players[1]:
        raise BadArgument(f"{first!r} cannot play against itself; make a second player")
    specs = players[0].spec, players[1].spec
    if compiled:
        if record is not None or start is not None or limit != Limit():
            raise BadSpec("compiled games have no record, no limits, and begin at the start")
        plays = _play_compiled_match(chosen, specs, games, seed, alternate, max_plies, track)
        return MatchResult(chosen, specs, _sum(plays, stop_at_interrupt), (), True)
    conditions = GameConditions(
        chosen.id, chosen.format_rules(chosen.rules), limit, max_plies=max_plies
    )
    position = "" if start is None else str(start)
    schedule = _schedule(conditions, specs, games, seed, alternate, position)
    score, records = MatchTally(), []
    with ExitStack() as stack:
        if isinstance(record, str | Path):
            record = stack.enter_context(atomic_file(Path(record)))
        if jobs != 1 and not (isinstance(first, str) and isinstance(second, str)):
            raise BadArgument("several processes need players by specs; jobs=1 takes objects")
        if jobs == 1 or is_from_main(chosen, specs):
            given = PlayerCache(chosen, {(specs[n], n): players[n] for n in (0, 1)})
            played: Iterator[PlayedGame] = (play_job(job, given) for job in schedule)
        else:
            pool = stack.enter_context(LocalProcesses(jobs or count_cores()))
            played = pool.map(play_job, schedule)
        try:
            for number, each in enumerate(track(played, games)):
                text = "" if record is None else _format_record(each, chosen, number + 1)
                if keep_records:
                    records.append(each)
                winner, reason = each.outcome.winner, each.outcome.reason
                if winner is not None and alternate and number % 2 == 1:
                    winner = 1 - winner
                score.add(winner, reason, len(each.moves))
                # Last: an interruption while it is written comes when it is in the file.
                if record is not None:
                    record.write(text)
        except KeyboardInterrupt:
            if not (stop_at_interrupt and score.games):
                raise
    return MatchResult(chosen, specs, score, tuple(records))


def _schedule(
    conditions: GameConditions,
    players: tuple[str, str],
    games: int,
    seed: int,
    alternate: bool,
    start: str,
) -> Iterator[Job]:
    seeds = random.Random(seed)
    for number in range(games):
        yield Job(
            JobKey("match", *players, number),
            conditions,
            is_swapped=alternate and number % 2 == 1,
            start=start,
            own_seed=seeds.getrandbits(62),
        )


def _format_record(played: PlayedGame, game: AnyGame, number: int) -> str:
    record = Record.from_game(played, game)
    return f"{replace(record, headers={'Round': str(number), **record.headers})}\n\n"


def play_compiled_games(
    game: AnyGame, players: tuple[str, str], games: int, seed: int, threads: int, max_plies: int
) -> GameTally | None:
    """Play games in compiled code; None if the game or one of the players is not compiled."""
    kinds = (find_player_class(parse_spec(spec))[0] for spec in players)
    # Most players have no compiled twin, and to create one can take long.
    if any(kind.native_twin is Player.native_twin for kind in kinds):
        return None
    first, second = (named_player(spec, game).native_twin() for spec in players)
    if first is None or second is None:
        return None
    return game.play_native_games((first, second), games, seed, threads, max_plies)


def _play_compiled_match(
    game: AnyGame,
    players: tuple[str, str],
    games: int,
    seed: int,
    alternate: bool,
    max_plies: int,
    track: Track,
) -> Iterator[MatchTally]:
    """Yield the results of parts of the match, begun by both players in turn."""
    seeds = random.Random(seed)
    parts = [(*part, seeds.getrandbits(62)) for part in _split_games(games, alternate)]
    halves = [[part for part in parts if part[0] is is_swapped] for is_swapped in (False, True)]
    in_turn = [part for pair in zip_longest(*halves) for part in pair if part is not None]
    for is_swapped, num_games, own_seed in track(iter(in_turn), len(parts)):
        sides = (players[1], players[0]) if is_swapped else players
        tally = play_compiled_games(game, sides, num_games, own_seed, count_cores(), max_plies)
        if tally is None:
            raise BadSpec(f"{players[0]} and {players[1]} have no compiled games of {game.id}")
        yield MatchTally.from_compiled(tally, is_swapped)


def _split_games(games: int, is_alternating: bool) -> Iterator[tuple[bool, int]]:
    """Yield (whether the second player begins, number of games) for each call.

    If alternating, the first player begins in half of all games, rounded up.
    """
    begun = (games + 1) // 2 if is_alternating else games
    for is_swapped, total in ((False, begun), (True, games - begun)):
        for first in range(0, total, GAMES_PER_CALL):
            yield is_swapped, min(GAMES_PER_CALL, total - first)


def _sum(tallies: Iterator[MatchTally], stop_at_interrupt: bool) -> MatchTally:
    score = MatchTally()
    try:
        for each in tallies:
            score += each
    except KeyboardInterrupt:
        if not (stop_at_interrupt and score.games):
            raise
    return score
