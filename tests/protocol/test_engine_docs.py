"""docs/engine.md says what happens: its conversation, its engine and its tournament."""

import json
import re
import subprocess
import sys

import pytest

from support.engine_client import EngineClient
from support.paths import ROOT

PAGE = (ROOT / "docs" / "engine.md").read_text()


def block(language):
    """The only block of this language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def test_the_conversation():
    with EngineClient() as stranger:
        for line in block("text").splitlines():
            if line.startswith("> "):
                stranger.say(line.removeprefix("> "))
                continue
            pattern = re.escape(line).replace("…", ".+")
            assert re.fullmatch(pattern, stranger.line()), line
        assert stranger.end() == (0, "", "")


def test_every_command_is_in_the_table():
    with EngineClient() as stranger:
        for line in stranger.answers("help"):
            name = line.removeprefix("info string ").split()[0]
            assert name.startswith("[") or f"`{name}" in PAGE


@pytest.mark.slow
def test_the_tournament(tmp_path):
    (tmp_path / "first.py").write_text(block("python"))
    plan = tmp_path / "league.toml"
    plan.write_text(block("toml").replace("python3", sys.executable))
    done = subprocess.run(
        [sys.executable, "-m", "ludus.cli", "tournament", "league.toml", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    result = json.loads(done.stdout)
    standings = {each["player"]: each for each in result["players"]}
    assert standings["perfect"]["losses"] == 0
    assert not any(each["faults"] for each in standings.values())
