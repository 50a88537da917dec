"""Optional packages for training: torch devices, and Optuna studies of hyperparameters.

This module imports without torch.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.core.errors import LudusError, UnknownName, quote, to_one_line
from ludus.core.spec import format_suggestion

if TYPE_CHECKING:
    import optuna
    import torch

DEVICES = ("auto", "cpu", "cuda")


def require_package(name: str, purpose: str) -> None:
    """Raise a one-line error if an optional package of the extra `learn` is not installed."""
    try:
        import_module(name)
    except ImportError:
        raise LudusError(f"{purpose} needs {name}: pip install 'ludus[learn]'") from None


def select_device(name: str, threads: int = 0) -> "torch.device":
    """Return a device by name; `auto` is the GPU if there is one. 0 threads: torch's default."""
    import torch

    if name not in DEVICES:
        raise UnknownName(f"there is no device {quote(name)}{format_suggestion(name, DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise LudusError("torch finds no CUDA device here")
    if threads:
        torch.set_num_threads(threads)
    is_cuda = name == "cuda" or (name == "auto" and torch.cuda.is_available())
    return torch.device("cuda" if is_cuda else "cpu")


def open_study(
    name: str, file: Path | None, first_trial: Mapping[str, Any], **options: Any
) -> "optuna.Study":
    """Open a study that maximizes a value, in a file if it is to resume; `options` are Optuna's.

    A new study begins with the parameters of `first_trial`.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = None if file is None else f"sqlite:///{file}"
    try:
        study = optuna.create_study(
            storage=storage, study_name=name, load_if_exists=True, direction="maximize", **options
        )
    except Exception as error:  # the database and its driver raise many types
        reason = to_one_line(str(error), 120)
        raise LudusError(f"{quote(str(file), 200)} cannot keep a search: {reason}") from error
    if not study.trials:
        study.enqueue_trial(dict(first_trial))
    return study
