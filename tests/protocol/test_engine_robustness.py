"""`ludus engine` and lines that no engine should get."""

import random
from pathlib import Path

from support.engine_client import EngineClient, talk
from support.repetition import repeat

MEGABYTE = 1_000_000


def test_long_lines_nul_bytes_and_what_is_no_text():
    lines = [
        b"x" * MEGABYTE,
        b"x" * (MEGABYTE + 1),
        b"position startpos moves " + b"d6 " * (MEGABYTE // 3),
        b"position fen " + b"*" * 900_000,
        b"setoption name " + b"a" * 900_000 + b" value 3",
        b"go " + b"depth 1 " * 100_000,
        b"go depth " + b"9" * 900_000,
        b"\0" * 1000,
        b"uci\0",
        b"position\0startpos",
        bytes(range(128, 256)),
        b"\xed\xa0\x80",
        b" \t\r",
    ]
    status, output, complaints = talk(b"\n".join((*lines, b"wait", b"isready", b"quit", b"")))
    assert (status, complaints) == (0, "")
    assert output[-1] == "readyok"
    errors = [line for line in output if line.startswith("info string error: ")]
    assert len(errors) == len(lines) - 2, (
        "all but the blank line and the depths, of which one counts"
    )
    assert max(map(len, output)) < 2000
    assert sum(line.startswith("bestmove") for line in output) == 1


def test_an_endless_line_takes_no_memory():
    with EngineClient() as stranger:
        stranger.answers()
        before = _peak(stranger)
        for _ in range(100):
            stranger.process.stdin.write(b"y" * MEGABYTE)
        stranger.say("")
        assert stranger.answers()[0].endswith("is longer than 1000000 bytes")
        assert _peak(stranger) - before < 20 * MEGABYTE


def _peak(stranger):
    """Bytes of memory it has had at most."""
    status = Path(f"/proc/{stranger.process.pid}/status").read_text()
    words = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()
    return 1024 * int(words[1])


def test_thousands_of_commands():
    """Mostly sensible ones in no sensible order; every isready and every go is answered."""
    source = random.Random(3)
    options = ("MultiPV value 2", "Hash value 1", "Seed value 7", "Level value 3", "Rules value")
    commands = []
    for _ in range(repeat(200, 3000)):
        name = source.choice(options)
        commands += source.choice(
            (
                ["isready"],
                ["position startpos moves d6 f4 d2 b4"],
                ["position startpos moves d6 d7 f6 g7 b6"],
                [f"setoption name {name}"],
                ["go nodes 50", "wait"],
                ["go infinite", "stop", "wait"],
                ["ucinewgame"],
                ["stop"],
                ["nonsense"],
            )
        )
    text = "".join(f"{command}\n" for command in commands)
    status, output, complaints = talk(text)
    assert (status, complaints) == (0, "")
    assert output.count("readyok") == commands.count("isready")
    answers = [line for line in output if line.startswith("bestmove")]
    assert len(answers) == sum(command.startswith("go") for command in commands)
    assert "bestmove (none)" not in answers
    errors = [line for line in output if "error" in line]
    assert len(errors) == commands.count("nonsense")
