"""The check that the native core runs on other processors, here on this one."""

import re
import subprocess
import sys

from ludus import _native
from support.paths import ROOT


def test_its_program_runs():
    script = (ROOT / "tools" / "check_processors.sh").read_text()
    found = re.search(r"^check='\n(.*?)^'", script, re.DOTALL | re.MULTILINE)
    assert found is not None
    done = subprocess.run(
        [sys.executable, "-c", found[1]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    level, _, results = done.stdout.partition(" ")
    assert level == _native.LEVEL
    assert "'morris perft 4': 255024," in results  # 24 * 23 * 22 * 21
