"""The backgammon board: stacks, bar, trays, dice, and numbers as the side to move counts."""

import re
from collections import Counter

import pytest

import ludus
from ludus import Marks
from support.drawings import KINDS, centres, corners, parsed, position, shapes

BUSY = "bar:1,8:7,6:2,off:5 bar:6,13:2,5:4,off:3 1 66"
"""Men everywhere, black to play; each side's places as that side counts."""


def men_by_place(picture: str, side: str) -> Counter[str]:
    """How many circles of a side lie in each place's area."""
    counted: Counter[str] = Counter()
    for man in shapes(picture, "man", side, tag="circle"):
        x, y = float(man.attrib["cx"]), float(man.attrib["cy"])
        for area in shapes(picture, "place"):
            left, top = float(area.attrib["x"]), float(area.attrib["y"])
            width, height = float(area.attrib["width"]), float(area.attrib["height"])
            if left < x < left + width and top < y < top + height:
                counted[area.attrib["data-place"]] += 1
    return counted


def slabs(picture: str, side: str) -> int:
    return len(shapes(picture, "man", side, tag="rect"))


def test_at_the_start_every_man_stands_where_the_rules_put_him():
    picture = ludus.game("backgammon", engine="python").start().svg()
    assert men_by_place(picture, "white") == {"24": 2, "13": 5, "8": 3, "6": 5}
    assert men_by_place(picture, "black") == {"1": 2, "12": 5, "17": 3, "19": 5}
    assert (slabs(picture, "white"), slabs(picture, "black")) == (0, 0)
    assert shapes(picture, "die") == []
    assert len(shapes(picture, "tone")) == len(shapes(picture, "shade")) == 12


def test_tall_stacks_are_labelled_with_a_number():
    picture = position("backgammon", BUSY).svg()
    assert men_by_place(picture, "white") == {"bar": 1, "8": 5, "6": 2}
    assert men_by_place(picture, "black") == {"bar": 4, "12": 2, "20": 4}
    assert [(n.attrib["class"], n.text) for n in shapes(picture, "count")] == [
        ("count white", "7"),
        ("count black", "6"),
    ]
    assert (slabs(picture, "white"), slabs(picture, "black")) == (5, 3)


def test_each_side_waits_on_its_half_of_the_bar_and_bears_off_beside_its_home():
    picture = position("backgammon", BUSY).svg()
    middle = centres(picture)["bar"][1]
    bar_x = centres(picture)["bar"][0]
    for side, is_upper in (("white", True), ("black", False)):
        men = shapes(picture, "man", side, tag="circle")
        waiting = [float(m.attrib["cy"]) for m in men if float(m.attrib["cx"]) == bar_x]
        assert waiting
        assert all((y < middle) == is_upper for y in waiting)
        trays = [float(slab.attrib["y"]) for slab in shapes(picture, "man", side, tag="rect")]
        assert all((y < middle) != is_upper for y in trays)


@pytest.mark.parametrize("dice", [(2, 1), (4, 3), (6, 5), (6, 6), (1, 1)])
def test_dice_show_their_pips(dice):
    picture = position("backgammon", f"24:2,6:5,off:8 24:2,6:5,off:8 0 {dice[0]}{dice[1]}").svg()
    boxes = [(float(die.attrib["x"]), float(die.attrib["width"])) for die in shapes(picture, "die")]
    pips = [float(pip.attrib["cx"]) for pip in shapes(picture, "pip", "white")]
    # A double is played four times, so that there are four dice.
    wanted = dice * 2 if dice[0] == dice[1] else dice
    assert tuple(sum(x < pip < x + width for pip in pips) for x, width in boxes) == wanted


def numbers(picture: str) -> dict[str, str]:
    """What each point is called in the picture, by its lasting name."""
    at = {
        (float(t.attrib["x"]), float(t.attrib["y"]) < 100): t.text for t in shapes(picture, "label")
    }
    middle = centres(picture)["bar"][1]
    return {
        place: at[x, y < middle] or ""
        for place, (x, y) in centres(picture).items()
        if place.isdigit()
    }


def test_points_are_numbered_as_the_side_whose_turn_it_is_counts():
    white, black = (position("backgammon", f"24:2,6:5,off:8 24:2,6:5,off:8 {t} 31") for t in "01")
    own = {str(n): str(n) for n in range(1, 25)}
    assert numbers(white.svg()) == own
    assert numbers(black.svg()) == {place: str(25 - int(place)) for place in own}
    titles = {a.attrib["data-place"]: a[0].text for a in shapes(black.svg(), "place")}
    assert (titles["1"], titles["24"], titles["bar"], titles["off"]) == ("24", "1", "bar", "off")


def test_the_points_lie_as_on_a_board():
    """White's home is at the lower right; every point faces the one that adds up to 25."""
    centre = centres(position("backgammon").svg())
    columns = [centre[str(number)][0] for number in range(1, 13)]
    assert columns == sorted(columns, reverse=True)
    assert [centre[str(25 - number)][0] for number in range(1, 13)] == columns
    assert all(centre[str(n)][1] > centre["bar"][1] > centre[str(25 - n)][1] for n in range(1, 13))
    assert columns[6] < centre["bar"][0] < columns[5]
    assert columns[0] < centre["off"][0]


