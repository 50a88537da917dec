"""Run every benchmark, as ratios to a named peer: `make bench`.

python benchmarks/run.py [--json]
"""

import json
import sys
from importlib.metadata import version

from open_spiel_ratios import measure_ratios

WANTED = {"perft": 100.0, "random_games": 100.0, "python_moves": 1.5}
"""What we ask of ourselves against OpenSpiel on two cores."""


def main() -> int:
    found = measure_ratios()
    if "--json" in sys.argv[1:]:
        print(json.dumps({"peer": f"open_spiel {version('open_spiel')}", "ratios": found}))
    else:
        print(f"nine_mens_morris, times open_spiel {version('open_spiel')} driven from Python")
        for name, ratio in found.items():
            print(f"  {name:<14}{ratio:10.2f}   wanted {WANTED[name]:g}")
    return 0 if all(found[name] >= least for name, least in WANTED.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
