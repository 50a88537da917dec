"""Documentation that can be checked: paths that exist, and the words of `tools/check_words.py`."""

import re
from pathlib import Path

import check_words
import pytest

ROOT = Path(__file__).parents[2]

TABLE_ROW = re.compile(r"^\| (.+\?) \| `([^`]+)` \|$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def where_to_find() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.partition("## Where to find\n")[2].partition("\n## ")[0]


def test_questions_of_newcomers_are_answered_by_one_existing_file_each():
    answers = TABLE_ROW.findall(where_to_find())
    num_rows = sum(line.startswith("| ") for line in where_to_find().splitlines()) - 1
    assert len(answers) == num_rows >= 30
    assert len({question for question, _ in answers}) == num_rows
    assert [path for _, path in answers if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page):
    for path, heading in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        if heading:
            titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = re.findall(r'<a id="([^"]+)">', target.read_text(encoding="utf-8"))
            names = {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}
            assert heading in names | {*anchors}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
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
