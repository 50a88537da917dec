"""Measure how strong players are, for the page: `make strengths`.

    python benchmarks/strengths.py [--games 20] [--only nnmm,hybrid] [--write]

Morris: every two players meet, and Elo ratings are fitted to all results. Small games: the share of
critical positions in which a player keeps the value. Backgammon: games against pubeval, and with
the cube, which pubeval does not know, points against GNU Backgammon. Every measurement is kept in
`benchmarks/strengths.json` as soon as it is made, so a killed run goes on where it stopped and a
new player costs only its own games; take a line out to measure it again. What the page reads,
`src/ludus/web/strengths.json`, is then made of them. With --write only that.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import ludus
from ludus.arena import compute_ratings
from ludus.players import find_player_class
from ludus.web.opponents import list_opponents

EVIDENCE = Path(__file__).with_suffix(".json")
TARGET = Path(__file__).parents[1] / "src" / "ludus" / "web" / "strengths.json"

MORRIS = "nine_mens_morris"
SEED = 9
ANCHOR = "random"
MEASURE = "pubeval"
"""Against whom backgammon players are measured, as is usual."""

POSITIONS = 200
"""Games from which the critical positions of a small game come."""

LONG_MATCH = 100
"""Games of backgammon, where luck is half of it."""

CUBE = "backgammon:money"
CUBE_MEASURE = "gnubg"
"""Against whom players that know the cube are measured: without looking ahead, in single games."""

CUBELESS = "gammon"
"""Offered with the cube for its other networks."""

SLOW_GAMES = {"playouts": 40}
"""Fewer games with the cube, where one takes half a minute on a busy core."""

SLOW = "perfect"
"""Without the solved game it searches for seconds; it comes last, with a fifth of the games."""

FOLLOWERS = ("adaptive",)
"""Players that have no strength of their own."""

Results = dict[str, dict[str, Any]]
Task = tuple[str, str, list[str]]
"""A game, what is measured there, and the command that does it; with the cube, `measure_points`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=20, help="games of two players of Morris")
    parser.add_argument("--only", default="", help="players, separated by commas; else all")
    parser.add_argument("--write", action="store_true", help="measure nothing more")
    options = parser.parse_args()
    found: Results = json.loads(EVIDENCE.read_text()) if EVIDENCE.exists() else {}
    only = set(filter(None, options.only.split(",")))
    missing = (
        []
        if options.write
        else [task for task in list_tasks(options.games, only) if _is_new(task, found)]
    )
    for number, (game, key, command) in enumerate(missing, 1):
        print(f"{number} of {len(missing)}: {game} {key}", file=sys.stderr, flush=True)
        answer = measure_points(key) if game == CUBE else select_results(run_command(command))
        found.setdefault(game, {})[key] = answer
        write_results(
            EVIDENCE, {name: dict(sorted(results.items())) for name, results in found.items()}
        )
    write_results(TARGET, collect_strengths(found))


def _is_new(task: Task, found: Results) -> bool:
    game, key, _ = task
    return key not in found.get(game, {})


