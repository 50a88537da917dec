"""Evaluations and reviews: exact where tables exist, marked as estimates elsewhere."""

import random

import pytest

import ludus
from ludus.analysis import Analyst, get_rating, review_game
from ludus.analysis.evaluation import Evaluation, compute_cost, select_mark
from ludus.core.player import Forecast
from ludus.oracles.interface import Value
from ludus.oracles.selection import oracle as find_oracle

MORRIS_LINE = ["d6", "f4", "d2", "b4", "a7", "g7", "a4", "a1"]


def play(game, texts):
    positions, moves = [game.start()], []
    for text in texts:
        moves.append(game.parse_move(text, positions[-1]))
        positions.append(positions[-1].play(moves[-1]))
    return positions, moves


@pytest.fixture(scope="module")
def morris():
    return Analyst(ludus.game("nine_mens_morris"))


@pytest.mark.parametrize("name", ["hexapawn", "noughts_and_crosses"])
def test_reviews_of_solved_games_agree_with_the_oracle(name):
    game = ludus.game(name)
    oracle, rng = find_oracle(game), random.Random(1)
    positions, moves = [game.start()], []
    while positions[-1].outcome() is None:
        moves.append(rng.choice(positions[-1].legal_moves()))
        positions.append(positions[-1].play(moves[-1]))
    review = review_game(game, Analyst(game), positions, moves)
    assert any(each is not None and each.mark for each in review.moves)
    for position, move, reviewed in zip(positions, moves, review.moves, strict=False):
        cost = oracle.verdict(position).cost(move)
        if reviewed is None:
            assert len(position.legal_moves()) == 1
            continue
        assert (reviewed.cost, reviewed.certainty) == (cost, "exact")
        assert bool(reviewed.mark) == bool(cost) == bool(reviewed.reason)
        assert oracle.verdict(position).cost(reviewed.best) == 0


def test_a_wasted_man_is_a_mistake_from_a_fresh_install(morris):
    # White could close the mill on the a-file, and places elsewhere instead.
    game = morris.game
    position = game.parse("W../.../.../WB...B/.../.../... w 7 7")
    bad = game.parse_move("e3", position)
    (reviewed,) = review_game(morris.game, morris, [position, position.play(bad)], [bad]).moves
    assert reviewed is not None
    assert str(reviewed.best).startswith("a1x")
    assert reviewed.after.points < reviewed.before.points


def test_the_same_review_twice(morris):
    positions, moves = play(morris.game, MORRIS_LINE)
    first = review_game(morris.game, morris, positions, moves).to_json()
    assert review_game(morris.game, Analyst(morris.game), positions, moves).to_json() == first


def test_endings_are_exact_and_replies_are_named(morris):
    game = morris.game
    position = game.parse("WW./.../.../W....B/.../.../B.B w 0 0")
    analysis = morris.analyse(position)
    assert analysis.best.evaluation == Evaluation("exact", "the solved game", 1.0, "win", 1)
    wasted = next(each for each in analysis.moves if each.evaluation.result in ("draw", "loss"))
    reviewed = review_game(
        morris.game, morris, [position, position.play(wasted.move)], [wasted.move]
    ).moves[0]
    assert reviewed is not None
    assert reviewed.mark in ("?", "??")
    assert reviewed.reply
    text = f"{wasted.move} turns a win into a loss: {reviewed.best} wins at once."
    assert reviewed.reason == text


def test_rules_without_a_network_are_searched():
    analyst = Analyst(ludus.game("nine_mens_morris", "lasker"))
    position = analyst.game.parse("W../.../.../WB...B/.../.../... w 8 8")
    best = analyst.analyse(position).best
    assert str(best.move).startswith("a1x")
    assert best.evaluation.source == "negascout"
    assert best.evaluation.points > 0.2


def test_dice_games_have_points_and_no_value_before_a_roll():
    game = ludus.game("backgammon")
    start = game.start()
    roll = game.chances(start)[0][0]
    rolled = start.play(roll)
    move = rolled.legal_moves()[0]
    review = review_game(game, Analyst(game), [start, rolled, rolled.play(move)], [roll, move])
    assert review.moves[0] is None
    assert review.evaluations[0] is None
    assert review.moves[1] is not None
    assert review.moves[1].cost >= 0


def test_predictions_are_likely_only_if_they_agree():
    sure, other = Forecast(0.97, 0.02, 0.01), Forecast(0.2, 0.75, 0.05)
    assert Evaluation.from_forecasts([sure, sure], "x").result == "win"
    assert Evaluation.from_forecasts([sure, other], "x").certainty == "estimate"
    assert Evaluation.from_forecasts([other], "x").certainty == "estimate"
    assert sure.for_previous_mover().points == -sure.points


def test_ratings():
    assert [get_rating(error) for error in (0.001, 0.008, 0.012, 0.016, 0.021, 0.026, 0.04)] == [
        "extra-terrestrial",
        "world class",
        "expert",
        "advanced",
        "intermediate",
        "beginner",
        "novice",
    ]


WIN, QUICK_WIN, DRAW, LOSS = (
    Evaluation.from_value(value, "x")
    for value in (Value("win", 9), Value("win", 5), Value("draw"), Value("loss", 4))
)


def estimate(points, result=None):
    return Evaluation("estimate", "x", points, result)


@pytest.mark.parametrize(
    ("best", "played", "mark"),
    [
        (QUICK_WIN, WIN, ""),
        (WIN, DRAW, "?"),
        (WIN, LOSS, "??"),
        (estimate(0.3), estimate(0.1), ""),
        (estimate(0.4), estimate(0.0), "?!"),
        (estimate(0.4, "equity"), estimate(0.3, "equity"), "?"),
    ],
)
def test_marks_follow_from_the_points_given_away(best, played, mark):
    assert select_mark(best, played) == mark
    assert compute_cost(best, played) >= 0
