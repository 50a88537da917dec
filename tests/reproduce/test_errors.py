"""Faulty experiments: one line, and status 2."""

import json

import pytest

from ludus.cli.main import run
from support.small_experiments import CODE, TOML, write

ENDLESS = "1" * 5000


@pytest.fixture
def complaint(tmp_path, capsys):
    """Return the one line of a failing command."""

    def call(*arguments, code=CODE, toml=TOML):
        folder = write(tmp_path, code, toml)
        options = ["--experiments", str(folder), "--out", str(tmp_path / "out")]
        status = run(["reproduce", *options, *(arguments or ["smith-table-1"])])
        out, err = capsys.readouterr()
        assert status == 2, err
        assert out == ""
        assert err.startswith("ludus: ")
        assert err.count("\n") == 1
        return err

    return call


def test_an_unknown_id_is_answered_with_what_was_meant(complaint):
    assert "did you mean smith-table-1?" in complaint("smith-tabel-1")
    assert "there is no experiment ''" in complaint("")
    complaint("x" * 100_000)
    complaint("\0")


def test_unknown_sizes(complaint):
    assert "did you mean quick?" in complaint("smith-table-1", "--size", "quik")
    assert "did you mean quick?" in complaint("--size", "quik")  # which would list all items
    found = complaint("smith-table-1", "--size", "published")
    assert "smith-table-1 has no size 'published'; there are quick, certain" in found


def test_folders_that_are_not_there(complaint, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert "no folder" in complaint("smith-table-1", "--experiments", str(tmp_path / "none"))
    assert "not a folder" in complaint("smith-table-1", "--oracle", str(file))
    assert "cannot make" in complaint("smith-table-1", "--out", str(file))
    assert "no stored results" in complaint("smith-table-1", "--from-results")
    assert "do not go with" in complaint("smith-table-1", "--from-results", "--fresh")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id = ", "id ", "is not TOML"),
        ("[[rows]]", f"x = {ENDLESS}\n[[rows]]", "is not TOML"),
        ("x", "\0", "is not TOML"),
        ('id = "smith-table-1"', 'id = "jones-table-1"', "the file's place says smith-table-1"),
        ('title = "Throws of a coin"', "", "the key title is missing"),
        (
            'source = "Smith 1900, Table 1"',
            "source = 3",
            "source = 3: input should be a valid string",
        ),
        (
            "differences = [",
            "differences = [1, ",
            "differences.0 = 1: input should be a valid string",
        ),
        ("published = 52", "published = inf", "row 'heads': published = inf: it must be a number"),
        ("published = 52", f"published = {'9' * 400}", "must be a number"),
        ("published = 52", "published = true", "must be a number"),
        ("published = 52", "published = 152", "152% is not a percentage"),
        ("games = 100", "games = 0", "games = 0: input should be greater than or equal to 1"),
        ("error = 0.25", "low = 3", "half an interval"),
        ('"length"', '"heads"', "two rows are called 'heads'"),
        (
            "[sizes.quick]",
            "[sizes.small]",
            "sizes.small = 'small': input should be 'quick', 'reduced', 'published' or 'certain'",
        ),
        ('cost = "1 s"', "", "has no text `cost`"),
        (
            'id = "s',
            'default_size = ["quick"]\nid = "s',
            "default_size = ['quick']: input should be a valid string",
        ),
    ],
)
def test_broken_toml(complaint, old, new, message):
    assert old in TOML or old == "x"
    toml = TOML + "x" if old == "x" else TOML
    assert message in complaint(toml=toml.replace(old, new, 1))


def test_no_sizes(complaint):
    before, _, rest = TOML.partition("[sizes.quick]")
    toml = before + rest[rest.index("[[rows]]") :]
    assert "[sizes.…] is missing" in complaint(toml=toml)


