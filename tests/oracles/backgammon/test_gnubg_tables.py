"""All positions of tables made by GNU Backgammon's own programs."""

import subprocess

import numpy as np
import pytest

from ludus._native import equities
from ludus.oracles.backgammon.bearoff import roll_distributions
from support.backgammon import all_sides, solve_hypergammon

pytestmark = [pytest.mark.slow, pytest.mark.needs_debian("gnubg")]

HEADER = 40
ONE_SIDED = "/usr/share/gnubg/gnubg_os0.bd"


def test_rolls_of_one_side():
    """Its probabilities are rounded to 1/65535, so some choices between equal means differ."""
    with open(ONE_SIDED, "rb") as file:
        data = file.read()
    assert data.startswith(b"gnubg-OS-06-15-1-1-0")
    kind = np.dtype([("at", "<u4"), ("n", "u1"), ("low", "u1"), ("n1", "u1"), ("low1", "u1")])
    index = np.frombuffer(data, kind, 54264, HEADER)
    numbers = np.frombuffer(data[HEADER + index.nbytes :], "<u2") / 65535
    theirs = np.zeros((2, 54264, 32))
    for rank, (at, count, low, count1, low1) in enumerate(index.tolist()):
        theirs[0, rank, low : low + count] = numbers[at : at + count]
        theirs[1, rank, low1 : low1 + count1] = numbers[at + count : at + count + count1]
    ours = np.stack([roll_distributions().all_off, roll_distributions().first_off])
    means = np.abs((ours - theirs) @ np.arange(32))
    assert means[0].max() < 2.5e-4
    assert np.abs(ours - theirs)[0].max() < 3e-3
    assert np.abs(ours - theirs)[1].max() < 5e-5


def test_two_sided_equities(tmp_path):
    """All 853,776 with each place of the cube; it keeps 16 bits and cuts off the rest each time."""
    path = tmp_path / "two_sided.bd"
    command = ["/usr/games/makebearoff", "-t", "6x6", "-f", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    theirs = np.frombuffer(path.read_bytes()[HEADER:], "<u2").reshape(924, 924, 4) / 32767.5 - 1
    ours = np.moveaxis(equities.two_sided(6, 6), 0, 2)
    assert np.abs(ours - theirs)[1:].max() < 1.5e-4


@pytest.mark.parametrize("men", [1, 2])
def test_few_men_a_side(men, tmp_path):
    path = tmp_path / "hyper.bd"
    command = ["/usr/games/makehyper", "-c", str(men), "-n", "-t", "1e-6", "-f", str(path)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    solver = solve_hypergammon(men)
    size = solver.size
    data = np.frombuffer(path.read_bytes()[HEADER:], np.uint8).reshape(size, size, 28)
    win, gammon, backgammon, lost_gammon, lost_backgammon = (
        data[:, :, 3 * i : 3 * i + 3].astype(np.int64) @ [1, 1 << 8, 1 << 16] / ((1 << 24) - 1)
        for i in range(5)
    )
    theirs = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
    points = all_sides(men, 25)[:, 1:25] > 0
    is_possible = ~(points[:, None] & points[None, :, ::-1]).any(axis=2)
    is_possible[0] = is_possible[:, 0] = False
    assert np.abs(theirs - solver.equities())[is_possible].max() < 2e-6
