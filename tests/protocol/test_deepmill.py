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

moves = {moves!r}
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name DeepMill\\nid author the authors of DeepMill\\nuciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        given = line.split(" ", 1)[1].strip().removeprefix("fen ")
    elif words[0] == "go":
        print("bestmove", moves[given], flush=True)
    elif words[0] == "quit":
        break
"""

FORMATS = {
    "startpos": "a7",
    "startpos moves a7 b6": "d7",
    "startpos moves a7 b6 d7 d6": "g7xb6",
    ".../.../.../W...../.../.BB/WWB b 0 0": "g1-g4",
    ".../.../.../....WB/.../BB./WW. w 0 0": "f4-g1xb2",
}
"""A command's position, and the answer: a man placed, one taken, a slide, a flight that takes."""


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
    file.write_text(STUB.format(moves=FORMATS))
    player = ludus.player(
        f"external:cmd={sys.executable} {file},time=0.2,patience=30,startup=60", GAME
    )
    try:
        for command, move in FORMATS.items():
            player.start_game(1)
            start, _, played = command.partition(" moves ")
            position = GAME.start() if start == "startpos" else GAME.parse(start)
            for text in played.split():
                if position.mover == 0:
                    player.choose(position)
                position = position.play(GAME.parse_move(text, position))
            assert str(player.choose(position).move) == move
    finally:
        player.close()


CONVERSATION = {
    "uci": ["id name DeepMill", "id author the authors of DeepMill", "uciok"],
    "isready": ["readyok"],
    "position startpos moves a1 g1": [],
    "go movetime 100": ["bestmove d1"],
    "position startpos moves a1 g1 a1": ["info string error: a1 is not a move here"],
    "position fen .../.../.../....../.../.../W.B w 8 8": [],
    "go depth 2": ["bestmove d1"],
    # A man is placed, and another taken.
    "position startpos moves a1 a4 d1 b2": [],
    "go movetime 101": ["bestmove g1xa4"],
    "position startpos moves a1 a4 d1 b2 g1xa4": [],
    "go movetime 102": ["bestmove d2"],
    # Black moves a man along a line.
    "position fen .../.../.../W...../.../B../WW. b 0 0": [],
    "go movetime 103": ["bestmove b2-d2"],
    # White does, and takes one; then the other side goes on.
    "position fen .../.../.../.....W/.../B../WW. w 0 0 moves": [],
    "go movetime 104": ["bestmove g4-g1xb2"],
    "position fen .../.../.../B....W/.../B../WW. w 0 0 moves g4-g1xb2": [],
    "go movetime 105": ["bestmove (none)"],
    "position fen .../.../.../B....W/.../BB./WW. w 0 0 moves g4-g1xa4 b2-b4": [
        "info string error: b2-b4 is not a move here"
    ],
    "nonsense": [],
    "quit": [],
}
"""Commands in turn, and the answers to each."""


@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no JDK")
def test_the_engine_compiles_and_answers(tmp_path):
    """Against stand-ins of DeepMill's classes."""
    files = [SOURCE, *sorted((DATA / "deepmill_stub").glob("*.java"))]
    subprocess.run(["javac", "-d", str(tmp_path), *map(str, files)], check=True, timeout=100)
    name = "it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard.DeepMillEngine"
    done = subprocess.run(
        ["java", "-cp", str(tmp_path), name],
        input="\n".join(CONVERSATION) + "\n",
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    wanted = [line for lines in CONVERSATION.values() for line in lines]
    assert done.stdout.splitlines() == wanted
