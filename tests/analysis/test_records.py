"""Analysis of games: errors, luck and ratings, by an evaluator whose numbers are known."""

from dataclasses import replace

import pytest

import ludus
from ludus.analysis import (
    Analyst,
    CubeEvaluation,
    Evaluation,
    annotate,
    annotate_all,
    review_records,
)
from ludus.analysis.backgammon import BackgammonEvaluator
from ludus.analysis.records import list_plies, load_game
from ludus.core.errors import LudusError
from ludus.core.record import Record
from ludus.games.backgammon import Chances, CubeEquities


class PipCount(BackgammonEvaluator):
    """Values a move by the pips of the other side that it sends back, and likes no double."""

    title = spec = "pips"
    plies = None

    def rank_moves(self, position):
        ranked = {}
        for move in position.legal_moves():
            after = position.play(move)
            pips = sum(n * (number + 1) for number, n in enumerate(after.points) if n > 0)
            sign = 1 if position.turn else -1
            ranked[move] = Evaluation(
                "estimate", "pips", sign * pips / 100, "equity", lookahead="0-ply"
            )
        return dict(sorted(ranked.items(), key=lambda item: -item[1].points))

    def measure(self, positions):
        return [next(iter(self.rank_moves(each).values())).points for each in positions]

    def evaluate_cube(self, position):
        return CubeEvaluation(CubeEquities(0.3, 0.1), Chances(0.6), "0-ply")


def record(rules, moves):
    text = f'[Game "backgammon"]\n[Rules "{rules}"]\n\n{moves} *'
    return Record.parse(text)


def test_errors_of_moves_and_cube_actions():
    played = record("money", "1. 31 8/5,6/5 2. roll 42 3. 8/4,6/4 double 4. drop")
    analysis = review_records([played], PipCount(), has_luck=False)
    decisions = [each for _, each in analysis.decisions]
    assert [each.kind for each in decisions] == ["move", "double", "move", "double", "take"]
    rolled, doubled, dropped = (each for each in decisions if each.kind != "move")
    assert (rolled.mover, rolled.cost, rolled.is_counted) == (1, 0, False)  # 0.2 from a decision
    assert (doubled.mover, doubled.mark) == (0, "??")
    assert doubled.cost == pytest.approx(0.2)
    assert (dropped.mover, str(dropped.best)) == (1, "take")
    assert dropped.cost == pytest.approx(0.9)
    assert dropped.after.points == -1
    white, black = (analysis.summarize(side) for side in (0, 1))
    assert (white.num_moves, white.num_cube_decisions) == (1, 1)
    assert white.performance_rating == pytest.approx(500 * white.total_error / 2)
    assert black.marks["??"] >= 1
    assert not analysis.is_cubeless


def test_luck_averages_to_zero_over_all_rolls():
    game = ludus.game("backgammon")
    start = game.parse("24:2,13:5,8:3,6:5 24:2,13:4,8:4,6:5 0 roll")
    lucks = []
    for roll, chance in game.chances(start):
        move = start.play(roll).legal_moves()[0]
        text = (
            f'[Game "backgammon"]\n[Start "{start}"]\n\n1. {roll} {str(move).replace(" ", ",")} *'
        )
        ((_, found),) = review_records([Record.parse(text)], PipCount()).rolls
        assert (found.mover, found.roll) == (0, roll)
        lucks.append((found.luck, chance))
    assert sum(luck * chance for luck, chance in lucks) == pytest.approx(0)
    assert max(luck for luck, _ in lucks) > 0.05


def test_the_games_of_a_match_are_numbered_and_annotated():
    game = ludus.game("backgammon:tournament,match=3")
    players = ludus.player("random", game), ludus.player("random", game)
    played = Record.from_game(ludus.play_game(game, players, seed=4), game)
    numbers = [step.number for step in list_plies([played])]
    assert numbers[0] == 1
    assert numbers[-1] > 1
    analysis = review_records([played, played], PipCount(), has_luck=False)
    assert {ply.number for ply, _ in analysis.decisions} <= set(range(1, 2 * numbers[-1] + 1))
    first, second = annotate(played, analysis, 1), annotate(played, analysis, numbers[-1] + 1)
    assert first.line == second.line
    assert annotate_all([played, played], analysis) == [first, second]
    comments = [node.comment for node in first.line.moves if "equity" in node.comment]
    assert len(comments) == len(analysis.decisions) / 2
    assert replace(first, headers=played.headers).replay(game) == played.replay(game)


