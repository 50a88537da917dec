"""Commands on a real Ray cluster of two nodes, all on this machine, one of them killed."""

import json
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.core.executors import connect_to_ray
from ludus.datasets import MoveBatch, format_lines
from ludus.games.nine_mens_morris.batch import NO_POINT
from support.morris import GOOD_MOVES
from support.paths import python_path

COMMANDS = (
    "tournament",
    "regret",
    "generate",
    "label",
    "export",
    "tune",
    "tune nnmm",
    "reproduce",
    "selfplay",
    "expert",
)
CLUSTER_TEST = "test_a_cluster_that_loses_a_node_comes_to_the_same_results"
WITHOUT_JOBS = ("label", "export", "tune", "tune nnmm", "expert")
"""Commands that use threads or one process on one machine."""

TOURNAMENT = """
game = "nine_mens_morris"
players = ["random", "playouts:games=60"]
games = 120
seed = 5
"""

EXPERIMENT = '''
"""Games of two players that are not compiled."""

from ludus.reproduce import Measurement


def run(context):
    tally = context.matches("hexapawn", "playouts:games=40", "random", context.setting("games"))
    yield Measurement("won", tally.wins[0], count=tally.games)
'''

PUBLISHED = """
id = "small-games"
title = "Games of two players"
source = "Nobody 2026"
default_size = "quick"

[sizes.quick]
cost = "seconds"
games = 3000

[[rows]]
name = "won"
"""


def write_states(path, count):
    """States of random men on random points, some with few men, which the endings solve."""
    source = np.random.default_rng(7)
    order = source.permuted(np.tile(np.arange(24), (count, 1)), axis=1)
    men = source.integers(3, 6, (count, 2))
    own, other = np.zeros((2, count), np.int32)
    for place in range(12):
        own |= np.where(place < men[:, 0], 1 << order[:, place], 0).astype(np.int32)
        other |= np.where(place < men[:, 1], 1 << order[:, 12 + place], 0).astype(np.int32)
    none, no_move = np.zeros(count, np.uint8), np.full(count, NO_POINT, np.int8)
    path.write_bytes(format_lines(MoveBatch(own, other, none, none, *[no_move] * 3)))


def make_commands(folder: Path):
    """Return the command lines by name, and the files whose bytes must be equal."""
    out = folder / "out"
    out.mkdir(parents=True)
    (folder / "league.toml").write_text(TOURNAMENT)
    write_states(folder / "states.txt", 150_000)
    experiments = folder / "experiments" / "small"
    experiments.mkdir(parents=True)
    (experiments / "games.py").write_text(EXPERIMENT)
    (experiments / "games.toml").write_text(PUBLISHED)
    generate = ["--states", "3000", "--teacher", "negascout:nodes=400", "--out", f"{out}/g.txt"]
    tune = ["--trials", "5", "--games", "60000"]
    sizes = [
        "--td-rounds",
        "1",
        "--lookahead-rounds",
        "12",
        "--lookahead-boards",
        "2048",
        "--games",
        "256",
    ]
    network = ["--batch", "256", "--hidden", "32", "--device", "cpu", "--threads", "1"]
    # Few trials: the first ones depend neither on the results of others nor on their order.
    trials = ["--trials", "4", "--set", "epochs=8,first=50,units=50"]
    labels = ["--groups", "12000", "--plies", "1", "--steps", "5", "--games", "256"]
    return {
        "tournament": ["tournament", f"{folder}/league.toml", "--out", f"{out}/league.sqlite"],
        "regret": ["regret", "hexapawn", "playouts:games=40", "--games", "1500"],
        "generate": ["dataset", "generate", "nine_mens_morris", *generate],
        "label": ["dataset", "label", f"{folder}/states.txt", "--out", f"{out}/labelled.txt"],
        "export": ["dataset", "export", f"{folder}/states.txt", "--out", f"{out}/x.parquet"],
        "tune": ["tune", "patterns", *tune],
        "tune nnmm": [
            *("tune", "nnmm", "--data", str(GOOD_MOVES), "--preset", "quick", *trials),
            *("--device", "cpu", "--threads", "1", "--out", f"{out}/tuned.toml"),
        ],
        "reproduce": [
            *("reproduce", "small-games", "--out", f"{out}/reproduced"),
            *("--experiments", str(experiments.parent)),
        ],
        "selfplay": ["train", "gammon-selfplay", *sizes, *network, "--out", f"{out}/n.safetensors"],
        "expert": [
            *("train", "gammon-expert", "--data", f"{folder}/labels", *labels, *network),
            *("--out", f"{out}/e.safetensors"),
        ],
    }


