"""Training curves as JSON lines, which the page shows while a training writes them."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from ludus.core.errors import CannotWrite
from ludus.core.files import describe_os_error, quote_path


class CurveLog:
    """One file of a folder for one run: a line `{"step", "name", "value"}` for each point."""

    def __init__(self, folder: Path, run: str, first_step: int = 0) -> None:
        """Append to the file of a run, without the points from `first_step` on of a killed run."""
        self.file = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', run).strip('-') or 'run'}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lines = self.file.read_text("utf-8").splitlines() if self.file.exists() else []
            kept = [line for line in lines if _read_step(line) < first_step]
            self.file.write_text("".join(f"{line}\n" for line in kept), "utf-8")
        except OSError as error:
            raise self._cannot_write(error) from error

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Add a point to each of some curves."""
        rows = [{"step": step, "name": name, "value": value} for name, value in values.items()]
        try:
            with self.file.open("a", encoding="utf-8") as file:
                file.write("".join(f"{json.dumps(row)}\n" for row in rows))
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
