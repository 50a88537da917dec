"""GNU Backgammon that hangs, dies or talks nonsense: an error in time, and no process left."""

import os
import sys
from pathlib import Path

import pytest

import ludus
from ludus.core.errors import LudusError
from ludus.games.backgammon import Roll, to_position_id
from ludus.players import player
from ludus.protocol import gnubg as gnubg_module
from ludus.protocol.gnubg import (
    GnubgProcess,
    RankingRequest,
    get_shared_gnubg,
    parse_ranking,
    parse_response,
)
from ludus.protocol.processes import ProgramFailed
from support.waiting import PATIENCE, wait_until

START = RankingRequest("4HPwATDgc/ABMA", (3, 1))
GAME = ludus.game("backgammon")


def members(group):
    """The processes of a group that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat[2]) == group and stat[0] != "Z":
                found.append(folder.name)
    return found


def wait_until_nobody_is_left(group):
    """Wait until killed processes are gone."""
    wait_until(lambda: not members(group), "the processes of the group are gone")


def open_files():
    return len(os.listdir("/proc/self/fd"))


HEAD = f"""#!{sys.executable}
import os, subprocess, sys, time
questions = os.fdopen(int(os.environ["LUDUS_QUESTIONS"]))
answers = os.fdopen(int(os.environ["LUDUS_ANSWERS"]), "w")
"""

ANSWERS = {
    "babbles": "Welcome to the game!\n",
    "answers_half": '[[["8/5 6/5", 0.1',
    "says_too_little": "[]\n",
    "says_nan": '[[["8/5 6/5", NaN, 0, 0, 0, 0, 0]]]\n',
    "cheats": '[[["24/1", 1, 1, 0, 0, 0, 0]]]\n',
    "speaks_of_few": '[[["8/5 6/5", 1, 1, 0, 0, 0, 0]]]\n',
    "says_too_much": "[[]]\n[[]]\n",
}

FAULTS = {
    "hangs": "child = subprocess.Popen(['sleep', '1000'])\ntime.sleep(1000)",
    "dies": "questions.readline()\nos._exit(3)",
    "dies_at_once": "os._exit(1)",
    "floods": "questions.readline()\n"
    "while True:\n    answers.write('[' * 1000000)\n    answers.flush()",
    **{
        name: f"questions.readline()\nanswers.write({text!r})\nanswers.flush()\ntime.sleep(1000)"
        for name, text in ANSWERS.items()
    },
}
"""What programs do that stand in the place of gnubg."""


def write_gnubg(folder, fault):
    """An executable file that misbehaves in this way."""
    file = folder / "gnubg"
    file.write_text(HEAD + FAULTS[fault], encoding="utf-8")
    file.chmod(0o755)
    return file


MESSAGES = {
    "hangs": "gave no answer",
    "dies": "has ended",
    "dies_at_once": "has ended",
    "babbles": "answers nonsense: 'Welcome to the game!'",
    "answers_half": "gave no answer",
    "says_too_little": "answers nonsense",
    "says_nan": "answers nonsense",
    "says_too_much": "more than one line",
    "floods": "wrote a line of more than 40000000 bytes",
}


@pytest.mark.parametrize("way", MESSAGES)
def test_faults_are_reported_and_nobody_is_left(way, tmp_path, monkeypatch):
    if MESSAGES[way] == "gave no answer":
        monkeypatch.setattr(gnubg_module, "STARTUP_SECONDS", 0.5)
    before = open_files()
    gnubg = GnubgProcess(str(write_gnubg(tmp_path, way)))
    limit = 0.2 if MESSAGES[way] == "gave no answer" else PATIENCE
    with pytest.raises(ProgramFailed, match=MESSAGES[way]):
        gnubg.rank([START], 0, limit)
    assert not gnubg.is_running
    wait_until_nobody_is_left(gnubg.pid)
    assert open_files() == before
    with pytest.raises(ProgramFailed, match="has ended"):
        gnubg.rank([START], 0, limit)


@pytest.mark.parametrize(
    ("way", "message"), [("cheats", "not a legal move"), ("speaks_of_few", "knows 1 moves of 16")]
)
def test_moves_are_checked_by_the_rules(way, message, tmp_path, monkeypatch):
    write_gnubg(tmp_path, way)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(gnubg_module, "_shared_processes", {})
    position = GAME.start().play(Roll(3, 1))
    try:
        with pytest.raises(ProgramFailed, match=message):
            player("gnubg", GAME).choose(position)
    finally:
        get_shared_gnubg().close()


@pytest.mark.parametrize("line", ["", "[", "[[1]]", "[[[1,2]]]", "\xff", "[" * 100_000])
def test_nonsense_of_every_kind(line):
    with pytest.raises(ProgramFailed, match="nonsense"):
        parse_response(line, 1, parse_ranking)


def test_a_missing_program_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ludus.protocol.processes.GAMES_FOLDER", str(tmp_path))
    for name, package in (("gnubg", "gnubg"), ("bsd", "bsdgames")):
        with pytest.raises(LudusError, match=f"apt-get install {package}"):
            player(name, GAME)


def test_a_program_that_cannot_be_started(tmp_path):
    before = open_files()
    file = tmp_path / "gnubg"
    file.write_text("not a program")
    with pytest.raises(ProgramFailed, match="cannot be started"):
        GnubgProcess(str(file))
    assert open_files() == before


@pytest.mark.needs_debian("gnubg")
class TestTheRealOne:
    def test_it_serves_many_requests_and_ends_with_its_last_user(self):
        gnubg = GnubgProcess()
        group = gnubg.pid
        for plies in (0, 1, 0):
            (ranked,) = gnubg.rank([START], plies, PATIENCE)
            assert (ranked[0].move, len(ranked)) == ("8/5 6/5", 16)
            assert [each.equity for each in ranked] == sorted(
                (each.equity for each in ranked), reverse=True
            )
        assert members(group)
        del gnubg
        wait_until_nobody_is_left(group)

    def test_a_forked_child_leaves_it_alone(self):
        gnubg = GnubgProcess()
        child = os.fork()
        if child == 0:
            gnubg.close()
            os._exit(0)
        os.waitpid(child, 0)
        (ranked,) = gnubg.rank([START], 0, PATIENCE)
        assert ranked[0].move == "8/5 6/5"
        gnubg.close()

    def test_killed_in_the_middle_it_can_be_had_again(self, monkeypatch):
        monkeypatch.setattr(gnubg_module, "_shared_processes", {})
        position = GAME.start().play(Roll(3, 1))
        who = player("gnubg", GAME)
        who.choose(position)
        first = get_shared_gnubg()
        os.kill(first.pid, 9)
        wait_until_nobody_is_left(first.pid)
        with pytest.raises(ProgramFailed, match="has ended"):
            who.choose(position)
        assert str(who.choose(position).move) == "8/5 6/5"
        assert get_shared_gnubg().pid != first.pid
        get_shared_gnubg().close()

    def test_moves_further_behind_are_looked_at_less_deeply(self):
        gnubg = GnubgProcess()
        (shallow,) = gnubg.rank([START], 0, PATIENCE)
        (near,) = gnubg.rank([START], 1, PATIENCE, max_equity_loss=0.01)
        (deep,) = gnubg.rank([START], 1, PATIENCE)
        gnubg.close()
        equity = [{each.move: each.equity for each in some} for some in (shallow, near, deep)]
        assert equity[1]["8/5 6/5"] == equity[2]["8/5 6/5"] != equity[0]["8/5 6/5"]
        assert equity[1]["13/9"] == equity[0]["13/9"] != equity[2]["13/9"]

    def test_both_sides_see_the_same_board(self):
        """A position and its mirror have the same best move; our side 1 is its side, too."""
        text = "24:2,13:5,8:3,6:5 24:1,22:1,13:5,8:3,6:5"
        own, their = text.split()
        first = GAME.parse(f"{own} {their} 0 63")
        second = GAME.parse(f"{their} {own} 1 63")
        assert to_position_id(first) == to_position_id(second)
        choices = player("gnubg:plies=1", GAME).choose_many([first, second])
        assert str(choices[0].move) == str(choices[1].move)
        assert [choice.move.side for choice in choices] == [0, 1]
        assert "looking 1 move ahead" in choices[0].comment
