"""Programs that stand in the place of gnubg and misbehave, each in its own way."""

import stat
import sys

HEAD = f"""#!{sys.executable}
import os, subprocess, sys, time
questions = os.fdopen(int(os.environ["LUDUS_QUESTIONS"]))
answers = os.fdopen(int(os.environ["LUDUS_ANSWERS"]), "w")
"""

WAYS = {
    "hangs": "child = subprocess.Popen(['sleep', '1000'])\ntime.sleep(1000)",
    "dies": "questions.readline()\nos._exit(3)",
    "dies_at_once": "os._exit(1)",
    "babbles": "questions.readline()\nanswers.write('Welcome to the game!\\n')\nanswers.flush()\n"
    "time.sleep(1000)",
    "answers_half": "questions.readline()\nanswers.write('[[[\"8/5 6/5\", 0.1')\nanswers.flush()\n"
    "time.sleep(1000)",
    "says_too_little": "questions.readline()\nanswers.write('[]\\n')\nanswers.flush()\n"
    "time.sleep(1000)",
    "says_nan": "questions.readline()\nanswers.write('[[[\"8/5 6/5\", NaN, 0, 0, 0, 0, 0]]]\\n')\n"
    "answers.flush()\ntime.sleep(1000)",
    "cheats": "questions.readline()\nanswers.write('[[[\"24/1\", 1, 1, 0, 0, 0, 0]]]\\n')\n"
    "answers.flush()\ntime.sleep(1000)",
    "speaks_of_few": "questions.readline()\n"
    "answers.write('[[[\"8/5 6/5\", 1, 1, 0, 0, 0, 0]]]\\n')\nanswers.flush()\ntime.sleep(1000)",
    "says_too_much": "questions.readline()\nanswers.write('[[]]\\n[[]]\\n')\nanswers.flush()\n"
    "time.sleep(1000)",
    "floods": "questions.readline()\n"
    "while True:\n    answers.write('[' * 1000000)\n    answers.flush()",
}


def write(folder, way):
    """An executable file that misbehaves in this way."""
    file = folder / "gnubg"
    file.write_text(HEAD + WAYS[way], encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file
