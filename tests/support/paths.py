"""Folders of the checkout."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
DATA = TESTS / "data"
EXPERIMENTS = ROOT / "experiments"
