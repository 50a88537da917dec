"""Pictures to share: a card with the board and who plays, and the moves of a game as a GIF."""

import io
import random
import sys

import pytest
from PIL import Image

import ludus
from ludus.core.errors import BadSpec
from ludus.core.extras import MissingPackage
from ludus.games import GAMES, draw_card, draw_frames, render_card, save_card
from support.paths import ROOT

RECORD = """[Game "hexapawn"]
[White "Ann"]
[Black "Bea"]

1. b1-b2 a3xb2 2. c1xb2 c3-c2 *
"""


def play_some(game, plies):
    rng, position, moves = random.Random(1), game.start(), []
    while position.outcome() is None and len(moves) < plies:
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
    texts = " ".join(str(move).replace(" ", ",") for move in moves)
    return ludus.Record.parse(f'[Game "{game.id}"]\n\n{texts} *')


def open_picture(data):
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_has_a_card_and_an_animation(name):
    game = ludus.game(name)
    record = play_some(game, 7)
    card = open_picture(render_card(game, record))
    assert (card.format, card.size) == ("PNG", (1200, 630))
    # The board and the letters are there: no picture of one colour, no empty part.
    for box in ((50, 50, 700, 580), (640, 60, 1190, 200)):
        assert len(card.convert("RGB").crop(box).getcolors(1_000_000)) > 20
    animation = open_picture(render_card(game, record, ".gif", width=200))
    assert (animation.format, animation.n_frames) == ("GIF", 1 + len(record.line.moves))
    assert animation.size[0] == 200


def test_a_card_names_the_players_and_says_how_it_stands():
    record = ludus.Record.parse(RECORD)
    assert draw_card("hexapawn", record).description == "White: Ann, Black: Bea, White to move"
    assert draw_card("hexapawn", "BBB/.../WWW w").description == "White to move"


def test_each_frame_says_the_move_that_led_to_it():
    frames, seconds = draw_frames("hexapawn", ludus.Record.parse(RECORD))
    assert [each.description for each in frames] == [
        "White to move",
        "1. White b1-b2",
        "1... Black a3xb2",
        "2. White c1xb2",
        "2... Black c3-c2",
    ]
    assert seconds == [1.0, 1.0, 1.0, 1.0, 4.0]


def test_frames_differ_and_the_themes_too():
    game = ludus.game("hexapawn")
    record = ludus.Record.parse(RECORD)
    animation = open_picture(render_card(game, record, ".gif", width=150))
    found = set()
    for number in range(animation.n_frames):
        animation.seek(number)
        found.add(animation.convert("RGB").tobytes())
    assert len(found) == 5
    assert render_card(game, record, ".png", "dark") != render_card(game, record, ".png", "light")


def test_a_position_is_not_animated():
    with pytest.raises(BadSpec, match="no moves to animate"):
        render_card("hexapawn", "BBB/.../WWW w", ".gif")
    with pytest.raises(BadSpec, match=r"a picture cannot be '\.jpg'"):
        render_card("hexapawn", "BBB/.../WWW w", ".jpg")


def test_the_svg_needs_no_other_package(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    save_card("hexapawn", "BBB/.../WWW w", tmp_path / "card.svg")
    assert "Hexapawn" in (tmp_path / "card.svg").read_text()
    with pytest.raises(MissingPackage, match=r"pip install 'ludus-games\[pictures\]'"):
        save_card("hexapawn", "BBB/.../WWW w", tmp_path / "card.png")


def test_the_typeface_comes_with_its_licence():
    folder = ROOT / "src" / "ludus" / "render" / "fonts"
    assert "Bitstream Vera" in (folder / "LICENSE").read_text()
