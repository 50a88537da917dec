"""Folders of the checkout."""

import os
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
DATA = TESTS / "data"
EXPERIMENTS = ROOT / "experiments"


def python_path() -> str:
    """PYTHONPATH for a process that imports these tests; what the user has set stays in it."""
    return os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
