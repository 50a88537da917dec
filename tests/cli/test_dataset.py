"""`ludus dataset`, from the command line."""

import json
import re

import pytest

from support.command_line import process

LINES = """\
OOOOOOOOOOOOOOOOOOOOOOOO9900-d6
MMOOEEOOOOOOOOOOOOOOOOOE7623-g7d6
MMOOMOOOOEOOOOEOOOOOOEOO0033-d6g7a4
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "dataset.txt"
    path.write_text(LINES)
    return path


def test_stats_for_programs_and_for_people(ludus, file, tmp_path):
    picture = tmp_path / "picture.svg"
    found = json.loads(ludus("dataset", "stats", str(file), "--plot", str(picture), "--json").out)
    assert (found["entries"], found["phases"]) == (3, {"1": 2, "2": 0, "3": 1})
    assert found["classes"]["TO"]["g7"] == 2
    assert found["entropy"]["TO"] == pytest.approx(0.918296)
    assert found["illegal"] == found["impossible"] == {}
    assert picture.read_text().startswith("<svg")
    out = ludus("dataset", "stats", str(file)).out
    assert "3 entries, 3 with a move; phases 1: 2, 2: 0, 3: 1" in out
    assert re.search(r"g7 +66.67% +0.00% +0.00%", out)
    assert re.search(r"entropy +0.918 bits", out)


def test_check_says_what_is_wrong_where(ludus, file):
    assert ludus("dataset", "check", str(file)).status == 0
    with file.open("a") as more:
        more.write("nonsense\nMMOOEEOOOOOOOOOOOOOOOOOE7623-g7\n")
    result = ludus("dataset", "check", str(file))
    assert result.status == 1
    assert "line 4: 'nonsense' does not begin with 24 letters" in result.out
    assert "a mill is closed but no man is taken: 1 (lines 5)" in result.out
    assert "repeated states: 1 (lines 5)" in result.out
    found = json.loads(ludus("dataset", "check", str(file), "--json").out)
    assert (found["is_right"], found["duplicates"]) == (False, [[5, 2]])
    assert found["bad"][0]["number"] == 4


def test_an_empty_dataset_is_not_valid(ludus, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.touch()
    result = ludus("dataset", "check", str(empty))
    assert (result.status, result.out.splitlines()[-1]) == (1, "0 entries; nothing to check")


def test_rules_decide_what_is_legal(ludus, file):
    file.write_text("MMOOMOOOOEOOOOEOOOOOOEOO0033-d6g7a4\n")
    assert ludus("dataset", "check", str(file), "--rules", "flying=no").status == 1


def test_expand_by_both_recipes(ludus, file, tmp_path):
    out = tmp_path / "expanded.txt"
    arguments = ("dataset", "expand", str(file), "--out", str(out), "--force")
    plain = json.loads(ludus(*arguments, "--json").out)
    # d6 goes to the middles of the middle ring, where inside out changes nothing.
    assert (plain["entries"], plain["written"]) == (3, 1 + 16 + 16)
    assert len(out.read_text().splitlines()) == plain["written"]
    published = json.loads(ludus(*arguments, "--recipe", "published", "--json").out)
    assert published["written"] == 1 + 16 + 31
    assert ludus("dataset", "check", str(out)).status == 0
    assert "3 entries became 33 in" in ludus(*arguments).out


def test_label_with_what_is_solved_in_no_time(ludus, file, tmp_path):
    out = tmp_path / "labelled.txt"
    arguments = ("dataset", "label", str(file), "--out", str(out), "--force")
    found = json.loads(ludus(*arguments, "--json").out)
    assert found["results"] == {"loss": 0, "draw": 0, "win": 1, "unknown": 2}
    assert (found["critical"], found["critical_kept"]) == (1, 1)
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert "\n".join(line[0] for line in lines) + "\n" == LINES
    assert [line[1] for line in lines] == ["unknown", "unknown", "win"]
    assert "1 are critical; their moves keep the value in 100.0%" in ludus(*arguments).out


@pytest.mark.parametrize(
    ("command", "name"), [("label", "out"), ("expand", "out"), ("export", "out.parquet")]
)
def test_a_file_without_entries_is_no_dataset(ludus, tmp_path, command, name):
    empty, out = tmp_path / "empty", tmp_path / name
    empty.write_text("")
    result = ludus("dataset", command, str(empty), "--out", str(out))
    assert (result.status, result.err) == (2, f"ludus: {str(empty)!r} has no entries\n")
    assert not out.exists()


def test_generate_and_go_on(ludus, tmp_path):
    out = tmp_path / "dataset.txt"
    arguments = (
        *("dataset", "generate", "nine_mens_morris", "--teacher", "newbie"),
        *("--opponents", "random,basic", "--states", "80", "--out", str(out), "--jobs", "2"),
    )
    made = json.loads(ludus(*arguments, "--json").out)
    assert (made["states"], made["resumed"], made["opponents"]) == (80, 0, ["random", "basic"])
    assert json.loads((tmp_path / "dataset.txt.json").read_text())["sha256"] == made["sha256"]
    assert len(out.read_text().splitlines()) == 80
    assert ludus("dataset", "check", str(out)).status == 0
    assert "80 states of" in ludus(*arguments).out


GENERATE = ("dataset", "generate", "nine_mens_morris", "--states", "5")

BAD = [
    ["dataset", "nonsense"],
    ["dataset", "stats"],
    ["dataset", "stats", "/nowhere/file"],
    ["dataset", "stats", "/"],
    ["dataset", "stats", "a\0b"],
    ["dataset", "stats", "FILE", "--rules", "lasker"],
    ["dataset", "stats", "FILE", "--rules", "nobody"],
    ["dataset", "stats", "FILE", "--plot", "/nowhere/picture.svg"],
    ["dataset", "expand", "FILE"],
    ["dataset", "expand", "FILE", "--out", "/nowhere/file"],
    ["dataset", "expand", "FILE", "--out", "OUT", "--recipe", "nobody"],
    ["dataset", "expand", "BAD", "--out", "OUT"],
    ["dataset", "label", "BAD", "--out", "OUT"],
    ["dataset", "label", "FILE", "--out", "OUT", "--oracle", "/nowhere"],
    ["dataset", "generate", "hexapawn", "--states", "5", "--out", "OUT"],
    ["dataset", "generate", "chess", "--states", "5", "--out", "OUT"],
    ["dataset", "generate", "nine_mens_morris", "--states", "0", "--out", "OUT"],
    [*GENERATE, "--out", "/nowhere/file"],
    [*GENERATE, "--out", "/"],
    [*GENERATE, "--out", "x" * 5000],
    [*GENERATE, "--out", "a\0b"],
    [*GENERATE, "--out", "OUT", "--time", "0"],
    [*GENERATE, "--out", "OUT", "--teacher", "nobody"],
    [*GENERATE, "--out", "OUT", "--opponents", "nobody"],
    [*GENERATE, "--out", "OUT", "--options", "x=1"],
    ["dataset", "fetch", "nothing"],
    ["dataset", "fetch", "nnmm", "--out", "x" * 5000],
    ["dataset", "fetch", "nnmm", "--out", "a\0b"],
    ["dataset", "fetch", "nnmm", "--out", "OUT", "--from", "file:///"],
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda arguments: repr(arguments[1:])[:60])
def test_bad_input_is_one_line_and_writes_nothing(ludus, file, tmp_path, arguments):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(LINES.encode() + b"\xff\0\n")
    names = {"FILE": str(file), "BAD": str(bad), "OUT": str(tmp_path / "out")}
    result = ludus(*(names.get(argument, argument) for argument in arguments))
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("ludus: ")
    assert result.err.count("\n") == 1
    assert len(result.err) < 500
    assert {path.name for path in tmp_path.iterdir()} == {"dataset.txt", "bad.txt"}


def test_help_imports_no_arrays():
    """`ludus dataset --help` stays as light as the rest."""
    result = process("dataset", "--help", PYTHONPROFILEIMPORTTIME="1")
    assert result.status == 0
    assert "numpy" not in result.err
