"""An interrupted and resumed training equals an uninterrupted one, for every learner."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.learn import LEARNERS, Training, TrainingState, fit
from ludus.learn.training import find_training

GAMES = {"games": 60, "seed": 4}

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "menace": ("menace", GAMES),
    "menace against a mixed opponent": ("menace", {**GAMES, "against": "mixed"}),
    "her": ("her", GAMES),
    "qlearning": ("qlearning", {**GAMES, "epsilon": 0.2, "start": "everywhere"}),
    "deepq": ("deepq", {**GAMES, "game": "hexapawn", "batch": 8}),
    "migo": ("migo", GAMES),
    "migo as published": ("migo", {**GAMES, "game": "hexapawn", "mode": "faithful"}),
    "migo in stages": ("migo", {**GAMES, "learning": "separated", "gain": True, "scoring": True}),
    "migo by self-play": ("migo", {**GAMES, "game": "hexapawn", "selfplay": True}),
    "migo without an oracle": ("migo", {**GAMES, "games": 20, "game": "connect_three"}),
    "patterns": ("patterns", {"own": 3, "mixed": 2, "strong": 1, "teacher": "negascout:level=2"}),
}
"""Learner and options of each training; a training takes a second or two."""


def make(name: str) -> Training[Any]:
    learner, options = TRAININGS[name]
    kind = find_training(learner)
    return kind(kind.Config.parse(options, learner))


def without_times(facts: Any) -> Any:
    """Return facts without what depends on the clock."""
    if isinstance(facts, Mapping):
        return {key: without_times(each) for key, each in facts.items() if key != "seconds"}
    return facts


def assert_equal(found: TrainingState, wanted: TrainingState) -> None:
    assert without_times(found.facts) == without_times(wanted.facts)
    assert found.arrays.keys() == wanted.arrays.keys()
    for name, array in wanted.arrays.items():
        np.testing.assert_array_equal(np.asarray(found.arrays[name]), np.asarray(array), name)


@pytest.mark.parametrize("name", TRAININGS)
def test_resumed_training_equals_an_uninterrupted_one(name: str, tmp_path: Path) -> None:
    whole = make(name)
    steps = fit(whole).steps
    assert steps > 2
    file = tmp_path / "checkpoint"
    for number in (1, steps // 2):
        assert not fit(make(name), checkpoint=file, steps=number).is_finished
    last = make(name)
    run = fit(last, checkpoint=file)
    assert run.is_finished
    assert run.steps == steps
    assert run.resumed_after == 1 + steps // 2
    assert_equal(last.state(), whole.state())
    last.export().save(tmp_path / "resumed")
    whole.export().save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_every_learner_is_tested() -> None:
    assert {learner for learner, _ in TRAININGS.values()} == set(LEARNERS)
