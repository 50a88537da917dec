"""The gaming test (6.5): a ladder of opponents, both colours, in the form of Table 6.11."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from ludus import Record
from ludus.games import game as named_game
from ludus.games.nine_mens_morris import PositionBatch
from ludus.learn.nnmm import check_legality
from ludus.reproduce import Conclusion, Context, Figure, Finding, Measurement, Remark, Table

from .games import COLOURS, GAME, REASONS, RULES, Contestant, Game, is_deterministic, play_pairing
from .regret_tables import make_cache_key, make_kept_table
from .systems import System, list_systems

AUTHOR = "author TFR"

Ladder = dict[str, list[Game]]
"""Opponent to the games against it, as one player saw them."""


def run(context: Context) -> Iterator[Finding]:
    networks = list_systems(context, context.published["ways"])
    teacher = Contestant(context.published["teacher_name"], context.setting("teacher"))
    tested = [teacher, *(system.to_contestant() for system in networks)]
    fixed = [Contestant(name, spec) for name, spec in context.published["opponents"].items()]
    found: dict[str, Ladder] = {
        one.name: {other.name: play_pairing(context, one, other) for other in [*fixed, *tested]}
        for one in tested
    }
    ladder = [*(each.name for each in fixed), teacher.name]
    yield from compare_totals(context, found, ladder)
    yield make_outcome_table(found)
    yield make_count_table(found)
    yield make_total_table(found, ladder)
    for system in networks:
        if not system.hybrid:
            changed, moves = count_interventions(context, system, found[system.name])
            yield Remark(f"{system.name}: the legality check changed {changed} of {moves} moves.")
            if system.name == AUTHOR:
                yield Conclusion(
                    "6.5: the legality check changes no move of the networks",
                    not changed,
                    f"it changed {changed} of {moves} moves of {AUTHOR}",
                )
                yield judge_own_game(found[AUTHOR][AUTHOR])
    records = {name: list(chain(*ladder.values())) for name, ladder in found.items()}
    yield make_kept_table(context, records)
    yield Figure(
        "Points against each opponent", draw_points, compute_points(found), CAPTION, (7, 6)
    )


CAPTION = "Share of points, a draw being half of one, over all games with both colours."


def compare_totals(
    context: Context, found: Mapping[str, Ladder], opponents: Collection[str]
) -> Iterator[Measurement]:
    """Compare the published totals with ours, against the ladder and the teacher of the thesis.

    Games against itself and against other networks do not count.
    """
    for row in context.published.rows:
        games_by_opponent = found.get(row["player"])
        if games_by_opponent is None:
            continue
        results = Counter(
            game.result
            for opponent in opponents
            for game in games_by_opponent[opponent]
            if opponent != row["player"] and game.colour in row["colours"]
        )
        yield Measurement.proportion(row.name, results[row["result"]], results.total())


def make_outcome_table(found: Mapping[str, Ladder]) -> Table:
    """Table 6.11: one game from the start with each colour."""
    headings = [f"{name} as {colour}" for name in found for colour in reversed(COLOURS)]
    lines: list[list[str]] = []
    for opponent in next(iter(found.values())):
        line = [opponent]
        for ladder in found.values():
            games = ladder[opponent]
            mark = "" if is_deterministic(games) else " *"
            line += [_find_first_game(games, colour).text + mark for colour in reversed(COLOURS)]
        lines.append(line)
    return Table("Table 6.11", ("opponent", *headings), lines, OUTCOMES)


OUTCOMES = (
    "One game from the start with each colour. With a star: another seed gave another game, so one "
    "game says little. Without: both seeds gave the same game, because neither side draws lots."
)


def make_count_table(found: Mapping[str, Ladder]) -> Table:
    lines = [
        [opponent, *(_format_counts(ladder[opponent]) for ladder in found.values())]
        for opponent in next(iter(found.values()))
    ]
    return Table("All games", ("opponent", *found), lines, COUNTS)


COUNTS = (
    "Won – drawn – lost over all games with both colours, two from the start and those from "
    "openings of random plies; then how they were won or lost."
)


def make_total_table(found: Mapping[str, Ladder], opponents: Collection[str]) -> Table:
    """Sums over the ladder and the teacher; the teacher's games against itself do not count."""
    lines: list[list[Any]] = []
    for name, ladder in found.items():
        results = Counter(
            game.result for each in opponents if each != name for game in ladder[each]
        )
        won, drawn, lost = (results[result] for result in ("WIN", "DRAW", "LOSS"))
        points = round(100 * (won + drawn / 2) / results.total(), 2)
        lines.append([name, results.total(), won, drawn, lost, points])
    headings = ("player", "games", "won", "drawn", "lost", "points, %")
    return Table("Totals", headings, lines, TOTALS)


TOTALS = "Against the ladder and the teacher; points are wins and half of the draws."


def _find_first_game(games: list[Game], colour: str) -> Game:
    return next(game for game in games if game.opening == 0 and game.colour == colour)


def _format_counts(games: list[Game]) -> str:
    results = Counter(game.result for game in games)
    text = " – ".join(str(results[result]) for result in ("WIN", "DRAW", "LOSS"))
    ways = Counter(
        f"{WORDS[game.result]} by {REASONS.get(game.reason, game.reason)}"
        for game in games
        if game.result in WORDS
    )
    more = ", ".join(f"{count} {way}" for way, count in sorted(ways.items(), reverse=True))
    return f"{text} ({more})" if more else text


WORDS = {"WIN": "won", "LOSS": "lost"}


def judge_own_game(games: list[Game]) -> Conclusion:
    """Judge the game of the networks against themselves, which draw no lots."""
    result = _find_first_game(games, "White").result
    return Conclusion(
        "6.5: the networks' game against themselves ends in a draw",
        result == "DRAW",
        f"the game of {AUTHOR} from the start ends in a {result.lower()} for White",
    )


def count_interventions(context: Context, system: System, ladder: Ladder) -> tuple[int, int]:
    """Return how many moves the legality check changed, and of how many."""

    def compute() -> list[int]:
        game = named_game(GAME, RULES)
        positions = [
            position
            for games in ladder.values()
            for each in games
            for position in Record.parse(each.record).replay(game)
            if position.mover == each.side and position.outcome() is None
        ]
        batch = PositionBatch.from_positions(positions)
        answer = system.chain.predict(batch, system.rule, system.symmetries)
        is_legal = check_legality(batch, answer.classes).whole_move
        return [len(positions) - int(is_legal.sum()), len(positions)]

    games = make_cache_key(chain(*ladder.values()))
    changed, moves = context.cached(f"interventions {system.key} {games}", compute)
    return changed, moves


def compute_points(found: Mapping[str, Ladder]) -> dict[str, dict[str, float]]:
    points_by_result = {"WIN": 1.0, "DRAW": 0.5, "LOSS": 0.0}
    return {
        name: {
            opponent: 100 * sum(points_by_result[game.result] for game in games) / len(games)
            for opponent, games in ladder.items()
        }
        for name, ladder in found.items()
    }


def draw_points(axes: Any, data: Mapping[str, Mapping[str, float]]) -> None:
    opponents = list(next(iter(data.values())))
    for number, (name, ladder) in enumerate(data.items()):
        places = [place + 0.15 * (number - (len(data) - 1) / 2) for place in range(len(opponents))]
        axes.plot([ladder[each] for each in opponents], places, "o", label=name, markersize=5)
    axes.set_yticks(range(len(opponents)), opponents, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(-3, 103)
    axes.set_xlabel("points, %")
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
