"""Figures 1 and 2: the coding of a move's effect on a point, and stacks of men."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus.datasets import classify_theme
from ludus.games.backgammon import Backgammon, Position, make_view
from ludus.learn.gammon import GammonNetwork, load_test_positions, play_native_games
from ludus.reproduce import Context, Measurement

from .comparisons import choose_moves, conclude_higher, make_row, score_positions
from .networks import get_trained_network, make_config

CODINGS = {"1a": "unary_features", "1b": "features"}

STACK = 3
"""Own men on a point before the move; one more is a stack."""

FIGURE_2 = "21:2,13:2,8:3,6:4,5:4 24:2,13:5,9:1,8:2,6:5 0 51"
SPREAD_MOVE, STACKING_MOVE = "21/20 21/16*", "21/16* 6/5"

Opportunity = tuple[int, np.ndarray]
"""The number of a test position, and for each of its moves whether it stacks."""


def run(context: Context) -> Iterator[Any]:
    found: dict[str, dict[str, list[float]]] = {}
    opportunities = find_opportunities(context.setting("tested"))
    seeds = context.setting("seeds")
    for name, coding in CODINGS.items():
        found[name] = {"test": [], "stacks": [], "games": [], "figure 2": []}
        for seed in range(seeds):
            context.progress(seed, seeds, f"coding {name}")
            for key, value in _measure(context, name, coding, seed, opportunities).items():
                found[name][key].append(value)
    for name, values in found.items():
        yield Measurement.mean(f"coding {name}: test positions", values["test"], unit="%")
        yield Measurement.mean(f"coding {name}: moves that stack", values["stacks"], unit="%")
        yield Measurement.mean(f"coding {name}: games against tool", values["games"], unit="%")
        what = "score of the stacking move less the other's, Figure 2"
        yield Measurement.mean(f"coding {name}: {what}", values["figure 2"], unit="of 200")
    num_stacks = sum(bool(is_stack[_find_best_move(number)]) for number, is_stack in opportunities)
    yield Measurement.proportion("the expert: moves that stack", num_stacks, len(opportunities))
    old, new = found["1a"], found["1b"]
    yield conclude_higher(
        "networks with coding 1a stack more than with coding 1b", old["stacks"], new["stacks"]
    )
    yield conclude_higher(
        "networks with coding 1b win more games than with coding 1a", new["games"], old["games"]
    )
    yield conclude_higher(
        "in the position of Figure 2 coding 1a prefers the stack more than coding 1b",
        old["figure 2"],
        new["figure 2"],
    )


def _measure(
    context: Context, name: str, coding: str, seed: int, opportunities: Sequence[Opportunity]
) -> dict[str, float]:
    settings = make_config(make_row(context, coding, (24, 24)), context.seed + seed)
    file, curve = get_trained_network(context, name, settings)

    def compute() -> dict[str, float]:
        network = GammonNetwork.load(file)
        positions = [load_test_positions()[number].position for number, _ in opportunities]
        chosen = choose_moves(network, positions)
        stacks = [is_stack[move] for move, (_, is_stack) in zip(chosen, opportunities, strict=True)]
        games = max(2, context.setting("games") // context.setting("seeds"))
        result = play_native_games(
            network, "tool", games, context.seed_for("games", seed), context.jobs
        )
        return {
            "stacks": 100 * float(np.mean(stacks)),
            "games": 100 * result.win_rate,
            "figure 2": compare_figure_2_moves(network),
        }

    measured = context.cached(f"measurements of {name} {seed}", compute)
    return {"test": 100 * curve[-1][1], **measured}


def compare_figure_2_moves(network: GammonNetwork) -> float:
    """The score of the move that stacks less that of the other one."""
    position = Backgammon().parse(FIGURE_2)
    texts = [str(move) for move in position.legal_moves()]
    scores, _ = score_positions(network, [position])
    return float(scores[texts.index(STACKING_MOVE)] - scores[texts.index(SPREAD_MOVE)])


def find_opportunities(tested: int) -> list[Opportunity]:
    """Test positions in which some but not all moves stack, except when bearing off."""
    found = []
    for number, scored in enumerate(load_test_positions()[:tested]):
        position = scored.position
        if classify_theme(make_view(position.board, position.turn)) == "bearing_off":
            continue
        is_stack = np.array([is_stacking(position, move) for move in position.legal_moves()])
        if is_stack.any() and not is_stack.all():
            found.append((number, is_stack))
    return found


def is_stacking(position: Position, move: Any) -> bool:
    """Whether a move adds a man to a point that has at least three own men."""
    before = make_view(position.board, position.turn).own
    after = make_view(position.play(move).board, position.turn).own
    return any(before[point] >= STACK and after[point] > before[point] for point in range(1, 25))


def _find_best_move(number: int) -> int:
    """The number of the expert's move."""
    scored = load_test_positions()[number]
    moves: list[Any] = scored.position.legal_moves()
    return moves.index(next(iter(scored.scores)))
