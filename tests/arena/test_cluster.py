"""The same jobs on a real Ray cluster of two nodes, all on this machine."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from ludus.arena.executors import LocalPool
from ludus.arena.jobs import GameConditions
from ludus.arena.tournament import Tournament
from ludus.cli.main import run
from support import faulty_players
from support.paths import python_path


def test_without_ray_there_is_one_clear_line(tmp_path, monkeypatch, capsys):
    file = tmp_path / "t.toml"
    file.write_text('game = "hexapawn"\nplayers = ["random", "perfect"]')
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    assert run(["tournament", str(file), "--cluster", "auto"]) == 2
    assert capsys.readouterr().err == "ludus: a cluster needs Ray: pip install 'ludus[cluster]'\n"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("ray") is None, reason="left out: needs ray: pip install 'ludus[cluster]'"
)
def test_a_cluster_comes_to_the_same_results():
    faulty_players.register()
    players = ("random", "playouts:games=4", "dies")
    plan = Tournament(GameConditions("hexapawn"), players, games=6, seed=5)
    with LocalPool(2, faulty_players.register) as pool:
        local = sorted(pool.run(plan.schedule()), key=lambda result: result.key)
    environment = {**os.environ, "PYTHONPATH": python_path(), "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "support.ray_process"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=550,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    nodes, *lines = done.stdout.splitlines()
    assert nodes == "2"
    assert lines == [
        "|".join(map(str, (*result.key[1:], result.winner, result.reason, result.plies)))
        for result in local
    ]
