"""Other programs evaluate moves and the cube: side by side, and beside Janowski's method."""

import sys

import pytest

import ludus
from ludus.analysis import Analyst, find_evaluator
from ludus.analysis.backgammon import NetworkEvaluator
from ludus.core.errors import BadSpec, LudusError
from ludus.games.backgammon import Chances, make_view
from ludus.games.backgammon.cube import CubeModel, RankedChances
from ludus.games.backgammon.position_ids import detect_rules
from ludus.protocol.backgammon_players import BgsageEvaluator
from ludus.protocol.gnubg import GnubgEvaluator

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
        assert best.points == pytest.approx(-0.066, abs=0.05)
        assert best.points == max(each.points for each in ranked.values())


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
    match = ludus.play_game(game, players, seed=1)
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
    analyst = Analyst(game)
    assert {each.evaluation.lookahead for each in analyst.analyse(home).moves} == {"exact"}
    opening = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 53")
    best = analyst.analyse(opening).best
    assert (str(best.move), best.evaluation.lookahead) == ("8/3 6/3", "1-ply")
    assert best.evaluation.source == "bgsage:plies=1"


def test_what_cannot_be_evaluated_is_reported_in_one_line(bgsage):
    hyper = ludus.game("backgammon:hyper")
    with pytest.raises(LudusError, match="15 men a side only"):
        bgsage.rank_moves(hyper.parse("24:1,23:1,22:1 24:1,23:1,22:1 0 31"))
    with pytest.raises(LudusError, match="no player 'snowie'"):
        find_evaluator(hyper, "snowie")
    with pytest.raises(BadSpec, match="'random' does not evaluate"):
        find_evaluator(hyper, "random")
    with pytest.raises(BadSpec, match="plies=3"):
        ludus.player("bgsage:plies=3", ludus.game("backgammon"))


class RaceEstimator:
    """Estimates chances from the pips that the sides are ahead."""

    def estimate_chances(self, positions):
        found = []
        for position in positions:
            own, other = (
                sum(place * n for place, n in enumerate(make_view(position.board, side).own))
                for side in (position.turn, 1 - position.turn)
            )
            found.append(Chances(min(max(0.5 + (other + 4 - own) / 60, 0.0), 1.0)))
        return found

    def rank_chances(self, positions, plies, max_moves=None):
        found = []
        for position in positions:
            moves = position.legal_moves()
            theirs = self.estimate_chances([position.play(move) for move in moves])
            ranked = [
                RankedChances(move, chances.flip(), 0)
                for move, chances in zip(moves, theirs, strict=True)
            ]
            found.append(sorted(ranked, key=lambda each: -each.chances.equity)[:max_moves])
        return found


def test_a_network_of_chances_evaluates_moves_and_cube():
    game = ludus.game("backgammon:money")
    evaluator = NetworkEvaluator(RaceEstimator(), "pips", 0)
    cube = evaluator.evaluate_cube(game.parse("6:3,off:12 6:5,off:10 0 cube"))
    assert cube.chances.win == pytest.approx(0.5 + 16 / 60)
    assert cube.equities.best_action == "double, take"
    ranked = evaluator.rank_moves(game.parse("6:3,off:12 6:5,off:10 0 61"))
    assert [str(move) for move in ranked] == ["6/5 6/off"]
    (last,) = evaluator.rank_moves(game.parse("1:1,off:14 6:15 0 21 2@0")).values()
    assert (last.points, last.lookahead) == (2.0, "exact")
    (last,) = evaluator.rank_moves(game.parse("1:1,off:14 6:15 0 21 1")).values()
    assert last.points == 1.0  # by the Jacoby rule
    plain = ludus.game("backgammon").parse("13:1,6:3,off:11 6:5,off:10 0 61")
    moves = evaluator.rank_moves(plain)
    assert len(moves) == len(plain.legal_moves())
    assert list(moves.values()) == sorted(moves.values(), key=lambda each: -each.points)


class GammonOrWin:
    """Two moves: one wins more often, the other wins more gammons."""

    def estimate_chances(self, positions):
        return [Chances(0.5)] * len(positions)

    def rank_chances(self, positions, plies, max_moves=None):
        (position,) = positions
        bold, safe, *rest = position.legal_moves()
        ranked = [(bold, Chances(0.55, 0.30)), (safe, Chances(0.62, 0.10))]
        ranked += [(move, Chances(0.1)) for move in rest]
        return [[RankedChances(move, chances, 0) for move, chances in ranked]]


