"""Games against DeepMill, the program whose moves the networks were trained on (Table 6.11).

DeepMill is not part of this repository. `LUDUS_DEEPMILL` names the script that
`tools/deepmill/build.sh` makes from the user's own copy of it.
"""

import os
from collections import Counter
from collections.abc import Iterator

from ludus import LudusError
from ludus.reproduce import Conclusion, Context, Finding, Measurement, Remark, Table, quote

from .games import COLOURS, Contestant, Game, play_pairing
from .systems import list_systems

VARIABLE = "LUDUS_DEEPMILL"
MISSING = (
    f"Nothing was played: {VARIABLE} does not name the script that tools/deepmill/build.sh makes"
    " (docs/engine.md)."
)
AUTHOR = "author TFR"
THESIS_SECONDS = 60
"""Time of a move in the thesis; less of it decides nothing about its games."""


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
    tested = [system.to_contestant() for system in list_systems(context, context.published["ways"])]
    tested += [Contestant(name, spec) for name, spec in context.published["players"].items()]
    found = {one.name: play_pairing(context, one, deepmill) for one in tested}
    for name, games in found.items():
        points = sum({"WIN": 2, "DRAW": 1}.get(game.result, 0) for game in games)
        yield Measurement(
            f"{name}: points against {deepmill.name}",
            50 * points / len(games),
            count=len(games),
            unit="%",
        )
    lost = [game.result == "LOSS" for game in found[AUTHOR] if game.opening == 0]
    is_fair = context.setting("seconds") >= THESIS_SECONDS
    yield Conclusion(
        "Table 6.11: the networks lose to DeepMill with both colours",
        all(lost) if is_fair else None,
        f"{AUTHOR} lost {sum(lost)} of {len(lost)} games from the start to {deepmill.name}",
    )
    yield Table(
        f"Games against {deepmill.name}",
        ("player", "won", "drawn", "lost", *(f"first game as {colour}" for colour in COLOURS)),
        [[name, *_count(games), *_first(games)] for name, games in found.items()],
    )


def _count(games: list[Game]) -> list[int]:
    results = Counter(game.result for game in games)
    return [results["WIN"], results["DRAW"], results["LOSS"]]


def _first(games: list[Game]) -> list[str]:
    return [next(game.text for game in games if game.colour == colour) for colour in COLOURS]
