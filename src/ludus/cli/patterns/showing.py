"""`ludus patterns show`: the best patterns of a network, or one pattern with its neighbours."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.files import whole_file
from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table
from ludus.cli.patterns.asking import SettingsText
from ludus.core.errors import LudusError, quoted

if TYPE_CHECKING:
    from ludus.learn.patterns.inspecting import Neighbour, Vertex, View


def show(
    network: Annotated[
        str,
        typer.Argument(
            metavar="[NETWORK]",
            help="seed, long, empty, or a file that `ludus patterns train` has written.",
        ),
    ] = "seed",
    best: Annotated[int, typer.Option(min=1, max=512, help="So many of the best patterns.")] = 10,
    pattern: Annotated[
        int | None,
        typer.Option("--pattern", min=0, max=511, help="One pattern, with its neighbours."),
    ] = None,
    neighbours: Annotated[
        int, typer.Option(min=0, max=512, help="So many moves from a pattern, and to it.")
    ] = 10,
    settings: SettingsText = "",
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the patterns into a file.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what a network has learned: its patterns, their scores, and the moves between them."""
    from ludus.learn.patterns.drawing import svg as drawn
    from ludus.learn.patterns.inspecting import View
    from ludus.learn.patterns.settings import read_options
    from ludus.learn.patterns.shipped import network as named_network

    view = View(named_network(network), read_options(settings).settings())
    if not view.seen():
        raise LudusError(f"{quoted(network)} has learned nothing yet, so there is nothing to show")
    shown = view.best(best) if pattern is None else [view.vertex(pattern)]
    if svg is not None:
        with whole_file(svg) as file:
            file.write(drawn(shown, f"Patterns of {network}"))
    if json:
        _print_json(view, shown, neighbours)
    elif pattern is None:
        _print_best(view, shown)
    else:
        _print_one(view, shown[0], neighbours)


def _print_json(view: "View", shown: list["Vertex"], neighbours: int) -> None:
    print_json(
        games=view.network.games,
        note=view.network.note,
        patterns=len(view.seen()),
        edges=view.num_edges,
        shown=[
            {
                **asdict(vertex),
                "onwards": [asdict(move) for move in view.onwards(vertex.pattern)[:neighbours]],
                "back": [asdict(move) for move in view.back(vertex.pattern)[:neighbours]],
            }
            for vertex in shown
        ],
    )


def _print_best(view: "View", shown: list["Vertex"]) -> None:
    from ludus.learn.patterns.drawing import texts
    from ludus.learn.patterns.quadrants import in_rows

    patterns, edges = len(view.seen()), view.num_edges
    print(f"{view.network.games} games, {patterns} patterns, {edges} moves between them")
    if view.network.note:
        print(view.network.note)
    print()
    print("\n".join(texts([vertex.pattern for vertex in shown])))
    print()
    headings = ("pattern", "bits", "seen", "mills", "men", "freq", "mutual", "score")
    rows = [(str(v.pattern), in_rows(v.pattern), *_figures(v)) for v in shown]
    print_table(headings, rows)


def _figures(vertex: "Vertex") -> tuple[str, ...]:
    counts = vertex.frequency, vertex.mill, vertex.token
    shares = f"{vertex.freq:.4f}", f"{vertex.mutual:.3f}", f"{vertex.score:.4g}"
    return *map(str, counts), *shares


def _print_one(view: "View", vertex: "Vertex", neighbours: int) -> None:
    from ludus.learn.patterns.drawing import text
    from ludus.learn.patterns.quadrants import in_rows

    print("\n".join(text(vertex.pattern)))
    print(f"\npattern {vertex.pattern} = {in_rows(vertex.pattern)}")
    names = ("seen", "mills", "men", "freq", "mutual", "score")
    print(
        ", ".join(f"{name} {figure}" for name, figure in zip(names, _figures(vertex), strict=True))
    )
    for title, found in (
        ("to pattern", view.onwards(vertex.pattern)),
        ("from pattern", view.back(vertex.pattern)),
    ):
        print()
        _print_moves(title, found[:neighbours])


def _print_moves(title: str, moves: list["Neighbour"]) -> None:
    from ludus.learn.patterns.quadrants import in_rows

    rows = [
        (
            str(move.pattern),
            in_rows(move.pattern),
            move.move,
            str(move.count),
            f"{move.weight:.3f}",
            f"{move.score:.4g}",
        )
        for move in moves
    ]
    print_table((title, "bits", "move", "made", "weight", "score"), rows)
