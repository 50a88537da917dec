"""Configurations: ranges, the schemes of section 4.1.5, presets out of files and of the thesis."""

import math

import pytest

from ludus.core.errors import LudusError
from ludus.learn import LEARNERS
from ludus.learn.nnmm.config import (
    Hyperparameters,
    NetworkConfig,
    Preset,
    build_preset,
    format_toml,
    load_preset,
    load_preset_tables,
    parse_changes,
    read_preset_tables,
)
from ludus.learn.nnmm.network_trainer import compute_learning_rate
from ludus.learn.nnmm.parts import PartOrder
from ludus.learn.training import find_training


def test_the_learning_rate_falls_as_the_thesis_says():
    proportional = Hyperparameters(learning_rate=0.001, annealing="proportional", k=0.1)
    assert [compute_learning_rate(proportional, t, 0.5) for t in (0, 10, 90)] == pytest.approx(
        [0.001, 0.0005, 0.0001]
    )
    exponential = Hyperparameters(learning_rate=0.001, annealing="exponential", k=0.1)
    assert compute_learning_rate(exponential, 10, 0.5) == pytest.approx(0.001 / math.e)
    halved = Hyperparameters(learning_rate=0.001, annealing="step", step_epochs=10, step_factor=0.5)
    assert [compute_learning_rate(halved, t, 0.5) for t in (0, 9, 10, 19, 20, 35)] == pytest.approx(
        [0.001, 0.001, 0.0005, 0.0005, 0.00025, 0.000125]
    )


def test_those_schemes_keep_the_rate_within_an_epoch():
    for scheme in ("proportional", "exponential", "step"):
        training = Hyperparameters(annealing=scheme, k=0.3, step_epochs=1)
        assert compute_learning_rate(training, 4.0, 0.4) == compute_learning_rate(
            training, 4.9, 0.49
        )
        assert compute_learning_rate(training, 4.9, 0.49) > compute_learning_rate(
            training, 5.0, 0.5
        )


def test_the_cosine_ends_at_zero_and_warming_up_begins_there():
    training = Hyperparameters(learning_rate=1.0, annealing="cosine", warmup=0.2)
    found = [compute_learning_rate(training, 0, share) for share in (0, 0.1, 0.2, 0.6, 1.0)]
    assert found == pytest.approx([0, 0.5, 1, 0.5, 0])


def test_without_annealing_nothing_falls():
    assert (
        compute_learning_rate(Hyperparameters(annealing="none"), 400, 0.9)
        == Hyperparameters().learning_rate
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"learning_rate": 0},
        {"learning_rate": float("nan")},
        {"b1": 1},
        {"epochs": 0},
        {"epochs": 1.5},
        {"batch": -1},
        {"annealing": "sudden"},
        {"precision": "int8"},
        {"seed": 10**30},
        {"legality": 10**400},
        {"speed": 3},
    ],
    ids=str,
)
def test_what_is_no_training_is_refused_in_one_line(fields):
    with pytest.raises(LudusError) as error:
        Hyperparameters.parse(fields)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


@pytest.mark.parametrize("name", load_preset_tables())
def test_every_preset_can_be_trained(name):
    found = load_preset(name)
    assert found.about
    for step in found.steps:
        assert found.design_for(step).outputs == step.outputs
        assert found.training_for(step).epochs


def test_the_thesis_preset_is_the_thesis_architecture():
    design = load_preset("thesis").design
    assert (design.architecture, design.first, design.units, design.blocks) == (
        "residual",
        200,
        300,
        10,
    )


def test_a_preset_is_like_another_but_for_what_it_says():
    known = {
        "base": {"about": "a", "inputs": "raw", "design": {"first": 10, "units": 20}},
        "mine": {
            "about": "b",
            "like": "base",
            "design": {"units": [5, 6], "blocks": 2},
            "part": {"REMOVE": {"design": {"first": 99}, "training": {"epochs": 7}}},
        },
    }
    found = build_preset("mine", known)
    to, _, remove = found.steps
    assert (found.inputs, found.about) == ("raw", "b")
    assert found.design_for(to) == NetworkConfig(first=10, units=(5, 6), blocks=2)
    assert found.design_for(remove).first == 99
    assert found.training_for(remove).epochs == 7
    assert found.training_for(to).epochs == Hyperparameters().epochs


def test_a_preset_of_five_networks_has_two_of_two_classes():
    found = Preset(order="TFR5")
    assert [found.design_for(step).outputs for step in found.steps] == [25, 2, 25, 2, 25]


def test_texts_change_fields_for_all_networks():
    base = build_preset(
        "x", {"x": {"part": {"TO": {"design": {"first": 9}, "training": {"epochs": 3}}}}}
    )
    found = base.with_changes(
        **parse_changes("first=40,units=30/20,dropout=0.1,epochs=8,penalty=L2")
    )
    assert found.design == NetworkConfig(first=40, units=(30, 20), blocks=2, dropout=0.1)
    assert found.design_for(found.steps[0]).first == 40
    assert found.training_for(found.steps[0]).epochs == 8
    assert found.training.penalty == "L2"


@pytest.mark.parametrize(
    "text", ["first", "first=", "size=3", "units=1/x", "units=٣", "epochs=1e3", "first=1,first=2"]
)
def test_other_texts_change_nothing(text):
    with pytest.raises(LudusError):
        Preset().with_changes(**parse_changes(text))


@pytest.mark.parametrize("name", ["thesis", "table-6-best", "table-6.2-width-200-50"])
def test_a_preset_survives_being_written(name, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(format_toml(load_preset(name), "mine"), encoding="utf-8")
    assert build_preset("mine", read_preset_tables(file)) == load_preset(name)


@pytest.mark.parametrize(
    "content",
    [
        b"\x00",
        b"\xff\xfe",
        b"mine = 3",
        b"[mine",
        b"[mine]\nlike = 'mine'",
        b"[mine]\nlike = 'other'\n[other]\nlike = 'mine'",
        b"[mine]\nlike = 3",
        b"[mine]\ninputs = 'pixels'",
        b"[mine]\norder = 'TTT'",
        b"[mine]\nmembers = 0",
        b"[mine]\nmembers = 'two'",
        b"[mine]\nensemble = 'choir'",
        b"[mine]\ndesign = 3",
        b"[mine]\npart = 3",
        b"[mine.part]\nTO = 3",
        b"[mine.part.TO]\ndesign = 3",
        b"[mine.part.TWO.design]\nfirst = 3",
        b"[mine.part.TO.shape]\nfirst = 3",
        b"[mine.part.TO.design]\nfirst = 'many'",
        b"[mine]\ncolour = 'red'",
        b"x = " + b"[" * 100_000,
    ],
    ids=range(21),
)
def test_other_files_are_refused_in_one_line(content, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes(content)
    with pytest.raises(LudusError) as error:
        build_preset("mine", read_preset_tables(file))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"design": 3}, "preset 'mine' design=3 must be a table"),
        ({"design": {"first": 0}}, "preset 'mine' design first=0 must be from 1 to 16384"),
        ({"training": {"epoch": 1}}, "preset 'mine' training has no option 'epoch'"),
        ({"members": 0}, "preset 'mine' members=0 must be from 1 to 1000"),
    ],
    ids=str,
)
def test_the_message_names_the_table_and_the_field(table, message):
    with pytest.raises(LudusError) as error:
        build_preset("mine", {"mine": table})
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_option_has_a_docstring_for_the_help(name):
    config = find_training(name).Config
    texts = config.read_docstrings()
    assert [option for option in config.model_fields if not texts.get(option)] == []


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
