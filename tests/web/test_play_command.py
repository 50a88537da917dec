"""`ludus play` as it is typed: which page it opens, and what it refuses."""

import json
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import expect

from ludus.arena.result_store import ResultStore
from ludus.arena.tournament import read_tournament
from ludus.cli.main import run
from ludus.cli.play import HumanSide, make_start_path
from ludus.core.errors import BadSpec
from ludus.learn import train
from ludus.web.opponents import list_opponents
from ludus.web.worker import load_standings
from ludus.web.worker_cache import load_player
from support.page_server import Server
from support.waiting import PATIENCE


def address(
    game="nine_mens_morris", rules="", position="", opponent="", side=HumanSide.FIRST, seed=None
):
    return make_start_path(game, rules, position, opponent, side, seed)


def test_the_address_says_what_was_requested():
    assert address() == "/"
    assert address("hexapawn:four") == "/new?game=hexapawn&rules=four"
    url = address("nine_mens_morris", "lasker", opponent="negascout:level=2", side=HumanSide.SECOND)
    assert url == "/new?game=nine_mens_morris&rules=lasker&opponent=negascout&level=2&side=second"
    assert address(seed=5) == "/new?game=nine_mens_morris&seed=5"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--opponent", "nnmm:weights=FOLDER/missing"], "missing"),
        (["--opponent", "nobody"], "there is no player 'nobody'"),
        (["--host", "no.such.host.invalid"], "cannot listen"),
        (["--games", "/dev/null/games.sqlite"], "cannot use"),
        (["--port", "70000"], "65535"),
        (["--tournament", "FOLDER/junk.bin"], "not valid UTF-8"),
        (["--tournament", "FOLDER/empty"], "the key game is missing"),
        (["--tournament", "FOLDER/missing"], "No such file"),
        (["--tournament", "FOLDER"], "Is a directory"),
        (["--tournament", "/dev/zero"], "it is a device"),
        (["--curves", "FOLDER/junk.bin"], "no such folder"),
    ],
)
def test_what_cannot_be_done_is_one_line(capsys, tmp_path, arguments, complaint):
    (tmp_path / "junk.bin").write_bytes(bytes(range(256)))
    (tmp_path / "empty").touch()
    arguments = [each.replace("FOLDER", str(tmp_path)) for each in arguments]
    assert run(["play", "--no-browser", *arguments]) == 2
    output = capsys.readouterr().err
    assert complaint in output
    assert output.count("\n") == 1


def test_a_port_that_is_taken_is_an_error_only_if_it_was_requested(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["play", "--no-browser", "--port", str(port)]) == 2
    assert f"port {port}" in capsys.readouterr().err


def test_a_tournament_is_shown_without_its_players(tmp_path):
    """A stranger's file is looked at: no program is started, and no weights are needed."""
    plan, trace = tmp_path / "league.toml", tmp_path / "started"
    players = [f"external:cmd=touch {trace}", "nnmm:weights=/no/such/file", "random"]
    plan.write_text(f'name = "x"\ngame = "nine_mens_morris"\nplayers = {json.dumps(players)}\n')
    with ResultStore(plan.with_suffix(".sqlite")) as store:
        store.begin(read_tournament(plan, builds_players=False))
    shown = load_standings({"plan": str(plan), "store": str(plan.with_suffix(".sqlite"))})
    assert shown["tournaments"][0]["name"] == "x"
    assert not trace.exists()


def test_a_player_with_a_file_is_offered_if_the_owner_names_it(tmp_path):
    own = f"her:table={tmp_path / 'her.json'}"
    train("her", game="hexapawn", games=20, out=tmp_path / "her.json")
    assert address("hexapawn", opponent=own).endswith(f"opponent={quote(own, safe='')}")
    game = {"game": "hexapawn", "rules": "standard"}
    offers = list_opponents({**game, "own_player": own})["players"]
    assert [offer["name"] for offer in offers if ":" in offer["name"]] == [own]
    job = {**game, "player": own, "seed": 1, "moves": []}
    with pytest.raises(BadSpec, match="cannot be set here"):
        load_player({**job, "own_player": "her:table=other.json"}, 0)
    assert load_player({**job, "own_player": own}, 0).spec == own


@contextmanager
def plain_server(data):
    """Run `ludus play` as most people do, with the user's data in this folder; yield its base."""
    command = [sys.executable, "-m", "ludus", "play", "--no-browser", "--json"]
    places = {"XDG_DATA_HOME": str(data), "XDG_CACHE_HOME": str(data)}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **places},
    )
    try:
        yield json.loads(process.stdout.readline())["address"].removesuffix("/"), process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_second_command_opens_the_running_page(tmp_path):
    with plain_server(tmp_path) as (base, _), plain_server(tmp_path) as (again, second):
        assert again == base
        assert second.wait(PATIENCE) == 0
    # A server that was killed leaves its address, but not its lock.
    with plain_server(tmp_path) as (base, _):
        assert httpx.get(f"{base}/api/shown").json()["keeps_games"] is True


def test_the_page_runs_where_nothing_can_be_kept():
    with plain_server("/dev/null/data") as (base, process):
        assert httpx.get(f"{base}/api/shown").json()["keeps_games"] is False
        process.kill()
        assert "games are not kept" in process.communicate()[1]


@pytest.mark.slow
@pytest.mark.needs_debian("chromium")
def test_tournaments_and_trainings_are_shown_while_they_run(page, tmp_path, pictures):
    plan = tmp_path / "league.toml"
    plan.write_text(
        'name = "Little league"\ngame = "hexapawn"\nplayers = ["random", "playouts"]\ngames = 4\n'
    )
    curves = tmp_path / "curves"
    curves.mkdir()
    server = Server(tmp_path, "--tournament", str(plan), "--curves", str(curves))
    try:
        page.goto(f"{server.base}/tournament")
        expect(page.get_by_text("No game of the tournament has been played yet")).to_be_visible()
        assert run(["tournament", str(plan), "--jobs", "1", "--json"]) == 0
        expect(page.get_by_text("4 of 4 games")).to_be_visible()
        expect(page.get_by_role("row").filter(has_text="±")).to_have_count(2)
        page.screenshot(path=pictures / "tournament.png")
        page.get_by_role("link", name="Training").click()
        expect(page.get_by_text("No curve has been written yet")).to_be_visible()
        with (curves / "run.jsonl").open("w") as file:
            for step in range(50):
                print(
                    json.dumps({"step": step, "name": "loss", "value": 1 / (1 + step)}), file=file
                )
        expect(page.locator("figcaption")).to_have_text("lossrun 0.02 at step 49")
        page.screenshot(path=pictures / "training.png")
    finally:
        server.kill()


def test_a_system_that_gives_no_process_is_one_line(tmp_path):
    """As under a limit of processes: the server ends, without a traceback of the HTTP server."""
    program = (
        "import sys\n"
        "from ludus.cli.main import run\n"
        "sys.executable = '/nonexistent/python'\n"  # what worker processes are started with
        f"sys.exit(run(['play', '--no-browser', '--port', '0', '--games', '{tmp_path}/games']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "ludus: cannot start a process: No such file or directory; use fewer, or raise the limit\n"
    )
