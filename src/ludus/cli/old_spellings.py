"""Spellings of commands and options of the release before, which work in this release.

They are replaced before the command line is parsed; a note names the new spelling.
"""

from collections.abc import Iterator, Sequence

from ludus.core.spec import FALSE, TRUE

OLD_COMMANDS = {
    "backgammon analyse": "analyse backgammon",
    "backgammon convert": "convert",
    "backgammon hint": "analyse backgammon",
    "backgammon import": "import gammon",
    "backgammon mat": "convert",
    "backgammon review": "analyse backgammon --evaluator gnubg --no-luck",
    "menace show": "show menace",
    "migo explain": "explain migo",
    "migo learn": "train migo",
    "migo show": "show migo",
    "nnmm import": "import nnmm",
    "nnmm join": "join nnmm",
    "patterns show": "show patterns",
    "patterns train": "train patterns",
    "patterns tune": "tune patterns",
    "scholar certify": "certify scholar",
}
"""Old words of a command, and its new words."""

EACH = "--NAME VALUE"
"""For an old option with a list `a=1,b=2`: each of the names is an option now."""

OLD_OPTIONS: dict[str, dict[str, str]] = {
    "match": {"--one-by-one": ""},
    "train deepq": {"--set": EACH, "--weights": "--out"},
    "train gammon-selfplay": {"--boards": "--lookahead-boards"},
    "train her": {"--set": EACH},
    "train menace": {"--set": EACH},
    "train migo": {"--set": EACH, "--self-play": "--selfplay"},
    "train nnmm": {"--set": EACH},
    "train patterns": {"--onto": "--base"},
    "train qlearning": {"--set": EACH},
    "train scholar": {
        "--begin": "--init-from",
        "--exam": "--evaluation-set",
        "--way": "--kind",
    },
    "certify scholar": {"--care": "--loss-aversion"},
}
"""Old options of a command, by its new words, and the new options; empty: not needed any more."""


def replace_old_spellings(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a command line in the spellings of now, and what to say about each old one.

    >>> replace_old_spellings(["migo", "learn", "hexapawn", "--self-play"])[0]
    ['train', 'migo', 'hexapawn', '--selfplay']
    """
    notices = []
    words, rest = list(arguments[:2]), list(arguments[2:])
    if (command := OLD_COMMANDS.get(" ".join(words))) is not None:
        notices.append(_format_notice(" ".join(words), command))
        words = command.split()
    elif " ".join(words) not in OLD_OPTIONS:
        words, rest = list(arguments[:1]), list(arguments[1:])
    renamed = OLD_OPTIONS.get(" ".join(words), {})
    end = rest.index("--") if "--" in rest else len(rest)
    line: list[str] = []
    options = iter(rest[:end])
    for argument in options:
        name, equals, value = argument.partition("=")
        new = renamed.get(name)
        if new is None:
            line.append(argument)
            continue
        if new == EACH:
            replaced = list(_spread_options(words[-1], value if equals else next(options, "")))
        else:
            replaced = [f"{new}{equals}{value}"] if new else []
        notices.append(_format_notice(name, " ".join(replaced) or "not needed"))
        line += replaced
    return [*words, *line, *rest[end:]], notices


def _spread_options(learner: str, text: str) -> Iterator[str]:
    """Yield `--a 1 --b 2` for `a=1,b=2`; an option of yes or no is a flag."""
    from ludus.learn.training import find_training

    fields = find_training(learner).Config.model_fields
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, value = map(str.strip, part.partition("="))
        is_flag = name in fields and fields[name].annotation in (bool, bool | None)
        flag = name.replace("_", "-")
        if is_flag and value in TRUE:
            yield f"--{flag}"
        elif is_flag and value in FALSE:
            yield f"--no-{flag}"
        else:
            yield from (f"--{flag}", value)


def _format_notice(old: str, new: str) -> str:
    return f"{old} is {new} now; the old spelling works in this release"
