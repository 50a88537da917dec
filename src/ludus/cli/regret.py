"""`ludus regret`: measure the minimax regret of a player against perfect play."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    AlternateOption,
    ClusterOption,
    DepthOption,
    GameArgument,
    JobsOption,
    JsonOption,
    NodesOption,
    OracleOption,
    PlayerArgument,
    RulesOption,
    SeedOption,
    TimeOption,
    read_positions,
)
from ludus.cli.output import (
    format_optional,
    game_as_json,
    print_json,
    print_notice,
    print_player_notices,
    print_table,
    track_progress,
)
from ludus.core.errors import BadPosition, BadSpec, LudusError
from ludus.core.files import quote_path
from ludus.core.player import Limit
from ludus.core.statistics import NORMAL_QUANTILE
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.arena.regret import RegretStatistics, RegretTally
    from ludus.core.game import AnyGame
    from ludus.oracles.interface import Oracle

MAX_ERRORS_SHOWN = 20
"""Number of first errors in a report."""


NumGamesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=10_000_000,
        help="Number of games, or with --one-move of positions.",
        show_default="100, or all positions",
    ),
]


def regret(
    game: GameArgument,
    player: PlayerArgument,
    oracle: OracleOption = None,
    games: NumGamesOption = None,
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="PLAYER", help="The opponent.")
    ] = "perfect",
    rules: RulesOption = "",
    seed: SeedOption = 0,
    alternate: AlternateOption = True,
    positions: Annotated[
        Path | None,
        typer.Option(
            "--positions", metavar="FILE", help="Start positions, one per line, in turn; -: stdin."
        ),
    ] = None,
    random_plies: Annotated[
        int, typer.Option(min=0, max=200, help="Random plies before each game.")
    ] = 0,
    one_move: Annotated[
        bool,
        typer.Option("--one-move", help="Evaluate one move in each position, no games."),
    ] = False,
    time: TimeOption = None,
    nodes: NodesOption = None,
    depth: DepthOption = None,
    jobs: JobsOption = 0,
    cluster: ClusterOption = "",
    json: JsonOption = False,
) -> None:
    """Play games and compare every move of a player with perfect play."""
    from ludus.arena import regret as arena
    from ludus.arena.executors import make_executor
    from ludus.oracles import oracle as find_oracle

    chosen = named_game(game, rules)
    judge = find_oracle(chosen, oracle)
    limit = Limit(time, nodes, depth)
    about = {**game_as_json(chosen), "player": player}
    if one_move:
        sample, about["over"] = _sample_positions(chosen, positions, games, seed)
        found = arena.judge_choices(
            named_player(player, chosen),
            sample,
            oracle=judge,
            limit=limit,
            seed=seed,
            track=_make_tracker("choosing", judge, chosen, player),
        )
    else:
        about["opponent"] = other = _add_oracle_option(opponent, oracle)
        with make_executor(jobs, cluster) as executor:
            found = arena.regret(
                chosen,
                player,
                opponent=other,
                games=games or 100,
                seed=seed,
                alternate=alternate,
                positions=_read_starts(chosen, positions),
                random_plies=random_plies,
                limit=limit,
                oracle=judge,
                executor=executor,
                track=_make_tracker("playing", judge, chosen, player, other),
            )
    report = _make_report(found)
    if json:
        print_json(**about, seed=seed, **report)
        return
    _print_report(report, "position" if one_move else "game")
    if about.get("over"):
        print(f"\n{about['over']} positions in which the game is over were left out")


def _make_tracker(label: str, oracle: "Oracle", game: "AnyGame", *players: str) -> Any:
    """Return what shows progress, and says first what users should know.

    That is which moves can be judged, if not all, and the notices of players.
    """

    def track(items: Iterable[Any], total: int) -> Iterator[Any]:
        if not oracle.has_value(game.start()):
            advice = f"; {oracle.advice} solves all" if oracle.advice else ""
            print_notice(
                f"{game.id} is solved {oracle.coverage}; no other moves are judged{advice}"
            )
        print_player_notices(named_player(spec, game) for spec in players)
        yield from track_progress(items, total, label)

    return track


def _add_oracle_option(opponent: str, folder: Path | None) -> str:
    """Give a perfect opponent without options the same oracle folder as the evaluation."""
    if opponent != "perfect" or folder is None:
        return opponent
    if "," in str(folder):
        raise LudusError(f"a comma in {quote_path(folder)} cannot be used in a player's spec")
    return f"perfect:oracle={folder}"


def _read_starts(game: "AnyGame", file: Path | None) -> list[str]:
    from ludus.arena.jobs import normalize_start

    if file is None:
        return []

    def parse(text: str) -> list[str]:
        found = []
        for number, line in enumerate(text.splitlines(), 1):
            try:
                found.append(normalize_start(game, line))
            except LudusError as error:
                raise BadPosition(f"line {number}: {error}") from error
        return found

    return read_positions(file, parse)


def _sample_positions(
    game: "AnyGame", file: Path | None, num_positions: int | None, seed: int
) -> tuple[list[Any], int]:
    """Return the positions of a file, or a random sample, and the number of finished ones.

    In a finished position there is no move to evaluate, so it is left out.
    """
    from ludus.arena.choices import parse_positions

    if file is None:
        raise BadSpec("--one-move needs --positions FILE")
    num_lines = 0

    def parse(text: str) -> list[Any]:
        nonlocal num_lines
        num_lines = len(text.removesuffix("\n").split("\n"))
        return parse_positions(text, game, skip_finished=True)

    parsed = read_positions(file, parse)
    over = num_lines - len(parsed)
    if num_positions is not None and num_positions < len(parsed):
        parsed = random.Random(seed).sample(parsed, num_positions)
    return [each.position for each in parsed], over


def _make_report(found: "RegretStatistics") -> dict[str, Any]:
    errors = sorted(
        found.first_errors.items(),
        key=lambda item: (-item[1], -item[0].regret, item[0].position, item[0].move),
    )
    phases = sorted(found.phases.items(), key=lambda item: (len(item[0]), item[0]))
    return {
        "games": len(found.games),
        "mean_regret": found.mean,
        "standard_error": found.standard_error,
        **_tally_as_json(found.total),
        "by_phase": {name: _tally_as_json(tally) for name, tally in phases},
        "first_errors": [
            {
                "games": count,
                "position": error.position,
                "move": error.move,
                "regret": error.regret,
                "best": list(error.best),
            }
            for error, count in errors[:MAX_ERRORS_SHOWN]
        ],
        "solved": found.oracle.coverage,
        "faults": dict(found.faults),
    }


def _tally_as_json(tally: "RegretTally") -> dict[str, Any]:
    return {
        "moves": tally.moves,
        "unjudged": tally.num_unevaluated,
        "mean_regret_per_move": tally.regret_per_move,
        "critical": tally.critical,
        "critical_kept": tally.critical_kept,
        "critical_kept_share": tally.critical_kept_rate,
    }


def _print_report(report: dict[str, Any], what: str) -> None:
    error = report["standard_error"]
    margin = "" if error is None else f" ± {NORMAL_QUANTILE * error:.4f} (95%)"
    mean = format_optional(report["mean_regret"], ".4f") or "unknown"
    print(f"mean regret of a {what} {mean}{margin}, {report['games']} {what}s")
    if report["unjudged"]:
        fraction = report["unjudged"] / report["moves"]
        print(f"{report['unjudged']} moves ({fraction:.1%}) are in unsolved positions")
    for reason, count in report["faults"].items():
        print(f"{count} games were lost by {reason}")
    print()
    parts = {**report["by_phase"], "all": report}
    rows = [
        (
            name,
            str(part["moves"]),
            str(part["unjudged"]),
            format_optional(part["mean_regret_per_move"], ".4f"),
            str(part["critical"]),
            format_optional(part["critical_kept_share"], ".1%"),
        )
        for name, part in parts.items()
    ]
    print_table(("phase", "moves", "unjudged", "regret a move", "critical", "kept"), rows)
    if report["first_errors"]:
        print("\nfirst errors")
        errors = [
            (str(each["games"]), each["position"], each["move"], " ".join(each["best"][:6]))
            for each in report["first_errors"]
        ]
        print_table(("games", "position", "move", "best"), errors)
