"""Instruction sets of this processor."""

def supported_levels() -> list[str]:
    """Return the instruction-set levels that this processor supports, the newest first.

    `x86_64_v3` and `x86_64_v2` on x86-64, `generic` on any other processor.
    """
