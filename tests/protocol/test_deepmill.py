"""The engine for DeepMill: the board it reads, the protocol, and the class compiled."""

import re
import shutil
import subprocess
import sys

import pytest

import ludus
from support.paths import DATA, ROOT

SOURCE = ROOT / "tools" / "deepmill" / "DeepMillEngine.java"
GAME = ludus.game("nine_mens_morris")

STUB = """
import sys

points = {points!r}
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name DeepMill\\nid author the authors of DeepMill\\nuciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        played = words[words.index("moves") + 1 :] if "moves" in words else []
    elif words[0] == "go":
        print("bestmove", next(each for each in points if each not in played), flush=True)
    elif words[0] == "quit":
        break
"""


def read_rows():
    """The points of the engine's rows, as its source has them."""
    block = re.search(r"ROWS = \{(.*?)\n    \};", SOURCE.read_text(), re.DOTALL)[1]
    return [re.findall(r'"(\w\d)"', row) for row in re.findall(r"\{(.*?)\}", block)]


def test_its_rows_are_those_of_a_position():
    """A man on a point stands at the same place of the text."""
    rows = read_rows()
    assert [len(row) for row in rows] == [
        len(row) for row in str(GAME.start()).split()[0].split("/")
    ]
    for number, row in enumerate(rows):
        for column, point in enumerate(row):
            after = str(GAME.start().play(GAME.parse_move(point, GAME.start())))
            board, mover, white, black = after.split()
            assert board.split("/")[number][column] == "W"
            assert (mover, white, black) == ("b", "8", "9")


def test_a_program_with_its_protocol_plays(tmp_path):
    file = tmp_path / "stub.py"
    file.write_text(STUB.format(points=[point for row in read_rows() for point in row]))
    player = ludus.player(
        f"external:cmd={sys.executable} {file},time=0.2,patience=30,startup=60", GAME
    )
    try:
        player.start_game(1)
        first = player.choose(GAME.start()).move
        assert str(first) == "a7"
        assert str(player.choose(GAME.start().play(first)).move) == "d7"
    finally:
        player.close()


CONVERSATION = """uci
isready
position startpos moves a1 g1
go movetime 100
position startpos moves a1 g1 a1
position fen .../.../.../....../.../.../W.B w 8 8
go depth 2
nonsense
quit
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no JDK")
def test_the_engine_compiles_and_answers(tmp_path):
    """Against stand-ins of DeepMill's classes."""
    files = [SOURCE, *sorted((DATA / "deepmill_stub").glob("*.java"))]
    subprocess.run(["javac", "-d", str(tmp_path), *map(str, files)], check=True, timeout=100)
    name = "it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard.DeepMillEngine"
    done = subprocess.run(
        ["java", "-cp", str(tmp_path), name],
        input=CONVERSATION,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "id name DeepMill",
        "id author the authors of DeepMill",
        "uciok",
        "readyok",
        "bestmove d1",
        "info string error: a1 is not a move here",
        "bestmove d1",
    ]