@pytest.mark.parametrize("rules", ["standard", "money", "tournament,match=3"])
def test_luck_by_the_network_is_that_of_its_best_moves(rules):
    """Looked up in one batch for all rolls, and move by move, it is the same."""
    game = ludus.game("backgammon", rules)
    network = ludus.player("gammon:net=selfplay", game).evaluator
    board = "24:2,13:4,8:3,6:5,4:1 23:2,13:5,8:3,6:5"
    cube = {"standard": "", "money": " 2@0", "tournament,match=3": " 1 0-1/3"}[rules]
    positions = [game.parse(f"{board} 0 {roll}{cube}") for roll in ("31", "66", "21", "54")]
    slowly = [max(each.points for each in network.rank_moves(one).values()) for one in positions]
    assert network.measure(positions) == pytest.approx(slowly, abs=1e-6)


def test_players_are_named_and_counted_over_games_in_which_they_change_sides():
    game = ludus.game("hexapawn")
    played = ludus.match(game, "random", "perfect", games=2, seed=1).records
    review = review_records([Record.from_game(each, game) for each in played], Analyst(game))
    assert set(review.players) == {"random", "perfect"}
    assert review.summarize_player("perfect").total_error == 0
    both = [review.summarize(side).num_moves for side in (0, 1)]
    assert sum(review.summarize_player(name).num_moves for name in review.players) == sum(both)


def test_an_analysis_is_json():
    played = record("standard", "1. 13 8/5,6/5 2. 42 8/4,6/4")
    output = review_records([played], PipCount()).to_json(("white", "black"))
    assert output["cubeless"] is True
    assert [each["side"] for each in output["rolls"]] == ["black", "white"]
    assert output["sides"]["black"]["moves"] == 1
    assert output["decisions"][0]["roll"] == "31"
    empty = review_records([record("standard", "1. 13")], PipCount(), has_luck=False)
    assert empty.summarize(0).performance_rating is None


def test_resignations_are_evaluated_and_do_not_count_in_the_rating():
    played = record("money", "1. 31 8/5,6/5 2. resign reject")
    analysis = review_records([played], PipCount(), has_luck=False)
    _, resigned, answered = (each for _, each in analysis.decisions)
    assert (resigned.kind, resigned.mover, str(resigned.best)) == ("resign", 1, "roll")
    assert resigned.cost == pytest.approx(1.3)  # 0.3 ahead, it offers a point
    assert (answered.kind, answered.mover, str(answered.best)) == ("answer", 0, "accept")
    assert not resigned.is_counted
    assert not answered.is_counted


def test_games_without_dice_are_reviewed():
    game = ludus.game("noughts_and_crosses")
    players = ludus.player("random", game), ludus.player("random", game)
    played = Record.from_game(ludus.play_game(game, players, seed=1), game)
    review = review_records([played], Analyst(game))
    assert review.rolls == ()
    assert [ply.turn for ply, _ in review.decisions] == list(range(1, len(review.decisions) + 1))
    assert any(made.mark for _, made in review.decisions)
    assert review.players == ["random, crosses", "random, noughts"]
    assert all(review.summarize(side).performance_rating is None for side in (0, 1))
    text = str(review)
    assert "random, crosses: " in text
    assert "rating" not in text


def test_a_record_must_name_a_registered_game(tmp_path, monkeypatch):
    """A module that a file names is not imported."""
    (tmp_path / "strangers_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(LudusError, match="there is no game"):
        load_game(Record.parse('[Game "strangers_module:Game"]\n\n1. x *'))
    with pytest.raises(LudusError, match="names no game"):
        load_game(Record.parse("some words"))
