"""The game of the tutorial: with its folder and its line, everything works with it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from ludus.core.record import Record
from support.command_line import process
from support.page_server import Server, begin, places_of, settled, touch
from support.paths import ROOT, TESTS
from support.repetition import repeat

REGISTER = """
import ludus.games
ludus.games.__path__.append({folder!r})
ludus.games.GAMES.update({{"nim": "ludus.games.nim:Nim"}})
"""
"""Runs at the start of every process, as if the game's folder and line were in the checkout."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Environment variables with which Python knows the game."""
    text = (ROOT / "docs/tutorials/add_a_game.md").read_text(encoding="utf-8")
    cells = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL)
    code = "\n\n".join(cells[:2]).partition("ludus.GAMES.add")[0]
    folder = tmp_path_factory.mktemp("game")
    (folder / "games" / "nim").mkdir(parents=True)
    (folder / "games" / "nim" / "__init__.py").write_text(code, encoding="utf-8")
    (folder / "my_games.py").write_text(code, encoding="utf-8")
    (folder / "trap.py").write_text(f"open({str(folder / 'caught')!r}, 'w')\n{code}")
    start_up = REGISTER.format(folder=str(folder / "games"))
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


def test_it_fulfils_the_contract_and_plays_its_playthroughs(environment, tmp_path):
    """The tests that run over every game, after its playthroughs have been written."""
    variables = {**os.environ, **environment, "PLAYTHROUGHS": str(tmp_path / "playthroughs")}
    variables["PYTHONPATH"] += f"{os.pathsep}{TESTS}"

    def run_module(*arguments):
        command = [sys.executable, "-m", *arguments]
        return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)

    written = run_module("support.playthroughs")
    assert written.returncode == 0, written.stderr
    for preset in ("standard", "long"):
        assert (tmp_path / "playthroughs" / f"nim.{preset}.txt").exists()
    folder = TESTS / "games"
    files = [folder / f"test_{name}.py" for name in ("contract", "playthroughs", "texts")]
    files += [TESTS / "render" / "test_drawings.py"]
    done = run_module("pytest", "-q", "-k", "nim or every_variant", *map(str, files))
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


def test_it_is_named_by_its_module_and_class(ludus):
    """Without a line in the registry; the module is found like any other of Python."""
    assert ludus("perft", "my_games:Nim,matches=5", "3").startswith("10 nodes")
    match = ("match", "my_games:Nim,long", "perfect", "random", "--games", "4", "--json")
    assert json.loads(ludus(*match, "--jobs", "2"))["games"] == 4


@pytest.mark.slow
def test_other_commands_take_such_a_name(ludus):
    match = ("match", "my_games:Nim,long", "perfect", "random", "--games", "4", "--json")
    assert json.loads(ludus(*match))["games"] == 4
    assert json.loads(ludus("value", "my_games:Nim", "5 w", "--json"))["value"] == "win"
    regret = ("regret", "my_games:Nim", "perfect", "--games", "2", "--json")
    assert json.loads(ludus(*regret))["mean_regret"] == 0
    output = ludus("play", "my_games:Nim", "--text", "--side", "both", text="10\n7\n4\n1\nno\n")
    assert "Black won" in output


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("my_games:Nam", "the module my_games has no 'Nam'"),
        ("my_games:Move", "my_games:Move is not a class of games"),
        ("my_game:Nim", "there is no game 'my_game'"),
        (".:Nim", "there is no game '.'"),
        ("my_games:Nim,short", "nim has no preset 'short'"),
    ],
)
def test_modules_and_classes_that_are_none(environment, spec, message):
    result = process("perft", spec, "1", **environment)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


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
            load_no_class(client, Path(environment["PYTHONPATH"].split(os.pathsep)[0]))
    finally:
        server.stop()


def load_no_class(client: httpx.Client, folder: Path) -> None:
    """A name that a client sends imports no module; a module that is imported leaves a file."""
    record = '[Game "trap:Nim"]\n[Rules "Nim"]\n\n1. 10 *\n'
    for name, rules in (("trap:Nim", ""), ("trap", "Nim")):
        game = {"game": name, "rules": rules, "position": "12 w", "player": "trap:Nim"}
        paths = ("how", "opponents", "puzzles", "learners", "learners/choice", "solve")
        replies = [client.get(f"/api/{path}", params=game) for path in paths]
        paths = ("games", "positions", "arrangements", "solve")
        replies += [client.post(f"/api/{path}", json=game) for path in paths]
        replies.append(client.post("/api/games", json={"game": "nim", "opponent": "trap:Nim"}))
        replies.append(client.post("/api/games", json={"record": record}))
        replies.append(client.post("/api/imports", json={"text": record}))
        assert {each.status_code for each in replies} <= {400, 403, 404, 422}
    assert not (folder / "caught").exists()


def play_on_the_page(client: httpx.Client) -> None:
    assert "nim" in [kind["game"] for kind in client.get("/api/kinds").json()]
    offers = client.get("/api/opponents", params={"game": "nim"}).json()
    assert {"random", "playouts", "perfect"} <= {offer["name"] for offer in offers}
    view = begin(client, "nim", None, "perfect")
    assert places_of(view) == ["12", "11", "10"]
    assert 'data-place="12"' in view["svg"]
    while view["status"] == "yours":
        view = touch(client, view, places_of(view)[0])
    view = settled(client, view)
    assert view["status"] == "over"
    text = client.get(f"/api/games/{view['id']}/record").json()["record"]
    assert Record.parse(text).headers["Reason"] == "taken"
    refused = client.get("/api/puzzles", params={"game": "nim"})
    assert refused.status_code == 422
