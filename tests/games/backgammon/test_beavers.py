"""Beavers and raccoons: what the cube shows, whose it is, and what a drop costs."""

import re
import subprocess

import pytest

import ludus
from ludus.core.errors import BadSpec
from ludus.games.backgammon import CubeEquities
from ludus.games.backgammon.cube import choose_action, score_actions
from ludus.games.backgammon.stakes import BEAVER, DROP, RACCOON, TAKE

GAME = ludus.game("backgammon:money,beavers=yes,jacoby=no,resign=no")
BEFORE = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 cube"
CASES = [
    ("double take", (2, 1), None),
    ("double drop", (1, None), (0, 1)),
    ("double beaver take", (4, 1), None),
    ("double beaver drop", (2, 1), (1, 2)),
    ("double beaver raccoon take", (8, 1), None),
    ("double beaver raccoon drop", (4, 0), (0, 4)),
]
"""Decisions; the cube and its owner after them; the winner and its points, if the game is over."""


@pytest.mark.parametrize(("words", "cube", "result"), CASES)
def test_what_follows(words, cube, result):
    position = GAME.parse(BEFORE)
    for word in words.split():
        position = position.play(GAME.parse_move(word, position))
        assert GAME.parse(str(position)) == position
    assert (position.stakes.value, position.stakes.owner) == cube
    outcome = position.outcome()
    assert result == (None if outcome is None else (outcome.winner, outcome.points))


GNUBG_WORDS = {"beaver": "redouble", "raccoon": "redouble", "take": "accept", "drop": "reject"}
GNUBG_COMMANDS = """set automatic game off
set automatic roll off
set automatic move off
set player 0 human
set player 1 human
set confirm new off
set display off
set jacoby off
set beavers 2
new session
set turn 1
set board 4HPwATDgc/ABMA
"""


@pytest.mark.slow
@pytest.mark.needs_debian("gnubg")
@pytest.mark.parametrize(("words", "cube", "result"), CASES)
def test_the_same_in_gnu_backgammon(words, cube, result):
    """Its player 1, root, is our side 0."""
    commands = [GNUBG_WORDS.get(word, word) for word in words.split()]
    script = GNUBG_COMMANDS + "\n".join(
        [*commands, "show cube" if result is None else "show score", ""]
    )
    done = subprocess.run(
        ["/usr/games/gnubg", "-t", "-q", "-r"], input=script, capture_output=True, text=True
    )
    if result is None:
        value, owner = re.search(r"cube is at (\d+), and is owned by (\w+)", done.stdout).groups()
        assert (int(value), ["root", "gnubg"].index(owner)) == cube
    else:
        name, points = re.search(r"(\w+) wins a single game and (\d+) point", done.stdout).groups()
        assert (["root", "gnubg"].index(name), int(points)) == result


def test_a_beaver_is_right_against_a_side_that_is_behind():
    doubled = GAME.parse(BEFORE.replace("cube", "doubled"))
    behind, ahead = CubeEquities(-0.2, -0.1), CubeEquities(0.2, 0.1)
    assert choose_action(doubled, behind) == BEAVER
    assert choose_action(doubled, ahead) == TAKE
    assert choose_action(doubled, CubeEquities(0.9, 1.3)) == DROP
    beavered = GAME.parse(BEFORE.replace("cube", "beavered"))
    assert choose_action(beavered, behind) == TAKE
    assert choose_action(beavered, ahead) == RACCOON
    assert choose_action(beavered, CubeEquities(-1.2, -1.3)) == DROP
    raccooned = GAME.parse(BEFORE.replace("cube", "raccooned"))
    assert score_actions(raccooned, ahead) == {TAKE: pytest.approx(-0.4), DROP: -4}
    # A double that is right by the Jacoby rule although a beaver is, too (Kauder's paradox).
    paradox = CubeEquities(-0.3, -0.1, has_beavers=True)
    assert (paradox.best_action, paradox.best) == ("double, beaver", -0.2)


def test_it_is_a_rule_of_money_games():
    with pytest.raises(BadSpec, match="beavers=yes is a rule of money games"):
        ludus.game("backgammon:tournament,beavers=yes")
    plain = ludus.game("backgammon:money,resign=no")
    doubled = plain.parse(BEFORE.replace("cube", "doubled"))
    assert doubled.legal_moves() == [TAKE, DROP]
    xgid = GAME.position_texts(GAME.parse(BEFORE))["XGID"]
    assert GAME.detect_rules(xgid).beavers
