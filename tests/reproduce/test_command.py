"""`ludus reproduce` from outside: what it lists, prints and writes."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from ludus.cli.main import run
from ludus.reproduce import Measurement, PublishedRow, find_experiment
from ludus.reproduce.findings import ComparedRow
from ludus.reproduce.results import classify_row, read_results
from support.paths import ROOT
from support.small_experiments import CODE, TOML, write


@pytest.fixture
def reproduce(tmp_path, capsys):
    """Run `ludus reproduce` on the small experiments; (status, out, err)."""
    folder = write(tmp_path)

    def call(*arguments, code=CODE, toml=TOML):
        write(tmp_path, code, toml)
        status = run(
            ["reproduce", *arguments, "--experiments", str(folder), "--out", str(tmp_path / "out")]
            if arguments[:1] not in (("list",), ("items",))
            else [
                "reproduce",
                *(["--list"] if arguments[0] == "list" else []),
                *arguments[1:],
                "--experiments",
                str(folder),
            ]
        )
        return status, *capsys.readouterr()

    return call


def test_listing_tells_ids_sources_and_costs(reproduce):
    status, out, _ = reproduce("list")
    assert status == 0
    assert re.search(r"smith-table-1 +Throws of a coin +Smith 1900, Table 1 +quick 1 s", out)
    found = json.loads(reproduce("list", "--json")[1])
    assert found["experiments"] == [
        {
            "id": "smith-table-1",
            "title": "Throws of a coin",
            "source": "Smith 1900, Table 1",
            "sizes": {"quick": "1 s", "certain": "2 s"},
            "default_size": "quick",
            "stored": None,
        }
    ]


def test_listing_tells_size_and_date_of_stored_results(reproduce, tmp_path):
    assert re.search(r"quick 1 s, certain 2 s +nothing", reproduce("list")[1])
    reproduce("smith-table-1", "--save")
    file = tmp_path / "experiments" / "smith" / "results" / "smith-table-1.json"
    day = json.loads(file.read_text())["date"]
    stored = json.loads(reproduce("list", "--json")[1])["experiments"][0]["stored"]
    assert stored == {"size": "quick", "date": day, "rows": 4}
    assert "quick," in reproduce("list")[1]
    assert reproduce("smith-table-1", "--list")[0] == 2


def test_without_ids_every_published_item_has_a_status(reproduce):
    nothing = json.loads(reproduce("items", "--json")[1])["items"]
    assert [item["status"] for item in nothing] == ["not run"] * 3
    assert all("no stored results" in item["reason"] for item in nothing)
    reason = '[[reasons]]\nrows = ["not *", "tails*"]\ntext = "Smith stopped."\n[sizes.quick]'
    repeated = '[[repeated]]\nrows = ["coins fall"]\ntext = "A coin falls."\n'
    kinds = 'kinds = { "l*" = "substitute", "*" = "evaluated" }\n'
    toml = kinds + TOML.replace("[sizes.quick]", repeated + reason)
    toml = toml.replace("published = 3.5\n", "published = 9\n")
    code = CODE.replace(
        "    yield Remark",
        '    yield Conclusion("heads are as likely as tails", True, "20 of 40")\n'
        '    yield Conclusion("tails come in pairs", False, "never")\n'
        '    yield Conclusion("coins are round", None)\n'
        '    yield Conclusion("coins are thin", None, "1 to 2 mm")\n'
        '    yield Conclusion("coins fall", True, "all")\n    yield Remark',
    ).replace("import Figure", "import Conclusion, Figure")
    assert reproduce("smith-table-1", "--save", code=code, toml=toml)[0] == 0
    found = json.loads(reproduce("items", "--json", code=code, toml=toml)[1])
    keys = ("name", "kind", "status", "reason")
    assert [tuple(item[key] for key in keys) for item in found["items"]] == [
        ("heads", "evaluated", "agrees", ""),
        ("length", "substitute", "differs", ""),
        ("not measured", "evaluated", "no result", "Smith stopped."),
        ("heads are as likely as tails", "statement", "agrees", "20 of 40"),
        ("tails come in pairs", "statement", "differs", "never. Smith stopped."),
        ("coins are round", "statement", "not run", ""),
        ("coins are thin", "statement", "undecided", "1 to 2 mm"),
    ]
    counts = found["papers"][0]["counts"]["statement"]
    assert counts == {"agrees": 1, "differs": 1, "not run": 1, "undecided": 1}
    shown = reproduce("items", "--all", code=code, toml=toml)[1]
    assert re.search(r"smith-table-1 +length +9 +3.5 +2.26 … 4.74 +differs", shown)
    assert re.search(r"^all +7 +2 +2 +1 +1 +1 *$", shown, re.MULTILINE)


def test_a_paper_is_shown_by_its_name(reproduce, tmp_path):
    """What differs stands there with its reason; the page has the figures as well."""
    reason = '[[reasons]]\nrows = ["length", "not *"]\ntext = "Smith measured by eye."\n'
    toml = TOML.replace("[sizes.quick]", f"{reason}[sizes.quick]")
    toml = toml.replace("published = 3.5\n", "published = 9\n")
    assert reproduce("smith-table-1", "--save", toml=toml)[0] == 0
    (tmp_path / "experiments" / "smith" / "paper.toml").write_text(
        'title = "Smith (1900)"\nmain = ["smith-table-1: heads"]\n'
    )
    page = tmp_path / "smith.html"
    out = reproduce("smith", "--html", str(page), toml=toml)[1]
    assert out.startswith("Smith (1900)\n")
    assert re.search(r"smith-table-1 +heads +52 % +50 %", out)
    assert "length: published 9, ours 3.5 (2.26 … 4.74)\n    Smith measured by eye.\n" in out
    text = page.read_text()
    assert "Smith measured by eye." in text
    assert "<svg" in text
    assert reproduce("smith-table-1", "--all")[0] == 2
    assert reproduce("smiths")[0] == 2


@pytest.mark.parametrize(
    ("published", "ours", "status"),
    [(52.87, 52.8715, "agrees"), (52.87, 52.876, "differs"), (7, 7.4, "agrees"), (7, 8, "differs")],
)
def test_numbers_without_intervals_agree_if_they_print_alike(published, ours, status):
    row = PublishedRow(name="row", published=published)
    assert classify_row(ComparedRow(row, Measurement("row", ours))) == status


def test_listing_runs_no_experiment_and_survives_a_broken_one(reproduce):
    for what in ("list", "items"):
        status, out, _ = reproduce(what, code="raise SystemExit", toml="title = ")
        assert status == 0
        assert "broken" in out


def test_json_is_what_other_tools_read(reproduce):
    status, out, err = reproduce("smith-table-1", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["id"] == "smith-table-1"
    rows = {row["name"]: row for row in found["rows"]}
    assert [*rows] == ["heads", "length", "not measured", "first player wins"]
    heads = rows["heads"]
    assert (heads["published"], heads["ours"], heads["count"]) == (52, 50.0, 40)
    assert heads["interval"][0] < 50 < heads["interval"][1]
    assert heads["difference"] == -2
    assert (heads["within"], heads["agrees"]) == (True, True)
    assert rows["length"]["note"] == "of three"
    assert rows["not measured"]["ours"] is None
    assert rows["first player wins"]["published"] is None


def test_several_experiments_are_a_list(reproduce, tmp_path):
    place = tmp_path / "experiments" / "smith"
    (place / "table_2.py").write_text(CODE)
    (place / "table_2.toml").write_text(TOML.replace("table-1", "table-2"))
    out = reproduce("smith-table-1", "smith-table-2", "smith-table-1", "--json")[1]
    assert [found["id"] for found in json.loads(out)] == ["smith-table-1", "smith-table-2"]


def test_the_table_on_the_terminal(reproduce):
    out = reproduce("smith-table-1")[1]
    assert re.search(r"heads +52 % +50 % +−2 +33.8 … 66.2 +yes +yes +40", out)
    assert "A coin is fair." in out
    assert "report.html" in out


def test_reports_hold_everything(reproduce, tmp_path):
    reproduce("smith-table-1")
    folder = tmp_path / "out" / "smith-table-1"
    markdown = (folder / "report.md").read_text()
    page = (folder / "report.html").read_text()
    for text in (
        "Throws of a coin",
        "Smith 1900, Table 1",
        "A coin is fair.",
        "It is thrown less often.",
        "The coin is a generator of random numbers.",
        "How games end.",
        "Heads and tails.",
        "33.8 … 66.2",
    ):
        assert text in markdown
        assert text in page
    assert "](Figure-1.svg)" in markdown
    assert "prefers-color-scheme: dark" in page
    for outside in ("http://", "https://", "<script", "<link", "src="):
        assert outside not in page.replace("http://www.w3.org", "")
    svg = ElementTree.fromstring((folder / "Figure-1.svg").read_text())
    assert "heads" in "".join(svg.itertext())
    assert "currentColor" in page
    assert "currentColor" not in (folder / "Figure-1.svg").read_text()


def test_texts_cannot_break_a_report(reproduce, tmp_path):
    toml = TOML.replace("Throws of a coin", "<script>|`&\\u0007").replace('"heads"', '"a | <b>"')
    code = CODE.replace('"heads", heads', '"a | <b>", heads').replace("is fair", "is \\udc80 <i>")
    assert reproduce("smith-table-1", "--json", toml=toml, code=code)[0] == 0
    folder = tmp_path / "out" / "smith-table-1"
    page = (folder / "report.html").read_text()
    assert "<script>" not in page
    assert "<i>" not in page
    assert r"a \| &lt;b>" in (folder / "report.md").read_text()
    json.loads((folder / "results.json").read_text())


def test_the_same_seed_gives_the_same_bytes(reproduce, tmp_path):
    folder = tmp_path / "out" / "smith-table-1"

    def files(*arguments):
        assert reproduce("smith-table-1", "--fresh", *arguments)[0] == 0
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    once = files("--jobs", "1")
    assert set(once) == {"results.json", "report.md", "report.html", "Figure-1.svg"}
    assert files("--jobs", "2") == once
    other = files("--seed", "1")
    assert other["results.json"] != once["results.json"]


def test_stored_results_are_reported_without_running(reproduce, tmp_path):
    folder = tmp_path / "out" / "smith-table-1"
    reproduce("smith-table-1", "--save")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    stored = tmp_path / "experiments" / "smith" / "results" / "smith-table-1.json"
    lines = stored.read_text().splitlines()
    assert re.fullmatch(r' "date": "\d{4}-\d\d-\d\d",', lines.pop(1))
    assert lines == files["results.json"].decode().splitlines()
    for path in folder.iterdir():
        path.unlink()
    stopped = CODE.replace("def run(context):", "def run(context):\n    raise RuntimeError\n")
    assert reproduce("smith-table-1", "--from-results", code=stopped)[0] == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files


def test_without_matplotlib_tables_are_there(reproduce, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = reproduce("smith-table-1")
    assert status == 0
    assert "heads" in out
    assert err.strip() == "ludus: a figure needs matplotlib: pip install 'ludus-games[learn]'"
    folder = tmp_path / "out" / "smith-table-1"
    assert "Not drawn: a figure needs matplotlib" in (folder / "report.md").read_text()
    assert not list(folder.glob("*.svg"))


def test_files_may_share_code_with_files_beside_them(reproduce, tmp_path):
    (tmp_path / "experiments" / "smith" / "shared.py").write_text("HEADS = 7")
    code = f"from .shared import HEADS\n{CODE}".replace("games // 2", "HEADS")
    out = reproduce("smith-table-1", "--json", code=code)[1]
    assert json.loads(out)["rows"][0]["ours"] == 100 * 7 / 40


def test_the_example_of_the_documentation(tmp_path, capsys, monkeypatch):
    text = (ROOT / "docs" / "experiments.md").read_text()
    blocks = dict(re.findall(r"```(toml|python|text)\n(.*?)```", text, re.DOTALL))
    write(tmp_path, blocks["python"], blocks["toml"])
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", "smith-table-1", "--experiments", "experiments"]) == 0
    shown = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert shown == blocks["text"].splitlines()


def test_the_documentation_knows_the_stored_figures():
    """The table of the records is that of the stored results."""
    folder = ROOT
    text = (folder / "experiments" / "vrajitoru" / "README.md").read_text()
    results = read_results(find_experiment("vrajitoru-table-1", folder / "experiments"))
    for row in results.rows[::3]:
        low, high = row.interval
        figures = (
            f"| {row.published_row.published} | {row.ours.value:.1f} | {low:.1f} … {high:.1f} |"
        )
        assert figures in text, row.name
    best, plain = results.findings.remarks
    assert re.search(r"log-likelihood (−[\d.]+)\.$", best)[1] in text
    assert f"has {re.search(r'has (−[0-9.]+)', plain)[1]}" in text
