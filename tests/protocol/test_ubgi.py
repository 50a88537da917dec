"""UBGI: a client plays whole games against the engine, with its own board and its own dice."""

import base64
import random
import re

import pytest

from ludus.games.backgammon import Backgammon
from support.engine_client import EngineClient

START = {24: 2, 13: 5, 8: 3, 6: 5}


def encode(waiting, on_roll):
    """The Position ID of two sides, each {place: men}: the client's own writer."""
    bits = "".join(
        "1" * side.get(place, 0) + "0" for side in (waiting, on_roll) for place in PLACES
    )
    value = int(bits[::-1], 2)
    return base64.b64encode(value.to_bytes(10, "little")).decode()[:14]


PLACES = range(1, 26)


def step(own, other, start, end):
    """Move a man of `own`; a lone man of the other side there goes to its bar."""
    own[start] -= 1
    if end:
        own[end] = own.get(end, 0) + 1
        if other.get(25 - end):
            assert other[25 - end] == 1, "a point with two men is closed"
            other[25 - end] -= 1
            other[25] = other.get(25, 0) + 1


def ask(client, line, answer):
    client.say(line)
    found = client.line()
    assert found.startswith(answer), found
    return found.removeprefix(answer).strip()


@pytest.mark.parametrize(
    "player", ["tool", pytest.param("gammon:net=selfplay", marks=pytest.mark.slow)]
)
def test_a_client_plays_a_game(player):
    dice, sides, game = random.Random(7), [dict(START), dict(START)], Backgammon()
    with EngineClient("backgammon", "--player", player) as client:
        client.say("ubgi")
        lines = [client.line() for _ in range(5)]
        assert lines[0].startswith("id name Ludus")
        assert lines[3:] == ["proto 0.2", "ubgiok"]
        assert ask(client, "isready", "readyok") == ""
        client.say("newgame")
        for _ in range(400):
            own, other = sides
            first, second = dice.randint(1, 6), dice.randint(1, 6)
            key = encode(other, own)
            client.say(f"position gnubgid {key}")
            client.say(f"dice {first} {second}")
            payload = ask(client, "go", "bestmove")
            position = game.parse(f"{key}:0:{first}{second}")
            assert game.parse_move(payload.replace(" ", ","), position) in position.legal_moves()
            if payload != "pass":
                for token in payload.split():
                    assert re.fullmatch(r"(bar|\d+)/(off|\d+)", token)
                    ends = token.replace("bar", "25").replace("off", "0").split("/")
                    step(own, other, *map(int, ends))
            if not any(own.values()):
                break
            sides.reverse()
        assert not any(own.values())
        client.say("quit")
        assert client.end() == (0, "", "")


def test_cube_keys_and_errors():
    with EngineClient("backgammon", "--player", "gammon:net=selfplay") as client:
        client.say("ubgi")
        for _ in range(5):
            client.line()
        assert ask(client, "get engine.ply", "value engine.ply") == "1"
        client.say("set engine.ply 2")
        assert ask(client, "get engine.ply", "value engine.ply") == "2"
        client.say("set engine.ply 1")
        assert ask(client, "get game.variant", "value game.variant") == "backgammon"
        assert ask(client, "go", "error") == "bad_state missing position"
        assert ask(client, "dice 7 1", "error").startswith("bad_value")
        assert ask(client, "fly", "error").startswith("bad_command")
        assert ask(client, "set engine.nothing 1", "error") == "unsupported engine.nothing"
        assert ask(client, "position gnubgid nonsense", "error").startswith("bad_command")
        # A double and a pass: two men far back against six on the ace point.
        ahead = "XGID=-----AA-----------------f-:0:0:1:{}:0:0:0:0:10"
        client.say(f"position xgid {ahead.format('00')}")
        assert ask(client, "go cube", "bestcube") == "double"
        client.say("dice 2 1")
        assert ask(client, "go turn", "bestturn").startswith("cube=double move=")
        assert ask(client, ahead.format("D"), "drop") == ""
        assert ask(client, ahead.format("00"), "double") == ""
        assert re.fullmatch(r"(\d/(\d|off) ?)+", ask(client, ahead.format("21"), ""))
