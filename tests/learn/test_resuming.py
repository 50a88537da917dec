"""An interrupted and resumed training equals an uninterrupted one, for every learner."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.games import game
from ludus.games.backgammon.batch import generate_afterstates
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.learn import LEARNERS, Clock, Training, TrainingState, fit
from ludus.learn.gammon.data import LabelFolder
from ludus.learn.gammon.network import load_shipped_chances
from ludus.learn.scholar import OracleExampleSource
from ludus.learn.training import find_training
from ludus.oracles import oracle
from support.backgammon import met
from support.nnmm import write_teacher_moves

GAMES = {"games": 60, "seed": 4}


def write_labels(folder: Path) -> Path:
    """Write positions of backgammon, labelled by a shipped network in place of bgsage."""
    ends = [generate_afterstates(here) for here in met(games=1, seed=4)]
    groups = np.stack([each[:4] for each in ends if len(each) >= 4])
    labels = load_shipped_chances("selfplay").to_native().evaluate(groups.reshape(-1, 52))
    labelled = LabelFolder(folder / "labels", len(groups))
    labelled.write(0, groups, labels.reshape(-1, 4, 5))
    return folder / "labels"


SCORES = {"hidden": (6, 4), "cycles": 6, "positions": 100, "seed": 4}
CHANCES = {"hidden": (8, 4), "batch": 32, "games": 6, "opening_plies": 2, "threads": 1, "seed": 4}
SELFPLAY = {
    **CHANCES,
    "td_rounds": 4,
    "window": 30,
    "lookahead_rounds": 4,
    "lookahead_boards": 7,
    "steps_per_round": 2,
    "replay": 200,
}

NETWORKS = {
    "data": write_teacher_moves,
    "preset": "quick",
    "first": 12,
    "units": 12,
    "blocks": 1,
    "split": "entries",
    "batch": 500,
    "epochs": 2,
    "learning_rate": 0.01,
    "device": "cpu",
    "threads": 1,
}
ENSEMBLE = {"members": 2, "dropout": 0.1, "averaging": 0.9, "batch_normalisation": True}


def write_ending_moves(folder: Path) -> Path:
    """Write moves in endings of nine men's morris, each the last of the legal ones."""
    morris = game("nine_mens_morris")
    source = OracleExampleSource(oracle(morris))
    lines = [
        f"{to_thesis(position)}-{to_thesis_move(position.legal_moves()[-1])}\n"
        for position in source.sample_positions(60, 5).to_positions(morris)
    ]
    (folder / "endings.txt").write_text("".join(lines))
    return folder / "endings.txt"


SCHOLAR = {"size": "tiny", "steps": 9, "device": "cpu", "threads": 1}

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
    "nnmm": ("nnmm", {**NETWORKS, "order": "FTR"}),
    "nnmm, an ensemble": ("nnmm", {**NETWORKS, **ENSEMBLE, "ensemble": "boosting"}),
    "nnmm, some parts": ("nnmm", {**NETWORKS, "part": ("TO", "REMOVE"), "epochs": 5}),
    "nnmm in folds": ("nnmm", {**NETWORKS, "part": ("REMOVE",), "folds": 3}),
    "gammon": ("gammon", SCORES),
    "gammon that compares moves": ("gammon", {**SCORES, "error": "comparison", "noise": False}),
    "gammon by self-play": ("gammon-selfplay", SELFPLAY),
    "gammon by self-play with workers": (
        "gammon-selfplay",
        {**SELFPLAY, "td_rounds": 1, "jobs": 1},
    ),
    "gammon by labels": (
        "gammon-expert",
        {**CHANCES, "groups": 30, "steps": 350, "data": write_labels},
    ),
    "scholar": ("scholar", SCHOLAR),
    "scholar of whole numbers with muon": (
        "scholar",
        {**SCHOLAR, "optimizer": "muon", "weight_decay": 0.1, "integers": True},
    ),
    "scholar as a chain": ("scholar", {**SCHOLAR, "kind": "chain"}),
    "scholar by imitation": ("scholar", {**SCHOLAR, "steps": 3, "teacher": write_ending_moves}),
}
"""Learner and options of each training; a training takes a second or two.

A function is called with a folder, where it writes the data, and returns the option.
"""


def make(name: str, folder: Path) -> Training[Any]:
    learner, options = TRAININGS[name]
    kind = find_training(learner)
    values = {key: each(folder) if callable(each) else each for key, each in options.items()}
    return kind(kind.Config.parse(values, learner))


def without_times(facts: Any) -> Any:
    """Return facts without what depends on the clock."""
    if isinstance(facts, Mapping):
        return {key: without_times(each) for key, each in facts.items() if key != "seconds"}
    return facts


class StoppedClock(Clock):
    """A clock by which training takes no time, so that files are equal which tell the time."""

    @property
    def seconds(self) -> float:
        return 0.0


def assert_equal(found: TrainingState, wanted: TrainingState) -> None:
    assert without_times(found.facts) == without_times(wanted.facts)
    assert found.arrays.keys() == wanted.arrays.keys()
    for name, array in wanted.arrays.items():
        np.testing.assert_array_equal(np.asarray(found.arrays[name]), np.asarray(array), name)


@pytest.mark.filterwarnings("ignore:examples are endings alone")
@pytest.mark.parametrize("name", TRAININGS)
def test_resumed_training_equals_an_uninterrupted_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludus.learn.training.Clock", StoppedClock)
    whole = make(name, tmp_path)
    steps = fit(whole).steps
    assert steps > 2
    file = tmp_path / "checkpoint"
    for number in (1, steps // 2):
        assert not fit(make(name, tmp_path), checkpoint=file, steps=number).is_finished
    last = make(name, tmp_path)
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
