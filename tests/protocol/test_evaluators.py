"""Other programs evaluate moves and the cube: side by side, and beside Janowski's method."""

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError
from ludus.games.backgammon.cube import CubeModel
from ludus.games.backgammon.position_ids import detect_rules
from ludus.protocol.evaluators import BgsageEvaluator, GnubgEvaluator, find_evaluator

OPENING = "XGID=-b----E-C---eE---c-e----B-"
RACE = "XGID=-BBBBBD------A----adbbbbb-"


def parse(text):
    return ludus.game("backgammon", detect_rules(text)).parse(text)


@pytest.fixture
def bgsage():
    pytest.importorskip("bgsage")
    return BgsageEvaluator(0)


SETTINGS = [":0:0:1:00:0:0:0:0:10", ":0:0:1:00:0:0:1:0:10", ":1:1:1:00:0:0:0:0:10",
            ":0:0:1:00:2:4:0:7:10", ":1:1:1:00:4:2:0:7:10", ":0:0:1:00:0:6:0:7:10"]  # fmt: skip


@pytest.mark.needs_debian("gnubg")
@pytest.mark.parametrize("setting", SETTINGS)
def test_two_programs_and_janowski_agree_about_the_cube(bgsage, setting):
    for board in (OPENING, RACE):
        position = parse(board + setting)
        theirs, others = bgsage.evaluate_cube(position), GnubgEvaluator(0).evaluate_cube(position)
        ours = CubeModel(others.chances, position.stakes, position.turn).decide()
        for name in ("no_double", "double_take"):
            found = getattr(others.equities, name)
            assert getattr(theirs.equities, name) == pytest.approx(found, abs=0.2), name
            assert getattr(ours, name) == pytest.approx(found, abs=0.2), name


@pytest.mark.needs_debian("gnubg")
def test_they_rank_moves_at_a_match_score(bgsage):
    position = parse(f"{OPENING}:1:-1:1:53:2:3:0:7:10")
    for evaluator in (bgsage, GnubgEvaluator(0)):
        ranked = evaluator.rank_moves(position)
        assert set(ranked) == set(position.legal_moves())
        move, best = next(iter(ranked.items()))
        assert str(move) == "8/3 6/3"
        assert best.equity == pytest.approx(-0.066, abs=0.05)
        assert best.equity == max(each.equity for each in ranked.values())


@pytest.mark.needs_debian("gnubg")
def test_gnubg_forgets_the_score_of_the_request_before(bgsage):
    plain = ludus.game("backgammon").parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 53")
    before = GnubgEvaluator(0).rank_moves(plain)
    GnubgEvaluator(0).rank_moves(parse(f"{OPENING}:1:-1:1:53:2:3:0:7:10"))
    GnubgEvaluator(0).evaluate_cube(parse(f"{OPENING}:0:0:1:00:0:0:1:0:10"))
    assert GnubgEvaluator(0).rank_moves(plain) == before


def test_a_match_is_played_to_its_end_with_the_cube(bgsage):
    game = ludus.game("backgammon:tournament,match=2")
    players = ludus.player("bgsage", game), ludus.player("random", game)
    match = ludus.play_match(game, players, seed=1)
    assert match.outcome.reason == "match"
    assert "resign" not in {str(made.move) for made in match.moves if made.mover == 0}


def test_bgsage_answers_doubles_and_resignations(bgsage):
    game = ludus.game("backgammon:money")
    player = ludus.player("bgsage", game)
    won, lost = "1:1,off:14 23:15", "23:15 1:1,off:14"
    cases = [
        (f"{won} 0 cube 2@0", {"double", "roll"}),
        (f"{won} 0 doubled", {"drop"}),
        (f"{lost} 0 resigns", {"accept"}),  # by the Jacoby rule gammons do not count
        (f"{lost} 0 resigns 2@1", {"reject"}),
        (f"{lost} 0 resigns_backgammon 2@1", {"accept"}),
        (f"{lost} 0 cube 2@1", {"roll"}),
    ]
    for text, actions in cases:
        position = game.parse(text)
        choice = player.choose(position)
        assert str(choice.move) in actions, text
        assert set(choice.scores) == set(position.legal_moves())


def test_exact_tables_come_first(bgsage):
    game = ludus.game("backgammon")
    home = game.parse("6:1,1:2,off:12 3:1,off:14 0 31")
    evaluator = find_evaluator(game.rules)
    ranked = evaluator.rank_moves(home)
    assert {each.depth for each in ranked.values()} == {"exact"}
    opening = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 53")
    move, best = next(iter(evaluator.rank_moves(opening).items()))
    assert (str(move), best.depth) == ("8/3 6/3", "1-ply")


def test_what_cannot_be_evaluated_is_reported_in_one_line(bgsage):
    hyper = ludus.game("backgammon:hyper")
    with pytest.raises(LudusError, match="15 men a side only"):
        bgsage.rank_moves(hyper.parse("24:1,23:1,22:1 24:1,23:1,22:1 0 31"))
    with pytest.raises(BadSpec, match="must be bgsage or gnubg"):
        find_evaluator(hyper.rules, "snowie")
    with pytest.raises(BadSpec, match="plies=3"):
        ludus.player("bgsage:plies=3", ludus.game("backgammon"))
