"""Retraining for the gaming test (Figure 6.22): all entries, or those of regular games left out."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus import LudusError
from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Finding,
    Measurement,
    Remark,
    compute_difference_interval,
)

from .data import find_data_folder
from .network_training import (
    DATASET,
    Curve,
    NetworkTask,
    find_best_epoch,
    load_or_train_networks,
)
from .tuning import is_complete, make_row

FILES = {"all entries": DATASET, "without regular games": "dataset_gaming.txt"}

TOLERANCE = 2
"""Points between accuracies that count as equal; two single trainings differ by up to 1."""


def run(context: Context) -> Iterator[Finding]:
    for name in FILES.values():
        if context.setting("trains") and not (find_data_folder() / name).is_file():
            raise LudusError(
                f"{name} is not in the folder of the author's data; it comes as a RAR archive"
            )
    tasks = list_tasks(context)
    curves_of = dict(zip(tasks, load_or_train_networks(context, tasks), strict=True))
    missing = [task for task, curve in curves_of.items() if curve is None]
    if missing:
        names = ", ".join(f"{task.part} of {task.file_name}" for task in missing)
        yield Remark(f"Not trained yet: {names}. experiments/galassi/on_gpu.py trains on a GPU.")
    curves: dict[str, Curve] = {}
    found: dict[tuple[str, str], Measurement] = {}
    for part in context.setting("presets"):
        for label, file in FILES.items():
            best = []
            for task, curve in curves_of.items():
                if curve is not None and (task.part, task.file_name) == (part, file):
                    curves.setdefault(f"{part}, {label}", curve)
                    best.append(find_best_epoch(curve)[0])
            if best:
                found[part, label] = _measure(context, f"{part}, {label}", best)
                yield found[part, label]
    if is_complete(context):
        for part in context.setting("presets"):
            yield _compare(part, *(found.get((part, label)) for label in FILES))
    yield Figure(
        "Figure 6.22",
        draw_accuracies,
        {name: curve["accuracy"] for name, curve in curves.items()},
        "Validation accuracy by epoch of the first training of each network.",
    )


def _measure(context: Context, label: str, best: list[float]) -> Measurement:
    """Return the mean of trainings; a single one has the interval of the tuning experiments."""
    name = f"{label}: validation accuracy"
    if len(best) == 1:
        return make_row(context, name, best[0])
    return Measurement.mean(name, best, unit="%")


def list_tasks(context: Context) -> list[NetworkTask]:
    """The networks of each part, dataset and seed."""
    return [
        NetworkTask(context, preset, part, context.setting("entries"), file, seed)
        for part, preset in context.setting("presets").items()
        for file in FILES.values()
        for seed in range(context.setting("seeds"))
    ]


def _compare(part: str, whole: Measurement | None, without: Measurement | None) -> Conclusion:
    text = f"without regular games the {part} network predicts as well, within {TOLERANCE} points"
    if whole is None or without is None:
        return Conclusion(text, None, "a network is not trained yet")
    ends = [
        (-float("inf"), float("inf"))
        if each.low is None or each.high is None
        else (each.low, each.high)
        for each in (without, whole)
    ]
    low, high = compute_difference_interval(without.value, ends[0], whole.value, ends[1])
    is_within = low > -TOLERANCE and high < TOLERANCE
    is_beyond = high < -TOLERANCE or low > TOLERANCE
    return Conclusion(
        text,
        is_within if is_within or is_beyond else None,
        f"{without.value:.2f}% against {whole.value:.2f}%, a difference of "
        f"{without.value - whole.value:+.2f} ({low:+.2f} to {high:+.2f}) points",
    )


def draw_accuracies(axes: Any, data: Mapping[str, list[float]]) -> None:
    for name, values in data.items():
        axes.plot(range(1, len(values) + 1), values, label=name)
    axes.set_xlabel("epoch")
    axes.set_ylabel("validation accuracy, %")
    axes.legend(fontsize=8)
