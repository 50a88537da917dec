"""`ludus solve` and `ludus verify` as people and programs use them."""

import json
import os
import pty
import subprocess

import pytest

from support.command_line import PROGRAM
from support.waiting import PATIENCE

THREE_MEN = {"mover": 3, "other": 3, "win": 140621, "loss": 28736, "draw": 269}


def test_few_men_for_programs(ludus):
    result = ludus("solve", "nine_mens_morris", "--max-men", "4", "--json")
    assert (result.status, result.err, result.out.count("\n")) == (0, "", 1)
    found = json.loads(result.out)
    assert found["game"] == "nine_mens_morris"
    assert found["rules"]["men"] == 9
    assert (found["root"], found["root_depth"], found["placement"]) == (None, None, [])
    assert found["seconds"] > 0
    assert found["slots"] > sum(s["win"] + s["loss"] + s["draw"] for s in found["subspaces"])
    assert found["subspaces"][0] == {**THREE_MEN, "max_win": 25, "max_loss": 26}
    assert [(space["mover"], space["other"]) for space in found["subspaces"]] == [
        (3, 3),
        (4, 3),
        (3, 4),
        (4, 4),
    ]


def test_a_whole_game_for_programs(ludus):
    result = ludus("solve", "nine_mens_morris", "--rules", "men=3", "--verify", "--json")
    found = json.loads(result.out)
    assert (found["root"], found["root_depth"], found["wrong"]) == ("win", 23, 0)
    assert len(found["subspaces"]) == 1
    assert found["placement"][-1] == {
        "mover": 0,
        "other": 0,
        "mover_hand": 3,
        "other_hand": 3,
        "win": 1,
        "loss": 0,
        "draw": 0,
        "max_win": 23,
        "max_loss": 0,
    }
    hands = [(space["mover_hand"], space["other_hand"]) for space in found["placement"]]
    assert hands == [(1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3)]


def test_for_people(ludus):
    shown = ludus("solve", "nine_mens_morris:men=3").out
    assert "3-3 " in shown
    assert "2-3 and 1-0 in hand" in shown
    assert "The start of the game is a win in 23 plies for the first player.\n" in shown
    assert "million a second" in shown


def test_a_folder_is_kept_and_gone_on_with(ludus, tmp_path):
    arguments = ("solve", "nine_mens_morris", "--rules", "men=3", "--json", "--out", str(tmp_path))
    first, again = (json.loads(ludus(*arguments).out) for _ in range(2))
    assert (first["resumed"], again["resumed"]) == (0, 7)
    for key in ("root", "root_depth", "subspaces", "placement", "slots"):
        assert first[key] == again[key]


def test_without_depth(ludus, tmp_path):
    arguments = ("solve", "nine_mens_morris:men=3", "--wdl", "--out", str(tmp_path))
    found = json.loads(ludus(*arguments, "--json").out)
    assert (found["root"], found["root_depth"]) == ("win", None)
    assert found["subspaces"] == [{**THREE_MEN, "max_win": None, "max_loss": None}]
    assert "is a win for the first player" in ludus(*arguments).out
    result = ludus("verify", str(tmp_path), "--json")
    assert result.status == 0
    assert json.loads(result.out)["has_depth"] is False


def test_verify_says_what_it_checked(ludus, tmp_path):
    ludus("solve", "nine_mens_morris:men=3", "--out", str(tmp_path))
    result = ludus("verify", str(tmp_path), "--json")
    found = json.loads(result.out)
    assert result.status == 0
    assert (found["subspaces"], found["wrong"], found["problems"]) == (7, 0, [])
    assert "7 subspaces" in ludus("verify", str(tmp_path)).out


def test_verify_finds_damage_and_ends_with_1(ludus, tmp_path):
    ludus("solve", "nine_mens_morris:men=3", "--out", str(tmp_path))
    path = tmp_path / "2_3_1_0.values"
    data = bytearray(path.read_bytes())
    data[-3] ^= 64
    path.write_bytes(data)
    result = ludus("verify", str(tmp_path))
    assert result.status == 1
    assert "2_3_1_0.values' is damaged: block 0" in result.out
    assert json.loads(ludus("verify", str(tmp_path), "--json").out)["problems"]


BAD = {
    "only nine_mens_morris": ["solve", "hexapawn"],
    "a blocked side passes": ["solve", "nine_mens_morris:vrajitoru"],
    "quiet plies": ["solve", "nine_mens_morris", "--rules", "quiet_plies=50"],
    "must be from 3 to 9": ["solve", "nine_mens_morris", "--max-men", "10"],
    "--max-men 2": ["solve", "nine_mens_morris", "--max-men", "2"],
    "no device 'abacus'": ["solve", "nine_mens_morris", "--device", "abacus"],
    "--out": ["solve", "nine_mens_morris", "--wdl"],
    "cannot write": ["solve", "nine_mens_morris", "--max-men", "3", "--out", "/proc/nothing"],
    "embedded null": ["solve", "nine_mens_morris", "--max-men", "3", "--out", "a\0b"],
    "threads": ["solve", "nine_mens_morris", "--threads", "-1"],
    "no database": ["verify", "/nowhere"],
    "DIR": ["verify"],
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_done_is_one_line_and_status_2(ludus, words):
    result = ludus(*BAD[words])
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert words in result.err


def test_a_machine_that_is_too_small_is_reported_at_once(ludus, monkeypatch):
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr("os.sysconf", sizes.__getitem__)
    result = ludus("solve", "nine_mens_morris")
    assert result.status == 2
    assert "GB of memory; this machine has 0 GB" in result.err


def test_another_game_s_folder_is_refused(ludus, tmp_path):
    ludus("solve", "nine_mens_morris:men=3", "--out", str(tmp_path))
    result = ludus("solve", "nine_mens_morris:men=4", "--out", str(tmp_path))
    assert result.status == 2
    assert "other rules: men=3" in result.err


@pytest.mark.slow
@pytest.mark.needs("pseudo-terminal")
def test_a_terminal_shows_a_bar():
    """The bar is written to standard error; standard output holds the result alone."""
    watching, terminal = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "solve", "nine_mens_morris", "--max-men", "5", "--json"],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm"},
    ) as running:
        os.close(terminal)
        shown = b""
        while True:
            try:
                shown += os.read(watching, 4096)
            except OSError:
                break
        output, _ = running.communicate(timeout=PATIENCE)
    os.close(watching)
    assert json.loads(output)["subspaces"]
    assert b"solving 5_5_0_0" in shown
    assert b"million slots/s" in shown


def test_solving_without_a_folder_says_that_nothing_is_kept(ludus):
    result = ludus("solve", "nine_mens_morris", "--max-men", "3")
    assert "nothing is stored; --out DIR" in result.err
    assert result.status == 0
