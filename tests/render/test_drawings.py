"""The pictures: every man is there once, where he stands, and arrows go where they should."""

import pytest

import ludus
from ludus import Marks
from support.drawings import POSITIONS, all_marks, centres, corners, parsed, position, shapes


def circles(picture: str, *classes: str) -> list[tuple[float, float]]:
    found = shapes(picture, *classes, tag="circle")
    return [(float(circle.attrib["cx"]), float(circle.attrib["cy"])) for circle in found]


def labels(picture: str) -> dict[tuple[float, float], str]:
    return {
        (float(label.attrib["x"]), float(label.attrib["y"])): label.text or ""
        for label in shapes(picture, "label")
    }


def read_caption(picture: str) -> str:
    (caption,) = shapes(picture, "caption")
    return caption.text or ""


# --- Morris ---------------------------------------------------------------------------------------


def test_morris_men_stand_on_their_points():
    picture = position("nine_mens_morris", "W.B/.W./.../.W...B/W../..B/.B. w 0 0").svg()
    centre = centres(picture)
    assert len(centre) == 24
    # Of the nine men of each side five are taken, and lie beside the board.
    for side, places in (("white", ("a7", "d6", "b4", "c3")), ("black", ("g7", "g4", "f2", "d1"))):
        standing = {*circles(picture, "man", side)} - {*circles(picture, "taken")}
        assert standing == {centre[name] for name in places}
    assert len(circles(picture, "dot")) == 16


def test_morris_coordinates_name_the_points():
    picture = position("nine_mens_morris", "start").svg()
    names = labels(picture)
    columns = {x: name for (x, _), name in names.items() if name in "abcdefg"}
    rows = {y: name for (_, y), name in names.items() if name in "1234567"}
    for place, (x, y) in centres(picture).items():
        assert columns[x] + rows[y] == place


def test_morris_men_in_hand_and_taken_men_lie_beside_the_board():
    """A taken man lies on the side of who took it."""
    picture = position("nine_mens_morris", "W.B/.W./.../.W...B/W../..B/.B. w 5 2").svg()
    columns = [x for x, _ in centres(picture).values()]
    assert all(x < min(columns) for x, _ in circles(picture, "man", "black", "taken"))
    assert len(circles(picture, "taken")) == 9 - 4 - 2
    in_hand = {
        "white": [x for x, _ in circles(picture, "man", "white") if x < min(columns)],
        "black": [x for x, _ in circles(picture, "man", "black") if x > max(columns)],
    }
    assert (len(in_hand["white"]), len(in_hand["black"])) == (5, 2)
    assert len(circles(picture, "man")) == 8 + 7 + 3


@pytest.mark.parametrize(("rules", "diagonals"), [("standard", 0), ("morabaraba", 8)])
def test_morris_lines_are_those_of_the_rules(rules, diagonals):
    picture = position(f"nine_mens_morris:{rules}", "start").svg()
    lines = shapes(picture, "line")
    slanted = [
        line
        for line in lines
        if line.get("x1") != line.get("x2") and line.get("y1") != line.get("y2")
    ]
    assert len(slanted) == diagonals
    assert len(lines) == 32 + diagonals


def test_morris_arrows_go_from_point_to_point():
    picture = position("nine_mens_morris").svg(Marks(arrows=(("d6", "d5"), ("a7", "g1"))))
    short, long = (corners(arrow) for arrow in shapes(picture, "arrow"))
    assert short[0] == centres(picture)["d5"] == (310, 178)
    assert long[0] == centres(picture)["g1"] == (490, 418)
    assert {x for x, _ in (short[0], centres(picture)["d6"])} == {310}
    tail = [(first + second) / 2 for first, second in zip(long[3], long[4], strict=True)]
    start = centres(picture)["a7"]
    assert tail[0] - start[0] == pytest.approx(tail[1] - start[1], abs=0.02)
    assert 0 < tail[0] - start[0] < 30


@pytest.mark.parametrize("rules", ["standard", "morabaraba"])
def test_the_compiled_twin_draws_the_same_board(rules):
    text = POSITIONS["nine_mens_morris"]
    twin = ludus.game(f"nine_mens_morris:{rules}").parse(text)
    reference = position(f"nine_mens_morris:{rules}")
    marks = all_marks("nine_mens_morris")
    assert twin.svg(marks) == reference.svg(marks)
    assert twin.text(marks) == reference.text(marks)


def test_a_picture_tells_who_is_to_move_or_who_has_won():
    assert read_caption(position("nine_mens_morris", "start").svg()) == "White to move"
    lost = position("nine_mens_morris", "WW./.../.../BBB.../.../.../... w 0 0")
    assert read_caption(lost.svg()) == "Black wins (men)"
    assert "Black ● wins (men)" in lost.text()
    assert read_caption(position("noughts_and_crosses", "XOX/XOO/OXX o").svg()) == "Draw (full)"


def test_the_description_names_every_man():
    root = parsed(position("nine_mens_morris").svg())
    assert root[0].text == "Nine men's morris: White to move"
    assert root[1].text == (
        "White: a7, d6, b4, c3. Black: g7, g4, d1, f2. In hand: White 4, Black 3."
    )


# --- square boards --------------------------------------------------------------------------------


def test_crosses_and_noughts_stand_in_their_squares():
    picture = position("noughts_and_crosses", "X.O/.X./..O x").svg()
    centre = centres(picture)
    assert circles(picture, "nought") == [centre["c3"], centre["c1"]]
    crosses = [cross.attrib["d"].split() for cross in shapes(picture, "cross")]
    middles = [((float(d[1]) + float(d[4])) / 2, (float(d[2]) + float(d[5])) / 2) for d in crosses]
    assert middles == [centre["a3"], centre["b2"]]


def test_hexapawn_has_a_pawn_for_every_man():
    picture = position("hexapawn", "B.B/WB./..W w").svg()
    centre = centres(picture)
    heads = {side: circles(picture, "man", side) for side in ("white", "black")}
    assert [x for x, _ in heads["white"]] == [centre[name][0] for name in ("a2", "c1")]
    assert [x for x, _ in heads["black"]] == [centre[name][0] for name in ("a3", "c3", "b2")]
    assert len(shapes(picture, "man", tag="path")) == 5


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("game", ["noughts_and_crosses", "hexapawn"])
def test_boards_of_every_size_are_drawn(game, size):
    start = position(f"{game}:size={size}", _start(game, size))
    names = labels(start.svg())
    columns = {x: name for (x, _), name in names.items() if name.isalpha()}
    rows = {y: name for (_, y), name in names.items() if name.isdigit()}
    drawn = centres(start.svg())
    assert len(drawn) == size * size
    for place, (x, y) in drawn.items():
        assert columns[x] + rows[y] == place


def _start(game: str, size: int) -> str:
    empty = "." * size
    if game == "hexapawn":
        return "/".join(["B" * size, *[empty] * (size - 2), "W" * size]) + " w"
    return "/".join([empty] * size) + " x"


def test_square_arrows_end_in_the_middle_of_a_square():
    picture = position("hexapawn").svg(Marks(arrows=(("c1", "b2"),)))
    (arrow,) = shapes(picture, "arrow")
    assert corners(arrow)[0] == centres(picture)["b2"]


def test_the_lower_left_square_is_dark():
    picture = position("hexapawn").svg()
    toned = {(float(s.attrib["x"]), float(s.attrib["y"])) for s in shapes(picture, "tone")}
    x, y = centres(picture)["a1"]
    assert len(toned) == 5
    assert (x - 38, y - 38) in toned
