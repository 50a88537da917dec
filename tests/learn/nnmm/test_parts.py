"""Classes of the parts, and their order as a text and as steps."""

import numpy as np
import pytest

from ludus.core.errors import UnknownName
from ludus.games import nine_mens_morris
from ludus.games.nine_mens_morris import batch
from ludus.games.nine_mens_morris.board import PASS, POINTS, Move
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
