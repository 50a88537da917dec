"""Whatever a user types: status 2 and one line, or a quiet end; never a traceback."""

import os
import signal
import subprocess

import pytest

from support.command_line import PROGRAM, process
from support.waiting import PATIENCE, wait_until_at_work

START = ".../.../.../....../.../.../... w 9 9"

BAD = [
    ["nonsense"],
    ["--nonsense"],
    ["perft"],
    ["perft", "hexapawn"],
    ["perft", "hexapawn", "x"],
    ["perft", "hexapawn", "²"],
    ["perft", "hexapawn", "1.5"],
    ["perft", "hexapawn", "101"],
    ["perft", "hexapawn", "9" * 5000],
    ["perft", "hexapawn", "--", "-1"],
    ["perft", "hexapawn", "1", "2"],
    ["perft", "hexapawm", "1"],
    ["perft", "", "1"],
    ["perft", "hexa\npawn", "1"],
    ["perft", "hexapawn\0", "1"],
    ["perft", "x" * 1_000_000, "1"],
    ["perft", "hexapawn:size", "1"],
    ["perft", "hexapawn:size=99", "1"],
    ["perft", "hexapawn:size=4", "1", "--rules", "size=x"],
    ["perft", "hexapawn", "1", "--rules", "lasker"],
    ["perft", "hexapawn", "1", "--engine", "steam"],
    ["perft", "hexapawn", "1", "--position", "BBB"],
    ["perft", "hexapawn", "1", "--position", "\ud800"],
    ["perft", "hexapawn", "1", "--position", "B" * 1_000_000],
    ["perft", "nine_mens_morris", "1", "--position", "\0"],
    ["perft", "hexapawn", "1", "--nonsense"],
    ["match", "hexapawn", "random"],
    ["match", "hexapawn", "random", "nobody", "--games", "1"],
    ["match", "hexapawn", "random", "random:x=1", "--games", "1"],
    ["match", "hexapawn", "random", "playouts:games=0", "--games", "1"],
    ["match", "hexapawn", "random", "playouts:threads=-1", "--games", "1"],
    ["match", "hexapawn", "random", "random", "--games", "0"],
    ["match", "hexapawn", "random", "random", "--games", "-3"],
    ["match", "hexapawn", "random", "random", "--seed", "x"],
    ["match", "hexapawn", "random", "random", "--max-plies", "0"],
    ["match", "hexapawn", "random", "random", "--games", "1", "--record", "/nowhere/file"],
    ["match", "hexapawn", "random", "random", "--games", "1", "--record", "/"],
    ["match", "hexapawn", "random", "random", "--games", "1", "--record", "a\0b"],
    ["match", "hexapawn", "random", "random", "--games", "1", "--record", "x" * 5000],
    ["players", "chess"],
    ["play", "chess"],
    ["play", "--side", "third"],
    ["play", "--opponent", "nobody"],
    ["play", "--position", "nowhere"],
    ["games", "too", "many"],
    # These never ended, or were tracebacks.
    ["dataset", "stats", "/dev/zero"],
    ["dataset", "expand", "/dev/zero", "--out", "/tmp/no/such/folder/x"],
    ["train", "nnmm", "--data", "/dev/full", "--out", ""],
    ["certify", "scholar", "--check", "--out", ""],
    ["export", "tournament", "/", "--out", "/nowhere/x"],
    ["certify", "scholar", "--errors", "9" * 5000],
    ["bench", "extra"],
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda arguments: repr(arguments)[:60])
def test_bad_input_is_one_line_and_status_2(ludus, arguments):
    result = ludus(*arguments)
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("ludus: ")
    assert result.err.count("\n") == 1
    assert len(result.err) < 500
    assert result.err.rstrip("\n").isprintable()


def test_the_line_says_what_is_wrong(ludus):
    assert "did you mean hexapawn?" in ludus("perft", "hexapawm", "1").err
    assert "depth" in ludus("perft", "hexapawn", "101").err.lower()
    assert "nobody" in ludus("play", "--opponent", "nobody").err
    known = "train migo, show migo, explain migo"
    assert ludus("migo", "--help").err == f"ludus: there is no command 'migo'; there are {known}\n"


