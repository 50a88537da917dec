"""The oracle of backgammon, its tables on disk, and the commands that use it."""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import ludus
from ludus._native import equities as native_equities
from ludus.analysis import Analyst
from ludus.cli.main import run as run_command
from ludus.core.errors import BadDatabase, CannotSolve
from ludus.games.backgammon.board import ROLLS
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.stakes import DOUBLE, DROP, ROLL, TAKE
from ludus.oracles import Unsolved, Value, WrongRules
from ludus.oracles import oracle as find_oracle
from ludus.oracles.backgammon.cuda_solver import CudaBearoff, CudaHypergammon
from ludus.oracles.backgammon.oracle import BackgammonOracle
from ludus.oracles.backgammon.solver import EquityRun, EquityVerificationRun, select_extent
from ludus.oracles.backgammon.tables import EQUITY_FILE, Extent, TableFolder
from support.backgammon import solve_hypergammon

GAME = ludus.game("backgammon")
BEAROFF = "6:1,3:1,off:13 4:1,1:1,off:13 0"
ONE_MAN = SimpleNamespace(men=1, layout="hyper")
"""Rules of a game with one man a side, which has no preset."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One man a side, solved into a folder."""
    path = tmp_path_factory.mktemp("hyper")
    extent = Extent("hypergammon", 1)
    with TableFolder.open_for_writing(path, extent) as tables:
        found = EquityRun(extent, tables, verify=True).run()
    assert max(found.errors) < 1e-6
    return path


def one_man(own, other, turn=0, dice=None):
    """Side 0's man and side 1's man, each as its own side counts."""
    points = [0] * 24
    points[own - 1], points[24 - other] = 1, -1
    return Position(tuple(points), (0, 0), (0, 0), turn, dice, engine="native")


def test_equities_of_rolls_and_moves_agree():
    oracle = find_oracle(GAME)
    position = GAME.parse(f"{BEAROFF} roll")
    after = [oracle.value(position.play(roll)).equity for roll in ROLLS]
    weights = [1 / 36 if roll.is_double else 1 / 18 for roll in ROLLS]
    assert oracle.value(position).equity == pytest.approx(np.dot(after, weights), abs=1e-6)
    assert oracle.verdict(position).moves == ()
    assert oracle.value_if_known(position) == oracle.value(position)


def test_moves_are_ranked_with_what_they_give_away():
    verdict = find_oracle(GAME).verdict(GAME.parse(f"{BEAROFF} 21"))
    equities = [each.equity for each in verdict.moves]
    assert equities == sorted(equities, reverse=True)
    assert verdict.value == Value("equity", equity=equities[0])
    assert verdict.moves[0].cost == 0
    assert verdict.moves[-1].cost == pytest.approx(equities[0] - equities[-1])
    assert verdict.is_critical
    assert str(verdict.value).startswith("equity ")


def test_games_that_are_over_and_the_other_side_to_move():
    oracle = find_oracle(GAME)
    over = GAME.parse("off:15 4:1,off:14 1 over")
    assert oracle.value(over).equity == -1
    turned = GAME.parse("4:1,1:1,off:13 6:1,3:1,off:13 1 roll")
    assert oracle.value(turned) == oracle.value(GAME.parse(f"{BEAROFF} roll"))


@pytest.mark.parametrize("cube", ["1", "2@0", "2@1"])
def test_bearing_off_with_the_cube(cube):
    """What a decision is worth follows from the rolls after it, and analysis uses it."""
    game = ludus.game("backgammon:money,resign=no")
    oracle = find_oracle(game)
    before = game.parse(f"{BEAROFF} {'roll' if cube == '2@1' else 'cube'} {cube}")
    equities = oracle.cube_equities(before)
    rolling = before if cube == "2@1" else before.play(ROLL)
    after = [oracle.value(rolling.play(roll)).equity for roll in ROLLS]
    weights = [1 / 36 if roll.is_double else 1 / 18 for roll in ROLLS]
    assert equities.no_double == pytest.approx(np.dot(after, weights), abs=1e-6)
    assert oracle.value(before).equity == pytest.approx(
        equities.no_double if cube == "2@1" else equities.best, abs=1e-6
    )
    if cube != "2@1":
        verdict, analysis = oracle.verdict(before), Analyst(game).analyse(before)
        assert [each.move for each in verdict.moves] == [each.move for each in analysis.moves]
        assert analysis.cube.equities == equities
        assert analysis.cube.lookahead == "exact"
        doubled = before.play(DOUBLE)
        taken = doubled.play(TAKE)
        assert oracle.value(taken).equity == pytest.approx(equities.double_take / 2, abs=1e-6)
        best = Analyst(game).analyse(doubled).best
        assert best.move == (TAKE if equities.is_take else DROP)


@pytest.mark.parametrize("text", ["start", "7:1,off:14 4:1,off:14 0 roll"])
def test_unsolved_positions_name_the_command(text):
    oracle, position = find_oracle(GAME), GAME.start() if text == "start" else GAME.parse(text)
    assert not oracle.has_value(position)
    assert oracle.value_if_known(position) is None
    with pytest.raises(Unsolved, match="ludus solve backgammon --max-men N"):
        oracle.value(position)


def test_hypergammon_needs_to_be_solved():
    game = ludus.game("backgammon:hypergammon")
    assert game.rules == ludus.game("backgammon:hyper").rules
    with pytest.raises(Unsolved, match="ludus solve backgammon:hypergammon --out DIR"):
        find_oracle(game).value(game.start())
    with pytest.raises(Unsolved, match="ludus solve backgammon:hypergammon --out DIR"):
        ludus.player("perfect", game)
    with pytest.raises(WrongRules, match="15 men a side, not 3"):
        find_oracle(game).value(GAME.start())
    with pytest.raises(CannotSolve, match="3 men"):
        select_extent(game.rules, 2)
    with pytest.raises(CannotSolve, match="1 to 14"):
        select_extent(Rules(), 15)


