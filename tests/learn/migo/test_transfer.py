"""A program transferred to another game keeps its meaning while parts of it are replaced."""

import pytest

from ludus.core.errors import BadSpec
from ludus.games import game
from ludus.learn import learner
from ludus.learn.episodes import train_learner
from ludus.learn.migo.program import parse_program

GIVEN = """% ludus migo 1
win_1(A,B) :- move(A,B), won(B).
win_2_1_1(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_1(A,B), not(win_2_1_1(B,_)).
win_3_1_1(A,B) :- win_2_1_1(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_1(A,B), not(win_3_1_1(B,_)).
"""


def test_invented_predicates_are_set_apart():
    """Whatever is learned later may be called win_2_1_1, and mean something else or be given up."""
    agent = learner("migo", game("noughts_and_crosses"))
    agent.strategy_learner.transfer(parse_program(GIVEN).program)
    names = list(agent.program)
    assert names == ["win_1", "given_win_2_1_1", "win_2", "given_win_3_1_1", "win_3"]
    assert agent.program.strategy == ["win_1", "win_2", "win_3"]


def test_what_is_not_replaced_stays():
    agent = learner("migo", game("noughts_and_crosses"))
    agent.strategy_learner.transfer(parse_program(GIVEN).program)
    regret = train_learner(agent, 60, 3).regrets
    assert {"win_1", "win_2", "win_3"} <= set(agent.program)
    # The wins are known from the first game on; only draws are still to be learned.
    assert sum(regret) < 30


def test_learners_say_whether_they_can_use_what_another_has_learned():
    given = learner("migo", game("hexapawn"))
    given.strategy_learner.transfer(parse_program(GIVEN).program)
    agent, other = learner("migo", game("noughts_and_crosses")), learner("menace", given.game)
    agent.transfer(given)
    assert agent.list_rules()[0] == given.list_rules()[0] == GIVEN.splitlines()[1]
    assert other.list_rules() == []
    with pytest.raises(BadSpec, match="'menace' cannot use"):
        other.transfer(given)
    with pytest.raises(BadSpec, match="'menace' has learned no program"):
        agent.transfer(other)
