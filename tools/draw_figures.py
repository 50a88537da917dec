"""Draw the figures of the documentation into `docs/figures`, with the library's own drawings.

    python tools/draw_figures.py

A test compares the files with what this makes, so that they never grow old.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ludus
from ludus.learn.gammon import load_shipped_chances
from ludus.learn.nnmm.chain import find_shipped_weights
from ludus.learn.nnmm.weights import load_committee
from ludus.oracles.morris.sectors import moving_sectors, next_sectors
from ludus.render.diagram import draw_graph, draw_layers

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "figures"

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


DRAWINGS: dict[str, Callable[[], str]] = {
    "sector-graph.svg": draw_sector_graph,
    "ending-lost.svg": lambda: draw_ending(0),
    "ending-win-1.svg": lambda: draw_ending(1),
    "ending-loss-2.svg": lambda: draw_ending(2),
    "thesis-network.svg": draw_thesis_network,
    "thesis-to.svg": lambda: draw_network_heat(0),
    "thesis-remove.svg": lambda: draw_network_heat(2),
    "backgammon-network.svg": draw_backgammon_network,
}
"""Files and what draws them."""


def main() -> None:
    FIGURES.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        (FIGURES / name).write_text(draw(), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
