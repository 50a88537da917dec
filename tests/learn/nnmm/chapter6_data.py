"""The author's data, where it lies beside the checkout."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[4] / "shared" / "data" / "nnmm"


def authors(name: str) -> Path:
    """A file or folder of the author's, or no test."""
    path = SHARED / name
    if not path.exists():
        # The summary of the tests names what begins like this.
        pytest.skip(f"left out: needs ../shared/data/nnmm/{name}, beside the checkout")
    return path
