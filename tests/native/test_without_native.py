"""A GPU machine needs numpy, torch and nvcc only: what runs there imports no compiled module."""

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == "ludus._native" or name.startswith("ludus._native."):
            raise ImportError(f"{name} is not built here")

sys.meta_path.insert(0, Blocker())
for name in sys.argv[1:]:
    importlib.import_module(name)
"""

SOLVING = ["ludus.cuda", "ludus.oracles.morris.cuda_solver", "ludus.oracles.morris.sectors"]
SOLVING += ["ludus.oracles.backgammon.cuda_solver"]
TRAINING = [
    *("ludus.learn.equivariant.fourier_torch", "ludus.learn.equivariant.network"),
    *("ludus.learn.scholar.cuda", "ludus.learn.scholar.sampling"),
    *("ludus.learn.scholar.train", "ludus.learn.scholar.scorer_trainer"),
    *("ludus.learn.scholar.chain_trainer", "ludus.learn.scholar.data"),
    *("ludus.learn.gammon.chances_training", "ludus.learn.gammon.train"),
    *("ludus.learn.nnmm.chain_trainer", "ludus.cli.evaluate", "ludus.cli.tune"),
]


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param(SOLVING, id="solving"),
        pytest.param(TRAINING, id="training", marks=pytest.mark.slow),
    ],
)
def test_gpu_code_imports_no_compiled_module(modules):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *modules],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
