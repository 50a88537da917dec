"""Weight files: safetensors with a JSON description, npz archives, and shipped files by name.

A safetensors file has the description as JSON in its metadata, under the key `ludus`, with a
checksum of everything in the file; an npz archive has checksums of its own. So a damaged file is
refused and never plays on with other weights. Neither kind of file holds code: nothing in them is
executed. Numpy and safetensors are imported where a file is read or written, because players
without networks look for shipped files, too.
"""

import hashlib
import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, TypeVar

from ludus.core.errors import LudusError, quote
from ludus.core.files import MAX_FILE_BYTES, read_bytes, write_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT_VERSION = 1
METADATA_KEY = "ludus"
"""The only key of the metadata."""

KIND_KEY = "kind"
"""Which learner the weights are of."""

CHECKSUM_KEY = "checksum"
CHECKSUM_BYTES = 16

MORE_NETWORKS = "more by pip install 'ludus-games[networks]'"
"""What errors say of the networks that are not in the wheel of the program."""

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
    described = {"format": FORMAT_VERSION, **description}
    described[CHECKSUM_KEY] = compute_checksum(described, arrays)
    write_bytes(path, save(arrays, {METADATA_KEY: json.dumps(described)}))


def compute_checksum(description: Mapping[str, Any], tensors: Arrays) -> str:
    """Return a checksum of a description and of names, types, shapes and bytes of all tensors."""
    import numpy as np

    digest = hashlib.blake2b(digest_size=CHECKSUM_BYTES)
    digest.update(json.dumps(description, sort_keys=True).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype} {tensor.shape} ".encode())
        digest.update(np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def verify_checksum(description: dict[str, Any], tensors: Arrays) -> None:
    """Take the checksum out of a description; raise BadWeights unless it is that of the rest."""
    if CHECKSUM_KEY not in description:  # a flipped bit may be in this name
        raise BadWeights("it is damaged: it has no checksum")
    if description.pop(CHECKSUM_KEY) != compute_checksum(description, tensors):
        raise BadWeights("it is damaged: its checksum is another one")


def read_tensors(
    path: Path,
    parse: Callable[[Mapping[str, Any], Arrays], T],
    kinds: Collection[str],
    dtypes: Collection[str],
    max_bytes: int = MAX_TENSOR_FILE_BYTES,
) -> T:
    """Read a file of `write_tensors`; return what `parse` makes of its description and tensors.

    Raise BadWeights if that fails, if the file is damaged, if its description names another kind
    than `kinds`, or if a tensor has another type than `dtypes` or is not finite.
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
            tensors = {name: file.get_tensor(name) for name in names}
        verify_checksum(description, tensors)
        kind = str(description.get(KIND_KEY))
        if KIND_KEY in description and kind not in kinds:
            wanted = " or ".join(map(repr, kinds))
            raise BadWeights(f"it holds networks of the kind {quote(kind)}, not {wanted}")
        for name, tensor in tensors.items():
            _check_tensor(name, tensor, dtypes)
        return parse(description, tensors)
    except LudusError as error:
        raise BadWeights(f"{shown} cannot be used: {error}") from error
    except (
        SafetensorError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
        OverflowError,
    ) as error:
        raise BadWeights(f"{shown} holds no such networks: {quote(str(error), 100)}") from error


def _parse_metadata(metadata: Mapping[str, str] | None) -> dict[str, Any]:
    if not metadata or METADATA_KEY not in metadata:
        raise BadWeights(f"its metadata has no {METADATA_KEY!r}, so it was not written here")
    description = json.loads(metadata[METADATA_KEY])
    if not isinstance(description, dict):
        raise BadWeights("its metadata is not an object")
    if description.get("format") != FORMAT_VERSION:
        version = quote(str(description.get("format")))
        raise BadWeights(f"it is of format {version}, not {FORMAT_VERSION}")
    return description


def _check_tensor(name: str, tensor: "NDArray[Any]", dtypes: Collection[str]) -> None:
    import numpy as np

    if str(tensor.dtype) not in dtypes:
        raise BadWeights(f"tensor {quote(name, 100)} is of type {tensor.dtype}")
    if not np.isfinite(tensor).all():
        raise BadWeights(f"tensor {quote(name, 100)} has a weight that is no number")
    if not tensor.size:
        raise BadWeights(f"tensor {quote(name, 100)} is empty")


NPZ_ERRORS = (
    *(ValueError, TypeError, LookupError, EOFError, OSError, RuntimeError, MemoryError),
    *(OverflowError, SyntaxError, zipfile.BadZipFile, zlib.error, struct.error, TokenError),
)
"""Exceptions of numpy and zipfile for files that are no arrays of numbers.

NotImplementedError and RecursionError are RuntimeErrors. Numpy parses headers as Python literals.
"""

MAX_DIRECTORY_BYTES = 1_000_000
"""Size of an archive's directory; each of its entries becomes an object in memory."""


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
    shown = quote(str(path), 200)
    content = read_bytes(path)
    try:
        return parse(_unpack_arrays(content, max_bytes))
    except LudusError as error:
        raise BadWeights(f"{shown} cannot be used: {error}") from error
    except NPZ_ERRORS as error:
        raise BadWeights(f"{shown} holds no network: {quote(str(error), 100)}") from error


def _unpack_arrays(content: bytes, max_bytes: int) -> dict[str, "NDArray[Any]"]:
    """Unpack an archive; everything that takes memory is checked before."""
    from numpy.lib.format import read_array

    _check_directory(content)
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > max_bytes:
            raise BadWeights(f"it holds more than {max_bytes} bytes")
        for member in members:
            # Other methods unpack a whole buffer at once, whatever size the directory names.
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadWeights(f"{quote(member.filename)} is packed by an unusual method")
            with archive.open(member) as file:
                _check_array_size(file, member.file_size)
            with archive.open(member) as file:
                arrays[member.filename.removesuffix(".npy")] = read_array(file, allow_pickle=False)
                file.read(1)  # at the end of a member its checksum is verified
    return arrays


def _check_directory(content: bytes) -> None:
    """Raise BadWeights if the archive has no directory at its end, or a very long one."""
    at = content.rfind(b"PK\5\6", max(len(content) - (1 << 16) - 22, 0))
    if at < 0 or len(content) < at + 22:
        raise BadWeights("it is not an npz archive")
    (size,) = struct.unpack_from("<I", content, at + 12)
    if size > MAX_DIRECTORY_BYTES:
        raise BadWeights(f"its directory has more than {MAX_DIRECTORY_BYTES} bytes")


def _check_array_size(file: IO[bytes], num_bytes: int) -> None:
    """Raise BadWeights if an array is larger than its file: it would be allocated first."""
    from numpy.lib import format as npy

    version = npy.read_magic(file)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(file)
    if math.prod(shape) * dtype.itemsize > num_bytes:
        raise BadWeights(f"an array of shape {quote(str(shape), 100)} is larger than its file")


def find_shipped(folder: Path, suffix: str) -> dict[str, Path]:
    """Find the files with this suffix that are shipped in a folder, by name without the suffix."""
    return {path.name.removesuffix(suffix): path for path in sorted(folder.glob(f"*{suffix}"))}
