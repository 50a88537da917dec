"""The search behind the perfect player, against a plain one that tries everything."""

import random

import pytest

import ludus
from ludus.core.game import MAN_VALUE
from ludus.core.player import Limit
from ludus.oracles import oracle as find_oracle
from ludus.oracles.interface import evaluate_end
from ludus.players.alpha_beta import (
    WIN_SCORE,
    AlphaBetaSearch,
    score_to_plies,
    value_to_score,
)

CASES = [("nine_mens_morris", 3), ("nine_mens_morris:lasker", 2), ("hexapawn:five", 5)]


def plain(oracle, evaluate, position, depth, ply=0):
    """The score of a position, every line to its end."""
    if ply:
        value = evaluate_end(position) or oracle.value_if_known(position)
        if value is not None:
            return value_to_score(value, ply)
    if depth == 0:
        return evaluate(position)
    moves = position.legal_moves()
    return max(-plain(oracle, evaluate, position.play(m), depth - 1, ply + 1) for m in moves)


def scenes(game, seed, count):
    """Positions of a random game, some of them with few men."""
    rng, found, position = random.Random(seed), [], game.start()
    while position.outcome() is None and len(found) < 60:
        found.append(position)
        position = position.play(rng.choice(position.legal_moves()))
    return rng.sample(found, min(count, len(found)))


@pytest.mark.parametrize(("spec", "depth"), CASES, ids=lambda case: str(case))
def test_cutting_lines_off_changes_nothing(spec, depth):
    game = ludus.game(spec, "repetition=0" if "morris" in spec else "")
    oracle, evaluate = find_oracle(game), game.evaluate
    for seed in range(3):
        for position in scenes(game, seed, 4):
            found = AlphaBetaSearch(game, oracle, Limit(depth=depth)).run(position)
            for searched in range(1, depth + 1):
                score = plain(oracle, evaluate, position, searched)
                if score_to_plies(score) is not None:
                    break
            assert (found.best, found.depth) == (score, searched), position
            exact = [
                move
                for move in position.legal_moves()
                if -plain(oracle, evaluate, position.play(move), searched - 1, 1) == score
                or _ends(oracle, position.play(move), score)
            ]
            assert found.moves == exact, position


def _ends(oracle, position, score):
    """Whether a move leads straight to this score; `plain` would look beyond the end."""
    value = evaluate_end(position) or oracle.value_if_known(position)
    return value is not None and -value_to_score(value, 1) == score


def test_the_solved_part_is_used_before_the_evaluation():
    """Down to five men against three, White is a man up either way; only one capture wins."""
    game = ludus.game("nine_mens_morris")
    oracle = find_oracle(game)
    rng = random.Random(7)
    num_distinguished = 0
    for _ in range(300):
        points = rng.sample(range(24), 8)
        text = _text(points[:5], points[5:])
        position = game.parse(text)
        takes = [move for move in position.legal_moves() if move.take is not None]
        if not takes or oracle.has_value(position):
            continue
        found = AlphaBetaSearch(game, oracle, Limit(depth=1)).run(position)
        num_distinguished += found.best == WIN_SCORE - 1
    assert num_distinguished > 5


def _text(white, black):
    from ludus.games.nine_mens_morris.board import READING_ORDER, ROWS

    letters = iter("W" if p in white else "B" if p in black else "." for p in READING_ORDER)
    return "/".join("".join(next(letters) for _ in row) for row in ROWS) + " w 0 0"


def test_budgets_bind():
    game = ludus.game("nine_mens_morris")
    oracle = find_oracle(game)

    def run(**limit):
        search = AlphaBetaSearch(game, oracle, Limit(**limit))
        return search.run(game.start()), search.nodes

    found, nodes = run(nodes=200)
    assert (found.depth, nodes) == (1, 201)
    assert run(nodes=5)[0] is None
    assert run(depth=2)[0].depth == 2
    assert run(time=1e-9)[1] <= 64
    assert run(nodes=3000) == run(nodes=3000)


def test_evaluations_are_fair():
    """Both sides see the same position alike, and the start is even."""
    for spec in ("nine_mens_morris", "nine_mens_morris:morabaraba", "hexapawn:five"):
        game = ludus.game(spec)
        assert game.evaluate(game.start()) == 0
    game = ludus.game("nine_mens_morris")
    here, there = (game.parse(f"WWW/W../.../...BBB/.../.../... {mover} 0 0") for mover in "wb")
    evaluate = game.evaluate
    assert evaluate(here) == -evaluate(there)
    assert evaluate(here) > MAN_VALUE // 2
    pawns = ludus.game("hexapawn")
    assert pawns.evaluate(pawns.parse("B.B/.../WWW b")) == -MAN_VALUE
    noughts = ludus.game("noughts_and_crosses")
    assert noughts.evaluate(noughts.parse("XX./OO./... x")) == 0
