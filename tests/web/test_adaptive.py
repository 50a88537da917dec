"""Adaptive players on the page: each result is reported once, and the level is kept.

`adaptive` is the one that is there; its level moves by `gain` times what it missed its target by.
"""

import json
import sqlite3
from contextlib import closing

import pytest

from ludus.core.player import Limit
from ludus.games import game as named_game
from ludus.learn.patterns.adaptive import AdaptiveOptions, AdaptivePlayer
from ludus.players.random_play import RandomPlayer
from ludus.web import worker_cache
from ludus.web.worker_cache import load_position
from support.page_server import Server, begin, settled
from support.waiting import PATIENCE, wait_until

GAIN = AdaptiveOptions().gain
LEVEL = AdaptiveOptions().level


TWO_MILLS = "WW./.../.../....B./B../.B./W.. b 0 0"
"""Both sides have three men, which fly. Black has no two in a line, and can block only one of the
mills a7-d7-g7 and a7-a4-a1."""


def win(client, view):
    """A person's game of one move: whatever Black has played, White closes a mill and wins."""
    position = named_game(view["game"], view["rules"]).parse(view["position"])
    move = next(str(move) for move in position.legal_moves() if "x" in str(move))
    body = {"node": view["at"], "move": move}
    view = settled(client, client.post(f"/api/games/{view['id']}/moves", json=body).json())
    assert view["status"] == "over", view["prompt"]
    assert view["outcome"]["winner"] == 0
    return view


def level_shown(client, view):
    """The level that the plate of the second side tells; None as long as it tells none."""
    title = client.get(f"/api/games/{view['id']}").json()["seats"][1]["title"]
    return float(title.partition("level ")[2].split()[0]) if "level" in title else None


def wait_for_level(client, view, level):
    """Wait for the level: results are reported in the background."""
    near = pytest.approx(level, abs=0.051)
    wait_until(lambda: level_shown(client, view) == near, f"the level is {level}")


def wait_until_kept(folder):
    """Until what was learned is in the file of games."""

    def learned():
        with closing(sqlite3.connect(folder / "games.sqlite", timeout=PATIENCE)) as connection:
            [[state]] = connection.execute("SELECT state FROM game").fetchall()
        return json.loads(state)["learned"]

    wait_until(lambda: learned()[1], "what was learned is kept")


STEP = GAIN * 0.5
"""How far a loss moves the level of the side that has lost."""


@pytest.mark.slow
def test_a_result_moves_the_level_once_and_the_next_game_goes_on_from_there(tmp_path):
    server = Server(tmp_path)
    try:
        with server.client() as client:
            game = {"rules": "men=4", "position": TWO_MILLS}
            first = begin(client, "nine_mens_morris", None, "adaptive", **game)
            first = win(client, settled(client, first))
            reached = LEVEL + STEP
            wait_for_level(client, first, reached)
            wait_until_kept(tmp_path)
        # What was learned outlives the server, and so do games in their middle.
        server.kill_to_start_again()
        server.start()
        with server.client() as client:
            follows = {**game, "after": first["id"]}
            second = begin(client, "nine_mens_morris", None, "adaptive", **follows)
            second = settled(client, second)
            assert level_shown(client, second) == pytest.approx(reached, abs=0.051)
            second = win(client, second)
            wait_for_level(client, second, reached + STEP)
            unknown = {"rules": "men=4", "after": "nobody-knows-this-game"}
            fresh = begin(client, "nine_mens_morris", None, "adaptive", **unknown)
            body = {"node": 0, "move": "d6"}
            settled(client, client.post(f"/api/games/{fresh['id']}/moves", json=body).json())
            assert level_shown(client, fresh) == LEVEL
    finally:
        server.kill()


def job(moves, spec="adaptive", **more):
    start = str(named_game("nine_mens_morris").start())
    return {
        "game": "nine_mens_morris",
        "rules": "",
        "start": start,
        "moves": moves,
        "player": spec,
        "session": "a",
        "begin": 7,
        "seed": 1,
        **more,
    }


def test_a_player_that_keeps_something_begins_once_a_game(monkeypatch):
    begun = []
    start_game = AdaptivePlayer.start_game
    monkeypatch.setattr(
        AdaptivePlayer,
        "start_game",
        lambda self, seed: (begun.append(seed), start_game(self, seed))[1],
    )
    worker_cache._session_players.clear()
    first = worker_cache.load_player(job([]), 0)
    worker_cache.record_move(job([]), 0, "d6")
    assert worker_cache.load_player(job(["d6", "f4"]), 0) is first
    assert begun == [7]
    # Another game, and the same one after a take-back, are other players' games.
    assert worker_cache.load_player(job([], session="b"), 0) is not first
    assert worker_cache.load_player(job(["d2", "f4"]), 0) is not first
    assert begun == [7, 7, 7]


def test_a_new_one_is_shown_the_game_so_far(monkeypatch):
    seen = []
    monkeypatch.setattr(
        AdaptivePlayer, "choose", lambda self, position, limit: seen.append((str(position), limit))
    )
    worker_cache._session_players.clear()
    moves = ["d6", "f4", "d2", "b4"]
    worker_cache.load_player(job(moves), 0)
    paths = ([], moves[:2])
    assert seen == [(str(load_position(job(path))), worker_cache.REPLAY_LIMIT) for path in paths]
    assert isinstance(worker_cache.REPLAY_LIMIT, Limit)


def test_players_that_keep_nothing_serve_all_games_and_are_seeded_by_the_move():
    assert not worker_cache.is_stateful(RandomPlayer)
    first = worker_cache.load_player(job([], "random"), 0)
    drawn = first.random.random()
    assert worker_cache.load_player(job(["d6", "f4"], "random", session="b"), 0) is first
    assert first.random.random() == drawn


def test_only_so_many_are_kept():
    worker_cache._session_players.clear()
    for number in range(worker_cache.MAX_SESSION_PLAYERS + 5):
        worker_cache.load_player(job([], session=str(number)), 0)
    assert len(worker_cache._session_players) == worker_cache.MAX_SESSION_PLAYERS
    worker_cache.drop_player(job([], session=str(worker_cache.MAX_SESSION_PLAYERS)), 0)
    assert len(worker_cache._session_players) == worker_cache.MAX_SESSION_PLAYERS - 1
