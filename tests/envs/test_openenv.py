"""Clients of OpenEnv's protocol play whole games, each its own, and get exact rewards."""

import random

import pytest
from fastapi.testclient import TestClient

import ludus
from ludus.envs import TextEnv, openenv
from ludus.envs.openenv import make_app


def connect(**options):
    return TestClient(make_app(lambda: TextEnv("noughts_and_crosses", "perfect", **options)))


def request(socket, kind, **data):
    """Send a message and return the data of the response, which must be no error."""
    socket.send_json({"type": kind, "data": data})
    response = socket.receive_json()
    assert response["type"] == {"state": "state"}.get(kind, "observation"), response
    return response["data"]


def fail(socket, text):
    """Send a text and return the error of the response."""
    socket.send_text(text)
    response = socket.receive_json()
    assert response["type"] == "error"
    return f"{response['data']['code']} {response['data']['message']}"


def test_the_rewards_of_a_game_account_for_its_result():
    client, source = connect(), random.Random(5)
    for number in range(6):
        with client.websocket_connect("/ws") as socket:
            seen = request(socket, "reset", seed=number, side=number % 2, variant="renamed")
            assert (seen["reward"], seen["done"]) == (None, False)
            total = 0.0
            while not seen["done"]:
                move = source.choice(seen["observation"]["legal_moves"])
                seen = request(socket, "step", answer=f"I choose <move>{move}</move>")
                assert {*seen["observation"]} == {"text", "legal_moves"}  # and no value
                assert seen["reward"] == -seen["metadata"]["loss"]
                total += seen["reward"]
            assert total == seen["metadata"]["outcome"]  # the game is a draw


def test_clients_do_not_disturb_each_other():
    client = connect()
    with client.websocket_connect("/ws") as first, client.websocket_connect("/ws") as second:
        for socket in (first, second):
            request(socket, "reset", seed=1, side=0, episode_id="mine")
        request(first, "step", answer="b2")
        states = [request(socket, "state") for socket in (first, second)]
        assert [state["step_count"] for state in states] == [1, 0]
        assert states[1]["position"] == str(ludus.game("noughts_and_crosses").start())
        assert states[0]["episode_id"] == "mine"


def test_errors_leave_the_game_as_it_is():
    with connect().websocket_connect("/ws") as socket:
        assert "no game is played" in fail(socket, '{"type": "step", "data": {"answer": "b2"}}')
        request(socket, "reset", seed=1, side=0)
        for text, message in (
            ("{", "VALIDATION_ERROR Invalid JSON"),
            ('{"type": "dance"}', "VALIDATION_ERROR type: Input should be"),
            ('{"type": "step", "data": {"move": "b2"}}', "VALIDATION_ERROR answer: Field required"),
            ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR seed: Input should be"),
            ('{"type": "reset", "data": {"position": "?"}}', "EXECUTION_ERROR '?' must be a board"),
        ):
            assert fail(socket, text).startswith(message)
        assert not request(socket, "step", answer="b2")["done"]
        seen = request(socket, "step", answer="b2")
        assert (seen["done"], seen["reward"], seen["metadata"]["is_illegal"]) == (True, -2.0, True)
        assert "no game is played" in fail(socket, '{"type": "step", "data": {"answer": "a1"}}')


def test_a_reply_alone_is_an_action():
    """verifiers sends a model's reply as the one field that an action requires."""
    found = connect().get("/schema").json()
    assert found["action"]["required"] == ["answer"]
    assert {*found} == {"action", "observation", "reset_observation", "state"}
    assert connect().get("/health").json() == {"status": "healthy"}


def test_over_http_clients_share_a_game():
    client = connect()
    assert client.post("/step", json={"action": {"answer": "b2"}}).status_code == 400
    seen = client.post("/reset", json={"seed": 1, "side": 0}).json()
    assert "Legal moves: " in seen["observation"]["text"]
    assert client.post("/step", json={"action": {"move": "b2"}}).status_code == 422
    seen = client.post("/step", json={"action": {"answer": "b2"}}).json()
    assert (seen["reward"], seen["done"]) == (0.0, False)
    assert client.get("/state").json()["step_count"] == 1


def test_further_clients_are_refused(monkeypatch):
    monkeypatch.setattr(openenv, "MAX_SESSIONS", 1)
    client = connect()
    with client.websocket_connect("/ws") as first:
        request(first, "reset")
        with client.websocket_connect("/ws") as second:
            assert second.receive_json()["data"]["code"] == "CAPACITY_REACHED"
    with client.websocket_connect("/ws") as third:
        request(third, "reset")


@pytest.mark.parametrize("variant", ["plain", "turned", "renamed"])
def test_each_puzzle_is_an_episode(variant):
    with connect(start="puzzles", moves=1, variant=variant).websocket_connect("/ws") as socket:
        for seed in range(3):
            seen = request(socket, "reset", seed=seed)
            seen = request(socket, "step", answer=seen["observation"]["legal_moves"][0])
            assert seen["done"]
            assert seen["metadata"]["certainty"] == "exact"
