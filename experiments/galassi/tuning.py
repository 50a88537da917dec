"""What both tuning experiments share: series of trainings, their curves and their best points."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.learn.nnmm import load_preset
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .network_training import Curve, NetworkTask, find_best_epoch, load_or_train_networks

CAPTIONS = {
    "error": "validation error",
    "accuracy": "validation accuracy",
    "time": "seconds until the best accuracy, of networks that share a machine",
}
"""What the figures of a series show, in their order."""


def run_series(context: Context, entries: int, draw: Any) -> Iterator[Finding]:
    """Every series of the TOML file: rows for published end points, two figures, and a table."""
    rows = {row["preset"]: row for row in context.published.rows}
    tasks = list_tasks(context, entries)
    curves_of = dict(zip(tasks, load_or_train_networks(context, tasks), strict=True))
    found = {task.preset: curve for task, curve in curves_of.items() if curve is not None}
    missing = [task.preset for task, curve in curves_of.items() if curve is None]
    if missing:
        yield Remark(f"Not trained yet: {', '.join(missing)}.")
    for table in context.published["series"]:
        names = [name for name in list_presets(table) if name in found]
        if not names:
            continue
        curves = {name: found[name] for name in names}
        for name in names:
            if name in rows:
                best, epoch = find_best_epoch(curves[name])
                yield Measurement(rows[name].name, best, note=f"in epoch {epoch}")
        yield make_summary(table["title"], curves)
        published = {name: rows[name].published for name in names if name in rows}
        for figure, kind in zip(table["figures"], CAPTIONS, strict=False):
            data = {
                "kind": kind,
                "curves": {
                    name: [find_best_time(curve)] if kind == "time" else curve[kind]
                    for name, curve in curves.items()
                },
                "published": published if kind == "accuracy" else {},
            }
            yield Figure(figure, draw, data, f"{table['title']}: {CAPTIONS[kind]}.")


def list_tasks(context: Context, entries: int) -> list[NetworkTask]:
    """The networks of all series, those with published figures first."""
    rows = {row["preset"] for row in context.published.rows}
    tasks = [
        NetworkTask(context, name, table["part"], entries)
        for table in context.published["series"]
        for name in list_presets(table)
    ]
    return sorted(tasks, key=lambda task: task.preset not in rows)


def list_presets(table: Mapping[str, Any]) -> list[str]:
    """Return the presets of a series, whose names may share a prefix."""
    return [f"{table['begins']}{name}" for name in table["presets"]]


def find_best_time(curve: Curve) -> float:
    """Seconds of training until the best validation accuracy."""
    return curve["seconds"][find_best_epoch(curve)[1] - 1]


def make_summary(title: str, curves: Mapping[str, Curve]) -> Table:
    rows: list[list[Any]] = []
    for name, curve in curves.items():
        best, epoch = find_best_epoch(curve)
        rows.append([name, load_preset(name).about, round(best, 2), epoch, len(curve["accuracy"])])
    return Table(title, ("preset", "network", "best accuracy, %", "in epoch", "epochs"), rows)


def draw_series(axes: Any, data: Mapping[str, Any]) -> None:
    """Curves by epoch; a published best accuracy is a dashed line of the same colour.

    Times are one bar for each network.
    """
    if data["kind"] == "time":
        names = [name.removeprefix("table-") for name in data["curves"]]
        axes.barh(names, [seconds for (seconds,) in data["curves"].values()])
        axes.invert_yaxis()
        axes.set_xlabel("seconds until the best accuracy")
        return
    for number, (name, curve) in enumerate(data["curves"].items()):
        # There are six colours; further curves tell themselves apart by their style.
        style, label = ("-", "-.", ":")[number // 6 % 3], name.removeprefix("table-")
        (line,) = axes.plot(range(1, len(curve) + 1), curve, style, label=label)
        if name in data["published"]:
            axes.axhline(data["published"][name], linestyle="--", color=line.get_color(), lw=1)
    axes.set_xlabel("epoch")
    axes.set_ylabel("validation accuracy, %" if data["kind"] == "accuracy" else "validation error")
    axes.legend(fontsize=7, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
