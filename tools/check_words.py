"""Find words that this project does not use, and print every occurrence with its line.

    python tools/check_words.py

The words are metaphors and archaic phrases for which the field has terms of its own: `ReplayBuffer`
instead of shelves, a training step of a learner instead of a lesson of a pupil, "a player that"
instead of whoever. Phrases are searched for in all text files, names only in Python identifiers,
where a noun or verb says more.
"""

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PHRASES = {
    r"attendances?": "trainer",
    r"class-?rooms?": "training",
    r"harmonics?": "Fourier basis, irreps",
    r"home-?work": "training",
    r"lessons?": "training step, example",
    r"pupils?": "learner",
    r"school(ing|ed|s)?": "training run",
    r"seed[- ]0\d\d": "author and year",
    r"shel(f|ves)": "ReplayBuffer, buffer",
    r"so many": "the number of",
    r"taught": "trained",
    r"thinkers?": "WorkerPool, worker",
    r"whoever|whomever": "a player that",
}
"""Regular expressions, found in identifiers too, and what to write instead."""

NAMES = {
    "asked": "request, position",
    "asking": "request, task",
    "deciding": "policy",
    "hearing": "parser",
    "judged": "evaluated, rated",
    "road": "path, history",
    "said": "logits, output",
    "seated": "session",
    "telling": "explanation",
    "things": "features",
    "thought": "explanation",
    "told": "result, output",
    "worth": "value, utility",
}
"""Words of Python identifiers, between underscores, and what to write instead."""

ALLOWED = (
    re.compile(r"[\"'`](schooling|shelf)[\"'`]"),  # keys of files
    re.compile(r"[\"'`.]told\b"),  # a key of the HTTP interface, and its class in the page
)

KEYS = {"src/ludus/web/schemas/games.py", "src/ludus/web/views.py"}
"""Files with fields that are keys of the HTTP interface."""

EXCLUDED = {"tests/tools/test_documentation.py", "tools/check_words.py"}
"""Files that must name the words."""

FOLDERS = ("benchmarks", "docs", "experiments", "native", "src", "tests", "tools")
FILES = ("CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "Makefile", "README.md")

_PHRASE = re.compile(
    r"(?<![a-z])(" + "|".join(f"(?:{phrase})" for phrase in PHRASES) + r")(?![a-z])", re.IGNORECASE
)


def find_in_text(text: str) -> list[tuple[int, str]]:
    """Return the line numbers and words of all phrases."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern in ALLOWED:
            line = pattern.sub("", line)
        # camelCase becomes separate words.
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", line)
        found += [(number, match[0]) for match in _PHRASE.finditer(words)]
    return found


def find_in_names(text: str) -> list[tuple[int, str]]:
    """Return the line numbers and identifiers of Python that contain one of the names."""
    return [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NAME and not NAMES.keys().isdisjoint(token.string.split("_"))
    ]


def suggest(word: str) -> str:
    """Return what to write instead."""
    for phrase, instead in PHRASES.items():
        if re.fullmatch(phrase, word, re.IGNORECASE):
            return instead
    return next(NAMES[part] for part in word.split("_") if part in NAMES)


def main() -> int:
    """Print all occurrences; return 1 if there are any."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    listed = subprocess.run(
        [*command, *FOLDERS, *FILES], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    num_found = 0
    for name in sorted(filter(None, listed.split("\0"))):
        path = ROOT / name
        if name in EXCLUDED or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # weights and images
        found = find_in_text(text)
        if path.suffix == ".py" and name not in KEYS:
            found += find_in_names(text)
        for number, word in sorted(found):
            print(f"{name}:{number}: {word!r}: write {suggest(word)}")
        num_found += len(found)
    return 1 if num_found else 0


if __name__ == "__main__":
    sys.exit(main())
