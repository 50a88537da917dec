"""No text makes a regular expression work longer than in proportion to its length."""

import importlib
import re

import pytest

from support.paths import ROOT
from support.regex_work import Matcher, list_attacks

SIZES = (16, 32, 64)


def list_patterns():
    """Return the expressions of all modules by their names."""
    found = {}
    for path in sorted((ROOT / "src").glob("ludus/**/*.py")):
        if "re.compile(" in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
            for key, value in vars(importlib.import_module(name)).items():
                if isinstance(value, re.Pattern):
                    found[f"{name}.{key}"] = value
    return found


PATTERNS = list_patterns()


def count_work(pattern):
    """Return the steps for each attack at each size."""
    matcher = Matcher(pattern)
    works = ([matcher.count(text) for text in list_attacks(pattern, size)] for size in SIZES)
    return list(zip(*works, strict=True))


@pytest.mark.parametrize("name", PATTERNS)
def test_work_grows_linearly(name):
    for once, twice, four_times in count_work(PATTERNS[name]):
        assert four_times - twice <= 2.5 * (twice - once) + 100


@pytest.mark.parametrize(
    "text", [r"\s*(\S.*?)\s*:\s*(\d{1,4})", r"[^\n]*\n?.{0,4000}point match", r"(?:a|a)*b"]
)
def test_slow_expressions_are_found(text):
    def find():
        works = count_work(re.compile(text, re.DOTALL))
        return any(four - two > 3 * (two - one) for one, two, four in works)

    try:
        assert find()
    except OverflowError:
        assert text == r"(?:a|a)*b"


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        (r"a*?b|(c+)(?:d{2,3})?+", "ccdd"),
        (r"[^\W\d]+(?=-)-\s(?!x).", "ab- y"),
        (r"(?>a+)ab", "aaab"),
        (r"x*+x", "xxx"),
        (r"(?:ab?)*?c", "abaac"),
    ],
)
def test_the_counting_matcher_agrees_with_python(text, sample):
    matcher = Matcher(re.compile(text))
    for end in range(len(sample) + 1):
        for begin in range(end + 1):
            part = sample[begin:end]
            found = any(at == len(part) for at in matcher.run(part))
            assert found == bool(re.fullmatch(text, part)), part
