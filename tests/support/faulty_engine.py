"""Engines for hexapawn that misbehave: faulty_engine.py FAULT [FILE]. The file gets their numbers.

The standard library alone, so that they start quickly.
"""

import os
import signal
import subprocess
import sys
import time

MOVE = b"bestmove b1-b2\n"


def say(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


PLAYS = b"info depth 3 score cp 25 multipv 1 pv b1-b2 a3-a2\n" + MOVE

ANSWERS = {
    "plays": PLAYS,
    "stubborn": PLAYS,  # but neither `quit` nor the end of its input nor SIGTERM ends it
    "sanmill": b"info score 5 aimovetype perfect bestmove b1-b2\n",
    "sanmill_gives_up": b"nobestmove\n",
    "long_line": b"info string " + b"x" * 1_000_000 + b"\n" + MOVE,
    "garbage": bytes(range(256)) * 20 + b"\nbestmove \xff\0\n",
    "lies": b"bestmove z9-z8\n",
    "illegal": b"bestmove b1-b3\n",
    "no_move": b"bestmove (none)\n",
    "nothing": b"bestmove\n",
    "objects": b"info string error: I do not know this position\n" + MOVE,
    "talkative": b"\r\n\r\nwhatever\r\n" + MOVE.replace(b"\n", b" ponder a3-a2\r\n"),
}
"""What engines say when they are to move; the others do one of the things below."""


def dies() -> None:
    print("segfault, sort of", file=sys.stderr, flush=True)
    os._exit(3)


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hangs() -> None:
    time.sleep(1000)


def floods() -> None:
    while True:
        say(b"info depth 1 score cp 1 pv b1-b2\n" * 1000)


def complains_for_ever() -> None:
    while True:
        os.write(2, b"oh dear\n" * 1000)


def endless() -> None:
    while True:
        say(b"info " + b"x" * 65536)


def late() -> None:
    time.sleep(30)
    say(MOVE)


def slow() -> None:
    for letter in MOVE:
        say(bytes([letter]))
        time.sleep(0.01)


def closes_output() -> None:
    os.close(1)
    time.sleep(1000)


def main(fault: str, file: str = "") -> None:
    def note(number: int) -> None:
        if file:
            with open(file, "a") as notes:
                print(number, file=notes)

    note(os.getpid())
    if fault == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        note(subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL).pid)
    if fault == "dies_at_uci":
        dies()
    for line in sys.stdin:
        word = line.split()[:1]
        if word == ["uci"]:
            if fault == "hangs_at_uci":
                hangs()
            if fault == "floods_at_uci":
                floods()
            say(b"id name odd\noption name Style type string default plain\nuciok\n")
        elif word == ["isready"] and fault != "never_ready":
            say(b"bestmove a1-a2\nreadyok\n")  # nobody has asked for a move
        elif word == ["go"]:
            if fault in ANSWERS:
                say(ANSWERS[fault])
            else:
                globals()[fault]()
        elif word == ["quit"] and fault != "stubborn":
            return
    while fault == "stubborn":
        time.sleep(1000)


if __name__ == "__main__":
    main(*sys.argv[1:])