def test_the_description_counts_the_same_way():
    description = parsed(position("backgammon", BUSY).svg())[1].text
    assert description == (
        "White: 2 on 19, 7 on 17, 1 on the bar, 5 borne off. "
        "Black: 2 on 13, 4 on 5, 6 on the bar, 3 borne off."
    )


@pytest.mark.parametrize("turn", [0, 1])
def test_the_steps_of_every_move_can_be_drawn_as_arrows(turn):
    """What a game calls the places of a move, a drawing finds."""
    game = ludus.game("backgammon", engine="python")
    drawn = game.parse(f"6:2,3:3,off:10 bar:1,6:2,3:2,off:10 {turn} 64")
    for move in drawn.legal_moves():
        steps = game.steps(move)
        arrows = tuple(zip(steps[::2], steps[1::2], strict=True))
        picture = drawn.svg(Marks(arrows=arrows))
        assert len(shapes(picture, "arrow")) == len(arrows)
        written = {line for line in drawn.text(Marks(arrows=arrows)).splitlines() if "→" in line}
        for start, end in re.findall(r"(\w+)/(\w+)", str(move)):
            assert any(f"{start}→" in line for line in written)
            assert any(f"→{end}" in line for line in written)


def test_arrows_and_marks_go_to_the_last_man_of_a_stack():
    start = position("backgammon", "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31")
    picture = start.svg(Marks(arrows=(("8", "5"), ("13", "6")), points={"8": "selected"}))
    column = [
        float(man.attrib["cy"])
        for man in shapes(picture, "man", "white", tag="circle")
        if float(man.attrib["cx"]) == centres(picture)["8"][0]
    ]
    (ring,) = shapes(picture, "mark", "selected")
    assert float(ring.attrib["cy"]) == min(column)
    to_free, to_stack = (corners(arrow)[0] for arrow in shapes(picture, "arrow"))
    assert to_free == (centres(picture)["5"][0], max(column))
    assert to_stack[0] == centres(picture)["6"][0]


def test_text():
    marks = Marks(
        arrows=(("8", "5"), ("6", "5")),
        points={"8": "selected", "6": "legal", "5": "legal", "1": "take", "24": "last"},
    )
    drawn = position("backgammon", "24:2,13:6,8:2,6:5 bar:1,24:1,13:5,8:3,6:5 0 31").text(marks)
    assert drawn.splitlines() == [
        " 13 14 15 16 17 18      19 20 21 22 23 24",
        "┌──────────────────┬───┬──────────────────┐",
        "│ ○  ·  ·  ·  ●  · │   │ ●  ·  ·  ·  · (○)│  ●  off 0",
        "│ ○           ●    │   │ ●              ○ │",
        "│ ○           ●    │   │ ●                │",
        "│ ○                │   │ ●                │",
        "│ 6                │   │ ●                │",
        "│                  │bar│                  │",
        "│ ●                │ ● │ ○                │",
        "│ ●                │   │ ○                │",
        "│ ●                │   │ ○                │",
        "│ ●           ○    │   │ ○                │",
        "│ ●  ·  ·  · [○] · │   │‹○› ◌  ·  ·  · >●<│  ○  off 0",
        "└──────────────────┴───┴──────────────────┘",
        " 12 11 10  9  8  7       6  5  4  3  2  1",
        "",
        "White ○ to play 3-1",
        "Arrows: 8→5, 6→5",
    ]


def test_text_on_blacks_turn():
    marks = Marks(points={"bar": "selected", "off": "good", "20": "legal"}, heat={"20": 0.5})
    drawn = position("backgammon", BUSY).text(marks).splitlines()
    assert drawn[0] == " 12 11 10  9  8  7       6  5  4  3  2  1"
    assert drawn[2] == "│ ·  ·  ·  ·  ·  · │   │ · ‹●› ·  ·  ·  · │  ●✓ off 3"
    assert drawn[6:9] == [
        "│                  │ ○ │                  │",
        "│                  │bar│                  │",
        "│             7    │[●]│                  │",
    ]
    assert drawn[12] == "│ ●  ·  ·  ·  ○  · │ 6 │ ○  ·  ·  ·  ·  · │  ○  off 5"
    assert drawn[-2:] == ["Black ● to play 6-6", "Heat: 5 50%"]


def test_the_caption_tells_who_rolls_and_who_has_won():
    game = ludus.game("backgammon", engine="python")
    assert game.start().text().splitlines()[-1] == "Opening roll"
    over = game.parse("off:15 24:1,6:2,off:12 1 over")
    assert over.text().splitlines()[-1] == "White ○ wins (single)"


@pytest.mark.parametrize("kind", KINDS)
def test_bar_and_tray_can_be_marked_though_nobody_is_there(kind):
    empty = position("backgammon", "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31")
    picture = empty.svg(Marks(points={"bar": kind, "off": kind}))
    assert len(shapes(picture, "mark", kind)) == 2
