"""Tabular Q-learning."""

import pytest

from ludus.core.errors import BadSpec
from ludus.games import game
from ludus.learn import PerfectOpponent, learner, train_learner
from ludus.players import player

HEXAPAWN = game("hexapawn")


def test_one_game_by_hand():
    """From 1: a lost last move goes to 0.7 - 0.3 = 0.4, one before it to 0.7 + 0.3 * 0.9 = 0.97."""
    agent = learner("qlearning", HEXAPAWN)
    opponent = PerfectOpponent(HEXAPAWN)
    agent.reset_seed(0)
    while True:
        agent.table = {}
        played = agent.train_episode(HEXAPAWN.start(), opponent)
        own = list(zip(played.positions[::2], played.moves[::2], strict=False))
        if len(own) > 1 and played.score < 0:
            break
    values = [agent.table[str(board)][str(move)] for board, move in own]
    assert values == pytest.approx([0.97] * (len(own) - 1) + [0.4])


def test_what_was_not_played_has_the_value_of_a_win():
    agent = learner("qlearning", HEXAPAWN)
    agent.train_episode(HEXAPAWN.start(), PerfectOpponent(HEXAPAWN))
    row = agent.table[str(HEXAPAWN.start())]
    assert sorted(row.values())[1:] == [1.0, 1.0]


def test_it_learns_hexapawn():
    agent = learner("qlearning", HEXAPAWN)
    regret = train_learner(agent, 400, 2).regrets
    assert sum(regret[:50]) > 5
    assert sum(regret[-200:]) == 0


def test_exploration_makes_moves_that_look_bad():
    board = HEXAPAWN.start()
    agent = learner("qlearning:epsilon=1", HEXAPAWN)
    agent.reset_seed(0)
    agent.table = {str(board): {"a1-a2": 5.0, "b1-b2": 0.0, "c1-c2": 0.0}}
    opponent = PerfectOpponent(HEXAPAWN)
    assert len({agent.train_episode(board, opponent).moves[0] for _ in range(20)}) == 3


def test_the_player_shows_the_values_of_moves():
    who = player("qlearning", HEXAPAWN)
    who.start_game(0)
    choice = who.choose(HEXAPAWN.start())
    assert choice.scores[choice.move] == max(choice.scores.values())
    assert choice.comment == f"thinks it is worth {choice.scores[choice.move]:+.2f}"


def test_a_player_that_learns_at_first_use_is_the_same_each_time():
    board = HEXAPAWN.start()
    first, second = (player("qlearning:games=500,seed=3", HEXAPAWN) for _ in range(2))
    assert first.choose(board).scores == second.choose(board).scores
    other = player("qlearning:games=500,seed=4", HEXAPAWN)
    assert other.choose(board).scores != first.choose(board).scores


@pytest.mark.parametrize("options", ["alpha=2", "epsilon=-1", "gamma=1.5", "initial=1e9"])
def test_bad_options(options):
    with pytest.raises(BadSpec):
        learner(f"qlearning:{options}", HEXAPAWN)


@pytest.mark.parametrize(("ties", "number"), [("first", 0), ("last", -1)])
def test_ties_can_be_broken_in_the_order_of_moves(ties, number):
    start = HEXAPAWN.training_starts()[0]
    agent = learner(f"qlearning:ties={ties}", HEXAPAWN)
    episode = agent.train_episode(start, PerfectOpponent(HEXAPAWN))
    assert episode.moves[0] == start.legal_moves()[number]
