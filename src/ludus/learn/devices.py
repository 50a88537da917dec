"""Where networks are trained."""

import torch

from ludus.core.errors import LudusError, UnknownName, quoted
from ludus.core.spec import suggestion

DEVICES = ("auto", "cpu", "cuda")


def device_named(name: str, threads: int = 0) -> torch.device:
    """A device by name; `auto` is the GPU if there is one. 0 threads are as many as torch likes."""
    if name not in DEVICES:
        raise UnknownName(f"there is no device {quoted(name)}{suggestion(name, DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise LudusError("torch finds no CUDA device here")
    if threads:
        torch.set_num_threads(threads)
    is_cuda = name == "cuda" or (name == "auto" and torch.cuda.is_available())
    return torch.device("cuda" if is_cuda else "cpu")