def list_tasks(games: int, only: set[str]) -> Iterator[Task]:
    """Yield everything that can be measured with what is installed here, slow ones last."""

    def is_wanted(*players: str) -> bool:
        return not only or bool(only & {_name(spec) for spec in players})

    pairs = [pair for pair in combinations(sorted(list_specs(MORRIS)), 2) if is_wanted(*pair)]
    for game in ("noughts_and_crosses", "hexapawn", "hexapawn:gardner"):
        for spec in filter(is_wanted, list_specs(game)):
            yield game, spec, ["regret", game, spec, "--games", str(POSITIONS)]
    for spec in filter(is_wanted, list_specs("backgammon")):
        if spec != MEASURE:
            command = ["match", "backgammon", spec, MEASURE, "--games", str(LONG_MATCH)]
            yield "backgammon", spec, command
    for spec in filter(is_wanted, list_specs(CUBE)):
        if spec not in (CUBE_MEASURE, CUBELESS):
            yield CUBE, spec, []
    yield from (_make_match_task(pair, games) for pair in pairs if SLOW not in pair)
    yield from (_make_match_task(pair, max(1, games // 5)) for pair in pairs if SLOW in pair)


def _make_match_task(pair: tuple[str, str], games: int) -> Task:
    # As on the page, where `perfect` searches what is not solved.
    played = [f"{spec}:fallback=search" if spec == SLOW else spec for spec in pair]
    compiled = ["--compiled"] if all(map(_has_twin, pair)) else []
    return MORRIS, " ".join(pair), ["match", MORRIS, *played, "--games", str(games), *compiled]


def _has_twin(spec: str) -> bool:
    """Whether a player's games can be played in compiled code."""
    return find_player_class(ludus.parse_spec(spec))[0].native_twin is not ludus.Player.native_twin


def list_specs(game: str) -> list[str]:
    """Return the players that the page offers, with each level and each set of options."""
    found = []
    name, _, rules = game.partition(":")
    for each in list_opponents({"game": name, "rules": rules})["players"]:
        if each["name"] not in FOLLOWERS:
            found += [f"{each['name']}:level={level}" for level in range(1, each["levels"] or 1)]
            found.append(each["name"])
            for persona in each["personas"]:
                choices = [f"{name}={value}" for name, value in persona["choices"].items()]
                found += [f"{each['name']}:{','.join(choices)}"] if choices else []
    return found


def _name(spec: str) -> str:
    return spec.partition(":")[0]


def run_command(command: list[str]) -> dict[str, Any]:
    """Return the output of a command, run without a solved game that others may not have."""
    surroundings = {name: text for name, text in os.environ.items() if name != "LUDUS_ORACLE"}
    run = [sys.executable, "-m", "ludus.cli", *command, "--seed", str(SEED), "--json"]
    done = subprocess.run(run, stdout=subprocess.PIPE, check=True, env=surroundings)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def measure_points(spec: str) -> dict[str, Any]:
    """Return the points of each game with the cube: `ludus match backgammon:money SPEC gnubg`."""
    games = SLOW_GAMES.get(spec, LONG_MATCH)
    played = ludus.match(CUBE, spec, CUBE_MEASURE, games=games, seed=SEED)
    # Both begin in turn.
    points = [each.outcome.score(number % 2) for number, each in enumerate(played.records)]
    return {"games": len(points), "wins": list(played.wins), "points": points}


def select_results(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the part of an output that is needed."""
    if "wins" in answer:
        return {name: answer[name] for name in ("games", "wins", "draws")}
    return {"kept": answer["critical_kept"], "critical": answer["critical"]}


def collect_strengths(found: Results) -> Results:
    """Return the strengths that the page shows, by game and player."""
    strengths_by_game: Results = {}
    for game, results in found.items():
        if game == MORRIS:
            strengths_by_game[game] = compute_elos(results) | {
                name: {"follows": True} for name in FOLLOWERS
            }
        elif game == CUBE:
            strengths_by_game[game] = {
                spec: summarize_points(each) for spec, each in results.items()
            } | {CUBE_MEASURE: {"measure": True}}
        elif game == "backgammon":
            strengths_by_game[game] = {
                spec: {"won": each["wins"][0], "games": each["games"], "against": MEASURE}
                for spec, each in results.items()
            } | {MEASURE: {"measure": True}}
        else:
            strengths_by_game[game] = results
    return strengths_by_game


def summarize_points(found: dict[str, Any]) -> dict[str, Any]:
    """Return the games won, and the mean points with the margin of 95%."""
    points = found["points"]
    return {
        "won": found["wins"][0],
        "games": found["games"],
        "against": "GNU Backgammon",
        "points": round(mean(points), 2),
        "margin_of_points": round(1.96 * stdev(points) / len(points) ** 0.5, 2),
    }


def compute_elos(results: dict[str, Any]) -> dict[str, Any]:
    """Return Elo ratings from the results of all pairs, the best player first."""
    scores = {
        (pair.split(" ")[0], pair.split(" ")[1]): (each["wins"][0], each["draws"], each["wins"][1])
        for pair, each in results.items()
    }
    players = sorted({player for pair in scores for player in pair})
    rated = compute_ratings(players, scores, ANCHOR)
    ranked = sorted(rated.items(), key=lambda item: -item[1].elo)
    return {
        player: {"elo": round(rating.elo), "margin": round(rating.margin)}
        for player, rating in ranked
    }


def write_results(path: Path, value: Any) -> None:
    """Write the measurements atomically, one a line."""
    games = []
    for game, results in value.items():
        lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in results.items())
        games.append(f" {json.dumps(game)}: {{\n{lines}\n }}")
    part = path.with_suffix(".part")
    part.write_text("{\n" + ",\n".join(games) + "\n}\n", encoding="utf-8")
    part.replace(path)


if __name__ == "__main__":
    main()
