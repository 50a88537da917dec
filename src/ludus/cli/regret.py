"""`ludus regret`: how much a player gives away against perfect play."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.files import read_file
from ludus.cli.limits import Depth, Nodes, Time
from ludus.cli.match import PlayerName
from ludus.cli.options import GameName, Json, OracleFolder, Rules
from ludus.cli.output import print_json, print_table, rules_as_json, with_progress
from ludus.cli.tournament import Jobs
from ludus.core.errors import BadPosition, BadSpec, LudusError, quoted
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.arena.regret import Regret, Tally
    from ludus.arena.regret_games import RegretGames
    from ludus.arena.starts import Starts
    from ludus.core.game import AnyGame
    from ludus.core.limit import Limit
    from ludus.core.player import Player

MAX_ERRORS = 20
"""Of the first errors, so many are shown."""


def regret(
    game: GameName,
    player: PlayerName,
    oracle: OracleFolder = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000_000,
            help="How many games, or with --one-move how many of the positions.",
            show_default="100, or all positions",
        ),
    ] = None,
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="PLAYER", help="Who plays the other side.")
    ] = "perfect",
    rules: Rules = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    alternate: Annotated[
        bool, typer.Option("--alternate/--fixed", help="Who begins: both in turn, or the player.")
    ] = True,
    positions: Annotated[
        Path | None,
        typer.Option("--positions", metavar="FILE", help="Begin at these, one a line, in turn."),
    ] = None,
    random_plies: Annotated[
        int, typer.Option(min=0, max=200, help="Begin after so many random plies.")
    ] = 0,
    one_move: Annotated[
        bool,
        typer.Option("--one-move", help="Judge one move in each of the positions; play no games."),
    ] = False,
    time: Time = None,
    nodes: Nodes = None,
    depth: Depth = None,
    jobs: Jobs = 0,
    json: Json = False,
) -> None:
    """Play games and judge every move of a player by what perfect play makes of it."""
    from ludus.arena.jobs import Conditions
    from ludus.arena.regret import Regret
    from ludus.arena.regret_games import RegretGames
    from ludus.core.limit import Limit
    from ludus.oracle import oracle_for

    chosen = named_game(game, rules)
    found = Regret(chosen, oracle_for(chosen, oracle))
    limit = Limit(time, nodes, depth)
    about: dict[str, Any] = {
        "game": chosen.id,
        "rules": rules_as_json(chosen.rules),
        "player": player,
    }
    if one_move:
        over = _choose(found, named_player(player, chosen), positions, games, seed, limit)
        about["over"] = over
        report = _report(found, {})
    else:
        other = _with_oracle(opponent, oracle)
        for spec in (player, other):
            named_player(spec, chosen)
        starts = _starts(chosen, positions, random_plies)
        conditions = Conditions(game, rules, limit)
        plan = RegretGames(conditions, player, other, games or 100, seed, starts, alternate)
        about["opponent"] = other
        report = _report(found, _play(plan, found, jobs or os.cpu_count() or 1))
    if json:
        print_json(**about, seed=seed, **report)
        return
    _print(report, "position" if one_move else "game")
    if about.get("over"):
        print(f"\n{about['over']} positions in which the game is over were left out")


def _with_oracle(opponent: str, folder: Path | None) -> str:
    """A perfect opponent asks the oracle that judges, unless it was told which one to ask."""
    if opponent != "perfect" or folder is None:
        return opponent
    if "," in str(folder):
        raise LudusError(f"a comma in {quoted(str(folder), 200)} cannot stand in a player's spec")
    return f"perfect:oracle={folder}"


def _starts(game: "AnyGame", file: Path | None, random_plies: int) -> "Starts":
    from ludus.arena.starts import Starts, checked

    if file is None:
        return Starts(random_plies=random_plies)
    found = []
    for number, line in enumerate(read_file(file).splitlines(), 1):
        try:
            found.append(checked(game, line))
        except LudusError as error:
            raise BadPosition(f"{quoted(str(file), 200)}, line {number}: {error}") from error
    if not found:
        raise BadPosition(f"{quoted(str(file), 200)} has no position")
    return Starts(tuple(found), random_plies)


def _play(plan: "RegretGames", found: "Regret", num_workers: int) -> dict[str, int]:
    """Play and judge; how many games the player lost by a fault of its own."""
    from collections import Counter

    from ludus.arena.run import LocalPool
    from ludus.arena.standings import FAULTS
    from ludus.core.record import Record

    jobs = {job.key: job for job in plan.schedule()}
    faults: Counter[str] = Counter()
    with LocalPool(num_workers) as pool:
        results = pool.run(jobs.values())
        for result in with_progress(results, plan.games, "playing"):
            found.add(Record.parse(result.record), int(jobs[result.key].is_swapped))
            if result.reason in FAULTS and result.winner == 1:
                faults[result.reason] += 1
    return dict(faults)


def _choose(
    found: "Regret",
    player: "Player",
    file: Path | None,
    wanted: int | None,
    seed: int,
    limit: "Limit",
) -> int:
    """Judge one move in each position, or in so many drawn from them; how many were over."""
    import random

    from ludus.arena.choose import batch_for, choices, read_positions

    if file is None:
        raise BadSpec("--one-move needs --positions FILE")
    text = read_file(file)
    try:
        asked = read_positions(text, found.game, leaves_out_over=True)
    except BadPosition as error:
        raise BadPosition(f"{quoted(str(file), 200)}, {error}") from error
    if not asked:
        raise BadPosition(f"{quoted(str(file), 200)} has no position")
    over = len(text.removesuffix("\n").split("\n")) - len(asked)
    if wanted is not None and wanted < len(asked):
        asked = random.Random(seed).sample(asked, wanted)
    positions = [each.position for each in asked]
    player.begin(seed)
    batch = batch_for(player)
    parts = with_progress(
        choices(player, positions, limit, batch), -(-len(positions) // batch), "choosing"
    )
    for number, moves in enumerate(parts):
        found.add_choices(positions[number * batch : number * batch + len(moves)], moves)
    return over


def _report(found: "Regret", faults: dict[str, int]) -> dict[str, Any]:
    errors = sorted(
        found.first_errors.items(),
        key=lambda item: (-item[1], -item[0].regret, item[0].position, item[0].move),
    )
    phases = sorted(found.phases.items(), key=lambda item: (len(item[0]), item[0]))
    return {
        "games": len(found.games),
        "mean_regret": found.mean,
        "standard_error": found.standard_error,
        **_tally(found.total),
        "by_phase": {name: _tally(tally) for name, tally in phases},
        "first_errors": [
            {
                "games": count,
                "position": judged.position,
                "move": judged.move,
                "regret": judged.regret,
                "best": list(judged.best),
            }
            for judged, count in errors[:MAX_ERRORS]
        ],
        "solved": found.oracle.extent,
        "faults": faults,
    }


def _tally(tally: "Tally") -> dict[str, Any]:
    return {
        "moves": tally.moves,
        "unjudged": tally.unjudged,
        "mean_regret_per_move": tally.regret_per_move,
        "critical": tally.critical,
        "critical_kept": tally.critical_kept,
        "critical_kept_share": tally.kept_share,
    }


def _print(report: dict[str, Any], what: str) -> None:
    error = report["standard_error"]
    margin = "" if error is None else f" ± {1.96 * error:.4f} (95%)"
    mean = _number(report["mean_regret"], ".4f") or "unknown"
    print(f"mean regret of a {what} {mean}{margin}, {report['games']} {what}s")
    if report["unjudged"]:
        share = report["unjudged"] / report["moves"]
        print(f"{report['unjudged']} moves ({share:.1%}) are beyond what is solved")
    for reason, count in report["faults"].items():
        print(f"{count} games were lost by {reason}")
    print()
    parts = {**report["by_phase"], "all": report}
    rows = [
        (
            name,
            str(part["moves"]),
            str(part["unjudged"]),
            _number(part["mean_regret_per_move"], ".4f"),
            str(part["critical"]),
            _number(part["critical_kept_share"], ".1%"),
        )
        for name, part in parts.items()
    ]
    print_table(("phase", "moves", "unjudged", "regret a move", "critical", "kept"), rows)
    if report["first_errors"]:
        print("\nwhere it went wrong first")
        errors = [
            (str(each["games"]), each["position"], each["move"], " ".join(each["best"][:6]))
            for each in report["first_errors"]
        ]
        print_table(("games", "position", "move", "best"), errors)


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
