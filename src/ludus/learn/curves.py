"""Training curves: JSON lines, which the page shows as they are written, and TensorBoard."""

import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from ludus.core.errors import CannotWrite
from ludus.core.files import describe_os_error, quote_path


class Curves(ExitStack):
    """A folder with a file for each run, `{"step", "name", "value"}` in a line for each point.

    Where TensorBoard is installed, its files are written too, in a subfolder for each run.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._runs: dict[str, RunCurves] = {}

    def __enter__(self) -> Self:
        return self

    def add(self, run: str, step: int, values: Mapping[str, float]) -> None:
        """Add a point to each of some curves of a run.

        The first point of a run replaces what a killed process wrote from its step on.
        """
        if run not in self._runs:
            self._runs[run] = self.enter_context(RunCurves(self._folder, run, step))
        self._runs[run].add(step, values)


class RunCurves(ExitStack):
    """The curves of one run."""

    def __init__(self, folder: Path, name: str, first_step: int) -> None:
        super().__init__()
        stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "run"
        self.file = folder / f"{stem}.jsonl"
        self._writer: Any = None
        try:
            lines = self.file.read_text("utf-8").splitlines() if self.file.exists() else []
            kept = [line for line in lines if _read_step(line) < first_step]
            self.file.write_text("".join(f"{line}\n" for line in kept), "utf-8")
            if find_spec("torch") is not None and find_spec("tensorboard") is not None:
                from torch.utils.tensorboard import SummaryWriter

                self._writer = SummaryWriter(str(folder / stem), purge_step=first_step)
                self.callback(self._writer.close)
        except OSError as error:
            raise self._cannot_write(error) from error

    def add(self, step: int, values: Mapping[str, float]) -> None:
        rows = [{"step": step, "name": name, "value": value} for name, value in values.items()]
        try:
            with self.file.open("a", encoding="utf-8") as file:
                file.write("".join(f"{json.dumps(row)}\n" for row in rows))
            if self._writer is not None:
                for name, value in values.items():
                    self._writer.add_scalar(name, value, step)
                self._writer.flush()
        except OSError as error:
            raise self._cannot_write(error) from error

    def _cannot_write(self, error: OSError) -> CannotWrite:
        return CannotWrite(f"cannot write {quote_path(self.file)}: {describe_os_error(error)}")


def _read_step(line: str) -> float:
    """Return the step of a line; infinite for an incomplete line, which is dropped."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, TypeError, KeyError):
        return float("inf")
