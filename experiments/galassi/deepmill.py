"""Games against DeepMill, the program whose moves the networks were trained on (Table 6.11).

DeepMill is not part of this repository. `LUDUS_DEEPMILL` names the script that
`tools/deepmill/build.sh` makes from the user's own copy of it.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import islice

from ludus import LudusError
from ludus.arena import GameResult, Job
from ludus.reproduce import (
    Conclusion,
    Context,
    Finding,
    Measurement,
    Proportion,
    Remark,
    Table,
    quote,
)

from .games import COLOURS, Contestant, Game, get_opening_number, schedule_games
from .systems import list_systems

VARIABLE = "LUDUS_DEEPMILL"
MISSING = (
    f"Nothing was played: {VARIABLE} does not name the script that tools/deepmill/build.sh makes"
    " (docs/engine.md)."
)
AUTHOR = "author TFR"
ITSELF = "DeepMill itself"
THESIS_SECONDS = 60
"""Time of a move in the thesis. With less DeepMill is weaker: a player that loses to it so has lost
to it, but one that does not has shown nothing about the thesis's games."""

POINTS = {"WIN": 1.0, "DRAW": 0.5, "LOSS": 0.0}


def find_deepmill() -> str | None:
    """Return the script that starts DeepMill's engine, if there is one."""
    script = os.environ.get(VARIABLE, "")
    if script and ("," in script or not os.access(script, os.X_OK)):
        raise LudusError(f"{VARIABLE} names {quote(script, 200)}, which cannot be started")
    return script or None


def make_contestant(script: str, seconds: float) -> Contestant:
    """Return DeepMill with this time for a move, which it may exceed a little."""
    name, key = f"DeepMill, {seconds:g} s", f"deepmill {seconds:g}"
    spec = f"external:cmd={script},time={seconds:g},patience={seconds + 10:g}"
    return Contestant(name, spec, key, key)


def run(context: Context) -> Iterator[Finding]:
    script = find_deepmill()
    if script is None:
        yield Remark(MISSING)
        return
    deepmill = make_contestant(script, context.setting("seconds"))
    opponents = list(list_opponents(context, deepmill))
    found = {
        one.name: play_timed_games(context, one, deepmill, number) for one, number in opponents
    }
    for name, games in found.items():
        yield measure_points(f"{name}: points against {deepmill.name}", games)
    if number := context.setting("thesis_games"):
        slow = make_contestant(script, THESIS_SECONDS)
        (author,) = (one for one, _ in opponents if one.name == AUTHOR)
        starts = play_timed_games(context, author, slow, number)
        yield measure_points(f"{AUTHOR}: points against {slow.name}", starts)
    else:
        slow, starts = deepmill, [game for game in found[AUTHOR] if game.opening == 0]
    yield judge_strength(found[AUTHOR], deepmill.name)
    is_fair = context.setting("seconds") >= THESIS_SECONDS
    yield judge_starts(starts, slow.name, is_fair or slow is not deepmill)
    yield judge_own_games(found[ITSELF], deepmill.name, is_fair)
    yield Table(
        f"Games against {deepmill.name}",
        ("player", "games", "won", "drawn", "lost", *(f"first as {each}" for each in COLOURS)),
        [[name, len(games), *_count(games), *_first(games)] for name, games in found.items()],
        "Won, drawn and lost by the player, also the first game with each colour, which begins"
        " from the start.",
    )


def list_opponents(context: Context, deepmill: Contestant) -> Iterator[tuple[Contestant, int]]:
    """Yield the opponents with their numbers of games, the author's networks first."""
    systems = list_systems(context, context.published["ways"])
    tested = [system.to_contestant() for system in systems]
    tested += [Contestant(name, spec) for name, spec in context.published["players"].items()]
    number = context.setting("games")
    for one in sorted(tested, key=lambda one: one.name != AUTHOR):
        # The finding of Table 6.11 is about the author's networks, so they play more games.
        yield one, context.setting("author_games") if one.name == AUTHOR else number
    yield replace(deepmill, name=ITSELF), context.setting("own_games")


def play_timed_games(
    context: Context, one: Contestant, other: Contestant, number: int
) -> list[Game]:
    """Play the first games of a pairing; each is cached by itself, for it can take half an hour."""
    jobs = {job.key: job for job in islice(schedule_games(context, one, other), number)}
    names = f"{one.name} {one.key or one.spec} – {other.name} {other.key or other.spec}"
    keys = {job: f"game {job.number} of {names}" for job in jobs}
    missing = [job for key, job in jobs.items() if context.find_cached(keys[key]) is None]
    for done, result in enumerate(context.pool.run(missing), len(jobs) - len(missing)):
        context.progress(done, len(jobs), f"{one.name} – {other.name}")
        if result.reason in ("crash", "illegal"):
            raise LudusError(f"{one.name} – {other.name}: {result.reason}, {result.message}")
        game = _to_game(result, jobs[result.key])
        context.cached(keys[result.key], partial(asdict, game))
    return [Game(**context.find_cached(key)) for key in keys.values()]


def _to_game(result: GameResult, job: Job) -> Game:
    outcome = "DRAW" if result.winner is None else ("WIN", "LOSS")[result.winner]
    opening = get_opening_number(result.key.number)
    return Game(COLOURS[job.is_swapped], opening, outcome, result.reason, result.record)


def measure_points(name: str, games: Sequence[Game]) -> Measurement:
    """Return wins and half of the draws, with the interval of as many games that are won or lost.

    Draws vary less than that, so that the interval is rather too wide.
    """
    points = sum(POINTS[game.result] for game in games)
    low, high = Proportion(points, len(games)).interval
    return Measurement(name, 100 * points / len(games), 100 * low, 100 * high, len(games), unit="%")


def judge_strength(games: Sequence[Game], opponent: str) -> Conclusion:
    """Judge whether the networks are weaker than DeepMill."""
    points = measure_points(AUTHOR, games)
    assert points.low is not None
    assert points.high is not None
    is_weaker = points.high < 50
    return Conclusion(
        "Section 6.5: the networks are worse than DeepMill",
        is_weaker if is_weaker or points.low > 50 else None,
        f"{AUTHOR} has {points.value:.1f}% of the points ({points.low:.1f} to {points.high:.1f}) in"
        f" {len(games)} games against {opponent}",
    )


def judge_starts(games: Sequence[Game], opponent: str, is_fair: bool) -> Conclusion:
    """Judge the networks' games from the start; `is_fair`: with the thesis's time for a move."""
    results = [game.result for game in games]
    all_lost = all(result == "LOSS" for result in results)
    return Conclusion(
        "Table 6.11: the networks lose to DeepMill with both colours",
        all_lost if all_lost or is_fair else None,
        f"{AUTHOR} lost {results.count('LOSS')} and drew {results.count('DRAW')} of {len(results)}"
        f" games from the start against {opponent}",
    )


def judge_own_games(games: Sequence[Game], opponent: str, is_fair: bool) -> Conclusion:
    """Judge the games of DeepMill against itself."""
    results = [game.result for game in games]
    all_drawn = all(result == "DRAW" for result in results)
    return Conclusion(
        "Table 6.11: DeepMill against itself ends in a draw",
        all_drawn if all_drawn or is_fair else None,
        f"{results.count('DRAW')} of {len(results)} games of {opponent} against itself were drawn",
    )


def _count(games: list[Game]) -> list[int]:
    results = Counter(game.result for game in games)
    return [results[each] for each in POINTS]


def _first(games: list[Game]) -> list[str]:
    return [next(game.text for game in games if game.colour == colour) for colour in COLOURS]
