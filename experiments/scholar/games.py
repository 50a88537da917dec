"""Games against perfect play, from the start and from drawn positions, with the first errors."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ludus.games import game as named_game
from ludus.games.nine_mens_morris import DRAW
from ludus.learn.scholar import OracleExampleSource
from ludus.oracles import MorrisOracle
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .games_against_oracle import COLOURS, play_games
from .players import GAME, RULES, list_players
from .solution import MISSING, is_complete, open_oracle

START, DRAWN = "from the start", "from drawn positions"
HEADINGS = (
    "player",
    "games",
    "colour",
    "won",
    "drawn",
    "lost",
    "plies",
    "critical positions",
    "kept, %",
)

Games = Sequence[Mapping[str, Any]]


def run(context: Context) -> Iterator[Finding]:
    oracle = open_oracle(context)
    starts = {
        START: [""] * (context.setting("games") if is_complete(oracle) else 0),
        DRAWN: sample_drawn_positions(context, oracle),
    }
    if not starts[START]:
        yield Remark(MISSING)
    found: dict[tuple[str, str], Games] = {}
    players = list_players(context)
    for number, player in enumerate(players):
        for place, positions in starts.items():
            context.progress(number, len(players), f"{player.name}, {place}")
            found[player.name, place] = play_games(context, oracle, player, place, positions)
    for (name, place), games in found.items():
        yield from report_losses(name, place, games)
    yield make_result_table(found)
    for (name, place), games in found.items():
        yield from report_first_errors(name, place, games)
    if games := found[players[0].name, START]:
        yield Figure(
            "Plies",
            draw_plies,
            {
                colour: [each["plies"] for each in _select_colour(games, colour)]
                for colour in COLOURS
            },
            f"How long the games of {players[0].name} from the start are.",
        )


def sample_drawn_positions(context: Context, oracle: MorrisOracle) -> list[str]:
    """Sample drawn positions; all numbers of men are equally likely."""
    source, number = OracleExampleSource(oracle), context.setting("positions")
    found: list[str] = []
    while len(found) < number:
        some = source.sample_positions(8 * number, context.seed_for("drawn", len(found)))
        some = some[np.flatnonzero(source.label(some) == DRAW)]
        found += map(str, some.to_positions(named_game(GAME, RULES)))
    return found[:number]


def report_losses(name: str, place: str, games: Games) -> Iterator[Finding]:
    for colour in COLOURS:
        if its := _select_colour(games, colour):
            number = sum(each["result"] == "loss" for each in its)
            yield Measurement.proportion(f"{name}, {place}, as {colour}: lost", number, len(its))


def make_result_table(found: Mapping[tuple[str, str], Games]) -> Table:
    rows: list[list[Any]] = []
    for (name, place), games in found.items():
        for colour in COLOURS:
            if not (its := _select_colour(games, colour)):
                continue
            counts = Counter(each["result"] for each in its)
            critical, kept = (sum(each[key] for each in its) for key in ("critical", "kept"))
            rows.append(
                [
                    name,
                    place,
                    colour,
                    *(counts[result] for result in ("win", "draw", "loss")),
                    round(sum(each["plies"] for each in its) / len(its), 1),
                    critical,
                    round(100 * kept / critical, 3) if critical else None,
                ]
            )
    return Table("Results", HEADINGS, rows, "Critical are positions with the player to move.")


def report_first_errors(name: str, place: str, games: Games) -> Iterator[Finding]:
    """Report the first losing move of each lost game, with counts of equal ones."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for each in games:
        if each["result"] == "loss" and (error := each["error"]) is not None:
            error_row = (COLOURS[each["side"]], error["ply"], error["position"], error["move"])
            counts[(*error_row, ", ".join(error["right"]))] += 1
    if counts:
        yield Table(
            f"Where {name} lost {place}",
            ("colour", "plies before", "position", "played", "right", "games"),
            [
                [*error_row, number]
                for error_row, number in sorted(counts.items(), key=_get_sort_key)
            ],
            "The first move of each lost game that gave the draw away.",
        )


def draw_plies(axes: Any, data: Mapping[str, Sequence[int]]) -> None:
    longest = max(max(plies) for plies in data.values())
    bins = np.arange(0, longest + 6, 5)
    axes.hist(list(data.values()), bins=bins, label=[f"as {colour}" for colour in data])
    axes.set_xlabel("plies")
    axes.set_ylabel("games")
    axes.legend(fontsize=8)


def _select_colour(games: Games, colour: str) -> list[Mapping[str, Any]]:
    return [each for each in games if COLOURS[each["side"]] == colour]


def _get_sort_key(counted: tuple[tuple[Any, ...], int]) -> tuple[Any, ...]:
    colour, ply, position, *_ = counted[0]
    return COLOURS.index(colour), ply, position
