"""Playthroughs: one seeded game per game and preset, written out to be read and compared.

    PYTHONPATH=tests python -m support.playthroughs        writes tests/data/playthroughs anew

PLAYTHROUGHS names another folder. A difference shows what a change does to play. It is not a proof
of the rules: perft is.
"""

import os
import random
from pathlib import Path
from typing import Any

import ludus
from ludus.core.game import CHANCE
from support.paths import DATA

FOLDER = Path(os.environ.get("PLAYTHROUGHS", DATA / "playthroughs"))
SEED = 7
PLIES = 120
DRAWN_EVERY = 20


def playthrough(name: str, preset: str, engine: str = "native") -> str:
    """One random game: every position, its legal moves and the one that was played."""
    game = ludus.game(name, preset, engine)
    rng = random.Random(SEED)
    position = game.start()
    lines = [f"# {name} {preset}, seed {SEED}; see tests/support/playthroughs.py"]
    for ply in range(PLIES):
        if ply % DRAWN_EVERY == 0:
            lines += ["", *(line.rstrip() for line in position.text().splitlines()), ""]
        lines.append(f"position {position}")
        if position.outcome() is not None:
            break
        move = _choose(game, position, rng)
        moves = position.legal_moves()
        lines.append(f"{len(moves)} moves: {', '.join(map(str, moves))}")
        lines.append(f"play {move}")
        position = position.play(move)
    lines.append(f"outcome {position.outcome()}")
    return "\n".join(lines) + "\n"


def _choose(game: Any, position: Any, rng: random.Random) -> Any:
    if position.mover == CHANCE:
        rolls, weights = zip(*game.chances(position), strict=True)
        return rng.choices(rolls, weights)[0]
    return rng.choice(position.legal_moves())


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in ludus.GAMES:
        for preset in ludus.GAMES[name].presets:
            (FOLDER / f"{name}.{preset}.txt").write_text(playthrough(name, preset))


if __name__ == "__main__":
    main()
