"""Extension modules built from `native/`, one folder per instruction-set level.

CMake builds every module for several levels of x86-64 (or for one `generic` level on other
processors, or for the one `custom` level that `LUDUS_MARCH` names). Importing this package selects
the newest level that both the build and the processor have. `LUDUS_CPU_LEVEL` selects one by name,
for tests and benchmarks.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from ludus._native import cpu

CUSTOM = "custom"
"""The only level of a build with LUDUS_MARCH; the processor is not checked."""


def select_level(built: Sequence[str], supported: Sequence[str], requested: str = "") -> str:
    """Return the level to load.

    `built` are the levels of this installation, `supported` those of the processor (newest first).
    Raises ImportError with a hint where no level fits.
    """
    usable = [level for level in (CUSTOM, *supported) if level in built]
    if requested and requested not in usable:
        raise ImportError(
            f"LUDUS_CPU_LEVEL={requested} cannot be used here; "
            f"the usable levels are: {', '.join(usable) or 'none'}"
        )
    if not usable:
        raise ImportError(
            f"the native core of Ludus was built for {', '.join(built) or 'no processor'}, and "
            f"this processor has {', '.join(supported) or 'none of the known levels'}: build it "
            "here (make play), on an old processor with LUDUS_MARCH=native"
        )
    return requested or usable[0]


def built_levels(folders: Sequence[str]) -> list[str]:
    """Return the names of the level folders in these folders of the package."""
    names = {CUSTOM, "generic", "x86_64_v2", "x86_64_v3"}
    return sorted({name for name in names for folder in folders if Path(folder, name).is_dir()})


LEVEL = select_level(
    built_levels(__path__), cpu.supported_levels(), os.environ.get("LUDUS_CPU_LEVEL", "")
)
"""The level loaded in this process."""

__path__ = [str(Path(folder, LEVEL)) for folder in __path__]
