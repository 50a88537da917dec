"""`ludus play` as it is typed: which page it opens, and what it refuses."""

import json
import socket

import pytest
from playwright.sync_api import expect

from ludus.cli.main import run
from ludus.cli.play import Side
from ludus.cli.play_web import make_start_path
from support.page_server import Server


def address(
    game="nine_mens_morris", rules="", position="", opponent="", side=Side.FIRST, seed=None
):
    return make_start_path(game, rules, position, opponent, side, seed)


def test_the_address_says_what_was_requested():
    assert address() == "/"
    assert address("hexapawn:four") == "/new?game=hexapawn&rules=four"
    url = address("nine_mens_morris", "lasker", opponent="negascout:level=2", side=Side.SECOND)
    assert url == "/new?game=nine_mens_morris&rules=lasker&opponent=negascout&level=2&side=second"
    assert address(seed=5) == "/new?game=nine_mens_morris&seed=5"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--opponent", "negascout:nodes=5"], "add --text"),
        (["--opponent", "nobody"], "there is no player 'nobody'"),
        (["--host", "no.such.host.invalid"], "cannot listen"),
        (["--games", "/dev/null/games.sqlite"], "cannot use"),
        (["--port", "70000"], "65535"),
    ],
)
def test_what_cannot_be_done_is_one_line(capsys, arguments, complaint):
    assert run(["play", "--no-browser", *arguments]) == 2
    output = capsys.readouterr().err
    assert complaint in output
    assert output.count("\n") == 1


def test_a_port_that_is_taken_is_an_error_only_if_it_was_requested(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["play", "--no-browser", "--port", str(port)]) == 2
    assert f"port {port}" in capsys.readouterr().err


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
        expect(page.locator("figcaption")).to_have_text("run: loss 0.02 at step 49")
        page.screenshot(path=pictures / "training.png")
    finally:
        server.kill()
