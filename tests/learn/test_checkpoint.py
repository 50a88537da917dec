"""Checkpoints of trainings: what comes back, and files that are refused."""

import json

import numpy as np
import pytest
from safetensors.numpy import save

from ludus.learn.checkpoint import (
    BadCheckpoint,
    TrainingState,
    load_checkpoint,
    prefix_names,
    report_incomplete_state,
    save_checkpoint,
)

STATE = TrainingState(
    {"steps": 3, "names": ["a"]},
    {"a": np.arange(5.0), **prefix_names("part", {"b": np.ones((), np.int64)})},
)


def test_a_state_comes_back(tmp_path):
    save_checkpoint(tmp_path / "x", {"seed": 1, "shape": (2, 3)}, STATE)
    found = load_checkpoint(tmp_path / "x", {"seed": 1, "shape": (2, 3)})
    assert found.facts == STATE.facts
    np.testing.assert_array_equal(found.arrays["a"], STATE.arrays["a"])
    assert found.select("part") == {"b": 1}
    assert found.select("part")["b"].shape == ()


def test_checkpoints_of_other_or_incomplete_trainings_are_refused(tmp_path):
    file = tmp_path / "x"
    save_checkpoint(file, {"seed": 1}, STATE)
    with pytest.raises(BadCheckpoint, match="another training run"):
        load_checkpoint(file, {"seed": 2})
    with (
        pytest.raises(BadCheckpoint, match="no complete training state"),
        report_incomplete_state(file),
    ):
        _ = STATE.facts["number"]


def test_every_flipped_bit_of_a_checkpoint_is_found(tmp_path):
    """A training that resumes from other numbers would not be noticed."""
    file = tmp_path / "x"
    save_checkpoint(file, {"seed": 1}, STATE)
    content = file.read_bytes()
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        file.write_bytes(changed)
        with pytest.raises(BadCheckpoint) as error:
            load_checkpoint(file, {"seed": 1})
        assert "\n" not in str(error.value)
    file.write_bytes(save({"a": np.arange(5.0)}, {"ludus": json.dumps({"seed": 1})}))
    with pytest.raises(BadCheckpoint, match="cannot be resumed: it is damaged: it has no checksum"):
        load_checkpoint(file, {"seed": 1})
    with pytest.raises(BadCheckpoint, match="it is no file"):
        load_checkpoint(tmp_path, {"seed": 1})
