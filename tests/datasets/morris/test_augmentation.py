"""Images of entries under the game's symmetries, by two recipes."""

import numpy as np
import pytest

from ludus.core.errors import UnknownName
from ludus.datasets import MoveBatch, augment, format_lines, parse_lines
from ludus.datasets.morris.augmentation import RECIPES, augment_parts
from ludus.games.nine_mens_morris import NineMensMorris, mills, to_thesis
from ludus.games.nine_mens_morris.bitboards import RING_SWAP, transform_boards
from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES
from ludus.games.nine_mens_morris.rules import Rules
from support.morris import data, examples, lines, positions

TURN, MIRROR, INSIDE_OUT = SYMMETRIES[1], SYMMETRIES[4], SYMMETRIES[8]


@pytest.fixture(scope="module")
def pairs():
    return examples(Rules(), 8)


def _read(text_lines):
    return parse_lines(data(text_lines)).moves


def _lines(entries):
    return format_lines(entries).decode().splitlines()


def _images(game, position, move, permutations):
    """Return images, each computed from the one before, as in the author's program."""
    for permutation in permutations:
        position = game.transform(position, permutation)
        move = game.transform_move(move, permutation)
    return lines([(position, move)])[0]


def _author_transformations(has_ring_swap):
    """Which symmetries follow one another for each image: turns, then a mirror, then the rings."""
    turns = [[TURN] * number for number in range(4)]
    mirrored = [[*steps, MIRROR] for steps in turns]
    eight = turns + mirrored
    sixteen = eight + [[*steps, INSIDE_OUT] for steps in eight]
    swapped = [[*steps, RING_SWAP] for steps in sixteen[1:]] if has_ring_swap else []
    return sixteen + swapped


def _by_hand(game, pairs, recipe):
    """Apply a recipe one image at a time, by the game's own symmetries."""
    written, kinds = [], set()
    for position, move in pairs:
        kind = str(game.canonical(game.parse(to_thesis(position))))
        if recipe == "symmetries" and kind in kinds:
            continue
        kinds.add(kind)
        has_three = recipe == "published" and len(position.men[0]) == len(position.men[1]) == 3
        seen = set()
        for steps in _author_transformations(has_three):
            image = _images(game, position, move, steps)
            if image[:28] not in seen:
                seen.add(image[:28])
                written.append(image)
    return written


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_one_image_at_a_time(pairs, recipe):
    game = NineMensMorris(engine="python")
    chosen = pairs[::3] + [pair for pair in pairs if len(pair[0].men[0]) == 3][:20]
    assert _lines(augment(_read(lines(chosen)), recipe)) == _by_hand(game, chosen, recipe)


def test_three_against_three_has_31_images_at_most():
    line = "MOOOEOOMOOOOOEOOOOOMOOEO6633-a1"
    assert len(augment(_read([line]), "published")) == 31
    assert len(augment(_read([line]), "symmetries")) == 16
    start = "O" * 24 + "9900-d6"
    assert _lines(augment(_read([start]), "published")) == [start]


def test_no_state_comes_out_twice(pairs):
    doubled = [*lines(pairs), *_lines(augment(_read(lines(pairs[:50]))))]
    found = _lines(augment(_read(doubled)))
    assert len({line[:28] for line in found}) == len(found)
    assert set(found) == set(_lines(augment(_read(lines(pairs)))))


def test_parts_give_the_same_as_the_whole(pairs):
    entries = _read(lines(pairs))
    for recipe in RECIPES:
        parts = augment_parts([entries[:100], entries[100:101], entries[101:]], recipe)
        assert _lines(MoveBatch.concatenate(parts)) == _lines(augment(entries, recipe))
    assert len(augment(MoveBatch.empty())) == 0


def test_an_unknown_recipe():
    with pytest.raises(UnknownName, match="did you mean published"):
        augment(MoveBatch.empty(), "publish")


def test_boards_through_every_symmetry():
    boards = np.random.default_rng(1).integers(0, 1 << 24, 200, dtype=np.int32)
    for symmetry in (*SYMMETRIES, RING_SWAP):
        for board, image in zip(boards.tolist(), transform_boards(boards, symmetry), strict=True):
            assert image == sum(1 << symmetry[i] for i in range(24) if board >> i & 1)


def test_the_ring_swap_exchanges_outer_and_middle_ring():
    assert [POINTS[RING_SWAP[POINTS.index(name)]] for name in ("a7", "d6", "c5")] == [
        "b6",
        "d7",
        "c5",
    ]
    lines_of_three = {frozenset(mill) for mill in mills(False)}
    assert {frozenset(RING_SWAP[man] for man in mill) for mill in lines_of_three} == lines_of_three


def test_keys_are_those_of_the_canonical_position():
    found = positions(6)
    keys = _read([to_thesis(position) for position in found]).canonical_keys()
    game = NineMensMorris()
    for position, key in zip(found, keys.tolist(), strict=True):
        own_is_white = game.parse(to_thesis(position)).canonical()
        own, other = own_is_white.bits
        hands = own_is_white.hands
        assert key == (own << 24 | other) << 8 | hands[0] << 4 | hands[1]
