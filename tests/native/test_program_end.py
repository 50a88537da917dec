"""A program that ends while something still holds compiled objects says nothing about it."""

import subprocess
import sys

from support.waiting import PATIENCE

PROGRAM = """
import ctypes
import ludus

position = ludus.game("nine_mens_morris").start()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(position))
"""
"""One reference is never given back, like those of a thread that still computes."""


def test_objects_that_are_still_in_use_are_no_message():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert (done.stdout, done.stderr) == ("", "")
