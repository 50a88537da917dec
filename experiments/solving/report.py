"""Write `experiments/solving/README.md` from the results of solving.

    python -m experiments.solving.report [DATABASE]

Counts come from `results/*.json`; openings and the longest wins are looked up in a database of
the whole standard game (`ludus solve nine_mens_morris --out DATABASE`), and stay as they are in
`results/openings.json` without one.
"""

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"

PUBLISHED = [
    ("Gasser 1993", "years of workstations, verification 3 months on 30 machines", "9 GB"),
    ("Malom 2014 (C++)", "not published", "77.8 GB, 3 bytes a state"),
    ("eigenraum 2026 (Rust)", "a few hours on 11 cores", "17 GB"),
]


def main() -> None:
    if len(sys.argv) > 1:
        from .openings import analyse_openings

        found = analyse_openings(Path(sys.argv[1]))
        (RESULTS / "openings.json").write_text(json.dumps(found, indent=1) + "\n")
    text = "\n\n".join([_head(), _cost(), _openings(), _moving(), _placing()])
    (FOLDER / "README.md").write_text(text + "\n")


def _read(name: str) -> Any:
    return json.loads((RESULTS / name).read_text())


def _head() -> str:
    rows = [
        f"| {name} | {_root(result)} | {result['slots'] / 1e9:.1f} | {result['seconds']:.1f} "
        f"| {result['clock']['solve']:.1f} | {result['clock']['verify']:.1f} | {result['wrong']} |"
        for name in ("standard", "lasker", "morabaraba")
        for result in [_read(f"{name}.gpu.json")]
    ]
    return "\n".join(
        [
            "# Solving the Morris family",
            "",
            "Written by `report.py` from `results/`. Depths are in plies to the end of the game, "
            "both sides playing for it; counts are once per class of 16 symmetric positions and "
            "include positions that no game reaches.",
            "",
            "## Whole games on one GPU (NVIDIA H200)",
            "",
            "`on_gpu.py`: from an empty process to the last count, every value derived again from "
            "its successors.",
            "",
            "| rules | the start is | slots, 10⁹ | seconds | solving | verifying | wrong |",
            "|---|---|--:|--:|--:|--:|--:|",
            *rows,
        ]
    )


def _root(result: Any) -> str:
    if result["root"] == "draw":
        return "drawn"
    return f"a {result['root']} in {result['root_depth']} plies"


def _cost() -> str:
    ours = [
        ("Ludus, GPU", f"{_read('standard.gpu.json')['seconds']:.0f} s on one H200", "in memory"),
    ]
    if (RESULTS / "standard.cpu.json").exists():
        cpu = _read("standard.cpu.json")
        ours.append(("Ludus, CPU", cpu["time"], cpu["size"]))
    rows = [f"| {solver} | {time} | {size} |" for solver, time, size in (*PUBLISHED, *ours)]
    return "\n".join(
        [
            "## Cost of the standard game, beside others",
            "",
            "| solver | machine and time | size |",
            "|---|---|---|",
            *rows,
        ]
    )


def _openings() -> str:
    if not (RESULTS / "openings.json").exists():
        return ""
    found = _read("openings.json")
    first = [f"| {row['move']} | {row['value']} |" for row in found["first_moves"]]
    plies = [
        f"| {row['ply']} | {row['positions']} | {row['moves']} | {row['losing']} "
        f"| {row['example'] or '–'} |"
        for row in found["plies"]
    ]
    longest = [
        f"| {row['mover']}-{row['other']} | {row['value']} in {row['depth']} "
        f"| `{row['position']}` |"
        for row in found["longest"]
    ]
    return "\n".join(
        [
            "## The opening",
            "",
            "Values after each first move (one of each class of symmetric points):",
            "",
            "| move | value for White |",
            "|---|---|",
            *first,
            "",
            "Where a move first loses: among the positions that perfect play can lead to, up to "
            "symmetry, how many moves there are and how many of them lose.",
            "",
            "| ply | positions | moves | losing | an example |",
            "|--:|--:|--:|--:|---|",
            *plies,
            "",
            "## The longest wins and losses",
            "",
            "| mover-other | value | a position |",
            "|---|---|---|",
            *longest,
        ]
    )


def _table(rows: list[Any], name: Any) -> list[str]:
    return [
        "| mover-other | win | loss | draw | longest win | longest loss |",
        "|---|--:|--:|--:|--:|--:|",
        *(
            f"| {name(row)} | {row['win']} | {row['loss']} | {row['draw']} "
            f"| {row['max_win']} | {row['max_loss']} |"
            for row in rows
        ),
    ]


def _moving() -> str:
    rows = [row for row in _read("standard.gpu.json")["subspaces"] if not row["mover_hand"]]
    rows = [row for row in rows if not row["other_hand"]]
    rows.sort(key=lambda row: (row["mover"] + row["other"], row["mover"]))
    total = {key: sum(row[key] for row in rows) for key in ("win", "loss", "draw")}
    return "\n".join(
        [
            "## Moving phase, standard rules",
            "",
            *_table(rows, lambda row: f"{row['mover']}-{row['other']}"),
            "",
            f"Together {sum(total.values())} positions: {total['win']} won, {total['loss']} lost, "
            f"{total['draw']} drawn.",
        ]
    )


def _placing() -> str:
    rows = _read("standard.gpu.json")["subspaces"]
    rows = [row for row in rows if row["mover_hand"] + row["other_hand"] >= 12]
    rows.sort(key=lambda row: (-row["mover_hand"] - row["other_hand"], row["mover"]))
    keys = ("mover", "other", "mover_hand", "other_hand")
    return "\n".join(
        [
            "## Placing phase, the first plies",
            "",
            "Mover's and other side's men on the board, then in hand.",
            "",
            *_table(rows, lambda row: "_".join(str(row[key]) for key in keys)),
        ]
    )


if __name__ == "__main__":
    main()
