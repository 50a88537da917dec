"""Weight files: safetensors with a JSON description, npz archives, and shipped files by name.

A safetensors file has the description as JSON in its metadata, under the key `ludus`. Neither kind
of file holds code: nothing in them is executed. Numpy and safetensors are imported where a file is
read or written, because players without networks look for shipped files, too.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ludus.core.errors import LudusError, quote
from ludus.core.files import MAX_FILE_BYTES, read_bytes, write_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT_VERSION = 1
METADATA_KEY = "ludus"
"""The only key of the metadata."""

MAX_TENSOR_FILE_BYTES = 2_000_000_000
"""Default maximum size of a safetensors file."""

Arrays = Mapping[str, "NDArray[Any]"]
"""Arrays by name."""

T = TypeVar("T")


class BadWeights(LudusError):
    """A file or a set of arrays does not hold the weights that are needed."""


def write_tensors(
    path: Path, description: Mapping[str, Any], tensors: Arrays, dtype: str | None = None
) -> None:
    """Write tensors, converted to `dtype` if there is one, and their description to a file."""
    import numpy as np
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(tensor, dtype) for name, tensor in tensors.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise BadWeights(f"{quote(name, 100)} has a weight that is no {array.dtype}")
    metadata = {METADATA_KEY: json.dumps({"format": FORMAT_VERSION, **description})}
    write_bytes(path, save(arrays, metadata))


def read_tensors(
    path: Path,
    parse: Callable[[Mapping[str, Any], Arrays], T],
    dtypes: Collection[str],
    max_bytes: int = MAX_TENSOR_FILE_BYTES,
) -> T:
    """Read a file of `write_tensors`; return what `parse` makes of its description and tensors.

    Raise BadWeights if that fails, or if a tensor has another type than `dtypes` or is not finite.
    """
    from safetensors import SafetensorError, safe_open

    shown = quote(str(path), 200)
    try:
        if not path.is_file():
            raise BadWeights("there is no such file")
        if path.stat().st_size > max_bytes:
            raise BadWeights(f"it is longer than {max_bytes} bytes")
        with safe_open(str(path), framework="numpy") as file:
            description = _parse_metadata(file.metadata())
            names = file.keys()  # safe_open is not iterable itself
            tensors = {name: _check_tensor(name, file.get_tensor(name), dtypes) for name in names}
        return parse(description, tensors)
    except LudusError as error:
        raise BadWeights(f"{shown} cannot be used: {error}") from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadWeights(f"{shown} holds no such networks: {quote(str(error), 100)}") from error


def _parse_metadata(metadata: Mapping[str, str] | None) -> Mapping[str, Any]:
    if not metadata or METADATA_KEY not in metadata:
        raise BadWeights(f"its metadata has no {METADATA_KEY!r}, so it was not written here")
    description = json.loads(metadata[METADATA_KEY])
    if not isinstance(description, dict):
        raise BadWeights("its metadata is not an object")
    if description.get("format") != FORMAT_VERSION:
        version = quote(str(description.get("format")))
        raise BadWeights(f"it is of format {version}, not {FORMAT_VERSION}")
    return description


def _check_tensor(name: str, tensor: "NDArray[Any]", dtypes: Collection[str]) -> "NDArray[Any]":
    import numpy as np

    if str(tensor.dtype) not in dtypes:
        raise BadWeights(f"tensor {quote(name, 100)} is of type {tensor.dtype}")
    if not np.isfinite(tensor).all():
        raise BadWeights(f"tensor {quote(name, 100)} has a weight that is no number")
    return tensor


NPZ_ERRORS = (
    *(ValueError, TypeError, KeyError, IndexError, EOFError, OSError, RuntimeError, MemoryError),
    *(zipfile.BadZipFile, zlib.error),
)
"""Exceptions of numpy and zipfile for files that are no arrays of numbers.

NotImplementedError and RecursionError are RuntimeErrors.
"""


def write_npz(path: Path, arrays: Arrays) -> None:
    """Write arrays to a compressed npz archive, without pickle."""
    import numpy as np

    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_bytes(path, content.getvalue())


def read_npz(
    path: Path, parse: Callable[[dict[str, "NDArray[Any]"]], T], max_bytes: int = MAX_FILE_BYTES
) -> T:
    """Read an npz archive without pickle; return what `parse` makes of its arrays.

    Raise BadWeights if that fails, or if the unpacked arrays take more than `max_bytes`.
    """
    import numpy as np

    shown = quote(str(path), 200)
    content = io.BytesIO(read_bytes(path))
    try:
        with zipfile.ZipFile(content) as members:
            if sum(member.file_size for member in members.infolist()) > max_bytes:
                raise BadWeights(f"it holds more than {max_bytes} bytes")
        with np.load(content, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return parse(arrays)
    except LudusError as error:
        raise BadWeights(f"{shown} cannot be used: {error}") from error
    except NPZ_ERRORS as error:
        raise BadWeights(f"{shown} holds no network: {quote(str(error), 100)}") from error


def find_shipped(folder: Path, suffix: str) -> dict[str, Path]:
    """Find the files with this suffix that are shipped in a folder, by name without the suffix."""
    return {path.name.removesuffix(suffix): path for path in sorted(folder.glob(f"*{suffix}"))}
