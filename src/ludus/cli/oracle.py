"""`ludus solve`, `ludus value` and `ludus verify`: compute, look up and check exact values."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    GameArgument,
    JsonOption,
    OracleOption,
    PositionArgument,
    RulesOption,
    parse_position,
)
from ludus.cli.output import (
    dataclass_as_json,
    get_table_width,
    print_json,
    print_notice,
    print_table,
    run_interruptible,
    run_with_progress_bar,
)
from ludus.core.game import AnyGame
from ludus.core.marks import Marks
from ludus.core.runs import announce_run
from ludus.games import game as named_game

if TYPE_CHECKING:
    from ludus.oracles import Verdict
    from ludus.oracles.backgammon.solver import EquityResult
    from ludus.oracles.morris.solver import SolveResult

ThreadsOption = Annotated[
    int,
    typer.Option(min=0, max=1024, help="Number of threads; 0: one per core."),
]

DeviceOption = Annotated[str, typer.Option("--device", metavar="DEVICE", help="cpu or cuda.")]


def solve(
    game: GameArgument,
    rules: RulesOption = "",
    max_men: Annotated[
        int | None,
        typer.Option(help="Only positions with empty hands and at most N men per side."),
    ] = None,
    threads: ThreadsOption = 0,
    device: DeviceOption = "cpu",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Store the values here; resume an unfinished run."
        ),
    ] = None,
    wdl: Annotated[
        bool, typer.Option("--wdl", help="Store results without depths: smaller files.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Recompute each value from its successors.")
    ] = False,
    shared: Annotated[
        bool, typer.Option("--shared", help="Solve together with others that use the same DIR.")
    ] = False,
    expiry: Annotated[
        float,
        typer.Option(
            "--expiry",
            metavar="SECONDS",
            min=1,
            max=86_400,
            help="Take over the work of others that give no sign for so long.",
        ),
    ] = 60.0,
    json: JsonOption = False,
) -> None:
    """Solve a game of the Morris family, hypergammon, or bearing off in backgammon."""
    from ludus.oracles.backgammon.solver import EquityResult
    from ludus.oracles.morris.solver import SharedSolveRun
    from ludus.oracles.solving import SolveOptions, open_solve_run

    chosen = named_game(game, rules)
    if wdl and out is None:
        raise typer.BadParameter("--wdl needs --out")
    began = time.perf_counter()
    options = SolveOptions(max_men, device, threads, verify, not wdl, shared, expiry)
    with open_solve_run(chosen, out, options) as run:
        if out is None and not json:
            print_notice("nothing is stored; --out DIR stores the values")
        title = f"{chosen.title}, {chosen.format_rules(chosen.rules)}"
        with announce_run("solve", title, out) as announced:
            result: Any = run_with_progress_bar(
                run, "solving", lambda now: announced.update(now.done, now.total)
            )
    seconds = round(time.perf_counter() - began, 3)
    if isinstance(result, EquityResult):
        report = _equities_as_json(chosen, result)
    else:
        report = {**_solution_as_json(result, has_depth=not wdl), "slots": run.progress.total}
        if isinstance(run, SharedSolveRun):
            report["solved_here"] = run.num_solved
    report["seconds"] = seconds
    if json:
        print_json(game=chosen.id, rules=dataclass_as_json(chosen.rules), **report)
    elif isinstance(result, EquityResult):
        _print_equities(report)
    else:
        _print_solution(report)
    if not result.is_valid:
        raise typer.Exit(1)


def _equities_as_json(game: AnyGame, result: "EquityResult") -> dict[str, Any]:
    from ludus.oracles.solving import find_root_equity

    root = find_root_equity(game, result)
    return {
        "root": None if root is None else "equity",
        "root_equity": root,
        "subspaces": [],
        **asdict(result.extent),
        "positions": result.equities.size,
        "sweeps": result.num_sweeps,
        "last_change": result.last_change,
        **({"errors": result.errors} if result.errors else {}),
    }


def _print_equities(report: dict[str, Any]) -> None:
    print(
        f"{report['positions']:,} positions, {report['sweeps']} sweeps, {report['seconds']:.1f} s"
    )
    if report["root"] is not None:
        print(f"The side that begins has an equity of {report['root_equity']:+.6f} points.")
    if "errors" in report:
        print(f"Values follow from their successors within {max(report['errors']):.1e}.")


def _solution_as_json(result: "SolveResult", has_depth: bool) -> dict[str, Any]:
    """Return the results for the JSON output."""
    from ludus.games.nine_mens_morris.batch import RESULT_NAMES, classify

    root = None if result.root is None else RESULT_NAMES[classify(result.root)]
    checked = {} if result.num_wrong is None else {"wrong": result.num_wrong}
    moving, placing = [], []
    for space, tally in result.counts.items():
        sides = {"mover": space.mover, "other": space.other}
        if space.mover_hand == space.other_hand == 0:
            moving.append({**sides, **asdict(tally)})
        else:
            hands = {"mover_hand": space.mover_hand, "other_hand": space.other_hand}
            placing.append({**sides, **hands, **asdict(tally)})
    return {
        "root": root,
        "root_depth": result.root if has_depth and root in ("win", "loss") else None,
        "resumed": result.num_resumed,
        **checked,
        "subspaces": moving,
        "placement": placing,
    }


def _print_solution(report: dict[str, Any]) -> None:
    columns = ("win", "loss", "draw", "max_win", "max_loss")
    headings = ("subspace", "won", "lost", "drawn", "longest win", "longest loss")
    rows = [
        (
            _format_subspace(space),
            *("" if space[key] is None else str(space[key]) for key in columns),
        )
        for space in [*report["subspaces"], *report["placement"]]
    ]
    print_table(headings, rows)
    if report["root"] is not None:
        plies = "" if report["root_depth"] is None else f" in {report['root_depth']} plies"
        print(f"The start of the game is a {report['root']}{plies} for the first player.")
    if "wrong" in report:
        print(f"{report['wrong']} values are wrong.")
    rate = report["slots"] / max(report["seconds"], 0.001) / 1e6
    print(f"{report['slots']:,} slots in {report['seconds']:.1f} s, {rate:.1f} million a second")


def _format_subspace(space: dict[str, Any]) -> str:
    """Format a subspace for a table, the mover's men first."""
    name = f"{space['mover']}-{space['other']}"
    if "mover_hand" in space:
        name += f" and {space['mover_hand']}-{space['other_hand']} in hand"
    return name


