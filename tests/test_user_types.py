"""Type checkers know the games, positions and moves of programs that use Ludus."""

import re
import subprocess
import sys

import pytest

from support.paths import ROOT

GAMES = """
import ludus
from ludus.games import game

reveal_type(ludus.game("nine_mens_morris:lasker"))  # NineMensMorris
reveal_type(ludus.game("hexapawn", "size=4"))  # Hexapawn
reveal_type(ludus.game("backgammon:hypergammon"))  # Backgammon
reveal_type(ludus.game("noughts_and_crosses").start())  # Position
reveal_type(ludus.game("my_games:Nim"))  # Game[Any, Any]

morris = ludus.game("nine_mens_morris:lasker")
player = ludus.player("negascout:depth=2", morris)
choice = player.choose(morris.start())
reveal_type(choice.move.take)  # int | None
reveal_type(ludus.player("random", "hexapawn").choose(None).move)  # Any
"""

OWN = """
reveal_type(nim)  # Nim
winner = ludus.player("perfect", nim)
reveal_type(winner.choose(nim.start()).move.first)  # int


class Last(ludus.Player[Position, Move]):
    title = "takes the last match alone"

    def choose(self, position: Position, limit: ludus.Limit = ludus.Limit()) -> ludus.Choice[Move]:
        reveal_type(self.game.start().left)  # int
        return ludus.Choice(position.legal_moves()[0])
"""


def read_cells(tutorial):
    """The code of a tutorial, without the cells that show something at their end."""
    text = (ROOT / "docs/tutorials" / f"{tutorial}.md").read_text(encoding="utf-8")
    cells = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL)
    return "\n\n".join(cells[:2])


def own_game():
    code = read_cells("add_a_game").partition("ludus.GAMES.add")[0]
    return f"{code}\nnim = Nim()\n{OWN}"


PROGRAMS = {"games": GAMES, "own_game": own_game(), "own_player": read_cells("add_a_player")}


@pytest.mark.slow
def test_mypy_reveals_types(tmp_path):
    for name, code in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(code)
    files = [f"{name}.py" for name in PROGRAMS]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    for name, code in PROGRAMS.items():
        expected = re.findall(r"reveal_type\(.*\)  # (.+)", code)
        found = re.findall(rf'^{name}.py:.* Revealed type is "(.+)"', done.stdout, re.MULTILINE)
        assert [re.sub(r"\b[a-z_]+\.", "", each) for each in found] == expected