def test_toml_that_is_no_text(complaint, tmp_path):
    write(tmp_path)
    place = tmp_path / "experiments" / "smith"
    (place / "table_2.py").write_text(CODE)
    (place / "table_2.toml").write_bytes(b"\xff\xfe\x00")
    assert "is not valid UTF-8" in complaint("smith-table-2")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def run(context:", "line 1: SyntaxError"),
        ("import no_such_module", "line 1: ModuleNotFoundError"),
        ("x = 1", "has no function run(context)"),
        ("\ndef run(context):\n    yield 1 / 0", "line 3: ZeroDivisionError"),
        ("def run(context):\n    yield 3", "run yields 3, which is no Measurement"),
        ("def run(context):\n    return 3", "TypeError"),
        ("def run(context):\n    context.setting('speed')\n    yield", "has no 'speed'"),
        ("def run(context):\n    context.published['grid']\n    yield", "has no key 'grid'"),
        ("def run(context):\n    context.cached('x', object)\n    yield", "TypeError"),
        (CODE.replace('"first player wins"', '"heads"'), "'heads' is measured twice"),
        (CODE.replace("Figure 1", "–"), "no name for a figure"),
        (CODE.replace("draw, [", "lambda axes, data: None, ["), "is not a top-level function"),
        (CODE.replace("axes.bar", "axes.no_such"), "cannot be drawn: AttributeError"),
        (CODE.replace("[heads, games - heads]", "{1, 2}"), "JSON cannot hold it"),
        (CODE.replace("sorted(tally.reasons.items())", "[(1,)]"), "rows of another length"),
        (CODE.replace("sorted(tally.reasons.items())", "[({}, 1)]"), "{} cannot stand in"),
        (CODE.replace('"random", games', '"randon", games'), "did you mean random?"),
        (CODE.replace("games)\n    heads", "0)\n    heads"), "0 games cannot be played"),
        (
            CODE.replace("games)\n    heads", "9, starter='both')\n    heads"),
            "must be first, second",
        ),
        (CODE.replace('"hexapawn"', '"hexa"'), "there is no game 'hexa'"),
    ],
)
def test_broken_experiments(complaint, code, message):
    assert message in complaint(code=code)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text[: len(text) // 2], "is no file of results"),
        (lambda text: "[" * 100_000, "is no file of results"),
        (lambda text: "[]", "is no file of results"),
        (lambda text: text.replace('"smith-table-1"', '"jones-table-1"'), "results of 'jones"),
        (lambda text: text.replace('"ours": 50.0', '"ours": "50"'), "measured as '50'"),
        (lambda text: text.replace('"ours": 50.0', '"ours": NaN'), "measured as nan"),
        (lambda text: text.replace('"draw": "draw"', '"draw": "paint"'), "no function paint"),
        (lambda text: text.replace('"remarks"', '"marks"'), "KeyError: 'remarks'"),
    ],
)
def test_broken_results(complaint, capsys, tmp_path, spoil, message):
    folder = write(tmp_path)
    options = ["--experiments", str(folder), "--out", str(tmp_path / "out"), "--save"]
    assert run(["reproduce", "smith-table-1", *options]) == 0
    capsys.readouterr()
    stored = folder / "smith" / "results" / "smith-table-1.json"
    text = stored.read_text()
    json.loads(text)
    stored.write_text(spoil(text))
    assert spoil(text) != text
    assert message in complaint("smith-table-1", "--from-results")


def test_other_experiments_do_not_stand_in_the_way(complaint, capsys, tmp_path):
    folder = write(tmp_path)
    (folder / "smith" / "aaa.py").write_text("")
    (folder / "smith" / "aaa.toml").write_text("= broken")
    assert "is not TOML" in complaint("smith-aaa")
    options = ["--experiments", str(folder), "--out", str(tmp_path / "out")]
    assert run(["reproduce", "smith-table-1", *options]) == 0
    capsys.readouterr()
    assert run(["reproduce", "--list", *options]) == 0
    out = capsys.readouterr().out
    assert "smith-aaa" in out
    assert "Throws of a coin" in out
