"""Optuna studies, which search for hyperparameters and can resume."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.core.errors import LudusError, quote, to_one_line

if TYPE_CHECKING:
    import optuna


def open_study(
    name: str, file: Path | None, first_trial: Mapping[str, Any], **options: Any
) -> "optuna.Study":
    """Open a study that maximizes a value, in a file if it is to resume; `options` are Optuna's.

    A new study begins with the parameters of `first_trial`.
    """
    import optuna
    from sqlalchemy.pool import NullPool

    if file is not None and file.is_file():
        _check_study(file)
    # Optuna's warnings include a traceback when Ctrl-C interrupts a trial.
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        # Without a pool no connection stays open after the search.
        options["storage"] = (
            None
            if file is None
            else optuna.storages.RDBStorage(
                f"sqlite:///{file}", engine_kwargs={"poolclass": NullPool}
            )
        )
        study = optuna.create_study(
            study_name=name, load_if_exists=True, direction="maximize", **options
        )
    except Exception as error:  # the database and its driver raise many types
        reason = to_one_line(str(error), 120)
        raise LudusError(f"{quote(str(file), 200)} cannot keep a search: {reason}") from error
    if not study.trials:
        study.enqueue_trial(dict(first_trial))
    return study


def _check_study(file: Path) -> None:
    """Raise LudusError for a SQLite file of another program, to which Optuna would add tables."""
    try:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = {name for (name,) in rows}
    except (sqlite3.Error, ValueError):
        return  # Optuna says what is wrong
    if names and "studies" not in names:
        raise LudusError(f"{quote(str(file), 200)} is a database of another program")
