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

FILES = {"all entries": DATASET, "without regular games": "dataset_gaming.txt"}


def run(context: Context) -> Iterator[Finding]:
    for name in FILES.values():
        if context.setting("trains") and not (find_data_folder() / name).is_file():
            raise LudusError(
                f"{name} is not in the folder of the author's data; it comes as a RAR archive"
            )
    tasks = list_tasks(context)
    trained: dict[NetworkTask, Curve] = {}
    for task, found_curve in zip(tasks, load_or_train_networks(context, tasks), strict=True):
        if found_curve is None:
            raise LudusError(
                f"the network {task.part} of {task.file_name} is not trained yet at this size; "
                "experiments/galassi/on_gpu.py trains it on a GPU"
            )
        trained[task] = found_curve
    curves: dict[str, Curve] = {}
    found: dict[tuple[str, str], Measurement] = {}
    for part in context.setting("presets"):
        for label, file in FILES.items():
            best = []
            for task, curve in trained.items():
                if (task.part, task.file_name) == (part, file):
                    curves.setdefault(f"{part}, {label}", curve)
                    best.append(find_best_epoch(curve)[0])
            row = Measurement.mean(f"{part}, {label}: validation accuracy", best, unit="%")
            found[part, label] = row
            yield row
    whole, without = FILES
    for part in context.setting("presets"):
        yield _compare(part, found[part, without], found[part, whole])
    yield Figure(
        "Figure 6.22",
        draw_accuracies,
        {name: curve["accuracy"] for name, curve in curves.items()},
        "Validation accuracy by epoch of the first training of each network.",
    )


def list_tasks(context: Context) -> list[NetworkTask]:
    """The networks of each part, dataset and seed."""
    return [
        NetworkTask(context, preset, part, context.setting("entries"), file, seed)
        for part, preset in context.setting("presets").items()
        for file in FILES.values()
        for seed in range(context.setting("seeds"))
    ]


def _compare(part: str, without: Measurement, whole: Measurement) -> Conclusion:
    ends = [
        (-float("inf"), float("inf"))
        if each.low is None or each.high is None
        else (each.low, each.high)
        for each in (without, whole)
    ]
    low, high = compute_difference_interval(without.value, ends[0], whole.value, ends[1])
    return Conclusion(
        f"without regular games the {part} network predicts about as well",
        True if low > -5 and high < 5 else False if high < -5 or low > 5 else None,
        f"{without.value:.2f}% against {whole.value:.2f}%, a difference of "
        f"{without.value - whole.value:+.2f} ({low:+.2f} to {high:+.2f}) points",
    )


def draw_accuracies(axes: Any, data: Mapping[str, list[float]]) -> None:
    for name, values in data.items():
        axes.plot(range(1, len(values) + 1), values, label=name)
    axes.set_xlabel("epoch")
    axes.set_ylabel("validation accuracy, %")
    axes.legend(fontsize=8)
