"""`ludus value`: JSON, text, and positions that are not solved."""

import json
import os
import signal
import subprocess

import pytest

import ludus as package
from ludus.oracles import oracle as find_oracle
from ludus.oracles.morris.database import Database
from support.command_line import PROGRAM, process
from support.waiting import PATIENCE, wait_until_at_work

WON = "W.W/W../.../...BBB/.../.../... w 0 0"


def query(ludus, *arguments):
    result = ludus("value", *arguments, "--json")
    assert (result.status, result.err) == (0, "")
    assert result.out.count("\n") == 1
    return json.loads(result.out)


def test_json_has_the_value_and_every_move_best_first(ludus):
    report = query(ludus, "nine_mens_morris", WON)
    position = package.game("nine_mens_morris").parse(WON)
    assert (report["value"], report["depth"]) == ("win", 1)
    assert report["position"] == WON
    assert [each["move"] for each in report["moves"][:3]] == ["b6-d7xg4", "b6-d7xf4", "b6-d7xe4"]
    rated = find_oracle(package.game("nine_mens_morris")).rate_moves(position)
    assert report["moves"] == [
        {"move": str(each.move), "value": each.value, "depth": each.depth} for each in rated
    ]
    assert {each["value"] for each in report["moves"]} == {"win", "draw", "loss"}


@pytest.mark.parametrize(
    ("game", "moves"), [("noughts_and_crosses", 9), ("hexapawn", 3), ("hexapawn:four", 4)]
)
def test_small_games_are_solved_from_the_start(ludus, game, moves):
    report = query(ludus, game, "start")
    assert (report["value"], report["depth"], len(report["moves"])) == ("draw", None, moves)


def test_rules_count(ludus):
    flying = query(ludus, "nine_mens_morris", WON)
    sliding = query(ludus, "nine_mens_morris", WON, "--rules", "flying=no")
    assert sliding["rules"]["flying"] is False
    assert len(sliding["moves"]) < len(flying["moves"])
    assert sliding["value"] != "win" or sliding["depth"] > 1


def test_a_game_that_is_over(ludus):
    report = query(ludus, "noughts_and_crosses", "XXX/OO./... o")
    assert (report["value"], report["depth"], report["moves"]) == ("loss", 0, [])
    assert "Crosses X wins (line)" in ludus("value", "noughts_and_crosses", "XXX/OO./... o").out


def test_people_see_the_board_and_a_table(ludus):
    lines = ludus("value", "nine_mens_morris", WON).out.splitlines()
    assert "7  ○✗──────────·───────────○✗" in lines
    assert "6  │   ○✓──────·───────·   │" in lines
    assert "White to move: win in 1 ply" in lines
    table = lines[lines.index("White to move: win in 1 ply") + 1 :]
    assert table[0].split() == ["move", "value", "plies"]
    assert table[1].split() == ["✓", "b6-d7xg4", "win", "1"]
    rows = [line.split() for line in table[1:] if line.strip()]
    assert ["✗", "a7-f6", "draw"] in rows
    kept = {row[2] for row in rows if row[0] == "✓"}
    thrown = {row[2] for row in rows if row[0] == "✗"}
    assert (kept, thrown) == ({"win"}, {"draw", "loss"})


def test_a_named_database_is_used(ludus, tmp_path):
    rules = package.game("nine_mens_morris").rules
    with Database.open_for_writing(tmp_path / "empty", rules, has_depth=True):
        pass
    result = ludus("value", "nine_mens_morris", WON, "--oracle", str(tmp_path / "empty"))
    assert result.status == 2
    assert "not solved in" in result.err
    assert "`ludus solve nine_mens_morris:standard --max-men 3 --out " in result.err
    assert "(less than a minute of processor time, 841 kB of memory, 71 kB of files)" in result.err


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["nine_mens_morris", "start"], "9 against 9 in hand: not solved"),
        (["nine_mens_morris:vrajitoru", "start"], "cannot be solved: a blocked side passes"),
        (["backgammon", "start"], "not solved: backgammon is solved where"),
        pytest.param(
            *(["hexapawn:size=8", "start"], "too many to solve in memory"), marks=pytest.mark.slow
        ),
        (["nine_mens_morris", WON, "--oracle", "/nowhere"], "there is no database"),
        (["nine_mens_morris", WON, "--oracle", "a\0b"], "embedded null"),
        (["hexapawn", "start", "--oracle", "/nowhere"], "solved in memory"),
        (["nine_mens_morris", "start", "--rules", "men=13"], "men=13"),
        (["hexapawn", "BBB"], "BBB"),
        (["hexapawn", "\0"], "must be a board"),
        (["hexapawn", "x" * 1_000_000], "characters long"),
        (["hexapawn"], "POSITION"),
        (["chess", "start"], "there is no game"),
    ],
)
def test_bad_input_is_one_line_and_status_2(ludus, arguments, what):
    result = ludus("value", *arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("ludus: ")
    assert what in result.err
    assert result.err.count("\n") == 1
    assert result.err.rstrip("\n").isprintable()


def test_an_environment_that_names_no_database():
    result = process("value", "nine_mens_morris", WON, LUDUS_ORACLE="/nowhere")
    assert result.status == 2
    assert result.err == "ludus: there is no database in LUDUS_ORACLE='/nowhere'\n"


def test_a_home_that_cannot_be_written():
    """With no cache folder there is an answer all the same."""
    result = process("value", "nine_mens_morris", WON, "--json", LUDUS_CACHE=os.devnull)
    assert (result.status, result.err) == (0, "")
    assert json.loads(result.out)["value"] == "win"


def test_an_interrupt_ends_quietly():
    command = [*PROGRAM, "value", "hexapawn:size=8", "start"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        wait_until_at_work(running, "solver", signal.SIGINT)
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, complaint) == (130, b"")
