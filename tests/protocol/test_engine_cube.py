"""A money session with the cube over the text protocol, played by the engine on both sides."""

import random

import pytest

import ludus
from ludus.core.errors import BadMove
from ludus.core.game import CHANCE
from support.engine_client import EngineClient

SEED = 4


def choose(stranger, moves):
    stranger.say(f"position startpos moves {' '.join(moves)}" if moves else "position startpos")
    stranger.say("go")
    while not (line := stranger.line()).startswith("bestmove "):
        assert "error" not in line, line
    return line.split()[1]


@pytest.mark.slow
def test_a_money_session_by_the_text_engine():
    game = ludus.game("backgammon:money")
    dice, score, actions = random.Random(SEED), [0, 0], []
    with EngineClient("backgammon:money", "--player", "gammon:net=selfplay") as stranger:
        for _ in range(2):
            position, moves = game.start(), []
            while position.outcome() is None:
                if position.mover == CHANCE:
                    rolls, weights = zip(*game.chances(position), strict=True)
                    word = str(dice.choices(rolls, weights)[0])
                else:
                    word = choose(stranger, moves)
                    actions.append(word)
                position = position.play(game.parse_move(word.replace(",", " "), position))
                moves.append(word)
            score[position.outcome().winner] += position.outcome().points
    doubles = [number for number, word in enumerate(actions) if word == "double"]
    assert doubles
    assert all(actions[number + 1] in ("take", "drop") for number in doubles)
    assert not any(word.startswith("resign") for word in actions)
    assert sum(score) >= 2


@pytest.mark.parametrize(
    ("rules", "position", "word", "why"),
    [
        ("money", "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31 1", "double", "men are moved now"),
        ("money", "6:2,off:13 6:2,off:13 0 cube 2@1", "double", "possible are roll, resign"),
        ("money", "6:2,off:13 6:2,off:13 0 doubled 1", "roll", "possible are take, drop"),
        ("money", "6:2,off:13 6:2,off:13 0 roll 1", "take", "the dice are rolled now"),
        ("standard", "6:2,off:13 6:2,off:13 0 31", "double", "no cube and no match"),
        ("standard", "6:2,off:13 6:2,off:13 0 roll", "resign gammon", "no cube and no match"),
        (
            "tournament",
            "6:2,off:13 6:2,off:13 0 cube 1 6-2/7/crawford",
            "double",
            "possible are roll, resign",
        ),
    ],
)
def test_illegal_cube_actions_are_reported_in_one_line(rules, position, word, why):
    game = ludus.game("backgammon", rules)
    with pytest.raises(BadMove, match=why) as caught:
        game.parse_move(word, game.parse(position))
    assert "\n" not in str(caught.value)
