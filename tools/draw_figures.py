"""Draw the figures of the documentation into `docs/figures`, with the library's own drawings.

    python tools/draw_figures.py

A test compares the files with what this makes, so that they never grow old.
"""

import ast
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ludus
from ludus.learn.gammon import load_shipped_chances
from ludus.learn.nnmm.chain import find_shipped_weights
from ludus.learn.nnmm.weights import load_committee
from ludus.oracles.morris.sectors import moving_sectors, next_sectors
from ludus.render.diagram import draw_graph, draw_layers

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"

ENDING = "WB./W../.../..B..B/.../..W/... w 0 0"
ENDING_MOVES = ("a7-f6", "d7-a7", "b6-f4xa7")
PLACING = ".../BWW/.../.B..W./.../.B./... w 6 6"


def draw_sector_graph() -> str:
    """Draw which sectors without men in hand are needed to solve which, up to six men a side."""
    rules = ludus.game("nine_mens_morris").rules
    sectors = moving_sectors(rules, 6)
    places = {f"{x}-{y}": (70.0 + 110 * (x - 3), 30.0 + 62 * (x + y - 6)) for x, y, _, _ in sectors}
    arrows = [
        (f"{x}-{y}", f"{after[0]}-{after[1]}")
        for x, y, *hands in sectors
        for after in sorted(next_sectors(rules, (x, y, hands[0], hands[1])))
    ]
    return draw_graph(
        "Sectors of the moving phase and those that captures lead to", places, arrows
    ).svg()


def play_ending() -> list[tuple[Any, Any]]:
    """Return the positions of best play of an ending, each with its move, the end with None."""
    game = ludus.game("nine_mens_morris")
    found, position = [], game.parse(ENDING)
    for text in ENDING_MOVES:
        move = game.parse_move(text, position)
        found.append((position, move))
        position = position.play(move)
    return [*found, (position, None)]


def draw_ending(plies: int) -> str:
    """Draw the position this number of plies before the end, with the best move."""
    position, move = play_ending()[-1 - plies]
    if move is None:
        return position.svg()
    start, end, *taken = ludus.game("nine_mens_morris").steps(move)
    return position.svg(ludus.Marks(arrows=((start, end),), points=dict.fromkeys(taken, "take")))


def draw_network_heat(part: int) -> str:
    """Draw the probabilities of one network of the thesis's chain over the points."""
    game = ludus.game("nine_mens_morris")
    position = game.parse(PLACING)
    player = ludus.player("nnmm:size=thesis", game)
    player.start_game(seed=0)
    player.choose(position)
    marks = player.pictures(position)[part].marks
    # Two decimals are the same on every processor.
    heat = {place: round(share, 2) for place, share in marks.heat.items()}
    return position.svg(ludus.Marks(points=marks.points, heat=heat))


def draw_thesis_network() -> str:
    """Draw the layers of the thesis's residual network."""
    weights = load_committee(find_shipped_weights()["thesis", "TFR"]).sets[0]
    design = weights.designs[0]
    blocks = f"{design['blocks']} blocks"
    layers = [
        ("inputs", weights.members[0][0]["first.weight"].shape[1]),
        ("first", design["first"]),
        (blocks, design["units"]),
        ("last", design["first"]),
        ("points", design["outputs"]),
    ]
    return draw_layers("A residual network of the chain TO, FROM, REMOVE", layers).svg()


def draw_backgammon_network() -> str:
    """Draw the layers of the strong backgammon networks."""
    sizes = load_shipped_chances("selfplay").sizes
    names = ("inputs", "hidden 1", "hidden 2", "chances")
    return draw_layers(
        "The network of gammon:net=selfplay", [*zip(names, sizes, strict=True)]
    ).svg()


def list_package_layers() -> list[list[str]]:
    """Return the packages of each layer, the lowest first, as import-linter checks them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    found = [re.findall(r"ludus\.(\w+)", layer) for layer in reversed(layers)]
    return [[name for name in layer if not name.startswith("_")] for layer in found]


def find_package_imports(package: str) -> set[str]:
    """Return the packages of Ludus that a package imports anywhere, but for types alone."""
    folder = ROOT / "src" / "ludus"
    files = [*(folder / package).rglob("*.py"), folder / f"{package}.py"]
    found = set()
    for file in files:
        if file.exists():
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ludus."):
                    found.add(str(node.module).split(".")[1])
    return found - {package}


COLUMNS = {
    "cli": 1,
    "reproduce": 0,
    "web": 2,
    "arena": 0,
    "envs": 1,
    "learn": 2,
    "protocol": 3,
    "analysis": 2,
    "datasets": 3,
    "players": 1,
    "oracles": 1,
    "games": 1,
    "render": 0.5,
    "cuda": 2,
    "core": 1,
}
"""Packages to their columns, so that no arrow goes through another package."""


def draw_packages() -> str:
    """Draw the packages in their layers, with an arrow to each that one needs directly.

    A package that another one of those leads to has no arrow of its own.
    """
    layers = [layer for layer in list_package_layers() if layer]
    names = {name for layer in layers for name in layer}
    needs = {name: find_package_imports(name) & names for name in names}

    def reach(name: str) -> set[str]:
        return needs[name].union(*(reach(each) for each in needs[name]))

    arrows = [
        (name, each)
        for name in sorted(names)
        for each in sorted(needs[name])
        if not any(each in reach(other) for other in needs[name] - {each})
    ]
    places = {
        name: (60.0 + 150 * COLUMNS[name], 30.0 + 62 * height)
        for height, layer in enumerate(reversed(layers))
        for name in layer
    }
    return draw_graph("Packages of Ludus, each above those that it imports", places, arrows).svg()


DRAWINGS: dict[str, Callable[[], str]] = {
    "sector-graph.svg": draw_sector_graph,
    "ending-lost.svg": lambda: draw_ending(0),
    "ending-win-1.svg": lambda: draw_ending(1),
    "ending-loss-2.svg": lambda: draw_ending(2),
    "thesis-network.svg": draw_thesis_network,
    "thesis-to.svg": lambda: draw_network_heat(0),
    "thesis-remove.svg": lambda: draw_network_heat(2),
    "backgammon-network.svg": draw_backgammon_network,
    "packages.svg": draw_packages,
}
"""Files and what draws them."""


def main() -> None:
    FIGURES.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        (FIGURES / name).write_text(draw(), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