def value(
    game: GameArgument,
    position: PositionArgument,
    rules: RulesOption = "",
    oracle: OracleOption = None,
    json: JsonOption = False,
) -> None:
    """Print the exact value of a position and of every move in it."""
    from ludus.oracles import oracle as find_oracle

    chosen = named_game(game, rules)
    position_ = parse_position(chosen, position)
    oracle_ = find_oracle(chosen, oracle)
    verdict = run_interruptible(lambda: oracle_.verdict(position_))
    stored = oracle_.chances(position_)
    chances = {} if stored is None else {"chances": stored}
    if json:
        print_json(
            game=chosen.id,
            rules=dataclass_as_json(chosen.rules),
            position=str(position_),
            **verdict.value.to_json(),
            moves=[
                {
                    "move": str(rated.move),
                    "value": rated.value,
                    "depth": rated.depth,
                    **(
                        {} if rated.equity is None else {"equity": rated.equity, "cost": rated.cost}
                    ),
                }
                for rated in verdict.moves
            ],
            **chances,
        )
        return
    print(position_.text(_mark_first_places(chosen, verdict)), end="\n\n")
    if position_.outcome() is None:
        print(f"{chosen.sides[chosen.turn(position_)].capitalize()} to move: {verdict.value}")
        for name, chance in chances.get("chances", {}).items():
            print(f"{name.replace('_', ' ')} {chance:.4%}")
        if verdict.moves:
            print(verdict.format(get_table_width()))


def _mark_first_places(game: AnyGame, verdict: "Verdict") -> Marks:
    """Mark the first places of the moves: good if a move from there keeps the value, else bad."""
    good = {place for move in verdict.best for place in game.steps(move)[:1]}
    places = (place for rated in verdict.moves for place in game.steps(rated.move)[:1])
    first = dict.fromkeys(places, "bad")
    return Marks(points=first | dict.fromkeys(good, "good"))


def verify(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder written by `ludus solve`.")
    ],
    threads: ThreadsOption = 0,
    device: DeviceOption = "cpu",
    json: JsonOption = False,
) -> None:
    """Check the files of a solved game, then every value against its successors."""
    from ludus.oracles.backgammon.solver import EquityVerificationRun
    from ludus.oracles.solving import open_verification

    run = open_verification(folder, device, threads)
    began = time.perf_counter()
    result: Any = run_with_progress_bar(run, "verifying")
    seconds = round(time.perf_counter() - began, 3)
    if isinstance(run, EquityVerificationRun):
        report = {
            **asdict(run.extent),
            "values": result.num_values,
            "equity_error": result.equity_error,
            "chance_error": result.chance_error,
            "wrong": int(not result.is_valid),
            "problems": [],
        }
        text = (
            f"{result.num_values:,} values; they follow from their successors within "
            f"{result.equity_error:.1e} points and probabilities within {result.chance_error:.1e}"
        )
    else:
        report = {
            "rules": dataclass_as_json(run.database.rules),
            "has_depth": run.database.has_depth,
            "subspaces": result.num_subspaces,
            "values": result.num_values,
            "wrong": result.num_wrong,
            "problems": result.problems,
        }
        text = (
            f"{result.num_subspaces} subspaces, {result.num_values:,} values, "
            f"{result.num_wrong} wrong"
        )
    if json:
        print_json(**report, seconds=seconds)
    else:
        for problem in report["problems"]:
            print(problem)
        print(f"{text}; {seconds:.1f} s")
    if not result.is_valid:
        raise typer.Exit(1)