@pytest.mark.parametrize("system", ["gammon", "gammon-selfplay", "gammon-expert", "scholar"])
def test_a_seed_that_no_generator_takes_is_refused(ludus, system):
    data = ["--data", "/nowhere"] if system == "gammon-expert" else []
    result = ludus("train", system, *data, "--out", "/nowhere/x", "--seed", "-1")
    assert result.status == 2
    assert "seed=-1 must be from 0" in result.err


def test_the_file_is_named_once(ludus):
    show = ("show", "migo")
    missing = "cannot read 'missing.py': No such file or directory"
    assert ludus(*show, "missing.py").err == f"ludus: {missing}\n"
    assert (
        ludus(*show, "hexapawn", "--program", "/").err == "ludus: cannot read '/': Is a directory\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("choose hexapawn random --positions empty", "'empty' has no position"),
        ("choose hexapawn random --positions /dev/null --json", "'/dev/null' has no position"),
        ("reproduce --experiments .", "there are no experiments in "),
        ("reproduce --list --json --experiments .", "there are no experiments in "),
        ("train scholar --out new --evaluation-set empty", "'empty' has no entries"),
        (
            "train scholar --out new --evaluation-set some.txt --evaluation-set some",
            "two evaluation sets are named 'some'",
        ),
        ("train gammon --data empty --out new", "'empty' has no position"),
        ("train gammon --test /dev/null", "'/dev/null' has no position"),
        ("train gammon-expert --hidden 1 --batch 4 --data empty --out new", "cannot make 'empty'"),
    ],
)
def test_input_with_nothing_to_work_on_is_refused(ludus, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").touch()
    for name in ("some", "some.txt"):
        (tmp_path / name).write_text(f"{'O' * 24}9900-a1\n")
    result = ludus(*words.split())
    assert result.status == 2
    assert result.err.startswith("ludus: ")
    assert result.err.count("\n") == 1
    assert message in result.err
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "some", "some.txt"}


def test_a_file_without_games_is_not_converted(ludus, tmp_path):
    out = tmp_path / "x.mat"
    result = ludus("convert", "/dev/null", "--out", str(out))
    assert (result.status, result.err) == (2, "ludus: '/dev/null' has no games\n")
    assert not out.exists()


def test_arguments_that_are_no_text():
    result = process("perft", b"hexa\xffpawn", "1")
    assert (result.status, result.out) == (2, "")
    assert result.err == "ludus: argument 2, 'hexa\\udcffpawn', is not valid UTF-8 text\n"


def test_a_terminal_without_unicode():
    result = process("play", "--text", "hexapawn", text="quit\n", PYTHONIOENCODING="ascii")
    assert result.status == 0
    assert result.err == ""


def test_input_that_is_no_text_is_only_a_bad_move():
    done = subprocess.run(
        [*PROGRAM, "play", "--text", "hexapawn", "--seed", "1"],
        input=b"\xff\xfe\0\nquit\n",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0
    assert b"not a legal move" in done.stdout
    assert done.stderr == b""


def test_a_closed_pipe_ends_quietly():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run(
            [*PROGRAM, "games", "--json"],
            stdout=closed,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.parametrize(
    "arguments",
    [
        ("perft", "nine_mens_morris", "20"),
        ("match", "nine_mens_morris", "playouts", "playouts", "--games", "1000000"),
        ("play", "--text", "nine_mens_morris"),
        ("tune", "patterns", "--trials", "100000", "--games", "20", "--threads", "1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_interrupt_ends_quietly(arguments, tmp_path):
    record = tmp_path / "games.txt"
    more = ("--record", str(record)) if arguments[0] == "match" else ()
    with subprocess.Popen(
        [*PROGRAM, *arguments, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        wait_until_at_work(running, "morris", signal.SIGINT)
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    # A match that has finished games prints and records them.
    assert complaint == b"" or complaint.startswith(b"ludus: interrupted after ")
    assert set(tmp_path.iterdir()) == ({record} if complaint else set())
