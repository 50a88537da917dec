"""MENACE and HER: boxes, beads, and the curves that were published."""

import statistics

import pytest

from ludus.core.errors import BadSpec
from ludus.games import game
from ludus.learn import learner
from ludus.learn.episodes import PerfectOpponent, RunConfig, run_training
from ludus.players import player

OX = game("noughts_and_crosses")


def test_a_box_has_beads_for_the_moves_that_differ():
    """The empty board has three kinds of moves: corner, edge and centre; four beads for each."""
    menace = learner("menace", OX)
    menace.sample_move(OX.start(), 0)
    ((beads),) = menace.table.values()
    assert sorted(beads.values()) == [4, 4, 4]
    kinds = menace.row_index.locate(OX.start())[1]
    assert {str(move): name for move, name in kinds.items()}["c1"] == "a1"


def test_the_more_marks_the_fewer_beads():
    menace = learner("menace", OX)
    for ply, text in ((2, "X.O/.../... x"), (4, "XOX/O../... x"), (6, "XOX/OXO/... x")):
        board = OX.parse(text)
        menace.sample_move(board, ply)
        box = menace.table[menace.row_index.locate(board)[0]]
        assert set(box.values()) == {4 - ply // 2}


@pytest.mark.parametrize(("ply", "beads"), [(0, 4), (1, 3), (2, 3), (3, 2), (4, 2), (6, 1)])
def test_her_beads(ply, beads):
    """The whole part of 4 less half the plies."""
    assert learner("her", game("hexapawn")).initial_beads(ply) == beads


def test_mirror_images_share_a_box():
    menace = learner("menace", OX)
    board = OX.parse("XO./.../... x")
    keys = {
        menace.row_index.locate(OX.transform(board, symmetry))[0] for symmetry in OX.symmetries()
    }
    assert len(keys) == 1


class Scripted(PerfectOpponent):
    """Plays the given moves."""

    def __init__(self, *moves):
        super().__init__(OX)
        self.moves = list(moves)

    def choose_move(self, position):
        return OX.parse_move(self.moves.pop(0), position)


@pytest.mark.parametrize(
    ("replies", "own", "reward"),
    [(("a1", "b1"), ("b3", "c3"), 3), (("b2", "c3"), ("b3", "a2"), -1)],
)
def test_a_win_gives_three_beads_and_a_loss_takes_one(replies, own, reward):
    """All other beads are taken out beforehand, so that the game is known."""
    menace = learner("menace", OX)
    board = OX.parse("X../.../..O x" if reward > 0 else "X../.../O.. x")
    start, opponent = board, Scripted(*replies)
    boxes = []
    for number, text in enumerate(own):
        menace.sample_move(board, 2 + 2 * number)
        key, names = menace.row_index.locate(board)
        bead = names[OX.parse_move(text, board)]
        menace.table[key] = {name: 2 * (name == bead) for name in set(names.values())}
        boxes.append((key, bead))
        board = board.play(next(move for move, name in names.items() if name == bead))
        if board.outcome() is None and number < len(replies):
            board = board.play(OX.parse_move(replies[number], board))
    played = menace.train_episode(start, opponent)
    assert played.score == (1 if reward > 0 else -1)
    assert [menace.table[key][bead] for key, bead in boxes] == [2 + reward] * len(boxes)


def test_a_box_is_never_less_than_empty():
    menace = learner("menace:beads=1,win=0,draw=0", OX)
    opponent = PerfectOpponent(OX)
    start = OX.parse("X.O/.../... x")
    for _ in range(200):
        menace.train_episode(start, opponent)
    beads = [bead for box in menace.table.values() for bead in box.values()]
    assert min(beads) == 0
    assert any(not any(box.values()) for box in menace.table.values())


def finals(spec, name, games, runs, draw):
    courses = (RunConfig(spec, name, games, number, draw) for number in range(runs))
    return [sum(run_training(course).regret) for course in courses]


def test_the_published_end_of_the_curve_of_her():
    """Within two standard errors of the difference, one board a run."""
    mean, deviation, runs = 6.0, 6.12, 40
    ours = finals("her", "hexapawn", 100, 40, "one")
    error = (statistics.variance(ours) / len(ours) + deviation**2 / (runs - 1)) ** 0.5
    assert abs(statistics.mean(ours) - mean) < 2 * error
    assert deviation / 2 < statistics.pstdev(ours) < 2 * deviation


def test_boards_drawn_anew_do_not_give_the_published_figure_of_her():
    assert statistics.mean(finals("her", "hexapawn", 100, 20, "uniform")) > 15


@pytest.mark.parametrize(("name", "spec"), [("noughts_and_crosses", "menace"), ("hexapawn", "her")])
def test_the_trained_player_explains_its_draw(name, spec):
    played = game(name)
    who = player(spec, played)
    who.start_game(1)
    choice = who.choose(played.start())
    assert "beads" in choice.comment
    assert set(choice.scores) == set(played.start().legal_moves())
    assert sum(who.move_probabilities(played.start()).values()) == pytest.approx(1)
    assert choice.scores[choice.move] > 0


def test_chances_are_those_of_the_beads():
    who = player("menace", OX)
    who.table = {".../.../... x": {"a1": 1, "a2": 0, "b2": 3}}
    chances = {str(move): chance for move, chance in who.move_probabilities(OX.start()).items()}
    assert chances["b2"] == pytest.approx(3 / 4)
    assert chances["a3"] == chances["c1"] == pytest.approx(1 / 16)
    assert "b3" not in chances


def test_a_position_without_a_box_is_left_to_chance():
    who = player("menace", OX)
    who.table = {}
    assert who.choose(OX.start()).comment == "has never seen this position"
    who.table = {".../.../... x": {"a1": 0, "a2": 0, "b2": 0}}
    assert who.choose(OX.start()).comment == "finds the box empty"


@pytest.mark.parametrize("options", ["beads=0", "win=5000", "loss=-5000"])
def test_bad_options(options):
    with pytest.raises(BadSpec):
        learner(f"menace:{options}", OX)


def test_large_boards_need_a_table():
    who = player("menace", game("noughts_and_crosses:size=4"))
    with pytest.raises(BadSpec, match="table"):
        _ = who.table
