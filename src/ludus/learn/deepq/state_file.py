"""What deep Q-learning keeps: arrays and a description, in a numpy archive without pickle."""

import dataclasses
import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError, quoted
from ludus.core.game import AnyGame
from ludus.learn.deepq.encoding import features, outputs
from ludus.learn.deepq.network import Array, shapes
from ludus.learn.files import MAX_BYTES, read_whole, write_whole

FORMAT = "ludus deepq"
VERSION = 1
ABOUT = "about"

Arrays = dict[str, NDArray[Any]]


class BadWeights(LudusError):
    """A file has no weights of this network, or is of another game."""


def write_arrays(file: Path, game: AnyGame, about: dict[str, Any], arrays: Arrays) -> None:
    """Keep arrays with what they are for."""
    head = {"format": FORMAT, "version": VERSION, **_game(game), **about}
    text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **{ABOUT: text}, **arrays)
    write_whole(file, content.getvalue())


def read_arrays(file: Path, game: AnyGame) -> tuple[dict[str, Any], Arrays]:
    """What `write_arrays` has kept for this game; BadWeights otherwise."""
    name = quoted(str(file), 200)
    content = io.BytesIO(read_whole(file))
    try:
        with zipfile.ZipFile(content) as members:
            if sum(member.file_size for member in members.infolist()) > MAX_BYTES:
                raise BadWeights(f"{name} holds more than {MAX_BYTES} bytes")
        with np.load(content, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        about = json.loads(bytes(arrays.pop(ABOUT)))
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, OSError):
        raise BadWeights(f"{name} is no archive of deep Q-learning") from None
    except (ValueError, TypeError, RuntimeError, RecursionError):
        raise BadWeights(f"{name} is no archive of deep Q-learning") from None
    wanted = {"format": FORMAT, "version": VERSION, **_game(game)}
    for key, value in wanted.items():
        if not isinstance(about, dict) or about.get(key) != value:
            raise BadWeights(f"{name} is not of deep Q-learning of this game: its {key} differs")
    return about, arrays


def network(arrays: Arrays, game: AnyGame, prefix: str = "") -> dict[str, Array]:
    """The weights of one network among the arrays; BadWeights if they do not fit the game."""
    found: dict[str, Array] = {}
    for name, shape in shapes(len(features(game.start())), len(outputs(game))).items():
        array = arrays.get(prefix + name)
        is_sound = array is not None and array.shape == shape and array.dtype == np.float32
        if array is None or not is_sound or not np.isfinite(array).all():
            raise BadWeights(f"the weights {prefix}{name} are missing or do not fit the game")
        found[name] = array
    return found


def _game(game: AnyGame) -> dict[str, Any]:
    return {"game": game.id, "rules": dataclasses.asdict(game.rules)}
