"""No command writes onto a file that it reads, nor over an existing one without --force."""

import pytest

from support.command_line import list_commands

EXISTING = [
    ("dataset", "stats", "in", "--plot", "out"),
    ("dataset", "expand", "in", "--out", "out"),
    ("dataset", "label", "in", "--out", "out"),
    ("dataset", "export", "in", "--out", "out"),
    ("export", "tournament", "in", "--out", "out"),
    ("export", "in", "--out", "out"),
    ("export", "onnx", "nnmm", "--out", "out"),
    ("choose", "hexapawn", "random", "--positions", "in", "--out", "out"),
    ("match", "hexapawn", "random", "random", "--record", "out"),
    ("backgammon", "mat", "in", "--out", "out"),
    ("backgammon", "import", "in", "--out", "out"),
    ("import", "nnmm", ".", "--out", "out"),
    ("join", "nnmm", "in", "--out", "out"),
    ("show", "migo", "noughts_and_crosses", "--out", "out"),
    ("show", "patterns", "--svg", "out"),
    ("show", "menace", "start", "--svg", "out"),
    ("train", "deepq", "--games", "1", "--out", "out"),
    ("train", "menace", "--games", "1", "--out", "out"),
    ("train", "migo", "noughts_and_crosses", "--out", "out"),
    ("train", "patterns", "--out", "out"),
    ("train", "nnmm", "--data", "in", "--out", "out"),
    ("train", "gammon-expert", "--data", ".", "--out", "out"),
    ("train", "gammon-selfplay", "--out", "out"),
    ("train", "scholar", "--out", "out"),
    ("tune", "nnmm", "--data", "in", "--out", "out"),
]

ONTO_INPUT = [
    ("dataset", "stats", "in", "--plot", "in"),
    ("dataset", "expand", "in", "--out", "in"),
    ("dataset", "label", "in", "--out", "in"),
    ("dataset", "export", "in", "--out", "in"),
    ("export", "tournament", "in", "--out", "in"),
    ("export", "onnx", "in", "--out", "in"),
    ("export", "onnx", "nnmm:weights=in", "--out", "in"),
    ("match", "hexapawn", "random", "her:table= in ,x=y", "--record", "in"),
    ("choose", "hexapawn", "her:x=y,table=in", "--positions", "other", "--out", "in"),
    ("choose", "hexapawn", "random", "--positions", "in", "--out", "in"),
    ("backgammon", "mat", "in", "--out", "in"),
    ("backgammon", "import", "in", "--out", "in"),
    ("join", "nnmm", "other", "in", "--out", "in"),
    ("show", "migo", "noughts_and_crosses", "--program", "in", "--out", "in"),
    ("show", "patterns", "in", "--svg", "in"),
    ("show", "menace", "start", "--table", "in", "--svg", "in"),
    ("train", "deepq", "--out", "in", "--init-from", "in"),
    ("train", "migo", "in", "--out", "in"),
    ("train", "patterns", "--base", "in", "--out", "in"),
    ("train", "patterns", "--records", "in", "--out", "in"),
    ("train", "nnmm", "--data", "in", "--out", "in"),
    ("train", "scholar", "--init-from", "in", "--out", "in"),
    ("tune", "nnmm", "--data", "in", "--out", "in"),
]

CONTINUED = {
    "dataset generate",
    "dataset fetch",
    "reproduce",
    "rollout",
    "solve",
    "tournament",
}
"""Commands whose --out continues what an earlier run with the same settings has written."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("in", "out", "other"):
        (tmp_path / name).write_text("precious")
    return tmp_path


@pytest.mark.parametrize("words", EXISTING, ids=" ".join)
def test_existing_files_are_kept(ludus, files, words):
    result = ludus(*words)
    assert result.status == 2
    assert "'out' exists; name another file, or overwrite it with --force" in result.err
    assert {each.read_text() for each in files.iterdir()} == {"precious"}


@pytest.mark.parametrize("words", ONTO_INPUT, ids=" ".join)
def test_inputs_are_kept_even_by_force(ludus, files, words):
    result = ludus(*words, "--force")
    assert result.status == 2
    assert "'in' is read by this command; write to another file" in result.err
    assert {each.read_text() for each in files.iterdir()} == {"precious"}


def test_force_overwrites(ludus, files):
    words = ("match", "hexapawn", "random", "random", "--games", "1", "--record", "out")
    assert ludus(*words, "--force").status == 0
    assert '[Game "hexapawn"]' in (files / "out").read_text()


def test_every_command_that_writes_a_file_has_force():
    without = set()
    for name, command in list_commands().items():
        options = {option for parameter in command.params for option in parameter.opts}
        if options & {"--out", "--record", "--svg", "--plot"} and "--force" not in options:
            without.add(name)
    assert without == CONTINUED
