"""Classes of the parts of moves and their order, and positions as input rows."""

import numpy as np
import pytest

from ludus.core.errors import UnknownName
from ludus.datasets import parse_lines
from ludus.games import nine_mens_morris
from ludus.games.nine_mens_morris import (
    batch,
    mills,
    neighbours,
    to_thesis,
    to_thesis_move,
)
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import PASS, POINTS, READING_ORDER, Move
from ludus.learn.nnmm.encoding import FEATURE_NAMES, INPUT_MODELS, append_choices
from ludus.learn.nnmm.parts import (
    NUM_CLASSES,
    ORDERS,
    PARTS,
    POINT_OF_CLASS,
    PartOrder,
    classes_to_moves,
    classes_to_points,
    moves_to_classes,
    points_to_classes,
)
from support.morris import positions

EXAMPLE = b"EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2"
"""The example of the dataset's format."""


def rows(name, entries):
    return INPUT_MODELS[name].encode(entries)


def text(bits):
    return "".join(map(str, bits.tolist()))


def test_every_column_of_the_raw_inputs():
    entries = parse_lines(EXAMPLE).moves
    letters = EXAMPLE[:24].decode()
    board = "".join("".join("1" if each == letter else "0" for each in letters) for letter in "MEO")
    hands, counts, phases = "100000000" * 2, "111110000" + "111111000", "100100"
    assert text(rows("rawest", entries)[0]) == board + hands
    assert text(rows("rawer", entries)[0]) == board + hands + phases
    assert text(rows("raw", entries)[0]) == board + hands + counts + phases
    assert text(rows("features", entries)[0])[:114] == text(rows("raw", entries)[0])


def test_every_column_of_the_integer_inputs():
    entries = parse_lines(EXAMPLE).moves
    men = [{"M": 1, "E": -1, "O": 0}[letter] for letter in EXAMPLE[:24].decode()]
    assert rows("integer", entries)[0].tolist() == [*men, 1, 1, 5, 6, 1, 1]


@pytest.mark.parametrize(
    ("line", "phases"),
    [
        (b"MMMOOOOOOOOOOOOOOOOOOEEE0033", "111111"),
        (b"MMMMOOOOOOOOOOOOOOOOOEEE0043", "110111"),
        (b"MMMMOOOOOOOOOOOOOOOOOEEE0143", "110100"),
    ],
)
def test_phases_are_of_each_side(line, phases):
    assert text(rows("rawer", parse_lines(line).moves)[0, -6:]) == phases


def test_widths_and_kinds_are_as_promised():
    entries = PositionBatch.from_positions(positions(2))
    widths = {
        "rawest": 90,
        "rawer": 96,
        "raw": 114,
        "integer": 30,
        "features": 402,
        "lines": 562,
    }
    assert {name: model.width for name, model in INPUT_MODELS.items()} == widths
    for name, model in INPUT_MODELS.items():
        found = rows(name, entries)
        assert found.shape == (len(entries), model.width)
        assert found.dtype == (np.uint8 if model.is_binary else np.int8)
        assert found.max() == 1 or not model.is_binary
        assert rows(name, entries[:0]).shape == (0, model.width)


def test_choices_are_appended_as_one_of_25_or_as_a_number():
    entries = parse_lines(EXAMPLE).moves
    choices = np.array([[8, 0]])
    for name, model in INPUT_MODELS.items():
        inputs = rows(name, entries)
        found = append_choices(model, inputs, choices)
        assert found.shape[1] == model.columns(2).width
        assert (found[:, : model.width] == inputs).all()
        behind = found[0, model.width :].tolist()
        if model.is_binary:
            assert [place for place, bit in enumerate(behind) if bit] == [8, 25]
        else:
            assert behind == [8, 0]
        assert (append_choices(model, inputs, choices[:, :0]) == inputs).all()


def seen_by_the_rules(position):
    """The twelve features of a position, from lists of moves and mills; sets of point numbers."""
    own, other = position.men[position.mover], position.men[1 - position.mover]
    hands = position.hands[position.mover], position.hands[1 - position.mover]
    found = []
    for men, enemies, hand in ((own, other, hands[0]), (other, own, hands[1])):
        free = set(range(24)) - men - enemies
        near = neighbours(False)
        flies = hand == 0 and len(men) <= 3
        steps = (
            [(None, to) for to in free]
            if hand
            else [(frm, to) for frm in men for to in free if flies or to in near[frm]]
        )
        closing = [
            (frm, to)
            for frm, to in steps
            if any(to in mill and set(mill) <= men - {frm} | {to} for mill in mills(False))
        ]
        safe = {man for mill in mills(False) if set(mill) <= men for man in mill}
        loose = set(men) - safe
        found.append(
            (
                {to for _, to in closing},
                {frm for frm, _ in closing if frm is not None},
                safe,
                {to for _, to in steps},
                {frm for frm, _ in steps if frm is not None},
                loose or set(men),
            )
        )
    mine, yours = found
    pairs = [each for pair in zip(mine[:5], yours[:5], strict=True) for each in pair]
    return [*pairs, yours[5], mine[5]]


