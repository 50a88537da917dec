"""Curves of a training as the page reads them."""

import pytest

import ludus
from ludus.core.errors import CannotWrite
from ludus.learn.curves import Curves
from ludus.web.worker import load_curves


def test_a_resumed_run_goes_on_where_it_stopped(tmp_path):
    with Curves(tmp_path) as curves:
        for step in (1, 2, 3):
            curves.add("TO 1/2", step, {"loss": 1 / step})
    with (tmp_path / "TO-1-2.jsonl").open("a") as file:
        file.write('{"step": 4, "na')  # killed while writing
    with Curves(tmp_path) as curves:
        curves.add("TO 1/2", 3, {"loss": 0.5})
    (curve,) = load_curves({"folder": str(tmp_path)})["curves"]
    assert curve["name"] == "TO-1-2: loss"
    assert (curve["steps"], curve["values"]) == ([1, 2, 3], [1, 0.5, 0.5])


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="cannot write"), Curves(tmp_path / "file") as curves:
        curves.add("x", 1, {})


def test_tensorboard_reads_the_curves_of_every_training(tmp_path):
    """`fit` writes them, so a learner has nothing to do with it."""
    pytest.importorskip("torch")
    accumulators = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", exc_type=ImportError
    )
    ludus.train("menace", game="noughts_and_crosses", games=5, log=tmp_path)
    (curve,) = load_curves({"folder": str(tmp_path)})["curves"]
    (folder,) = (each for each in tmp_path.iterdir() if each.is_dir())
    events = accumulators.EventAccumulator(str(folder)).Reload()
    (name,) = events.Tags()["scalars"]
    assert curve["name"] == f"{folder.name}: {name}"
    assert [point.step for point in events.Scalars(name)] == curve["steps"]
    assert [point.value for point in events.Scalars(name)] == pytest.approx(curve["values"])
