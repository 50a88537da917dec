"""`ludus draw`: pictures of positions and games, as people type it."""

import json

import pytest
from PIL import Image


@pytest.fixture
def games(ludus, tmp_path):
    file = tmp_path / "games.txt"
    match = ("match", "hexapawn", "random", "random", "--games", "2", "--seed", "3")
    assert ludus(*match, "--record", str(file)).status == 0
    return file


def test_a_game_becomes_an_animation(ludus, games, tmp_path):
    out = tmp_path / "game.gif"
    found = json.loads(ludus("draw", "hexapawn", str(games), "--out", str(out), "--json").out)
    assert found == {"file": str(out), "bytes": out.stat().st_size}
    with Image.open(out) as picture:
        assert picture.n_frames > 3


def test_a_position_or_a_moment_of_a_game_becomes_a_picture(ludus, games, tmp_path):
    for name, arguments in {
        "start.png": ("start", "--width", "300"),
        "early.png": (str(games), "--game", "2", "--moves", "1", "--width", "300", "--dark"),
    }.items():
        done = ludus("draw", "hexapawn", *arguments, "--out", str(tmp_path / name))
        assert done.status == 0, done.err
        assert "bytes" in done.out
        with Image.open(tmp_path / name) as picture:
            assert picture.size == (300, 158)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("start", "--out", "OUT.gif"), "a position has no moves to animate"),
        (("start", "--out", "OUT.jpg"), "there are .png, .gif, .svg"),
        (("start", "--moves", "2", "--out", "OUT.png"), "--moves is for games"),
        (("GAMES", "--game", "7", "--out", "OUT.png"), "has 2 games, not 7"),
        (("nowhere.txt", "--out", "OUT.png"), "cannot read"),
    ],
)
def test_wrong_input_is_answered_in_one_line(ludus, games, tmp_path, arguments, message):
    paths = {"GAMES": str(games)}
    typed = [paths.get(each, each.replace("OUT", str(tmp_path / "card"))) for each in arguments]
    done = ludus("draw", "hexapawn", *typed)
    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1