def test_features_are_what_the_rules_say():
    some = positions(12)[::3]
    assert {0, 1, 2, 3} < {len(position.men[position.mover]) for position in some}
    found = rows("features", PositionBatch.from_positions(some))[:, 114:].reshape(
        len(some), len(FEATURE_NAMES), 24
    )
    for position, sets in zip(some, found, strict=True):
        for name, columns, wanted in zip(
            FEATURE_NAMES, sets, seen_by_the_rules(position), strict=True
        ):
            points = {READING_ORDER[place] for place in np.flatnonzero(columns)}
            shown = [POINTS[point] for point in points ^ wanted]
            assert points == wanted, f"{name} in {position}: {shown}"


def test_lines_are_counted_man_by_man():
    some = positions(6)[::3]
    found = rows("lines", PositionBatch.from_positions(some))
    assert (found[:, :402] == rows("features", PositionBatch.from_positions(some))).all()
    states = [(own, other) for own in range(4) for other in range(4 - own)]
    for position, columns in zip(some, found[:, 402:].reshape(len(some), 16, 10), strict=True):
        own, other = position.men[position.mover], position.men[1 - position.mover]
        for line, mill in zip(columns, mills(False), strict=True):
            wanted = states.index((len(own & set(mill)), len(other & set(mill))))
            assert np.flatnonzero(line).tolist() == [wanted]


def test_features_do_not_depend_on_how_many_are_looked_at():
    some = PositionBatch.from_positions(positions(25))
    assert len(some) > 1200, "more than two batches"
    together = rows("lines", some)
    apart = np.concatenate([rows("lines", some[i : i + 7]) for i in range(0, len(some), 7)])
    assert (together == apart).all()


def test_positions_become_the_entries_of_their_lines():
    some = positions(5)
    lines = [
        f"{to_thesis(position)}-{to_thesis_move(position.legal_moves()[-1])}\n" for position in some
    ]
    read = parse_lines("".join(lines).encode()).moves
    made = PositionBatch.from_positions(some)
    for name in ("own", "other", "own_hand", "other_hand"):
        assert (getattr(made, name) == getattr(read, name)).all(), name


def test_there_are_six_orders_with_three_networks_and_six_with_five():
    assert len(ORDERS) == len(set(ORDERS)) == 12
    assert ORDERS[0] == "TFR"
    for name in ORDERS:
        order = PartOrder.parse(name)
        assert str(order) == name
        assert sorted(order.parts) == [0, 1, 2]
        assert len(order.steps) == (5 if name.endswith("5") else 3)


def test_a_step_knows_what_was_chosen_before():
    steps = PartOrder.parse("RFT").steps
    assert [step.name for step in steps] == ["REMOVE", "FROM", "TO"]
    assert [[PARTS[part] for part in step.parts_before] for step in steps] == [
        [],
        ["REMOVE"],
        ["REMOVE", "FROM"],
    ]
    assert {step.outputs for step in steps} == {25}


def test_classes_are_the_numbers_of_the_thesis():
    """TO, FROM, REMOVE; a7 is 1, g1 is 24, 0 is none (section 5.3.2 of the thesis)."""
    names = {name: number for number, name in enumerate(POINTS)}
    moves = [
        Move(None, names["d5"], names["b2"]),
        Move(names["b6"], names["d6"], names["d3"]),
        PASS,
    ]
    classes = moves_to_classes(moves)
    assert classes.tolist() == [[8, 0, 19], [5, 4, 17], [0, 0, 0]]
    assert classes_to_moves(classes) == moves
    assert [POINTS[POINT_OF_CLASS[number]] for number in (1, 2, 23, 24)] == ["a7", "d7", "d1", "g1"]
    every = np.arange(NUM_CLASSES, dtype=np.int8)
    assert (points_to_classes(classes_to_points(every)) == every).all()


def test_the_game_knows_points_alone():
    """One numbering outside this package: what concerns classes is converted here."""
    names = {*nine_mens_morris.__all__, *vars(batch), *vars(batch.MoveBatch)}
    found = {name for name in names if "class" in name.lower() and not name.startswith("__")}
    assert found == {"classify", "dataclass"}


def test_presence_comes_right_before_the_part_and_knows_as_much():
    steps = PartOrder.parse("TRF5").steps
    assert [step.name for step in steps] == ["TO", "REMOVE?", "REMOVE", "FROM?", "FROM"]
    assert [step.outputs for step in steps] == [25, 2, 25, 2, 25]
    assert [len(step.parts_before) for step in steps] == [0, 1, 1, 2, 2]
    assert [step.part for step in steps] == [0, 2, 2, 1, 1]


@pytest.mark.parametrize("text", ["", "TF", "tfr", "TFR6", "TTR", "TFR\n", "TFR" * 1000, "\ud800"])
def test_other_texts_are_no_order(text):
    with pytest.raises(UnknownName) as error:
        PartOrder.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
