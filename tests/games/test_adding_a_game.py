"""The game that CONTRIBUTING.md adds: with its folder and its line, everything works with it."""

import json
import os
import re
import subprocess
import sys

import httpx
import pytest

from ludus.core.record import Record
from support.command_line import process
from support.page_server import Server, begin, settled, touch
from support.paths import ROOT, TESTS
from support.repetition import repeat

REGISTER = """
import ludus.games
ludus.games.__path__.append({folder!r})
ludus.games.GAMES.update({{{line}}})
"""
"""Runs at the start of every process, as if the game's folder and line were in the checkout."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Environment variables with which Python knows the game."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code, line = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert re.fullmatch(r' {8}"\w+": "ludus\.games\.\w+:\w+",\n', line), "as other lines there"
    folder = tmp_path_factory.mktemp("game")
    (folder / "games" / "nim").mkdir(parents=True)
    (folder / "games" / "nim" / "__init__.py").write_text(code, encoding="utf-8")
    start_up = REGISTER.format(folder=str(folder / "games"), line=line.strip())
    (folder / "sitecustomize.py").write_text(start_up, encoding="utf-8")
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture
def ludus(environment, tmp_path):
    """Runs a command line that must succeed; returns what it prints."""

    def run(*arguments, text=""):
        result = process(*arguments, text=text, LUDUS_CACHE=str(tmp_path), **environment)
        assert (result.status, result.err) == (0, "")
        return result.out

    return run


def test_it_fulfils_the_contract(environment):
    command = [sys.executable, "-m", "pytest", "-q", "-k", "nim", TESTS / "games/test_contract.py"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout
    assert passed is not None
    assert int(passed[1]) > 100


def test_players_of_all_games_play_it(ludus):
    names = {each["name"] for each in json.loads(ludus("players", "nim", "--json"))["players"]}
    assert {"random", "playouts", "perfect"} <= names
    match = ("match", "nim", "perfect", "playouts:games=20", "--games", "4", "--json")
    found = json.loads(ludus(*match, "--rules", "matches=13"))
    assert sum(found["wins"]) == found["games"] == 4
    assert found["reasons"] == {"taken": 4}


def test_it_is_solved_and_evaluated(ludus):
    """The mover loses exactly if the number of matches is divisible by four."""
    for matches in range(1, repeat(6, 13)):
        found = json.loads(ludus("value", "nim", f"{matches} w", "--json"))
        assert found["value"] == ("win" if matches % 4 else "loss")
    regret = ("regret", "nim", "perfect", "--games", "4", "--rules", "matches=13", "--json")
    assert json.loads(ludus(*regret))["mean_regret"] == 0


def test_it_is_played_in_the_terminal(ludus):
    output = ludus("play", "nim", "--text", "--side", "both", text="10\n7\n4\n1\nno\n")
    assert "Nim · two people" in output
    assert " ‹|›‹|›‹|›" in output, "the matches that may be taken are marked"
    assert "Black won" in output


def test_another_program_plays_it(ludus):
    talk = "uci\nposition startpos moves 10 7\ngo depth 3\nquit\n"
    output = ludus("engine", "nim", "--player", "perfect", text=talk)
    assert "option name Game type combo default nim" in output
    assert "bestmove " in output


def test_it_is_played_on_the_page(environment, tmp_path, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    server = Server(tmp_path)
    try:
        with server.client() as client:
            play_on_the_page(client)
    finally:
        server.stop()


def play_on_the_page(client: httpx.Client) -> None:
    assert "nim" in [kind["game"] for kind in client.get("/api/kinds").json()]
    offers = client.get("/api/opponents", params={"game": "nim"}).json()
    assert {"random", "playouts", "perfect"} <= {offer["name"] for offer in offers}
    view = begin(client, "nim", None, "perfect")
    assert view["places"] == ["12", "11", "10"]
    assert 'data-place="12"' in view["svg"]
    while view["status"] == "yours":
        view = touch(client, view, view["places"][0])
    view = settled(client, view)
    assert view["status"] == "over"
    text = client.get(f"/api/games/{view['id']}/record").json()["record"]
    assert Record.parse(text).headers["Reason"] == "taken"
    refused = client.get("/api/puzzles", params={"game": "nim"})
    assert refused.status_code == 422
