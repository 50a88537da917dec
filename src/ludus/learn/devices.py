"""Devices of torch; imports without torch."""

from typing import TYPE_CHECKING

from ludus.core.errors import LudusError, UnknownName, quote
from ludus.core.extras import require_package
from ludus.core.spec import format_suggestion

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda")


def select_device(name: str, threads: int = 0) -> "torch.device":
    """Return a device by name; `auto` is the GPU if there is one. 0 threads: torch's default."""
    require_package("torch", "training a network")
    import torch

    if name not in DEVICES:
        raise UnknownName(f"there is no device {quote(name)}{format_suggestion(name, DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise LudusError("torch finds no CUDA device here")
    if threads:
        torch.set_num_threads(threads)
    is_cuda = name == "cuda" or (name == "auto" and torch.cuda.is_available())
    return torch.device("cuda" if is_cuda else "cpu")
