"""`ludus show patterns` and `ludus tune patterns`: pattern networks (Vrajitoru 2015)."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import ClusterOption, ForceOption, JsonOption, RulesOption, StudyOption
from ludus.cli.output import print_json, print_table, show_progress
from ludus.core.errors import LudusError, quote
from ludus.core.files import check_output, write_text
from ludus.core.processes import count_cores
from ludus.core.spec import list_options

if TYPE_CHECKING:
    from ludus.core.game import AnyGame
    from ludus.learn.patterns.inspection import Neighbour, NetworkView, Vertex
    from ludus.learn.patterns.tuning import PatternSearchConfig, PatternSearchResult

SettingsOption = Annotated[
    str,
    typer.Option(
        "--settings",
        metavar="OPTIONS",
        help="Options of the Fuzzy player: preset=tuned, or k=3,wL=15.",
    ),
]


def show_patterns(
    network: Annotated[
        str,
        typer.Argument(
            metavar="[NETWORK]",
            help="seed, long, empty, or a file written by `ludus train patterns`.",
        ),
    ] = "seed",
    best: Annotated[int, typer.Option(min=1, max=512, help="Best patterns to show.")] = 10,
    pattern: Annotated[
        int | None, typer.Option(min=0, max=511, help="One pattern, with its neighbours.")
    ] = None,
    neighbours: Annotated[
        int, typer.Option(min=0, max=512, help="Moves to show from and to a pattern.")
    ] = 10,
    settings: SettingsOption = "",
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the patterns as SVG.")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Show the patterns of a network, their scores, and the moves between them."""
    if svg is not None:
        check_output(svg, Path(network), force=force)
    from ludus.learn.patterns.inference import parse_options
    from ludus.learn.patterns.inspection import NetworkView, draw_patterns
    from ludus.learn.patterns.network_file import load_network as named_network

    view = NetworkView(named_network(network), parse_options(settings).to_settings())
    if not view.list_observed():
        raise LudusError(f"{quote(network)} has learned nothing yet, so there is nothing to show")
    vertices = view.top(best) if pattern is None else [view.vertex(pattern)]
    if svg is not None:
        write_text(svg, draw_patterns(vertices, f"Patterns of {network}"))
    if json:
        _print_json(view, vertices, neighbours)
    elif pattern is None:
        _print_best(view, vertices)
    else:
        _print_pattern(view, vertices[0], neighbours)


def _print_json(view: "NetworkView", vertices: list["Vertex"], neighbours: int) -> None:
    print_json(
        games=view.network.games,
        note=view.network.note,
        patterns=len(view.list_observed()),
        edges=view.num_edges,
        shown=[
            {
                **asdict(vertex),
                "onwards": [asdict(move) for move in view.outgoing(vertex.pattern)[:neighbours]],
                "back": [asdict(move) for move in view.incoming(vertex.pattern)[:neighbours]],
            }
            for vertex in vertices
        ],
    )


def _print_best(view: "NetworkView", vertices: list["Vertex"]) -> None:
    from ludus.learn.patterns.inspection import format_patterns
    from ludus.learn.patterns.network import format_bits

    patterns, edges = len(view.list_observed()), view.num_edges
    print(f"{view.network.games} games, {patterns} patterns, {edges} moves between them")
    if view.network.note:
        print(view.network.note)
    print()
    print("\n".join(format_patterns([vertex.pattern for vertex in vertices])))
    print()
    headings = ("pattern", "bits", "seen", "mills", "men", "freq", "mutual", "score")
    rows = [(str(v.pattern), format_bits(v.pattern), *_format_figures(v)) for v in vertices]
    print_table(headings, rows)


def _format_figures(vertex: "Vertex") -> tuple[str, ...]:
    counts = vertex.frequency, vertex.mill, vertex.token
    ratios = f"{vertex.freq:.4f}", f"{vertex.mutual:.3f}", f"{vertex.score:.4g}"
    return *map(str, counts), *ratios


def _print_pattern(view: "NetworkView", vertex: "Vertex", neighbours: int) -> None:
    from ludus.learn.patterns.inspection import format_pattern
    from ludus.learn.patterns.network import format_bits

    print("\n".join(format_pattern(vertex.pattern)))
    print(f"\npattern {vertex.pattern} = {format_bits(vertex.pattern)}")
    names = ("seen", "mills", "men", "freq", "mutual", "score")
    print(
        ", ".join(
            f"{name} {figure}" for name, figure in zip(names, _format_figures(vertex), strict=True)
        )
    )
    for title, moves in (
        ("to pattern", view.outgoing(vertex.pattern)),
        ("from pattern", view.incoming(vertex.pattern)),
    ):
        print()
        _print_neighbours(title, moves[:neighbours])


def _print_neighbours(title: str, moves: list["Neighbour"]) -> None:
    from ludus.learn.patterns.network import format_bits

    rows = [
        (
            str(move.pattern),
            format_bits(move.pattern),
            move.move,
            str(move.count),
            f"{move.weight:.3f}",
            f"{move.score:.4g}",
        )
        for move in moves
    ]
    print_table((title, "bits", "move", "made", "weight", "score"), rows)


def tune_patterns(
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="HEURISTIC", help="newbie, basic or focused.")
    ] = "focused",
    trials: Annotated[int, typer.Option(min=1, max=1_000_000, help="Settings to try.")] = 800,
    games: Annotated[int, typer.Option(min=2, max=1_000_000, help="Games per setting.")] = 2048,
    network: Annotated[
        str, typer.Option("--network", metavar="NETWORK", help="The Fuzzy player's network.")
    ] = "long",
    study: StudyOption = None,
    rules: RulesOption = "vrajitoru",
    seed: Annotated[
        int, typer.Option(min=0, max=10**6, help="The same seed gives the same search.")
    ] = 0,
    threads: Annotated[
        int, typer.Option(min=0, max=256, help="Number of threads; 0: one per core.")
    ] = 0,
    cluster: ClusterOption = "",
    json: JsonOption = False,
) -> None:
    """Search for the settings of the Fuzzy player that win most (needs the extra `learn`)."""
    from ludus.games import game as named_game
    from ludus.learn.patterns.tuning import PatternSearchConfig

    workers = threads or count_cores()
    plan = PatternSearchConfig(opponent, trials, games, network, seed, workers)
    result = _run_search(named_game("nine_mens_morris", rules), plan, study, cluster)
    if json:
        print_json(
            settings=asdict(result.settings), wins=result.wins, games=result.games, trials=trials
        )
        return
    print(f"fuzzy:{','.join(list_options(result.settings))}")
    percent = 100 * result.wins / result.games
    print(f"wins {result.wins} of {result.games} further games against {opponent}: {percent:.1f}%")


def _run_search(
    game: "AnyGame", plan: "PatternSearchConfig", study: Path | None, cluster: str
) -> "PatternSearchResult":
    from ludus.arena.executors import make_executor
    from ludus.learn.patterns.tuning import search_settings

    with ExitStack() as stack:
        executor = stack.enter_context(make_executor(cluster=cluster)) if cluster else None
        update = stack.enter_context(show_progress("searching", plan.trials))

        def report(done: int, best: float) -> None:
            update(done, label=f"searching, best {best:.1%}")

        return search_settings(game, plan, study, report, executor)
