"""The presets named after Tables 6.1 to 6.10 say what the thesis's tables say."""

import pytest

from ludus.learn.nnmm.config import load_preset, load_preset_tables
from ludus.learn.nnmm.parts import PartOrder

TO, FROM, REMOVE = PartOrder.parse("TFR").steps

# Tables 6.5 to 6.10: step, architecture, first layer, further layers, batch normalisation,
# p, pi, weight of L1, alpha 0, k, batch size.
TABLES = {
    "table-6.5": (TO, "residual", 200, (300,) * 10, False, 0.1, 0.1, 0.001, 0.001, 0.1, 5000),
    "table-6.6": (TO, "feedforward", None, (500,) * 4, True, 0.1, 0.1, 0.001, 0.001, 0.1, 5000),
    "table-6.7": (TO, "dense", 200, (100,) * 3, False, 0, 0, 0.001, 0.002, 0.1, 2000),
    "table-6.8-1": (TO, "residual", 200, (300,) * 10, False, 0.1, 0.1, 0.001, 0.001, 0.1, 20000),
    "table-6.8-2": (TO, "residual", 200, (300,) * 10, False, 0, 0, 0.001, 0.001, 0.1, 20000),
    "table-6.8-3": (TO, "residual", 200, (300,) * 10, True, 0.1, 0.1, 0.0001, 0.001, 0.1, 20000),
    "table-6.8-4": (TO, "residual", 200, (300,) * 30, False, 0, 0, 0.001, 0.001, 0.2, 20000),
    "table-6.9-1": (FROM, "residual", 200, (300,) * 10, False, 0.1, 0.1, 0.001, 0.001, 0.1, 20000),
    "table-6.9-2": (FROM, "residual", 200, (300,) * 10, True, 0.1, 0.1, 0.001, 0.001, 0.1, 20000),
    "table-6.9-3": (FROM, "residual", 200, (300,) * 30, False, 0, 0, 0.001, 0.001, 0.2, 20000),
    "table-6.10-1": (REMOVE, "residual", 200, (300,) * 10, False, 0.1, 0.1, 1e-3, 1e-3, 0.1, 20000),
    "table-6.10-2": (REMOVE, "residual", 200, (300,) * 30, False, 0, 0, 0.001, 0.001, 0.2, 20000),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_with_one_network_each(name):
    step, kind, first, widths, is_normal, p, pi, weight, rate, k, batch = TABLES[name]
    design, training = load_preset(name).design_for(step), load_preset(name).training_for(step)
    assert (design.architecture, design.widths) == (kind, widths)
    assert first is None or design.first == first
    assert design.batch_normalisation == is_normal
    assert (design.dropout, design.input_dropout) == (p, pi)
    assert (training.penalty, training.penalty_weight) == ("L1", weight)
    assert (training.learning_rate, training.k, training.batch) == (rate, k, batch)
    assert (training.annealing, training.patience) == ("proportional", 50)


# Tables 6.1 to 6.4: how many trainings, epochs, batch size, k, and what they have in common.
SERIES = {
    "table-6.1": (4, 100, 1000, 0.2, {"widths": (200, 200, 100, 50), "dropout": 0}),
    "table-6.2": (9, 100, 1000, 0.2, {"blocks": 4, "dropout": 0, "input_dropout": 0}),
    "table-6.3": (10, 500, 2000, 0.2, {"first": 100, "widths": (200,) * 3}),
    "table-6.4": (4, 500, 2000, 0.1, {"first": 200, "units": 300, "dropout": 0.1}),
}


@pytest.mark.parametrize("name", SERIES)
def test_tables_of_several_trainings(name):
    number, epochs, batch, k, common = SERIES[name]
    found = [load_preset(each) for each in load_preset_tables() if each.startswith(f"{name}-")]
    assert len(found) == number
    assert len({each.design for each in found}) == number
    for each in found:
        training = each.training_for(TO)
        assert (training.epochs, training.batch, training.k) == (epochs, batch, k)
        assert (training.learning_rate, training.b1, training.b2) == (0.001, 0.99, 0.999)
        assert (training.penalty, training.penalty_weight) == ("L1", 0.001)
        assert each.design.batch_normalisation == (name != "table-6.4")
        for field, value in common.items():
            assert getattr(each.design, field) == value


def test_all_share_what_the_text_says():
    for name in load_preset_tables():
        if name.startswith("table-6"):
            assert load_preset(name).inputs == "raw"
            training = load_preset(name).training.model_dump()
            assert training["split"] == "contiguous"
            assert training["expansion"] == "published"


def test_the_best_networks_are_trained_together():
    best = load_preset("table-6-best")
    for step, table in ((TO, "table-6.8-1"), (FROM, "table-6.9-1"), (REMOVE, "table-6.10-2")):
        assert best.design_for(step) == load_preset(table).design_for(step)
        assert best.training_for(step) == load_preset(table).training_for(step)


def test_what_the_published_logs_say():
    """Size, dropout, rate and batch of the logs; what the author's bugs made of the rest."""
    author = load_preset("author")
    assert author.model.width == 90
    for step, dropout in ((TO, 0.1), (FROM, 0.1), (REMOVE, 0)):
        design, training = author.design_for(step), author.training_for(step)
        assert (design.first, design.widths) == (200, (300,))
        assert (design.dropout, design.input_dropout) == (dropout, dropout)
        assert (training.learning_rate, training.batch, training.b1) == (0.002, 20000, 0.99)
        assert (training.annealing, training.penalised) == ("none", "last")
