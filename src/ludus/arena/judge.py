"""Games played elsewhere, with every move compared with the best one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludus.analysis import Evaluator, find_evaluator
from ludus.analysis.records import load_game, name_players
from ludus.arena.jobs import FAULT_REASONS
from ludus.arena.judge_drawing import PhaseBar, RegretCurve, draw_judgement
from ludus.arena.regret import JudgedMove, RegretStatistics, judge_record
from ludus.core.errors import BadRecord, LudusError
from ludus.core.files import quote_path
from ludus.core.game import AnyGame
from ludus.core.parquet import CATEGORY, TEXT_LIST, Column, make_schema, write_parquet
from ludus.core.record import RESULTS, Record
from ludus.core.text_table import Table, format_text_table
from ludus.games import resolve_game
from ludus.games.game_files import read_games
from ludus.oracles import Oracle
from ludus.oracles import oracle as find_oracle
from ludus.render.canvas import Drawing

FORMAT = "ludus judged moves"
VERSION = 1
"""Version of the columns."""

COLUMNS = (
    Column("file", "string", "name of the file"),
    Column("game", "int32", "number of the game in its file, from 1"),
    Column("ply", "int32", "number of the move in the game, from 0; rolls count"),
    Column("player", CATEGORY, "the player"),
    Column("side", CATEGORY, "its side"),
    Column("phase", CATEGORY, "phase of the game"),
    Column("position", "string", "the position before the move"),
    Column("move", "string", "the move"),
    Column("regret", "float64", "what it gives away; null if not solved", is_nullable=True),
    Column("critical", "bool", "whether some legal move gives something away"),
    Column("estimate", "bool", "whether an evaluator says so, and no table of exact values"),
    Column("best", TEXT_LIST, "the moves that keep the value"),
)


@dataclass(frozen=True, slots=True, repr=False)
class JudgedGame:
    """A game whose moves have been compared with the best ones."""

    file: str
    """Name of its file; empty for a record."""

    number: int
    """Number in its file, from 1."""

    record: Record
    players: tuple[str, str]
    sides: tuple[str, str]
    moves: tuple[JudgedMove, ...]

    @property
    def name(self) -> str:
        """The file and the number in it."""
        return f"{self.file} {self.number}".lstrip()

    @property
    def reason(self) -> str:
        """Why the game ended; empty if it is unfinished."""
        return self.record.headers.get("Reason", "")

    @property
    def fault(self) -> tuple[int, str] | None:
        """The side that lost by an illegal move, a timeout or a crash, and which of these."""
        if self.reason not in FAULT_REASONS or self.record.result not in RESULTS[:2]:
            return None
        return 1 - RESULTS.index(self.record.result), self.reason

    def list_moves(self, side: int) -> list[JudgedMove]:
        """Return the moves of a side."""
        return [each for each in self.moves if each.position.mover == side]

    def find_first_error(self, side: int) -> JudgedMove | None:
        """Return the first move of a side with positive regret."""
        return next((each for each in self.list_moves(side) if each.regret), None)

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "number": self.number,
            "players": dict(zip(self.sides, self.players, strict=True)),
            "result": self.record.result,
            "reason": self.reason,
            "plies": len(self.record.line.moves),
            "regret": {
                name: sum(each.regret or 0 for each in self.list_moves(side))
                for side, name in enumerate(self.sides)
            },
            "first_errors": {
                name: _error_to_json(self.find_first_error(side))
                for side, name in enumerate(self.sides)
            },
        }

    def __repr__(self) -> str:
        return f"<JudgedGame {self.name}: {' – '.join(self.players)}, {self.record.result}>"


def _error_to_json(move: JudgedMove | None) -> dict[str, Any] | None:
    error = None if move is None else move.error
    if move is None or error is None:
        return None
    return {"ply": move.ply, "phase": move.phase, **error._asdict(), "best": list(error.best)}


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """Regret of the players of some games; `print` shows it, `draw` draws it."""

    game: AnyGame
    """The game, with the rules of the first record."""

    games: tuple[JudgedGame, ...]
    players: dict[str, RegretStatistics]
    """What `ludus.regret` measures, by the name of the player."""

    notes: tuple[str, ...]
    """What is not exact or not known, and what to do about it."""

    def to_json(self) -> dict[str, Any]:
        return {
            "games": len(self.games),
            "moves": sum(each.total.moves for each in self.players.values()),
            "players": {name: found.to_json() for name, found in self.players.items()},
            "by_game": [each.to_json() for each in self.games],
            "notes": list(self.notes),
        }

    def format(self, width: int | None = None) -> str:
        """Return the tables and the notes as text of this width."""
        players = [
            (
                name,
                str(len(found.games)),
                "" if found.mean is None else f"{found.mean:.4f}",
                str(sum(found.faults.values()) or ""),
            )
            for name, found in self.players.items()
        ]
        phases = [
            (name, *row) for name, found in self.players.items() for row in found.tabulate()[0][1]
        ]
        errors = [
            (each.name, each.players[side], str(first.ply + 1), *_format_error(first))
            for each in self.games
            for side in (0, 1)
            for first in [each.find_first_error(side)]
            if first is not None
        ]
        phase_headings = next(iter(self.players.values())).tabulate()[0][0]
        tables: tuple[Table, ...] = (
            (("player", "games", "regret a game", "illegal"), players),
            (("player", *phase_headings), phases),
            (("game", "player", "ply", "first error in", "move", "regret", "best"), errors),
        )
        shown = [format_text_table(*each, width) for each in tables if each[1]]
        return "\n\n".join([*shown, *(["\n".join(self.notes)] if self.notes else [])])

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return f"<Judgement of {len(self.games)} games of {self.game.id}>"

    def draw(self) -> Drawing:
        """Draw the critical positions kept in each phase, and regret in the course of a game."""
        bars = [
            PhaseBar(name, phase, tally.critical, tally.critical_kept, tally.regret_per_move)
            for name, found in self.players.items()
            for phase, tally in found.ranked_phases
        ]
        title = f"{self.game.title}, {len(self.games)} game{'s' * (len(self.games) > 1)}"
        return draw_judgement(
            title, self._describe_values(), bars, [self._sum_regret(name) for name in self.players]
        )

    def _describe_values(self) -> str:
        totals = [each.total for each in self.players.values()]
        moves = sum(each.moves for each in totals)
        counts = {
            "not judged, beyond what is solved": sum(each.num_unevaluated for each in totals),
            "judged by estimates": sum(each.num_estimated for each in totals),
        }
        parts = [f"{count} of them {how}" for how, count in counts.items() if count]
        return ", ".join([f"{moves} moves", *(parts or ["all judged exactly"])])

    def _repr_svg_(self) -> str:
        """Return the picture, which notebooks show."""
        return self.draw().svg()

    def _sum_regret(self, name: str) -> RegretCurve:
        """Return a player's regret up to each of its moves, as the mean over its games."""
        played = [
            [each.regret or 0.0 for each in game.list_moves(side)]
            for game in self.games
            for side in (0, 1)
            if game.players[side] == name
        ]
        longest = max(map(len, played))
        total, points = 0.0, [0.0]
        for number in range(longest):
            total += sum(moves[number] for moves in played if number < len(moves))
            points.append(total / len(played))
        return RegretCurve(name, tuple(points))

    def write_parquet(self, path: Path) -> int:
        """Write a row for each move, and return their number."""
        from ludus import __version__

        about = {"format": FORMAT, "version": VERSION, "ludus": __version__}
        rows = [
            (
                game.file,
                game.number,
                each.ply,
                game.players[each.position.mover],
                game.sides[each.position.mover],
                each.phase,
                str(each.position),
                str(each.move),
                each.regret,
                each.is_critical,
                each.is_estimate,
                list(map(str, each.best)),
            )
            for game in self.games
            for each in game.moves
        ]
        columns = {each.name: [row[i] for row in rows] for i, each in enumerate(COLUMNS)}
        return write_parquet(path, make_schema(COLUMNS, about), [columns])


