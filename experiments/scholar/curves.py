"""What a scholar keeps of critical positions over time, examples and parameters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .critical_positions import SETS
from .reference_networks import list_reference_networks
from .training_logs import Training, read_training_logs

Curves = Mapping[str, Sequence[Sequence[float]]]
"""Training to points: where, and how much is kept in percent."""


def run(context: Context) -> Iterator[Finding]:
    found = read_training_logs()
    if found:
        found += list_reference_networks(context)
    else:
        yield Remark(
            "No training has been written down: put what `ludus train scholar --json` writes into "
            "experiments/scholar/trainings."
        )
        return
    for name in SETS:
        shown = [training for training in found if name in training.last.kept]
        for training in shown:
            yield Measurement(
                f"{_format_name(training)}: {name}", 100 * training.last.kept[name], unit="%"
            )
        if shown:
            yield from make_figures(name, shown)
    yield Table(
        "Trainings",
        (
            "network",
            "teacher",
            "parameters",
            "examples",
            "seconds",
            *(f"{each}, %" for each in SETS),
            "lost as White",
            "lost as Black",
        ),
        [
            [
                training.name,
                training.teacher,
                training.parameters,
                training.last.examples,
                round(training.last.seconds, 1),
                *(_to_percentage(training.last.kept.get(each)) for each in SETS),
                *training.losses,
            ]
            for training in found
        ],
        "Critical positions kept at the end of each, and games lost to perfect play.",
    )


def make_figures(name: str, shown: Sequence[Training]) -> Iterator[Finding]:
    over_time = {
        _format_name(each): [
            [point.seconds / 60, 100 * point.kept[name]]
            for point in each.points
            if name in point.kept
        ]
        for each in shown
    }
    yield Figure(
        f"Over time, {name}", draw_time, over_time, "Critical positions kept while learning."
    )
    over_examples = {
        _format_name(each): points
        for each in shown
        if (
            points := [
                [point.examples, 100 * point.kept[name]]
                for point in each.points
                if name in point.kept and point.examples
            ]
        )
    }
    if over_examples:
        yield Figure(
            f"Over examples, {name}",
            draw_examples,
            over_examples,
            "The same by the positions that were learned from, with repetition.",
        )
    sizes = {
        _format_name(each): [[each.parameters, 100 * each.last.kept[name]]]
        for each in shown
        if each.parameters
    }
    if sizes:
        yield Figure(
            f"Over parameters, {name}", draw_parameters, sizes, "At the end of each training."
        )


def draw_time(axes: Any, data: Curves) -> None:
    _draw(axes, data, "minutes of learning", "linear")


def draw_examples(axes: Any, data: Curves) -> None:
    _draw(axes, data, "examples", "log")


def draw_parameters(axes: Any, data: Curves) -> None:
    _draw(axes, data, "parameters", "log")


def _draw(axes: Any, data: Curves, label: str, scale: str) -> None:
    for name, points in data.items():
        axes.plot(*zip(*points, strict=True), "o-", markersize=3, linewidth=0.9, label=name)
    axes.set_xscale(scale)
    axes.set_xlabel(label)
    axes.set_ylabel("critical positions kept, %")
    axes.grid(linewidth=0.3)
    axes.legend(fontsize=7)


def _format_name(training: Training) -> str:
    return f"{training.name}, trained on {training.teacher}"


def _to_percentage(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)
