"""What is typed wrong, in our words; boards in terminals that have no signs for men."""

import os
import subprocess

import pytest

from support.command_line import PROGRAM


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("match hexapawn random random --games x", "--games must be a whole number"),
        ("match hexapawn random random --games 0", "--games must be at least 1"),
        ("regret hexapawn random --time soon", "--time must be a number"),
        ("analyse hexapawn start --plies 9", "--plies must be at most 2"),
        ("play --side left", "--side must be one of 'first', 'second', 'both', 'none', not 'left'"),
        ("completion tcsh", "SHELL must be one of 'bash', 'zsh', 'fish', not 'tcsh'"),
        ("train menace --games many", "--games must be a whole number"),
        ("solve hexapawn --wdl", "--wdl needs --out"),
    ],
)
def test_wrong_values_are_refused_in_plain_words(ludus, line, message):
    done = ludus(*line.split())
    assert (done.status, done.err) == (2, f"ludus: {message}\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_men_differ_in_every_encoding(encoding):
    done = subprocess.run(
        [*PROGRAM, "value", "hexapawn", "start"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    board = done.stdout.decode(encoding)
    assert "?" not in board
    men = "●○" if encoding == "utf-8" else "BW"
    assert [board.count(man) >= 3 for man in men] == [True, True]


def test_a_learner_is_found_by_the_name_of_its_method(ludus):
    done = ludus("train", "dqn", "hexapawn", "--games", "2", "--json")
    assert done.status == 0, done.err
    assert ludus("train", "dnq").status == 2


def test_a_preset_follows_a_class_of_a_module(ludus, tmp_path, monkeypatch):
    (tmp_path / "my_games.py").write_text(
        "from ludus.games.hexapawn import Hexapawn, Rules\n"
        "class Wide(Hexapawn):\n"
        "    id = 'wide'\n"
        "    presets = {'usual': Rules(3), 'large': Rules(4)}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert "a4" not in ludus("perft", "my_games:Wide", "1", "--divide").out
    done = ludus("perft", "my_games:Wide:large", "1", "--divide")
    assert (done.status, "d1-d2" in done.out) == (0, True), done.err
