"""Tables 6.8 to 6.10 with two more readings of their recipe: the program's and the literal one."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from ludus.learn.nnmm import build_network, load_preset
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .network_training import Curve, NetworkTask, find_best_epoch, load_or_train_networks
from .stored_rows import load_rows
from .tuning import draw_series, load_training_margin

PARTS = {"6.8": "TO", "6.9": "FROM", "6.10": "REMOVE"}

RETRAINED_FILE = Path(__file__).with_name("measurements") / "author-retrained.json"
"""The set of the preset `author`, trained by `on_gpu.py --only sets --presets author`, as `ludus
evaluate nnmm` measures it."""

PENALISED = ("6.8-1", "6.10-2")
"""Networks of 10 and 30 blocks, of which the literal penalty is shown."""

BOTH = "stacked"
"""The recipe of galassi-whole: really stacked blocks and a falling rate."""

STATEMENTS = {
    "the four TO trainings differ by less than 1 point": ("spread", ["6.8-1", "6.8-2", "6.8-3"]),
    "the first TO network is the best": ("best", ["6.8-1", "6.8-2", "6.8-3"]),
    "the FROM trainings reach similar results": ("spread", ["6.9-1", "6.9-2", "6.9-3"]),
    "the first FROM network is the best": ("best", ["6.9-1", "6.9-2", "6.9-3"]),
    "the REMOVE trainings reach almost the same": ("spread", ["6.10-1", "6.10-2"]),
    "the second REMOVE network, without dropout, is better": ("best", ["6.10-2", "6.10-1"]),
}
"""What 6.2 says, and whether of networks the spread counts or that the first one is the best."""

Found = Mapping[str, Sequence[float]]
"""The best accuracies of the trainings of a recipe by row of the tables."""


def run(context: Context) -> Iterator[Finding]:
    tasks = list_tasks(context)
    curves = load_or_train_networks(context, tasks)
    by_recipe: dict[str, dict[str, list[float]]] = {name: {} for name in _get_recipes(context)}
    first: dict[str, dict[str, Curve]] = {name: {} for name in by_recipe}
    for task, curve in zip(tasks, curves, strict=True):
        if curve is not None:
            recipe, row = _find_recipe(context, task), task.preset.removeprefix("table-")
            by_recipe[recipe].setdefault(row, []).append(find_best_epoch(curve)[0])
            first[recipe].setdefault(row, curve)
    missing = {task.preset for task, curve in zip(tasks, curves, strict=True) if curve is None}
    if missing:
        yield Remark(f"Not trained: {', '.join(sorted(missing))}.")
    if not context.setting("trains"):
        yield from measure_retrained(context)
        by_recipe[BOTH] = read_stacked()
    for recipe, found in by_recipe.items():
        for row, values in found.items():
            if recipe != BOTH:
                yield Measurement.mean(f"{recipe}, {row}: best validation", values, unit="%")
    for name in PENALISED:
        everywhere, last = compute_penalties(name)
        note = "the error is ln 25 = 3.2"
        yield Measurement(f"{name}: penalty of the last layer before training", last, note=note)
        yield Measurement(f"{name}: penalty of all weights before training", everywhere)
    yield make_table(context, by_recipe)
    yield make_statement_table(by_recipe)
    for recipe, shown in first.items():
        if shown:
            data = {
                "kind": "accuracy",
                "curves": {row: curve["accuracy"] for row, curve in shown.items()},
                "published": {},
            }
            caption = "Validation accuracy by epoch of the first training of each network."
            yield Figure(f"Recipe: {recipe}", draw, data, caption)


def _get_recipes(context: Context) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = context.published["recipes"]
    return found


def _find_recipe(context: Context, task: NetworkTask) -> str:
    recipes = _get_recipes(context)
    return next(name for name, each in recipes.items() if each["overrides"] == task.overrides)


def list_tasks(context: Context) -> list[NetworkTask]:
    """The networks of each recipe, table row and seed."""
    return [
        NetworkTask(
            context,
            f"table-{name}",
            PARTS[name.partition("-")[0]],
            context.setting("entries"),
            seed=seed,
            overrides=recipe["overrides"],
        )
        for recipe in _get_recipes(context).values()
        for name in recipe["presets"]
        for seed in range(context.setting("seeds"))
    ]


def measure_retrained(context: Context) -> Iterator[Measurement]:
    """Compare the retrained set of 2018, whose published figures are the rows of the file."""
    measured = json.loads(RETRAINED_FILE.read_text(encoding="utf-8"))
    margin = load_training_margin()
    for row in context.published.rows:
        value = measured[row["set"]][row["line"]]
        # The margin is that of accuracies.
        has_margin = "legal" not in row["set"]
        low, high = (value - margin, value + margin) if has_margin else (None, None)
        yield Measurement(row.name, value, low, high, 1, unit="%")


def compute_penalties(name: str) -> tuple[float, float]:
    """Return the penalty of an untrained network of the tables: of all weights, of the last."""
    preset = load_preset(f"table-{name}")
    part = PARTS[name.partition("-")[0]]
    step = next(each for each in preset.steps if each.name == part)
    columns = preset.model.columns(len(step.parts_before))
    generator = torch.Generator().manual_seed(0)
    state = build_network(preset.design_for(step), columns, generator).state_dict()
    weight = preset.training_for(step).penalty_weight
    norms = [weight * float(each.abs().sum()) for each in state.values() if each.dim() == 2]
    return math.fsum(norms), norms[-1]


def read_stacked() -> dict[str, list[float]]:
    """Return the best accuracies of the networks of galassi-whole, one training each."""
    return {
        key.partition(" ")[0].removeprefix("table-"): [find_best_epoch(curve)[0]]
        for key, curve in load_rows()["galassi-whole"].items()
    }


def make_table(context: Context, by_recipe: Mapping[str, Found]) -> Table:
    published = context.published["published"]
    names = [name for name in read_stacked() if any(name in each for each in by_recipe.values())]
    rows: list[list[Any]] = [
        [
            name,
            published.get(name),
            *(_format(each.get(name, ())) for each in by_recipe.values()),
        ]
        for name in sorted(names, key=_make_sort_key)
    ]
    return Table(
        "Best validation accuracy by recipe, %",
        ("network", "published", *by_recipe),
        rows,
        "Means of the trainings, with their lowest and highest.",
    )


def _make_sort_key(name: str) -> list[int]:
    return [int(part) for part in name.replace("-", ".").split(".")]


def _format(values: Sequence[float]) -> str:
    if not values:
        return "–"
    middle = f"{math.fsum(values) / len(values):.2f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.2f} to {max(values):.2f})"


def make_statement_table(by_recipe: Mapping[str, Found]) -> Table:
    """What 6.2 says, by recipe; only of recipes that have all the networks."""
    rows = [
        [text, *(_judge(found, kind, names) for found in by_recipe.values())]
        for text, (kind, names) in STATEMENTS.items()
    ]
    return Table("What section 6.2 says, by recipe", ("statement", *by_recipe), rows)


def _judge(found: Found, kind: str, names: Sequence[str]) -> str:
    if any(name not in found for name in names):
        return "–"
    means = [math.fsum(found[name]) / len(found[name]) for name in names]
    if kind == "spread":
        spread = max(means) - min(means)
        return f"{'yes' if spread < 1 else 'no'}, {spread:.2f} points"
    lead = means[0] - max(means[1:])
    return f"{'yes' if lead > 0 else 'no'}, {lead:+.2f} points"


def draw(axes: Any, data: Mapping[str, Any]) -> None:
    draw_series(axes, data)