def _format_error(move: JudgedMove) -> tuple[str, ...]:
    error = move.error
    assert error is not None
    return error.position, error.move, f"{error.regret:.4g}", " ".join(error.best[:6])


File = Path | str | Record
"""A file by its name, or a game itself."""

Track = Callable[[Iterable[JudgedGame], int], Iterable[JudgedGame]]
"""Passes on games as they are judged, whose number it is given, and shows progress."""


def judge(
    games: File | Sequence[File],
    *,
    game: AnyGame | str = "",
    oracle: Path | str | None = None,
    evaluator: str = "",
    plies: int | None = None,
    track: Track = lambda games, total: games,
) -> Judgement:
    """Compare every move of games that were played elsewhere with the best one.

    Files are records, .mat, .sgf, lists of moves of PlayOK and Sanmill, games of OpenSpiel, and
    replays of Kaggle; `game` is for those that do not name theirs. Moves are compared by exact
    values of `oracle`, a folder, by default what `ludus.oracle` finds. Other moves are left out,
    unless `evaluator` is a player that estimates values; games in points have one by default.
    """
    several = [games] if isinstance(games, Path | str | Record) else games
    found = [each for file in several for each in _read(file, game)]
    if not found:
        raise BadRecord("there is no game to judge")
    judges: dict[Any, _Judge] = {}
    for _, _, chosen, _ in found:
        if chosen.rules not in judges:
            judges[chosen.rules] = _Judge.find(chosen, oracle, evaluator, plies)
    done = tuple(track((judges[each[2].rules].judge(*each) for each in found), len(found)))
    return _collect(done, list(judges.values()))


