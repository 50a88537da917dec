"""Run in a process of its own, with the sanitizers loaded: calls of compiled code.

    python -m support.fuzzing.native_process FOLDER canary MISTAKE ARGUMENT
    python -m support.fuzzing.native_process FOLDER values GAME SEED CALLS
    python -m support.fuzzing.native_process FOLDER scenario NAME [CALLS]

FOLDER holds the sanitized modules. Prints what came of it as JSON.
"""

import ctypes
import json
import random
import sys
from pathlib import Path

from support.fuzzing.sanitized import use_sanitized_modules


def canary(folder: str, mistake: str, argument: str) -> int:
    """Make a deliberate memory error, which the sanitizers must report."""
    function = getattr(ctypes.CDLL(str(Path(folder) / "libcanary.so")), mistake)
    function.argtypes = [ctypes.c_size_t]
    return int(function(int(argument)))


def values(game: str, seed: str, calls: str) -> dict[str, int]:
    """Compiled functions of one module with hostile values."""
    from support.fuzzing import native_values, search_values
    from support.fuzzing.environment_values import environment_values
    from support.fuzzing.equity_values import equity_values
    from support.fuzzing.network_values import chances_values, gammon_values
    from support.fuzzing.pattern_values import pattern_values
    from support.fuzzing.sampling_values import sampling_values
    from support.fuzzing.solver_values import solver_values

    call = {
        "morris": native_values.morris_values,
        "backgammon": native_values.backgammon_values,
        "search": search_values.search_values,
        "patterns": pattern_values,
        "sampling": sampling_values,
        "environments": environment_values,
        "equities": equity_values,
        "chances": chances_values,
        "gammon": gammon_values,
        "solver": solver_values,
    }
    return call[game](random.Random(int(seed)), int(calls))


def scenario(name: str, *calls: str) -> dict[str, int]:
    """A situation by its name."""
    from support.fuzzing import native_scenarios, solver_values

    module = solver_values if name == "solvers_in_threads" else native_scenarios
    return dict(getattr(module, name)(*map(int, calls)))


def main(folder: str, what: str, *arguments: str) -> None:
    use_sanitized_modules(Path(folder))
    if what == "canary":
        print(canary(folder, *arguments))
    else:
        print(json.dumps({"values": values, "scenario": scenario}[what](*arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