def test_without_ray_there_is_one_clear_line(tmp_path, monkeypatch, capsys):
    file = tmp_path / "t.toml"
    file.write_text('game = "hexapawn"\nplayers = ["random", "perfect"]')
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    assert run(["tournament", str(file), "--cluster", "auto"]) == 2
    line = "ludus: a cluster needs ray: pip install 'ludus-games[cluster]'\n"
    assert capsys.readouterr().err == line
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_an_address_without_a_cluster_is_refused_at_once(monkeypatch, form):
    calls = []
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(init=lambda **given: calls.append(1)))
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # and nobody listens
        address = form.format(deaf.getsockname()[1])
        with pytest.raises(LudusError, match=f"no Ray cluster at '{address}': Connection refused"):
            connect_to_ray(address)
    assert not calls  # it would wait for minutes


VOLATILE = ("seconds", "out", "files", "sidecar", "resumed")


def result_of(output: str):
    """Return the output of a command without times and names of files."""
    found = json.loads(output)
    return {key: value for key, value in found.items() if key not in VOLATILE}


def read_files(folder: Path):
    """Return the bytes of the files that must not depend on where a command runs."""
    return {
        path.name: path.read_bytes()
        for path in sorted((folder / "out").iterdir())
        if path.suffix in (".txt", ".safetensors", ".parquet", ".toml")
    }


@pytest.fixture(scope="module")
def cluster_results(request, tmp_path_factory):
    """Return the result and folder of each selected command; all run on one cluster."""
    folder = tmp_path_factory.mktemp("cluster")
    selected = {item.callspec.params["name"] for item in request.session.items if is_cluster(item)}
    commands = {name: words for name, words in make_commands(folder).items() if name in selected}
    file = folder / "commands.json"
    file.write_text(json.dumps([[*words, "--json"] for words in commands.values()]))
    environment = {**os.environ, "PYTHONPATH": python_path(), "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "support.ray_process", str(file), f"{folder}/results.json"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((folder / "results.json").read_text())
    return dict(zip(commands, found, strict=True)), folder


def is_cluster(item):
    return getattr(item, "originalname", "") == CLUSTER_TEST


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(
    find_spec("ray") is None, reason="left out: needs ray: pip install 'ludus-games[cluster]'"
)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_cluster_that_loses_a_node_comes_to_the_same_results(
    cluster_results, tmp_path, capfd, name
):
    if name == "expert":
        pytest.importorskip("bgsage", reason="left out: needs bgsage")
    results, folder = cluster_results
    found = results[name]
    assert found["status"] == 0, found["err"]
    assert found["nodes"] == [2, 1]
    assert found["was_running"], "the command ended before the node was killed"
    words = make_commands(tmp_path)[name]
    # Self-play without workers computes its targets in larger batches, which rounds differently.
    words += ["--jobs", "2"] if name not in WITHOUT_JOBS else []
    assert run([*words, "--json"]) == 0
    assert result_of(capfd.readouterr().out) == result_of(found["out"])
    here, there = read_files(tmp_path), read_files(folder)
    assert here.keys() <= there.keys()
    assert {key: there[key] for key in here} == here
