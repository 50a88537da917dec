"""Real opponents: BSD's program, pubeval, and the order in which they all stand."""

import os
import pty
import stat
import sys

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError
from ludus.core.match import play_game
from ludus.games.backgammon import Roll
from ludus.players import player
from ludus.protocol import backgammon_players
from ludus.protocol.processes import ProgramFailed
from support.backgammon import met, position
from support.waiting import PATIENCE

GAME = ludus.game("backgammon")


@pytest.mark.needs_debian("bsdgames")
@pytest.mark.needs("pseudo-terminal")
class TestBsd:
    def test_it_plays_every_position_legally(self):
        who = player("bsd", GAME)
        for here in met(games=5, seed=9)[::6]:
            assert who.choose(here).move in here.legal_moves()

    def test_bars_and_men_off_reach_it(self):
        """With a man on the bar it enters, with all men home it bears off."""
        entering = position("bar:1,13:5,8:4,6:5", "24:2,13:5,8:3,6:5", (4, 2))
        assert str(player("bsd", GAME).choose(entering).move).startswith("bar/")
        bearing_off = position("6:2,4:2,3:1,1:1,off:9", "5:2,4:1,3:2,2:1,off:9", (6, 4))
        assert str(player("bsd", GAME).choose(bearing_off).move) == "6/off 4/off"

    def test_it_plays_both_sides_of_a_game(self):
        match = play_game(GAME, (player("bsd", GAME), player("bsd", GAME)), seed=3)
        assert match.outcome.reason in ("single", "gammon", "backgammon")


FAULTS = {
    "import time\ntime.sleep(1000)": "does not answer",
    "": "has ended",
    "print('-->')\ninput()\nprint('computer is red.')\nprint('Too bad, no computer.')\ninput()": (
        "answers nonsense"
    ),
    "print('-->')\ninput()\nprint('computer is red.')\nprint('Red rolls 3 1 and moves 1-24.')": (
        "not legal"
    ),
    "while True: print('x' * 1000)": "sends endless output",
}


@pytest.mark.needs("pseudo-terminal")
@pytest.mark.parametrize("way", FAULTS)
def test_faults_of_a_program_on_a_terminal(way, tmp_path, monkeypatch):
    program = tmp_path / backgammon_players.BSD_PROGRAM
    program.write_text(f"#!{sys.executable}\n{way}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    limit = 1 if FAULTS[way] == "does not answer" else PATIENCE
    who = player(f"bsd:seconds={limit}", GAME)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ProgramFailed, match=FAULTS[way]):
        who.choose(GAME.start().play(Roll(3, 1)))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_machine_without_terminals(tmp_path, monkeypatch):
    program = tmp_path / backgammon_players.BSD_PROGRAM
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def openpty():
        raise OSError("out of pty devices")

    monkeypatch.setattr(pty, "openpty", openpty)
    with pytest.raises(ProgramFailed, match="needs a terminal, and there is none: out of pty"):
        player("bsd", GAME).choose(GAME.start().play(Roll(3, 1)))


class TestPubeval:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("bgbot_cpp", reason="bgsage is not installed")

    @pytest.mark.parametrize(
        ("roll", "move"), [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7")]
    )
    def test_openings(self, roll, move):
        assert str(player("pubeval", GAME).choose(GAME.start().play(Roll(*roll))).move) == move

    def test_it_plays_every_position_legally(self):
        who = player("pubeval", GAME)
        for here in met(games=5, seed=10)[::4]:
            assert who.choose(here).move in here.legal_moves()

    @pytest.mark.slow
    def test_it_and_the_conventional_program_are_of_a_kind(self):
        """Some 58% of many games; 60 games are enough to see that they are of a kind."""
        players = player("pubeval", GAME), player("tool", GAME)
        wins = 0
        for number in range(60):
            swapped = number % 2 == 1
            pair = players[::-1] if swapped else players
            wins += (play_game(GAME, pair, seed=number).outcome.winner == 0) != swapped
        assert 22 <= wins <= 48


def test_without_the_package_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "bgbot_cpp", None)
    with pytest.raises(LudusError, match=r"pip install 'ludus-games\[backgammon\]'"):
        player("pubeval", GAME)


@pytest.mark.parametrize("name", ["bsd", "pubeval", "gnubg", "gammon"])
def test_they_play_the_game_with_fifteen_men_alone(name):
    with pytest.raises(BadSpec, match="15 men"):
        player(name, ludus.game("backgammon:hyper"))


@pytest.mark.parametrize("spec", ["gnubg:plies=3", "gnubg:seconds=0", "bsd:seconds=-1"])
def test_options_out_of_range(spec):
    with pytest.raises(BadSpec):
        player(spec, GAME)