def _read(file: File, game: AnyGame | str) -> list[tuple[str, int, AnyGame, Record]]:
    """Return the games of a file, up to an illegal move; all must be of the same kind."""
    records = [file] if isinstance(file, Record) else read_games(Path(file))
    name = "" if isinstance(file, Record) else Path(file).name
    default = resolve_game(game) if game else None
    found = []
    for number, record in enumerate(records, 1):
        where = f"{quote_path(Path(name))}: game {number}" if name else "this record"
        if "Game" not in record.headers and default is not None:
            about = {"Game": default.id, "Rules": default.format_rules(default.rules)}
            record = replace(record, headers={**about, **record.headers})
        elif "Game" not in record.headers:
            raise BadRecord(f"{where} does not say of which game it is")
        chosen = load_game(record)
        if default is not None and chosen.id != default.id:
            raise BadRecord(f"{where} is {chosen.id}, not {default.id}")
        found.append((name, number, chosen, record.end_at_illegal(chosen)))
    return found


@dataclass(frozen=True, slots=True)
class _Judge:
    """What compares the moves of games with the same rules."""

    game: AnyGame
    oracle: Oracle
    evaluator: Evaluator | None

    @classmethod
    def find(
        cls, game: AnyGame, folder: Path | str | None, evaluator: str, plies: int | None
    ) -> "_Judge":
        oracle = find_oracle(game, folder)
        if not (evaluator or game.is_in_points):
            return cls(game, oracle, None)
        return cls(game, oracle, find_evaluator(game, evaluator, plies, oracle))

    def judge(self, file: str, number: int, game: AnyGame, record: Record) -> JudgedGame:
        try:
            moves = judge_record(record, game, self.oracle, evaluator=self.evaluator)
        except BadRecord as error:
            where = f"{quote_path(Path(file))}: " if file else ""
            raise BadRecord(f"{where}game {number}: {error}") from error
        players = name_players(record, game)
        return JudgedGame(file, number, record, players, game.sides, tuple(moves))


def _collect(games: tuple[JudgedGame, ...], judges: Sequence[_Judge]) -> Judgement:
    first = judges[0]
    if any(each.game.id != first.game.id for each in judges):
        raise LudusError("the files have games of several kinds; judge one kind at a time")
    players: dict[str, RegretStatistics] = {}
    for each in games:
        for side, name in enumerate(each.players):
            found = players.setdefault(name, RegretStatistics(first.game, first.oracle))
            found.add_game(each.list_moves(side))
            if each.fault is not None and each.fault[0] == side:
                found.faults[each.fault[1]] += 1
    return Judgement(first.game, games, players, tuple(_list_notes(games, judges, players)))


def _list_notes(
    games: Sequence[JudgedGame],
    judges: Sequence[_Judge],
    players: dict[str, RegretStatistics],
) -> Iterator[str]:
    first = judges[0]
    totals = [each.total for each in players.values()]
    moves = sum(each.moves for each in totals)
    if unsolved := sum(each.num_unevaluated for each in totals):
        where = f"solved is the game {first.oracle.coverage}"
        yield f"{unsolved} of {moves} moves are not judged: {where}"
        estimate = f"--evaluator {first.game.analysts[0]} estimates them"
        advice = first.oracle.advice
        yield f"{advice} solves the whole game; {estimate}" if advice else estimate
    if estimated := sum(each.num_estimated for each in totals):
        assert first.evaluator is not None
        yield f"{estimated} of {moves} moves are judged by estimates of {first.evaluator.title}"
    limits = {
        each.record.headers["MaxPlies"] for each in games if "MaxPlies" in each.record.headers
    }
    if limits:
        rule = f"drawn after {' or '.join(sorted(limits))} turns by the rules of the source"
        if all(each.oracle.has_depth for each in judges):
            yield f"{rule}: a win that would take longer counts as a draw"
        else:
            yield f"{rule}: this is left out, since the solved game has no plies to the end"
    stakes = [each.game.stakes(each.game.start()) for each in judges]
    if any(each is not None and each.match == 1 for each in stakes):
        yield "a gammon counts one point, as in a match to one point"
