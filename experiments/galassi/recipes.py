"""Tables 6.8 to 6.10 with two readings of their recipe: the thesis's words, and the program."""

from collections.abc import Iterator

from ludus.reproduce import Context, Finding, Measurement, Remark

from .network_training import NetworkTask, find_best_epoch, load_or_train_networks

PARTS = {"6.8": "TO", "6.9": "FROM", "6.10": "REMOVE"}


def run(context: Context) -> Iterator[Finding]:
    tasks = list_tasks(context)
    curves = load_or_train_networks(context, tasks)
    missing = [task.preset for task, curve in zip(tasks, curves, strict=True) if curve is None]
    if missing:
        yield Remark(f"Not trained yet: {', '.join(missing)}.")
    found: dict[tuple[str, str], list[float]] = {}
    for task, curve in zip(tasks, curves, strict=True):
        if curve is not None:
            best, _ = find_best_epoch(curve)
            found.setdefault((task.overrides, task.preset), []).append(best)
    for (overrides, preset), values in found.items():
        yield Measurement.mean(f"{preset} with {overrides}", values, unit="%")


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
        for recipe in context.published["recipes"].values()
        for name in recipe["presets"]
        for seed in range(context.setting("seeds"))
    ]
