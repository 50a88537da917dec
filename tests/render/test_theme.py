"""Colours are distinguishable in the light and the dark theme."""

import re

import pytest

from ludus.render.theme import DARK, LIGHT, STYLE, Palette, scope_rules
from support.drawings import POSITIONS, all_marks, parsed, position


def rgb(colour: str) -> list[float]:
    assert re.fullmatch(r"#[0-9a-f]{6}", colour)
    return [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]


def luminance(channels: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: list[float], second: list[float]) -> float:
    """Contrast ratio as WCAG 2 defines it, from 1 to 21."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def between(palette: Palette, first: str, second: str) -> float:
    return contrast(rgb(getattr(palette, first)), rgb(getattr(palette, second)))


PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


@PALETTES
def test_letters_can_be_read(palette):
    for ground in ("ground", "board"):
        assert between(palette, "ink", ground) >= 7
    assert between(palette, "white", "black") >= 7  # numbers on men, pips on dice


@PALETTES
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_the_number_on_a_halo_can_be_read(palette, share):
    opacity = 0.1 + 0.85 * share
    mixed = zip(rgb(palette.heat), rgb(palette.board), strict=True)
    halo = [opacity * heat + (1 - opacity) * board for heat, board in mixed]
    assert contrast(rgb(palette.ink), halo) >= 4.5


@PALETTES
@pytest.mark.parametrize("mark", ["arrow", "legal", "selected", "last", "good", "bad", "heat_rim"])
def test_marks_stand_out(palette, mark):
    assert between(palette, mark, "ground") >= 3  # the case around them
    assert between(palette, mark, "board") >= 3


@PALETTES
def test_lines_and_men_stand_out(palette):
    assert between(palette, "line", "board") >= 3
    for side in ("white", "black"):
        seen = (between(palette, part, "board") for part in (side, f"{side}_rim"))
        assert max(seen) >= 3
    assert between(palette, "cross", "board") >= 3
    assert between(palette, "nought", "board") >= 3


def test_night_only_swaps_colours():
    day, night = STYLE.split("@media (prefers-color-scheme:dark){")
    selectors = re.findall(r"^(.*)\{", night, flags=re.M)
    assert selectors
    assert all(f"\n{selector}{{" in day for selector in selectors)
    assert set(re.findall(r"([a-z-]+):", night)) == {"fill", "stroke"}


def test_rules_hold_inside_drawings_alone():
    assert scope_rules(".a,.b{x:y}\ntext{z:w}") == ".ludus .a,.ludus .b{x:y}\n.ludus text{z:w}"
    assert "$" not in STYLE


@pytest.mark.parametrize("game", POSITIONS)
def test_every_class_that_is_drawn_has_a_style(game):
    styled = set(re.findall(r"\.([a-z]+)", re.sub(r"\{.*?\}", "", STYLE)))
    root = parsed(position(game).svg(all_marks(game)))
    used = {word for element in root.iter() for word in element.get("class", "").split()}
    assert used <= styled
