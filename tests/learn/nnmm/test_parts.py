"""The order of the parts, as a text and as steps."""

import pytest

from ludus.core.errors import UnknownName
from ludus.learn.nnmm.parts import ORDERS, PARTS, PartOrder


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
