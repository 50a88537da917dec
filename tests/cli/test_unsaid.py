"""Messages about empty, unsaved or unregistered things; positions from standard input."""

import io
import sys

import pytest

import ludus as library
from ludus.core.spec import Registry

CAREFUL = """
import ludus

class Careful(ludus.Player):
    title = "plays its last legal move"

    def choose(self, position, limit=ludus.Limit()):
        return ludus.Choice(position.legal_moves()[-1])
"""


def test_an_empty_dataset_is_not_valid(ludus, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.touch()
    result = ludus("dataset", "check", str(empty))
    assert (result.status, result.out.splitlines()[-1]) == (1, "0 entries; nothing to check")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("choose hexapawn random --positions empty", "'empty' has no position"),
        ("choose hexapawn random --positions /dev/null --json", "'/dev/null' has no position"),
        ("reproduce --experiments .", "there are no experiments in "),
        ("reproduce --list --json --experiments .", "there are no experiments in "),
        ("train scholar --out new --exam empty", "'empty' has no entries"),
        ("train scholar --out new --exam some.txt --exam some", "two exams are named 'some'"),
        ("train gammon --data empty --out new", "'empty' has no position"),
        ("train gammon --test /dev/null", "'/dev/null' has no position"),
        ("train gammon-expert --hidden 1 --batch 4 --data empty --out new", "cannot make 'empty'"),
    ],
)
def test_input_with_nothing_to_work_on_is_refused(ludus, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").touch()
    for name in ("some", "some.txt"):
        (tmp_path / name).write_text(f"{'O' * 24}9900-a1\n")
    result = ludus(*words.split())
    assert result.status == 2
    assert result.err.startswith("ludus: ")
    assert result.err.count("\n") == 1
    assert message in result.err
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "some", "some.txt"}


@pytest.mark.parametrize("name", ["x" * 300, "missing/file", "folder"])
@pytest.mark.parametrize("system", ["her", "qlearning", "deepq", "gammon"])
def test_a_file_that_cannot_be_written_is_refused_before_the_training(
    ludus, tmp_path, monkeypatch, system, name
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    result = ludus("train", system, "--games", "1", "--log", "log", "--out", name)
    assert result.status == 2
    assert result.err.startswith("ludus: cannot write ")
    assert result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_training_and_solving_without_a_file_say_that_nothing_is_kept(ludus):
    assert "nothing is saved; --out FILE" in ludus("train", "her", "--games", "2").err
    result = ludus("solve", "nine_mens_morris", "--max-men", "3")
    assert "nothing is stored; --out DIR" in result.err
    assert result.status == 0


def test_positions_come_from_standard_input(ludus, monkeypatch):
    text = "XX./OO./... x\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    result = ludus("choose", "noughts_and_crosses", "perfect", "--positions", "-")
    assert (result.status, result.out) == (0, "c3\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    command = ("regret", "noughts_and_crosses", "perfect", "--one-move", "--positions", "-")
    assert "1 positions" in ludus(*command).out


def test_a_player_is_named_by_its_module_and_class(ludus, tmp_path, monkeypatch):
    (tmp_path / "my_players.py").write_text(CAREFUL)
    monkeypatch.syspath_prepend(tmp_path)
    result = ludus("match", "hexapawn", "my_players:Careful", "random", "--games", "2")
    assert result.status == 0
    assert "my_players:Careful" in result.out
    for spec, message in {
        "my_players:Careless": "the module my_players has no 'Careless'",
        "my_players:ludus": "is not a class of players",
        "my_player:Careful": "there is no player 'my_player' and no module .* PYTHONPATH=FOLDER",
    }.items():
        with pytest.raises(library.LudusError, match=message):
            library.player(spec, library.game("hexapawn"))


def test_installed_packages_add_players_by_entry_points(tmp_path, monkeypatch):
    folder = tmp_path / "mine-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[ludus.players]\ncareful = my_plugin:Careful\n")
    (tmp_path / "my_plugin.py").write_text(CAREFUL)
    monkeypatch.syspath_prepend(tmp_path)
    players = Registry("player", {"random": "ludus.players.random_play:RandomPlayer"})
    assert list(players) == ["random", "careful"]
    assert players["careful"].title == "plays its last legal move"
    assert "careful" in Registry("player", {})
    assert "careful" not in Registry("game", {})
