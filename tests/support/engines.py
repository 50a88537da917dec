"""Specs for engines as players, and checks of their processes."""

import os
import sys
from pathlib import Path

from support.waiting import wait_until

FAULTY_ENGINE = Path(__file__).with_name("faulty_engine.py")


def ludus_engine(game, player="", **options):
    """`ludus engine` as a player of its own."""
    who = f" --player {player}".replace(",", "%2C") if player else ""
    return spec(f"{sys.executable} -m ludus.cli engine {game}{who}", **options)


def faulty_engine(fault, file="", **options):
    """An engine with a fault; its number goes to the file."""
    return spec(f"{sys.executable} -I -S {FAULTY_ENGINE} {fault} {file}", **options)


def spec(command, **options):
    """Return the spec of an engine; by default with enough time for a busy machine."""
    options = {"startup": 60, "patience": 60, **options}
    return ",".join([f"external:cmd={command}", *(f"{key}={options[key]}" for key in options)])


def numbers(file):
    """The processes that have written their number into a file."""
    return [int(line) for line in Path(file).read_text().split()]


def is_there(number):
    """Whether a process is there, and no zombie."""
    try:
        status = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def children():
    """Every child of this process, zombies and guards included."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(parent) == os.getpid():
            found.add(int(folder.name))
    return found


def wait_until_gone(processes):
    wait_until(lambda: not any(map(is_there, processes)), "no process is left")
