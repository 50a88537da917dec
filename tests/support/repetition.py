"""How often tests repeat what they do: few times in `make test`, many in `make test-all`."""

is_thorough = False
"""Set by the option `--thorough` before any test is collected."""


def repeat(few: int, many: int) -> int:
    """Return the number of repetitions: `many` under `--thorough`."""
    return many if is_thorough else few
