"""Marks, the same over every game: all visible, none harmful."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import Marks
from support.drawings import (
    KINDS,
    PLACES,
    POSITIONS,
    all_marks,
    centres,
    numbers,
    parsed,
    position,
    shapes,
)

EVERY_GAME = pytest.mark.parametrize("game", POSITIONS)


@EVERY_GAME
def test_a_picture_is_one_image_that_says_what_it_shows(game):
    root = parsed(position(game).svg())
    title, description, style = root[:3]
    assert (root.get("role"), style.tag.rpartition("}")[2]) == ("img", "style")
    assert ": " in (title.text or "")
    assert len(description.text or "") > 20


@EVERY_GAME
def test_a_picture_needs_nothing_from_outside(game):
    picture = position(game).svg(all_marks(game))
    assert picture.count("http") == 1  # the name of SVG itself
    for word in ("href", "url(", "@import", "<script", "<image", "<use", " id=", " style="):
        assert word not in picture


@EVERY_GAME
def test_equal_positions_with_equal_marks_give_equal_drawings(game):
    first, marks = position(game), all_marks(game)
    second = position(game, str(first))
    backwards = Marks(
        arrows=marks.arrows,
        points=dict(reversed(marks.points.items())),
        heat=dict(reversed(marks.heat.items())),
    )
    assert first.svg(marks) == second.svg(backwards)
    assert first.text(marks) == second.text(backwards)


@EVERY_GAME
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_mark_has_its_own_shape(game, kind):
    place = PLACES[game][0]
    picture = position(game).svg(Marks(points={place: kind}))
    assert len(shapes(picture, "mark", kind)) == 1
    assert len(shapes(picture, "mark")) == 1
    assert len(shapes(picture, "badge", kind)) == (kind in ("good", "bad"))
    assert len(shapes(picture, "glyph")) == (kind in ("good", "bad"))


@pytest.mark.parametrize("game", ["hexapawn", "noughts_and_crosses"])
def test_ticks_lie_within_their_squares(game):
    place = PLACES[game][0]
    found = position(game).drawing(Marks(points={place: "good"}))
    (badge,) = shapes(found.svg(), "badge")
    x, y, radius = (float(badge.get(name, "")) for name in ("cx", "cy", "r"))
    area = found.places[place]
    assert area.x + radius <= x <= area.x + area.width - radius
    assert area.y + radius <= y <= area.y + area.height - radius


@EVERY_GAME
def test_kinds_differ_without_their_colours(game):
    """By their shapes; of rings, by the width or the dashes that their class sets."""
    place = PLACES[game][0]
    seen = set()
    for kind in KINDS:
        picture = position(game).svg(Marks(points={place: kind}))
        marked = [*shapes(picture, "mark"), *shapes(picture, "badge"), *shapes(picture, "glyph")]
        form = [(mark.tag, *(v for k, v in mark.items() if k != "class")) for mark in marked]
        width = kind if kind in ("legal", "selected") else ""
        seen.add((*form, width))
    assert len(seen) == len(KINDS)
    style = parsed(picture)[2].text or ""
    assert ".mark.legal{stroke-dasharray" in style
    assert ".mark.selected{stroke-width" in style


@EVERY_GAME
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_mark_shows_in_the_text(game, kind):
    plain = position(game).text()
    texts = {position(game).text(Marks(points={PLACES[game][0]: k})) for k in KINDS}
    marked = position(game).text(Marks(points={PLACES[game][0]: kind}))
    assert marked != plain
    assert len(texts) == len(KINDS)
    assert len(marked.splitlines()) == len(plain.splitlines())


@EVERY_GAME
def test_heat_can_be_read(game):
    heat = dict(zip(PLACES[game], (0, 0.024, 0.25, 0.5, 0.984, 1), strict=True))
    drawn = position(game)
    picture = drawn.svg(Marks(heat=heat))
    titles = {area.get("data-place"): area[0].text for area in shapes(picture, "place")}
    result = [f"{place}: {share}" for place, share in zip(heat, PERCENT, strict=True)]
    assert [titles[place] for place in heat] == result
    assert len(shapes(picture, "heat")) == 6
    strengths = {float(halo.get("fill-opacity", 1)) for halo in shapes(picture, "heat")}
    assert len(strengths) == 6
    text = drawn.text(Marks(heat=heat))
    for place, share in zip(heat, PERCENT, strict=True):
        assert f"{place} {share}" in text


PERCENT = ("0%", "2%", "25%", "50%", "98%", "100%")


@EVERY_GAME
def test_heat_is_kept_between_nothing_and_all_and_what_is_no_number_is_left_out(game):
    hot, cold, wrong, huge = PLACES[game][:4]
    heat = {hot: 7.0, cold: -math.inf, wrong: math.nan, huge: 10**400}
    bounded = Marks(heat={hot: 1.0, cold: 0.0, huge: 1.0})
    assert position(game).svg(Marks(heat=heat)) == position(game).svg(bounded)
    assert position(game).text(Marks(heat=heat)) == position(game).text(bounded)


@EVERY_GAME
def test_no_number_goes_astray(game):
    picture = position(game).svg(all_marks(game))
    for written in numbers(picture):
        assert "nan" not in written
        assert "inf" not in written
    width, height = (float(side) for side in parsed(picture).attrib["viewBox"].split()[2:])
    for x, y in centres(picture).values():
        assert 0 < x < width
        assert 0 < y < height


HOSTILE = (
    "",
    "z9",
    "a0",
    "0",
    "25",
    "-1",
    "²",
    "٣",
    "BAR",
    "<b>",
    "\x00",
    "\ud800",
    "&amp;",
    "a" * 9999,
)


@EVERY_GAME
def test_places_the_board_does_not_have_are_ignored(game):
    known = PLACES[game][0]
    marks = Marks(
        arrows=tuple((known, text) for text in HOSTILE) + tuple((text, known) for text in HOSTILE),
        points=dict.fromkeys(HOSTILE, "legal"),
        heat=dict.fromkeys(HOSTILE, 0.5),
    )
    assert position(game).svg(marks) == position(game).svg()
    assert position(game).text(marks) == position(game).text()


@EVERY_GAME
def test_kinds_that_do_not_exist_are_ignored(game):
    for kind in (*HOSTILE, "Legal", '"><script>'):
        marks = Marks(points={PLACES[game][0]: kind})
        assert position(game).svg(marks) == position(game).svg()
        assert position(game).text(marks) == position(game).text()


@EVERY_GAME
def test_an_arrow_to_where_it_starts_is_not_drawn(game):
    place = PLACES[game][0]
    assert shapes(position(game).svg(Marks(arrows=((place, place),))), "arrow") == []


places = st.sampled_from([place for game in PLACES.values() for place in game]) | st.text(
    max_size=3
)


@EVERY_GAME
@given(
    arrows=st.lists(st.tuples(places, places), max_size=3),
    points=st.dictionaries(places, st.sampled_from(KINDS) | st.text(max_size=5), max_size=5),
    heat=st.dictionaries(places, st.floats(), max_size=5),
)
def test_any_marks_can_be_drawn(game, arrows, points, heat):
    marks = Marks(tuple(arrows), points, heat)
    parsed(position(game).svg(marks))
    text = position(game).text(marks)
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())
