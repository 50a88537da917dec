"""The start boards, and the exact regret of fixed strategies on them, without playing.

The strategies are the rules of Figure 4, written out by hand: nothing here uses the learner.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from ludus.arena import Policy, compute_expected_regret, get_uniform_policy
from ludus.games import game as named_game
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import Context, Finding, Measurement, Table

Rule = Callable[[Any, Any], bool]
"""Whether a move from one board to the next is one of the rule."""


def run(context: Context) -> Iterator[Finding]:
    for row in context.published.rows:
        value = compute_exact(row["game"], row["kind"], row.extra.get("rules", ()))
        yield Measurement(row.name, round(value, 6), note=f"exactly {value:.4f}")
    for name in ("noughts_and_crosses", "hexapawn", "hexapawn:size=4"):
        game = named_game(name)
        boards = [
            [str(board), str(find_oracle(game).value(board))] for board in game.training_starts()
        ]
        yield Table(f"Start boards of {name}", ("board", "worth to the learner"), boards)


def compute_exact(name: str, kind: str, rules: Sequence[str] = ()) -> float:
    """The number of boards of a kind, or the mean regret on all of them.

    The regret is that of a strategy, or the worst case, in which every game is lost.
    """
    game = named_game(name)
    oracle, boards = find_oracle(game), game.training_starts()
    if kind == "regret":
        return compute_expected_regret(oracle, make_policy([RULES[rule] for rule in rules]), boards)
    if kind == "worst":
        return sum(oracle.value(board).utility + 1 for board in boards) / len(boards)
    return sum(kind in ("all", oracle.value(board).result) for board in boards)


def make_policy(rules: Sequence[Rule]) -> Policy:
    """The first move that the first rule allows; any move if none does."""

    def policy(position: Any) -> dict[Any, float]:
        for rule in rules:
            for move in position.legal_moves():
                if rule(position, position.play(move)):
                    return {move: 1.0}
        return get_uniform_policy(position)

    return policy


def has_move(rule: Rule, board: Any) -> bool:
    """Whether the side to move has a move of the rule; without moves it has none."""
    return any(rule(board, board.play(move)) for move in board.legal_moves())


@cache
def win_1(before: Any, after: Any) -> bool:
    outcome = after.outcome()
    return outcome is not None and outcome.winner == before.mover


@cache
def safe_1(before: Any, after: Any) -> bool:
    return not has_move(win_1, after)


@cache
def win_2(before: Any, after: Any) -> bool:
    return safe_1(before, after) and not has_move(safe_1, after)


@cache
def safe_2(before: Any, after: Any) -> bool:
    return safe_1(before, after) and not has_move(win_2, after)


@cache
def win_3(before: Any, after: Any) -> bool:
    return safe_2(before, after) and not has_move(safe_2, after)


RULES: dict[str, Rule] = {
    "win_1": win_1,
    "win_2": win_2,
    "win_3": win_3,
    "draw_1": safe_1,
    "draw_2": safe_2,
}
