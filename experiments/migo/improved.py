"""Beyond the paper: the effect of each change, in the figures of the paper."""

from collections.abc import Iterator

from ludus.learn import RunResult
from ludus.reproduce import Context, Figure, Finding, Measurement, Table

from .curves import draw_curves, make_curve
from .exact_analysis import compute_program_regret
from .runs import add_preset, collect_runs, get_final_regrets

HEADINGS = (
    "learner",
    "cumulative regret",
    "last game with regret",
    "exact regret a game of what was learned",
    "programs that give nothing away, %",
)


def run(context: Context) -> Iterator[Finding]:
    curves: dict[str, list[object]] = {}
    tables: dict[str, list[list[str | float]]] = {}
    for row in context.published.rows:
        runs = int(context.setting("runs"))
        found = collect_runs(context, row.extra, runs, row.name)
        yield Measurement.mean(row.name, get_final_regrets(found))
        game, label = row["game"], row.name.partition(": ")[2]
        spec = add_preset(game, row.extra.get("preset", ""))
        exact = compute_exact_regrets(context, row.name, spec, found)
        tables.setdefault(game, []).append(make_row(label, found, exact))
        if row.extra.get("drawn", True):
            line = make_curve(
                label, found, row.extra.get("curve_game", ""), row.extra.get("curve", "")
            )
            curves.setdefault(game, []).append(line)
    for game, rows in tables.items():
        yield Table(f"What was learned in {game}", HEADINGS, rows)
    for game, lines in curves.items():
        caption = "Mean cumulative regret; dashed, where there is one, the published curve."
        yield Figure(f"Improvements in {game}", draw_curves, lines, caption)


def compute_exact_regrets(
    context: Context, name: str, spec: str, found: list[RunResult]
) -> list[float]:
    """The exact mean regret of the final program of each run."""

    def compute() -> list[float]:
        return [compute_program_regret(spec, each.learned) for each in found]

    return context.cached(f"exact {name} {spec}", compute)


def make_row(label: str, found: list[RunResult], exact: list[float]) -> list[str | float]:
    ends = get_final_regrets(found)
    last = [max((n for n, each in enumerate(m.regret, 1) if each), default=0) for m in found]
    return [
        label,
        round(compute_mean(ends), 2),
        round(compute_mean(last), 1),
        round(compute_mean(exact), 4),
        round(100 * sum(each == 0 for each in exact) / len(exact), 1),
    ]


def compute_mean(numbers: list[float] | list[int]) -> float:
    return sum(numbers) / len(numbers)
