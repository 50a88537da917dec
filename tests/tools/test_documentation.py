"""Documentation that can be checked quickly; `make docs` builds and checks all of it."""

import ast
import re
from pathlib import Path

import check_words
import draw_figures
import pytest
import release
import site_pages

ROOT = Path(__file__).parents[2]

LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")),
]
NOTEBOOKS = sorted((ROOT / "docs/tutorials").glob("[!i]*.md"))
CODE_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GENERATED = ("api/index", "cli/index", "papers/index")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(page):
    for path, heading in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        if heading:
            titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = re.findall(r'<a id="([^"]+)">', target.read_text(encoding="utf-8"))
            names = {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}
            assert heading in names | {*anchors}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_modules_and_files_of_the_repository_exist(page):
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:src|native|tests|tools|benchmarks|experiments)/[\w./]+)`", text):
        is_example = "/smith/" in path or "/nim/" in path
        assert is_example or (ROOT / path).exists(), path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("so many of them", ["so many"]),
        ("make_lessons and lessonPlan", ["lessons", "lesson"]),
        ("Whoever comes", ["Whoever"]),
        ('read["schooling"]', []),
        ("a scholar in so mannered a way teaches", []),
    ],
)
def test_phrases_are_found_in_texts_and_identifiers(text, words):
    assert [word for _, word in check_words.find_in_text(text)] == words


def test_names_are_found_in_identifiers_only():
    source = 'told = "told"\nuntold = is_told(x)  # told\n'
    assert check_words.find_in_names(source) == [(1, "told"), (2, "is_told")]
    assert all(check_words.suggest(word) for word in ("told", "is_told", "So many"))


def test_every_page_is_in_a_table_of_contents():
    """A page that no toctree names would be a warning of the build; so would a missing one."""
    listed = {"index"}
    for page in (ROOT / "docs").rglob("*.md"):
        folder = page.parent
        for block in TOCTREE.findall(page.read_text(encoding="utf-8")):
            for line in filter(None, block.splitlines()):
                if line.startswith(":"):
                    continue
                files = folder.glob(f"{line}.md")
                names = [file.relative_to(ROOT / "docs") for file in files]
                others = {name.removesuffix(".md") for name in site_pages.OTHER_PAGES.values()}
                assert names or line in {*GENERATED, *others}, line
                listed |= {name.with_suffix("").as_posix() for name in names}
    pages = {
        path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    }
    assert sorted(pages - listed) == [], "enter these pages in a toctree of docs/index.md"


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_cells_of_notebooks_compile_and_use_names_that_exist(page):
    import ludus

    cells = CODE_CELL.findall(page.read_text(encoding="utf-8"))
    assert len(cells) >= 3
    for cell in cells:
        for node in ast.walk(ast.parse(cell)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "ludus" or node.attr in ludus.__all__, node.attr


def test_links_are_adapted_to_the_site():
    text = "[a](docs/rules.md#b) ![c](docs/page.png) [d](src/x.py) [e](#f) [g](https://h)"
    adapted = "[a](rules.md#b) ![c](page.png) d [e](#f) [g](https://h)"
    assert site_pages.adapt_links(text, "CONTRIBUTING.md") == adapted
    assert site_pages.adapt_links("[a](../../README.md)", "docs/guide/x.md") == "[a](../index.md)"


def test_the_reference_of_the_command_line_has_every_command():
    pages = site_pages.format_cli_pages()
    text = "\n".join(pages.values())
    names = [name for name, _, _ in site_pages.list_commands()[1:]]
    assert len(names) > 50
    assert [name for name in names if f"# {name}\n" not in text] == []
    assert "`--games" in pages["match.md"]


@pytest.mark.parametrize("name", draw_figures.DRAWINGS)
def test_figures_are_those_that_the_library_draws(name):
    stored = (draw_figures.FIGURES / name).read_text(encoding="utf-8")
    assert draw_figures.DRAWINGS[name]() == stored, "run tools/draw_figures.py"


def test_the_ending_in_the_figures_is_best_play():
    import ludus

    oracle = ludus.oracle("nine_mens_morris")
    values = [oracle.value(position) for position, _ in draw_figures.play_ending()]
    assert [each.depth for each in values] == [3, 2, 1, 0]
    assert [each.result for each in values] == ["win", "loss", "win", "loss"]


def test_all_files_name_the_same_version(tmp_path):
    names = ("pyproject.toml", "CHANGELOG.md", "CITATION.cff")
    assert re.fullmatch(r"\d+\.\d+\.\d+", release.check_versions())
    for changed in names[1:]:
        for name in names:
            (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"))
        other = (tmp_path / changed).read_text().replace(release.check_versions(), "9.9.9")
        (tmp_path / changed).write_text(other)
        with pytest.raises(release.ReleaseError, match="not"):
            release.check_versions(tmp_path)


def test_the_library_names_every_public_package():
    text = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    names = [name.rpartition(".")[2] for name in site_pages.list_packages()]
    assert [name for name in names if not re.search(rf"`(ludus\.)?{name}`", text)] == []
