"""Checkpoints of trainings: facts and arrays in a safetensors file with a checksum.

Training never goes on from damaged numbers, nor from those of another training.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ludus.core.errors import LudusError, quote
from ludus.core.files import write_bytes
from ludus.learn.weights import (
    CHECKSUM_KEY,
    METADATA_KEY,
    Arrays,
    BadWeights,
    compute_checksum,
    verify_checksum,
)


class BadCheckpoint(LudusError):
    """The file holds no training, or a different one."""


@dataclass(frozen=True)
class TrainingState:
    """All that the next step of a training depends on."""

    facts: Mapping[str, Any] = field(default_factory=dict)
    """Numbers, texts, lists and dictionaries, as JSON has them."""

    arrays: Arrays = field(default_factory=dict)
    """Arrays by name."""

    def select(self, prefix: str) -> dict[str, Any]:
        """Return the arrays `<prefix>/<name>` by name."""
        start = f"{prefix}/"
        return {
            name.removeprefix(start): each
            for name, each in self.arrays.items()
            if name.startswith(start)
        }


def prefix_names(prefix: str, arrays: Arrays) -> dict[str, Any]:
    """Return arrays under the names `<prefix>/<name>`, which `TrainingState.select` finds."""
    return {f"{prefix}/{name}": each for name, each in arrays.items()}


def dump_random(source: random.Random) -> list[Any]:
    """Return the state of a generator as JSON has it."""
    version, words, gauss = source.getstate()
    return [version, list(words), gauss]


def load_random(source: random.Random, state: Sequence[Any]) -> None:
    """Restore the state of `dump_random`."""
    version, words, gauss = state
    source.setstate((version, tuple(words), gauss))


def save_checkpoint(file: Path, identity: Mapping[str, Any], state: TrainingState) -> None:
    """Write the state of the training with this identity."""
    arrays = {name: np.asarray(each, order="C") for name, each in state.arrays.items()}
    # As it is read: tuples are lists in JSON, and numbers as keys are texts.
    about = json.loads(json.dumps({"identity": identity, "facts": state.facts}))
    about[CHECKSUM_KEY] = compute_checksum(about, arrays)
    write_bytes(file, save(arrays, {METADATA_KEY: json.dumps(about)}))


def load_checkpoint(file: Path, identity: Mapping[str, Any]) -> TrainingState:
    """Return what `save_checkpoint` wrote; raise BadCheckpoint for another training."""
    shown = quote(str(file), 200)
    try:
        if not file.is_file():  # a pipe would be waited for
            raise BadCheckpoint(f"{shown} holds no training: it is no file")
        with safe_open(str(file), framework="numpy") as opened:
            about = json.loads((opened.metadata() or {})[METADATA_KEY])
            names = opened.keys()  # safe_open is not iterable itself
            arrays = {name: opened.get_tensor(name) for name in names}
        verify_checksum(about, arrays)
        state = TrainingState(about["facts"], arrays)
    except BadWeights as error:
        raise BadCheckpoint(f"{shown} cannot be resumed: {error}") from error
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadCheckpoint(f"{shown} holds no training: {quote(str(error), 100)}") from error
    if about["identity"] != json.loads(json.dumps(identity)):
        raise BadCheckpoint(
            f"{file.name!r} belongs to another training run; name another file to write"
        )
    return state


@contextmanager
def report_incomplete_state(file: Path) -> Iterator[None]:
    """Turn what a training raises when it does not find its state into BadCheckpoint."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
        raise BadCheckpoint(f"{file.name!r} holds no complete training state: {error!r}") from error
