"""`ludus patterns train`: let players meet, learn their games, and keep the network."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.files import read_file
from ludus.cli.options import Json
from ludus.cli.output import print_json, with_progress
from ludus.cli.patterns.asking import SeedRules
from ludus.core.errors import BadRecord, quoted

if TYPE_CHECKING:
    from ludus.learn.patterns.network import Network


def train(
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="Where the network goes.", show_default=False),
    ],
    own: Annotated[
        int, typer.Option("--own", help="Games of each heuristic against itself.")
    ] = 100,
    mixed: Annotated[int, typer.Option("--mixed", help="Games of focused against basic.")] = 100,
    strong: Annotated[
        int, typer.Option("--strong", help="Games of the teacher against each heuristic.")
    ] = 10,
    teacher: Annotated[
        str, typer.Option("--teacher", metavar="PLAYER", help="The stronger player.")
    ] = "negascout:level=6",
    records: Annotated[
        list[Path] | None,
        typer.Option(
            "--records", metavar="FILE", help="Learn the games of this file as well; repeatable."
        ),
    ] = None,
    onto: Annotated[
        str, typer.Option("--onto", metavar="NETWORK", help="Go on teaching this network.")
    ] = "empty",
    mutual: Annotated[
        float, typer.Option(min=0, max=0.999, help="mutualWeight, for the pass after each game.")
    ] = 0.2,
    rules: SeedRules = "vrajitoru",
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    json: Json = False,
) -> None:
    """Train a network as section 6 of the paper does, and with games that people have played.

    An interrupted training goes on where it stopped if it is started again in the same way.
    """
    from ludus.games import game as named_game
    from ludus.learn.patterns.file import save
    from ludus.learn.patterns.shipped import network as named_network
    from ludus.learn.patterns.training import Plan, Training, last
    from ludus.learn.patterns.whole import check_place

    check_place(out)
    plan = Plan(own, mixed, strong, teacher)
    training = Training(named_game("nine_mens_morris", rules), plan, seed, mutual)
    people = [game for path in records or [] for game in _recorded(path, rules)]
    began = time.perf_counter()
    checkpoint = out.with_name(f"{out.name}.part")
    base = named_network(onto)
    steps = training.run(base, people, checkpoint)
    network = last(with_progress(steps, training.games + len(people), "learning"), base)
    save(network, out)
    checkpoint.unlink(missing_ok=True)
    _report(network, out, time.perf_counter() - began, json)


def _recorded(path: Path, rules: str) -> list[Any]:
    from ludus.learn.patterns.imported import recorded_games

    try:
        return list(recorded_games(read_file(path), rules))
    except BadRecord as error:
        raise BadRecord(f"{quoted(str(path), 200)}: {error}") from error


def _report(network: "Network", out: Path, seconds: float, is_json: bool) -> None:
    patterns = sum(count > 0 for count in network.frequency)
    edges = sum(map(len, network.edges.values()))
    if is_json:
        print_json(
            out=str(out),
            games=network.games,
            patterns=patterns,
            edges=edges,
            bytes=out.stat().st_size,
            seconds=round(seconds, 3),
        )
        return
    print(f"{network.games} games learned in {seconds:.1f} s")
    print(f"{patterns} patterns and {edges} moves in {out}, {out.stat().st_size} bytes")
