"""What both tuning experiments share: series of trainings, their curves, and their comparison."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.learn.nnmm import load_preset
from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Finding,
    Measurement,
    Remark,
    Table,
    find_student_quantile,
)

from .network_training import Curve, NetworkTask, find_best_epoch, load_or_train_networks

CAPTIONS = {
    "error": "validation error",
    "accuracy": "validation accuracy",
    "time": "seconds until the best accuracy, of networks that share a machine",
}
"""What the figures of a series show, in their order."""

TWICE_FILE = Path(__file__).with_name("measurements") / "table-6.1-twice.json"
"""The best accuracies of networks that were trained twice."""

TIME_FACTOR = 1.5
"""Networks share a GPU with a changing number of others, so smaller factors between their times
decide nothing."""

Curves = Mapping[str, Curve]
"""The curves of networks that are trained, by preset."""

Judge = Callable[[Curves], Iterator[Conclusion]]


@lru_cache(maxsize=1)
def load_training_margin() -> float:
    """Half the width of the 95% interval of a single training's accuracy, in points.

    It is the deviation between two trainings of four networks with the same seed, which differ by
    rounding and the masks of dropout; with other seeds trainings may differ more.
    """
    pairs = list(json.loads(TWICE_FILE.read_text(encoding="utf-8"))["best accuracy"].values())
    variance = math.fsum((first - second) ** 2 / 2 for first, second in pairs) / len(pairs)
    return find_student_quantile(len(pairs), 0.975) * math.sqrt(variance)


def is_complete(context: Context) -> bool:
    """Whether networks of this size are trained as published; others decide nothing."""
    return not context.setting("epochs") and not context.setting("trains")


def make_row(context: Context, name: str, accuracy: float, note: str = "") -> Measurement:
    """Return the accuracy of a single training, with an interval if it is of published size."""
    if not is_complete(context):
        return Measurement(name, accuracy, count=1, note=note, unit="%")
    margin = load_training_margin()
    return Measurement(name, accuracy, accuracy - margin, accuracy + margin, 1, note, "%")


def run_series(context: Context, draw: Any, judge: Judge) -> Iterator[Finding]:
    """Every series of the TOML file: published end points, figures, tables and conclusions."""
    rows = {row["preset"]: row for row in context.published.rows}
    tasks = list_series_tasks(context)
    curves_of = dict(zip(tasks, load_or_train_networks(context, tasks), strict=True))
    found = {task.preset: curve for task, curve in curves_of.items() if curve is not None}
    missing = [task.preset for task, curve in curves_of.items() if curve is None]
    if missing:
        yield Remark(f"Not trained yet: {', '.join(missing)}.")
    if is_complete(context):
        yield Remark(
            f"A single training has an interval of ± {load_training_margin():.2f} points: the"
            " deviation between two trainings of the four networks of Table 6.1, with Student's"
            " quantile. Those had the same seed and a smaller validation set than networks of all"
            " entries."
        )
    for table in context.published["series"]:
        names = [name for name in list_presets(table) if name in found]
        if not names:
            continue
        curves = {name: found[name] for name in names}
        for name in names:
            if name in rows:
                best, epoch = find_best_epoch(curves[name])
                yield make_row(context, rows[name].name, best, f"in epoch {epoch}")
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
    if is_complete(context):
        yield make_time_table(context, found)
        yield from judge(found)


def make_time_table(context: Context, curves: Curves) -> Table:
    """Published and measured times until the best accuracy, in columns of their own."""
    rows = [
        [
            row.name.partition(",")[0],
            row.extra["time"],
            round(find_best_time(curves[row["preset"]])) if row["preset"] in curves else None,
        ]
        for row in context.published.rows
        if "time" in row.extra
    ]
    return Table(
        "Time until the best accuracy",
        ("network", "published, the thesis's machine", "measured, s on one H200"),
        rows,
        "Ours shared the GPU with other networks, so only the order of times can be compared.",
    )


def get_best(curves: Curves, names: Sequence[str]) -> dict[str, float]:
    """Return the best accuracies of those networks that are trained."""
    return {name: find_best_epoch(curves[name])[0] for name in names if name in curves}


def is_greater(first: float, second: float) -> bool | None:
    """Whether an accuracy exceeds another; None if two trainings may differ so by chance."""
    difference = first - second
    # Both are single trainings.
    return None if abs(difference) <= math.sqrt(2) * load_training_margin() else difference > 0


def all_hold(verdicts: Sequence[bool | None]) -> bool | None:
    """Return False if one is, else None if one is undecided."""
    if False in verdicts:
        return False
    return None if None in verdicts else True


def judge_greater(
    text: str, curves: Curves, better: Sequence[str], worse: Sequence[str]
) -> Conclusion:
    """Judge whether each network of one group is better than each one of another."""
    found = get_best(curves, [*better, *worse])
    verdicts = [
        is_greater(found[one], found[other]) if one in found and other in found else None
        for one in better
        for other in worse
    ]
    return Conclusion(text, all_hold(verdicts), describe(found, [*better, *worse]))


def judge_similar(
    text: str, curves: Curves, names: Sequence[str], points: float = 1.0
) -> Conclusion:
    """Judge whether the best accuracies differ by less than a number of points.

    The thesis says so of single trainings. A larger difference only counts against it where chance
    does not explain it, and a missing network can still increase it.
    """
    found = get_best(curves, names)
    spread = max(found.values()) - min(found.values()) if found else 0.0
    if spread - math.sqrt(2) * load_training_margin() >= points:
        holds: bool | None = False
    else:
        holds = True if spread < points and len(found) == len(names) else None
    evidence = describe(found, names)
    if len(found) > 1:
        evidence = f"a difference of {spread:.2f} points: {evidence}"
    return Conclusion(text, holds, evidence)


def judge_sooner(
    text: str, curves: Curves, sooner: Sequence[str], later: Sequence[str]
) -> Conclusion:
    """Judge whether networks of one group reach their best accuracy before those of another."""
    found = {name: find_best_time(curves[name]) for name in (*sooner, *later) if name in curves}
    verdicts: list[bool | None] = []
    for one in sooner:
        for other in later:
            if one not in found or other not in found:
                verdicts.append(None)
                continue
            factor = found[other] / found[one]
            is_decided = not 1 / TIME_FACTOR <= factor <= TIME_FACTOR
            verdicts.append(factor > 1 if is_decided else None)
    evidence = describe(found, [*sooner, *later], "s", 0)
    return Conclusion(text, all_hold(verdicts), evidence)


def describe(
    values: Mapping[str, float], names: Sequence[str], unit: str = "%", digits: int = 2
) -> str:
    """Return measured values in one sentence, and which networks are not trained yet."""
    parts = [f"{_shorten(name)} {value:.{digits}f} {unit}" for name, value in values.items()]
    missing = [_shorten(name) for name in names if name not in values]
    if missing:
        parts.append(f"not trained yet: {', '.join(missing)}")
    return "; ".join(parts)


def _shorten(preset: str) -> str:
    return preset.removeprefix("table-")


def list_series_tasks(context: Context) -> list[NetworkTask]:
    """The networks of all series, those with published figures first."""
    rows = {row["preset"] for row in context.published.rows}
    tasks = [
        NetworkTask(context, name, table["part"], context.setting("entries"))
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
