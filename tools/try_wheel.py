"""Try the installed package: it plays with a shipped network, and solves and counts endings.

    python tools/try_wheel.py

Uses the package that this interpreter finds; for a wheel it is run outside the checkout.
"""

import json
import subprocess
import sys
from typing import Any

ENDINGS = {(3, 3): 140621, (4, 4): 159}
"""Wins in nine men's morris by the men of the mover and of the other side."""


def call(*arguments: str) -> Any:
    """Return the JSON that a command prints."""
    command = [sys.executable, "-m", "ludus", *arguments, "--json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main() -> int:
    played = call("match", "nine_mens_morris", "scholar", "random", "--games", "2")
    if played["wins"] != [2, 0]:
        print(f"scholar beat random {played['wins'][0]} times in 2 games", file=sys.stderr)
        return 1
    solved = call("solve", "nine_mens_morris", "--max-men", "4")
    counts = {(each["mover"], each["other"]): each["win"] for each in solved["subspaces"]}
    if {key: counts.get(key) for key in ENDINGS} != ENDINGS:
        print(f"the installed solver counts {counts}", file=sys.stderr)
        return 1
    print("the wheel plays and solves")
    return 0


if __name__ == "__main__":
    sys.exit(main())
