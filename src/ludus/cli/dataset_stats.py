"""`ludus dataset stats` and `check`: what a dataset holds, and what is wrong with it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.files import whole_file
from ludus.cli.options import Json, Rules
from ludus.cli.output import print_json, print_table, rules_as_json

if TYPE_CHECKING:
    from ludus.datasets.morris.statistics import Statistics
    from ludus.games.nine_mens_morris.rules import Rules as MorrisRules

MAX_LINES = 10
"""Of the lines with the same fault, so many are named to people; JSON has all."""

MORRIS = "nine_mens_morris"

DatasetFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Morris positions and moves, one a line; docs/datasets.md tells the format.",
        show_default=False,
    ),
]


def stats(
    file: DatasetFile,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE.svg", help="Draw how often each point is used."),
    ] = None,
    rules: Rules = "",
    json: Json = False,
) -> None:
    """Describe a dataset: phases, moves, entropies, and lines that are wrong or repeated."""
    began = time.perf_counter()
    found, chosen = _look(file, rules)
    seconds = round(time.perf_counter() - began, 3)
    if plot is not None:
        from ludus.datasets.morris.picture import picture

        with whole_file(plot) as out:
            out.write(picture(found, file.name))
    if json:
        about = {"file": str(file), "rules": rules_as_json(chosen)}
        print_json(**about, **found.as_json(), seconds=seconds)
        return
    _print_contents(found)
    print()
    _print_faults(found)


def check(file: DatasetFile, rules: Rules = "", json: Json = False) -> None:
    """Look for lines that are wrong; exit with 1 if there are some.

    Lines must be entries, legal under the rules, and different from each other. States that no
    game leads to and states that are symmetric to others are told, but are not wrong.
    """
    found, chosen = _look(file, rules)
    if json:
        all_of_it = found.as_json()
        keys = ("entries", "bad", "illegal", "impossible", "duplicates", "symmetric_duplicates")
        about = {"file": str(file), "rules": rules_as_json(chosen), "is_right": found.is_right}
        print_json(**about, **{key: all_of_it[key] for key in keys})
    else:
        _print_faults(found)
        print(f"{found.entries} entries; {'all is well' if found.is_right else 'not all is well'}")
    if not found.is_right:
        raise typer.Exit(1)


def morris_rules(text: str) -> "MorrisRules":
    """The rules of a dataset."""
    from ludus.datasets.morris.judging import check_rules
    from ludus.games import game

    rules: MorrisRules = game(MORRIS, text).rules
    check_rules(rules)
    return rules


def _look(file: Path, text: str) -> "tuple[Statistics, MorrisRules]":
    from ludus.datasets.morris.files import read_parts
    from ludus.datasets.morris.statistics import describe

    rules = morris_rules(text)
    return describe(read_parts(file), rules), rules


def _print_contents(found: "Statistics") -> None:
    from ludus.datasets.morris.entries import PARTS
    from ludus.datasets.morris.statistics import CLASS_NAMES

    phases = ", ".join(f"{phase}: {found.phases[phase]}" for phase in (1, 2, 3))
    print(f"{found.entries} entries, {found.with_move} with a move; phases {phases}\n")
    shares = [found.shares(part) for part in range(len(PARTS))]
    rows = [
        (name, *(f"{column[number]:.2%}" for column in shares))
        for number, name in enumerate(CLASS_NAMES)
    ]
    entropies = (f"{found.entropy(part):.3f} bits" for part in range(len(PARTS)))
    print_table(("point", *PARTS), [*rows, ("entropy", *entropies)])


def _print_faults(found: "Statistics") -> None:
    for number, reason in found.bad[:MAX_LINES]:
        print(f"line {number}: {reason}")
    if len(found.bad) > MAX_LINES:
        print(f"{len(found.bad)} bad lines in all")
    for kind, faults in (("illegal", found.illegal), ("impossible", found.impossible)):
        for reason, lines in faults.items():
            print(f"{kind}, {reason}: {len(lines)} {_named(lines)}")
    for kind, pairs in (("repeated", found.duplicates), ("symmetric", found.symmetric)):
        print(f"{kind} states: {len(pairs)} {_named([line for line, _ in pairs])}".rstrip())


def _named(lines: list[int]) -> str:
    if not lines:
        return ""
    more = ", …" if len(lines) > MAX_LINES else ""
    return f"(lines {', '.join(map(str, lines[:MAX_LINES]))}{more})"