@pytest.mark.parametrize(
    ("stakes", "is_bold"),
    [("1", False), ("2@0", True), ("2@1", True)],
)
def test_moves_are_chosen_by_cubeful_equity(stakes, is_bold):
    # Gammons count nothing while the cube is in the middle, by the Jacoby rule.
    game = ludus.game("backgammon:money")
    position = game.parse(f"24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31 {stakes}")
    bold, safe, *_ = position.legal_moves()
    choice = NetworkEvaluator(GammonOrWin(), "test", 0).choose(position)
    assert choice.move == (bold if is_bold else safe)


def test_a_strong_network_takes_the_cube_into_account():
    game = ludus.game("backgammon:tournament")
    player = ludus.player("gammon:net=selfplay", game)
    # White needs two points with the cube at two: gammons are of no use to it.
    men = "24:1,13:4,8:4,6:5,4:1 24:2,13:5,8:3,6:4,bar:1 0 21"
    needed, useless = (game.parse(f"{men} 2@0 {score}/7") for score in ("0-0", "5-0"))
    scores = [player.choose(position).scores for position in (needed, useless)]
    chances = player.evaluator.rank_moves(needed)
    assert scores[0] != scores[1]
    assert all(abs(scores[0][move] - each.chances.equity) < 0.5 for move, each in chances.items())


@pytest.mark.parametrize("net", ["expert", "selfplay"])
def test_strong_networks_decide_about_the_cube(net, bgsage):
    game = ludus.game("backgammon:money")
    player = ludus.player(f"gammon:net={net}", game)
    for setting in SETTINGS:
        position = parse(OPENING + setting)
        (chances,) = player.evaluator.estimator.estimate_chances([position])
        theirs = bgsage.evaluate_cube(position)
        assert chances == pytest.approx(theirs.chances, abs=0.03)
    won = "1:1,off:14 23:15"
    cases = {"cube 2@0": "roll", "doubled": "drop", "resigns 2@1": "reject"}
    for text, action in cases.items():
        position = game.parse(f"{won if text != 'resigns 2@1' else '23:15 1:1,off:14'} 0 {text}")
        assert str(player.choose(position).move) == action
    match = ludus.play_game(game, (player, ludus.player("random", game)), seed=2)
    assert match.outcome.winner is not None


def test_a_network_evaluates_where_no_program_is_installed(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "bgbot_cpp", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ludus.protocol.processes.GAMES_FOLDER", str(tmp_path))
    game = ludus.game("backgammon:tournament")
    found = Analyst(game)
    assert found.title == "exact tables, gammon:net=selfplay,ply=1"
    best = found.analyse(parse(f"{OPENING}:1:-1:1:53:2:3:0:7:10")).best
    assert str(best.move) == "8/3 6/3"
    cube = find_evaluator(game).evaluate_cube(parse(f"{OPENING}:0:0:1:00:0:0:0:7:10"))
    assert cube.equities.best_action == "no double"
    with pytest.raises(ludus.LudusError, match="this evaluator needs bgsage: pip install"):
        find_evaluator(game, "bgsage")


def test_a_program_is_named_with_its_depth(bgsage):
    game = ludus.game("backgammon")
    assert find_evaluator(game).title == "bgsage 1-ply"
    assert find_evaluator(game, plies=0).title == "bgsage 0-ply"
    assert find_evaluator(game, "bgsage", 2).plies == 2
    assert find_evaluator(game, "gammon:net=expert", 1).title == "gammon:net=expert,ply=1"
    assert find_evaluator(ludus.game("nine_mens_morris"), "scholar:size=small").title == (
        "scholar:size=small"
    )
    assert find_evaluator(ludus.game("backgammon:hyper")).title == "playouts"


def test_of_equal_moves_those_come_first_that_are_hard_to_answer():
    """In noughts and crosses the centre alone answers a corner; networks' ties: random games."""
    game = ludus.game("noughts_and_crosses")
    found = Analyst(game).analyse(game.start())
    assert {str(each.move) for each in found.moves[:4]} == {"a1", "a3", "c1", "c3"}
    assert str(found.best.line[0]) == "b2"
    morris = ludus.game("nine_mens_morris:threefold")
    first, again = (Analyst(morris).analyse(morris.start()) for _ in range(2))
    assert [str(each.move) for each in first.moves] == [str(each.move) for each in again.moves]
    # Points in the middle of a side have more neighbours than corners.
    assert str(first.best.move)[0] not in "ag" or str(first.best.move)[1] == "4"
