"""Pages of the documentation site that are made from the code: API, command line, papers; links.

`tools/build_docs.py` writes them beside the pages of `docs/`.
"""

import ast
import importlib
import inspect
import pkgutil
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:)([^)#\s]*)(#[^)]*)?\)")
"""A link or a picture within the repository: `!`, text, path, anchor."""

OTHER_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "experiments/backgammon/README.md": "backgammon_records.md",
    "experiments/galassi/README.md": "nnmm_records.md",
    "experiments/migo/README.md": "migo_records.md",
    "experiments/scholar/README.md": "scholar_records.md",
    "experiments/solving/README.md": "solving_results.md",
    "experiments/tesauro/README.md": "gammon_records.md",
    "experiments/vrajitoru/README.md": "patterns_records.md",
}
"""Pages outside `docs/`, and their places in the site."""


def find_site_path(path: str) -> str | None:
    """Return the place in the site of a file of the repository; None if it has none."""
    if path in OTHER_PAGES:
        return OTHER_PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def adapt_links(text: str, path: str) -> str:
    """Return the text of a page with links as they must be in the site.

    `path` is the page's own path in the repository. A link to a file that is not part of the site
    becomes its text, and the empty line that ends a doctest is left out.

    >>> adapt_links("[a](docs/rules.md#b) [c](src/x.py) [d](#e)", "CONTRIBUTING.md")
    '[a](rules.md#b) c [d](#e)'
    >>> adapt_links("[a](../CHANGELOG.md)", "docs/guide/play.md")
    '[a](../changelog.md)'
    """
    own = find_site_path(path)
    assert own is not None, path

    def replace(match: re.Match[str]) -> str:
        mark, label, target, anchor = match[1], match[2], match[3], match[4] or ""
        if not target:
            return match[0]
        place = find_site_path(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        if place is None:
            return label
        return f"{mark}[{label}]({posixpath.relpath(place, posixpath.dirname(own) or '.')}{anchor})"

    return LINK.sub(replace, text).replace("\n\n```\n", "\n```\n")


# API reference


class PublicName(NamedTuple):
    """A name of a package's `__all__`."""

    package: str
    name: str

    @property
    def value(self) -> Any:
        return getattr(importlib.import_module(self.package), self.name)

    @property
    def kind(self) -> str:
        """`module`, `class`, `function` or `data`."""
        value = self.value
        if isinstance(value, ModuleType):
            return "module"
        if inspect.isclass(value):
            return "class"
        return "function" if inspect.isroutine(inspect.unwrap(value)) else "data"

    @property
    def docstring(self) -> str:
        """Its docstring; that of a constant is the text under its assignment."""
        if self.kind == "data":
            return find_constant_docstring(self.package, self.name)
        found = inspect.getdoc(self.value) or ""
        return "" if found.startswith(f"{self.name}(") else found  # made by dataclass


def list_packages() -> list[str]:
    """Return the modules and packages with public names, `ludus` first."""
    import ludus

    found = ["ludus"]
    for each in pkgutil.walk_packages(ludus.__path__, "ludus."):
        if each.name.split(".")[1] in ("__main__", "_native", "cli", "web"):
            continue
        is_public = each.ispkg or each.name.count(".") == 1
        if is_public and hasattr(importlib.import_module(each.name), "__all__"):
            found.append(each.name)
    return found


def list_public_names() -> list[PublicName]:
    """Return the public names of all packages."""
    return [
        PublicName(package, name)
        for package in list_packages()
        for name in importlib.import_module(package).__all__
    ]


def find_constant_docstring(package: str, name: str) -> str:
    """Return the string under the assignment of a constant, in whichever module it is made."""
    path = Path(str(importlib.import_module(package).__file__))
    stub = path.with_suffix(".pyi")  # names the modules of names that are imported on first use
    body = ast.parse((stub if stub.exists() else path).read_text(encoding="utf-8")).body
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and name in _stored_names(statement):
            is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            return inspect.cleandoc(str(following.value.value)) if is_text else ""
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name == name:
                    module = f"{package}.{node.module}" if node.level else node.module
                    return find_constant_docstring(module, name)
    return ""


def _stored_names(statement: ast.stmt) -> set[str]:
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def find_homes(names: list[PublicName]) -> dict[PublicName, PublicName]:
    """Return where each name is described: the first package that offers the same object."""
    first: dict[int, PublicName] = {}
    return {
        each: each if each.kind == "data" else first.setdefault(id(each.value), each)
        for each in names
    }


def format_api_page(package: str, homes: dict[PublicName, PublicName]) -> str:
    """Return the reference of one package in reStructuredText."""
    names = [each for each in homes if each.package == package]
    names.sort(key=lambda each: each.name.lower())
    lines = [package, "=" * len(package), "", f".. automodule:: {package}", "   :no-members:", ""]
    lines += [f".. currentmodule:: {package}", ""]
    sections = {"function": "Functions", "class": "Classes", "data": "Constants and types"}
    for kind, title in sections.items():
        chosen = [each for each in names if each.kind == kind and homes[each] == each]
        if chosen:
            lines += [title, "-" * len(title), ""]
            for each in chosen:
                lines += [*_format_api_entry(each), ""]
    elsewhere = [each for each in names if each.kind in sections and homes[each] != each]
    if elsewhere:
        lines += ["Also offered here", "-----------------", ""]
        for each in elsewhere:
            role = "func" if each.kind == "function" else "class"
            home = f"{homes[each].package}.{homes[each].name}"
            lines += [f"- `{each.name}`: :py:{role}:`{home}`"]
        lines += [""]
    modules = [each.name for each in names if each.kind == "module"]
    if modules:
        lines += ["Packages", "--------", ""]
        lines += [f"- :doc:`{package}.{name} <{package}.{name}>`" for name in modules]
    return "\n".join(lines) + "\n"


def _format_api_entry(entry: PublicName) -> Iterator[str]:
    if entry.kind != "data":
        yield f".. auto{entry.kind}:: {entry.name}"
        return
    yield f".. py:data:: {entry.name}"
    shown = " ".join(repr(entry.value).split())
    if len(shown) <= 80 and " at 0x" not in shown:
        yield f"   :value: {shown}"
    yield ""
    yield from (f"   {line}" for line in entry.docstring.splitlines())


def format_api_index(packages: list[str], num_documented: int, num_names: int) -> str:
    """Return the start page of the reference."""
    return "\n".join(
        [
            "# API reference",
            "",
            "The names in `__all__` of these packages are public; modules below them may change. "
            f"Documented: {num_documented:,} of {num_names:,} names "
            f"({num_documented / num_names:.0%}). The most important ones are described with "
            "examples in [The library](../library.md).",
            "",
            "```{toctree}",
            ":maxdepth: 1",
            "",
            *packages,
            "```",
            "",
        ]
    )


# Command line


def list_commands() -> list[tuple[str, Any, Any]]:
    """Return the full name, the command and its context of every command, groups before theirs."""
    from typer.main import get_command

    from ludus.cli.help import prepare_help
    from ludus.cli.main import app

    root = prepare_help(get_command(app))

    def walk(name: str, command: Any, parent: Any) -> Iterator[tuple[str, Any, Any]]:
        context = command.context_class(command, info_name=name.rpartition(" ")[2], parent=parent)
        yield name, command, context
        if hasattr(command, "list_commands"):
            for child in command.list_commands(context):
                yield from walk(f"{name} {child}", command.get_command(context, child), context)

    return list(walk("ludus", root, None))


def is_group(command: Any) -> bool:
    """Return whether a command has commands of its own."""
    return hasattr(command, "list_commands")


def format_command(name: str, command: Any, context: Any) -> str:
    """Return the reference of one command in Markdown: usage, help, parameters."""
    lines = [f"{'#' if name.count(' ') == 1 else '##'} {name}", ""]
    lines += [inspect.cleandoc(command.help or ""), ""]
    usage = " ".join(command.collect_usage_pieces(context))
    lines += ["```text", f"{name} {usage}".strip(), "```", ""]
    records = [param.get_help_record(context) for param in command.get_params(context)]
    rows = [(*record, "") for record in records if record is not None]
    if rows and not is_group(command):
        lines += ["| parameter | meaning |", "|---|---|"]
        lines += [f"| `{_escape_cell(name)}` | {_escape_cell(text)} |" for name, text, _ in rows]
        lines += [""]
    if command.epilog:
        lines += ["```text", *(each.strip() for each in command.epilog.splitlines()[2:]), "```", ""]
    return "\n".join(lines)


def _escape_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def format_cli_pages() -> dict[str, str]:
    """Return the pages of the command line by file name: one for each command or group."""
    commands = list_commands()
    top = [name for name, _, _ in commands if name.count(" ") == 1]
    pages = {
        f"{name.split()[1]}.md": "\n".join(
            format_command(*each) for each in commands if f"{each[0]} ".startswith(f"{name} ")
        )
        for name in top
    }
    num_commands = sum(not is_group(command) for _, command, _ in commands)
    pages["index.md"] = "\n".join(
        [
            "# Command line reference",
            "",
            f"The {num_commands} commands of `ludus`, from the program itself. What holds for all "
            "of them is described in [The command line](../command_line.md).",
            "",
            "```{toctree}",
            ":maxdepth: 1",
            "",
            *(name.split()[1] for name in top),
            "```",
            "",
        ]
    )
    return pages


# Papers

PAPERS = {
    "galassi": "Galassi 2016: neural nine men's morris",
    "vrajitoru": "Vrajitoru 2015: patterns",
    "tesauro": "Tesauro and Sejnowski 1988: backgammon",
    "migo": "Muggleton and Hocquette 2019: MIGO",
    "scholar": "Training on perfect play",
}
"""Folders of `experiments` with stored results, and their titles."""


def write_papers(folder: Path) -> int:
    """Write a page for every experiment with stored results, and return their number."""
    from ludus.reproduce import list_experiments
    from ludus.reproduce.report import write_report
    from ludus.reproduce.results import read_results

    experiments = [each for each in list_experiments(ROOT / "experiments") if each.results.exists()]
    by_paper: dict[str, list[str]] = {}
    for experiment in experiments:
        files, missing = write_report(read_results(experiment), folder / experiment.id)
        assert not missing, missing
        for file in files:
            if file.suffix in (".html", ".json"):
                file.unlink()
        by_paper.setdefault(experiment.path.parent.name, []).append(f"{experiment.id}/report")
    lines = ["# Papers and results", ""]
    lines += [
        "Published tables and figures beside our own, made from the stored results of "
        "`experiments/`; `ludus reproduce ID` runs one again. [Experiments](../experiments.md) "
        "says how they are compared.",
        "",
    ]
    for paper, pages in sorted(by_paper.items(), key=lambda item: [*PAPERS].index(item[0])):
        lines += [f"## {PAPERS[paper]}", "", "```{toctree}", ":maxdepth: 1", "", *pages, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
    return len(experiments)
