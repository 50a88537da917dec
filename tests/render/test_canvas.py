"""The canvas: shapes, escapes, and what a document must have."""

import math

import pytest

from ludus.render.canvas import Area, Canvas, escape, format_number
from support.drawings import corners, parsed, shapes


def blank(title: str = "A board", description: str = "") -> Canvas:
    return Canvas(100, 80, title, description, style="")


def test_a_document_is_an_accessible_image_with_a_view_box():
    root = parsed(blank("White to move", "White: a1.").drawing().svg())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib == {
        "class": "ludus",
        "role": "img",
        "width": "100",
        "height": "80",
        "viewBox": "0 0 100 80",
    }
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "desc", "style"]
    assert [child.text for child in root][:2] == ["White to move", "White: a1."]


def test_shapes_are_written_in_the_order_in_which_they_are_drawn():
    canvas = blank()
    canvas.rect((1, 2), 3, 4, "board", 5)
    canvas.line((0, 0), (9.25, 1 / 3), "line")
    canvas.polygon([(0, 0), (1, 0), (0.5, 1)], "tone")
    canvas.path("mark", "M", 0, 0.5, "L", 2, 2)
    assert canvas.shapes == (
        '<rect class="board" x="1" y="2" width="3" height="4" rx="5"/>',
        '<line class="line" x1="0" y1="0" x2="9.25" y2="0.33"/>',
        '<polygon class="tone" points="0,0 1,0 0.5,1"/>',
        '<path class="mark" d="M 0 0.5 L 2 2"/>',
    )


HOSTILE = ["<script>alert(1)</script>", "\"' onload=x '", "a&b", "]]>", "</title><x>", "--><!--"]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_come_back_as_they_went_in_and_add_no_elements(text):
    canvas = blank(text, text)
    canvas.text((1, 1), text, text)
    canvas.place(text, Area(0, 0, 1, 1), text)
    picture = canvas.drawing().svg()
    root = parsed(picture)
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags == ["svg", "title", "desc", "style", "text", "rect", "title"]
    assert [root[0].text, root[1].text, root[3].text, root[4][0].text] == [text] * 4
    assert root[4].get("data-place") == text
    assert root[3].get("class") == text


@pytest.mark.parametrize("code", [0x00, 0x1B, 0xD800, 0xDFFF, 0xFFFE])
def test_what_xml_cannot_hold_is_replaced(code):
    character = chr(code)
    assert escape(f"a{character}b") == "a\ufffdb"
    assert parsed(blank(character).drawing().svg())[0].text == "\ufffd"


def test_letters_of_all_languages_stay():
    assert escape("Mühle 九 🎲") == "Mühle 九 🎲"


@pytest.mark.parametrize(
    ("value", "written"), [(0, "0"), (-0.001, "0"), (100, "100"), (1 / 3, "0.33"), (-2.5, "-2.5")]
)
def test_numbers_are_short(value, written):
    assert format_number(value) == written


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_cannot_be_drawn(value):
    with pytest.raises(ValueError, match="no place"):
        blank().circle((value, 0), 1, "man")


@pytest.mark.parametrize("end", [(90, 40), (10, 70), (10, 10), (60, 75)])
def test_an_arrow_ends_with_its_tip_and_begins_with_its_tail(end):
    start = (10, 40)
    canvas = blank()
    canvas.arrow(start, end, "arrow", 6, tail=5)
    (arrow,) = shapes(canvas.drawing().svg(), "arrow")
    tip, *_, left, right, _, _ = corners(arrow)
    tail = (left[0] + right[0]) / 2, (left[1] + right[1]) / 2
    assert tip == end
    assert math.dist(left, right) == pytest.approx(6, abs=0.02)
    assert math.dist(start, tail) == pytest.approx(5, abs=0.02)
    assert math.dist(tail, end) == pytest.approx(math.dist(start, end) - 5, abs=0.02)


def test_an_arrow_without_a_way_is_not_drawn():
    canvas = blank()
    canvas.arrow((5, 5), (5, 5), "arrow")
    canvas.arrow((5, 5), (7, 5), "arrow", tail=4)
    assert canvas.shapes == ()


def test_a_short_arrow_is_all_head():
    canvas = blank()
    canvas.arrow((0, 0), (10, 0), "arrow", 6, tail=4)
    (arrow,) = shapes(canvas.drawing().svg(), "arrow")
    assert min(x for x, _ in corners(arrow)) == 4


def board_with_two_places() -> Canvas:
    canvas = Canvas(100, 80, "A board", style=".dot{fill:red}")
    canvas.place("a1", Area(10, 20, 30, 20), "a1: free")
    canvas.place("b1", Area(50, 20, 30, 24), "b1")
    canvas.circle((25, 30), 5, "dot")
    return canvas


def test_a_drawing_knows_its_places_and_has_them_above_all_shapes():
    drawing = board_with_two_places().drawing(occupied=["a1"])
    assert drawing.places == {"a1": (10, 20, 30, 20), "b1": (50, 20, 30, 24)}
    assert (drawing.places["b1"].centre, drawing.places["b1"].size) == ((65, 32), 24)
    assert drawing.occupied == {"a1"}
    more = drawing.with_shapes(['<circle class="late"/>'], ".late{fill:blue}")
    classes = [element.get("class") for element in parsed(more.svg())][3:]
    assert classes == ["dot", "late", "place", "place"]
    assert parsed(more.svg())[2].text == ".dot{fill:red}.late{fill:blue}"


def test_a_drawing_is_cropped_to_its_places_and_written_without_style_and_places():
    drawing = board_with_two_places().drawing().cropped(margin=6)
    root = parsed(drawing.svg(has_style=False, has_places=False))
    assert root.get("viewBox") == "4 14 82 36"
    assert (root.get("width"), root.get("height")) == ("100", "80")
    assert [element.tag.rpartition("}")[2] for element in root] == ["title", "desc", "circle"]
