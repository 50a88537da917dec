"""Optuna studies, which search for hyperparameters and can resume."""

from collections.abc import Mapping
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
