"""The figures of the strong networks in the documentation are the stored ones."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from experiments.backgammon.rollouts import read_final_equities

from ludus.games.backgammon import Chances, position_to_row
from support.backgammon import position

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "experiments" / "backgammon" / "results"
ROWS = {
    "network of 1988 (`gammon`)": "paper",
    "`gammon:net=expert`": "expert",
    "`gammon:net=selfplay`": "selfplay",
    "`gammon:net=expert,ply=1`": "expert:1",
    "`gammon:net=selfplay,ply=1`": "selfplay:1",
    "GNU Backgammon 0-ply": "gnubg",
    "bgsage, its network alone": "sage",
    "pubeval": "pubeval",
}


def read_results(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


RECORDS = ROOT / "experiments" / "backgammon" / "README.md"


def read_table(header, page=RECORDS):
    """Return the cells of a table of a page by the first one of each row."""
    lines = iter(page.read_text().splitlines())
    assert any(line.startswith(header) for line in lines), header
    next(lines)
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            return rows
        first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[first] = cells
    return rows


def format_mean(total, squares, count, correction=0.0):
    mean = total / count
    margin = 1.96 * math.sqrt(max(squares / count - mean**2, 0) / (count - correction))
    return mean, margin


def test_the_table_of_strong_networks_has_the_stored_figures():
    matches, regret, speed = (read_results(name) for name in ("matches", "hypergammon", "speed"))
    errors = read_results("errors")["bgsage, 2 plies ahead"]
    table = read_table("| player | against pubeval")
    assert set(table) == set(ROWS)
    for title, name in ROWS.items():
        pubeval, gnubg, error, hypergammon, milliseconds, _ = table[title]
        for cell, other in ((pubeval, "pubeval"), (gnubg, "gnubg")):
            found = matches.get(f"{name} - {other}")
            assert (found is None) == (cell == "–"), f"{name} - {other}"
            if found:
                mean, margin = format_mean(found["sum"], found["squares"], found["pairs"], 1)
                assert cell == f"{mean:+.3f} ± {margin:.3f}".replace("-", "−")
        sums = errors["players"][name]
        mean, margin = format_mean(sums["sum"], sums["squares"], errors["positions"])
        assert error == f"{mean:.4f} ± {margin:.4f}"
        assert float(hypergammon) == round(regret["players"][name]["mean"], 3)
        exact = speed[name if ":" in name else f"{name}:0"]["milliseconds"]
        digits = len(milliseconds.partition(".")[2])
        assert float(milliseconds) == round(exact, digits or None)


def test_the_table_of_the_guide_has_the_figures_of_the_records():
    records = read_table("| player | against pubeval")
    guide = read_table("| player | against pubeval", ROOT / "docs" / "backgammon.md")
    for title, (pubeval, gnubg, error, milliseconds) in guide.items():
        found = records["network of 1988 (`gammon`)" if "1988" in title else title]
        assert [pubeval, gnubg, error, milliseconds] == [*found[:3], found[4]]


def test_the_table_of_kinds_has_the_stored_figures():
    kinds = read_results("kinds")["kinds"]
    table = read_table("| kind | positions")
    assert set(table) == set(kinds)
    for kind, (positions, *cells) in table.items():
        stored = kinds[kind]
        assert positions == f"{stored['positions']:,}"
        for name, cell in zip(("gnubg", "sage", "expert", "selfplay"), cells, strict=True):
            sums = stored["players"][name]
            mean, margin = format_mean(sums["sum"], sums["squares"], stored["positions"])
            assert cell == f"{mean:.4f} ± {margin:.4f}"


def test_the_table_of_cubes_has_the_stored_figures():
    stored = read_results("cube")
    errors = stored["errors"]
    table = read_table("| cube | Janowski's method gains")
    others = [name for name in errors["players"] if name != "janowski"]
    order = ["no doubles", "live cube", "dead cube", "thresholds", "gnubg", "bgsage"]
    assert sorted(order) == sorted(others)
    for name, (gain, error) in zip(["janowski", *order], table.values(), strict=True):
        sums = errors["players"][name]
        total = sums["doubling"] + sums["taking"]
        mean, margin = format_mean(total, sums["squares"], errors["positions"])
        assert error == f"{mean:.4f} ± {margin:.4f}"
        found = stored["points"].get(f"janowski - {name}")
        assert (found is None) == (gain == "–")
        if found:
            mean, margin = format_mean(found["sum"], found["squares"], found["pairs"], 1)
            assert gain == f"{mean:+.3f} ± {margin:.3f}".replace("-", "−")


def test_both_networks_are_level_with_gnubg():
    """Within 0.02 points a game of even, after 20,000 games each."""
    for name in ("expert", "selfplay"):
        found = read_results("matches")[f"{name} - gnubg"]
        assert 2 * found["pairs"] >= 20_000
        assert abs(found["sum"] / found["pairs"]) < 0.02


@pytest.mark.parametrize(
    ("own", "other", "kind"),
    [
        ("24:2,13:5,8:3,6:5", "24:2,13:5,8:3,6:5", "contact"),
        ("24:2,22:2,13:3,8:3,6:5", "13:3,8:4,6:4,5:4", "back game"),
        ("24:2,6:2,2:6,1:5", "13:3,8:4,6:4,5:4", "crashed"),
        ("9:3,6:6,5:6", "9:3,6:6,5:6", "race"),
        ("6:7,5:8", "6:7,3:8", "bearing off"),
    ],
)
def test_kinds_of_positions(monkeypatch, own, other, kind):
    monkeypatch.syspath_prepend(str(ROOT))
    from experiments.backgammon.kinds import classify

    assert classify(position_to_row(position(own, other, None))) == kind


def test_cubes_on_one_line_of_moves(monkeypatch):
    """White is 76% to win from its second turn on, and wins a gammon."""
    monkeypatch.syspath_prepend(str(ROOT))
    from experiments.backgammon.cube import Line, play_cube, play_pair

    ahead, behind = Chances(0.76), Chances(0.24)
    line = Line([np.zeros(52)] * 5, [Chances(0.5), Chances(0.5), ahead, behind, ahead], 2)
    assert play_cube(line, ("no doubles", "no doubles")) == 1  # gammons need a turned cube
    assert play_cube(line, ("janowski", "janowski")) == 4
    assert play_cube(line, ("thresholds", "thresholds")) == 1  # dropped
    assert play_pair(line, "janowski", "janowski") == (4, -4)
    assert play_pair(line, "janowski", "no doubles") == (4, -1)


def test_the_errors_of_gnu_backgammon_are_those_of_the_final_results():
    """After each final result the next position begins, with an error of zero."""
    shown = (
        "Current Position:\n  0.8 0.2 0.0 - 0.2 0.0 0.0 CL {}\n [0.1 0.1 0.1 - 0.1 0.1 0.1 CL {}]"
    )
    final = [("-0.192420", "0.027968"), ("+0.822244", "0.011800")]
    output = "".join(
        f"{shown.format('+0.000000', ' 0.000000')}\nRollout done. Printing final results.\n"
        f"{shown.format(*each)} 1r\nPlay: 0-ply\n"
        for each in final
    )
    assert read_final_equities(output) == [(-0.19242, 0.027968), (0.822244, 0.0118)]