def test_one_man_a_side_from_its_folder(folder):
    oracle = BackgammonOracle(ONE_MAN, TableFolder.open(folder))
    position = one_man(6, 20)
    value = oracle.value(position).equity
    chances = oracle.chances(position)
    assert chances["win"] + chances["win_gammon"] + chances["win_backgammon"] - (
        1 - chances["win"] + chances["lose_gammon"] + chances["lose_backgammon"]
    ) == pytest.approx(value, abs=1e-6)
    rolled = oracle.verdict(one_man(6, 20, dice=(3, 1)))
    after = oracle.chances(one_man(6, 20, dice=(3, 1)))
    assert 0 < after["win"] < 1
    assert rolled.value.equity < value
    assert oracle.coverage == "from the first roll on"


def test_tables_are_verified(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert EquityVerificationRun(TableFolder.open(copy)).run().is_valid
    table = TableFolder.open(copy).read_all(EQUITY_FILE)
    table[3, 7] += 0.01
    with TableFolder.open_for_writing(copy, Extent("hypergammon", 1)) as tables:
        tables.write(EQUITY_FILE, table)
    assert not EquityVerificationRun(TableFolder.open(copy)).run().is_valid


@pytest.mark.parametrize("name", ["ludus.json", "equity.values"])
def test_every_changed_byte_is_found(folder, tmp_path, name):
    data = (folder / name).read_bytes()
    for at in range(0, len(data), max(1, len(data) // 60)):
        copy = tmp_path / str(at)
        shutil.copytree(folder, copy)
        (copy / name).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(BadDatabase):
            TableFolder.open(copy).read_all(EQUITY_FILE)


def test_folders_of_other_games_are_refused(folder, tmp_path):
    with (
        pytest.raises(BadDatabase, match="holds hypergammon with 1 men"),
        TableFolder.open_for_writing(folder, Extent("bearoff", 2)),
    ):
        pass
    with pytest.raises(WrongRules, match="holds hypergammon, not bearoff"):
        find_oracle(GAME, folder)
    with pytest.raises(BadDatabase, match="does not hold nine_mens_morris"):
        find_oracle(ludus.game("nine_mens_morris"), folder)


def test_commands(tmp_path, capsys):
    out = str(tmp_path / "bearoff")
    solve_it = ["solve", "backgammon", "--max-men", "3", "--out", out, "--verify", "--json"]
    assert run_command(solve_it) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["men"], report["positions"]) == ("bearoff", 3, 84 * 84)
    assert run_command(["verify", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["wrong"] == 0
    value = ["value", "backgammon", f"{BEAROFF} 21", "--oracle", out]
    assert run_command([*value, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == "equity"
    assert found["equity"] == found["moves"][0]["equity"]
    assert run_command(value) == 0
    assert "equity" in capsys.readouterr().out
    assert run_command(["value", "backgammon", f"{BEAROFF} roll", "--oracle", out]) == 0
    assert "White to move: equity" in capsys.readouterr().out
    assert run_command(["solve", "backgammon", "--max-men", "15"]) == 2
    assert run_command(["solve", "backgammon", "--wdl"]) == 2


def test_regret_is_equity_given_away(tmp_path, capsys):
    positions = tmp_path / "positions.txt"
    positions.write_text(f"{BEAROFF} 21\n")
    command = ["regret", "backgammon", "random", "--one-move", "--positions", str(positions)]
    assert run_command([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    costs = [each.cost for each in find_oracle(GAME).verdict(GAME.parse(f"{BEAROFF} 21")).moves]
    assert found["mean_regret"] in costs


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_hypergammon_on_a_gpu_compiled_for_the_cpu(tmp_path):
    theirs, ours = CudaHypergammon(1, build_for_cpu("hypergammon", tmp_path)), solve_hypergammon(1)
    while theirs.sweep() > 1e-9:
        pass
    theirs.choose()
    while theirs.sweep_chances() > 1e-7:
        pass
    assert np.abs(theirs.equities() - ours.equities()).max() < 1e-6
    assert np.abs(theirs.chances() - ours.chances()).max() < 1e-6
    assert max(theirs.find_errors()) < 1e-6


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("are_all", [False, True])
def test_bearing_off_on_a_gpu_compiled_for_the_cpu(tmp_path, are_all):
    solver = CudaBearoff(3, 6, are_all, build_for_cpu("bearoff", tmp_path))
    solver.solve()
    ours = native_equities.two_sided(3, 6, are_all)
    own, other = np.indices((solver.size, solver.size))[:, 1:, 1:].reshape(2, -1)
    assert np.abs(solver.read(own, other).T - ours[:, own, other]).max() < 1e-6
    rolls = solver.roll_distributions(3, 6, 16)
    assert rolls == pytest.approx(np.stack(native_equities.one_sided(3, 6, 16)), abs=1e-12)


def build_for_cpu(name, folder):
    """The source of a GPU library, with loops in place of kernels."""
    native, library = Path(__file__).parents[3] / "native", folder / f"{name}.so"
    options = ["-x", "c++", "-std=c++20", "-O2", "-shared", "-fPIC", "-pthread"]
    includes = [f"-I{native}", f"-I{native / 'core'}"]
    source = str(native / "cuda" / f"{name}.cu")
    subprocess.run(["g++", *options, *includes, source, "-o", str(library)], check=True)
    return library
