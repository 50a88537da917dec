"""Every example of README and guide where people run it: script, standard input, IPython, notebook.

Pytest runs the same examples as doctests, and so compares what each prints.
"""

import doctest
import json
import os
import subprocess
import sys

import pytest

from support.paths import ROOT
from support.waiting import PATIENCE

PAGES = [
    ROOT / "README.md",
    ROOT / "docs/library.md",
    ROOT / "docs/environments.md",
    ROOT / "docs/language_models.md",
    *sorted((ROOT / "docs/guide").glob("*.md")),
]

IN_IPYTHON = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in json.load(sys.stdin):
    shell.run_cell(cell, store_history=True).raise_error()
"""

IN_NOTEBOOK = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.v4.new_notebook()
notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
NotebookClient(notebook, timeout=600).execute()
shown = [each for cell in notebook.cells for each in cell.outputs if "data" in each]
assert all("text/plain" in each["data"] for each in shown)
"""


def list_cells(page):
    """Return the examples of a page that raise nothing, as source texts."""
    examples = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    return [each.source for each in examples if each.exc_msg is None]


PAGES = [page for page in PAGES if list_cells(page)]


def run_python(arguments, folder, text=None):
    done = subprocess.run(
        [sys.executable, *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=folder,
        env={**os.environ, "IPYTHONDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("how", ["file", "input", "ipython", "notebook"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page, how, tmp_path):
    cells = list_cells(page)
    if how == "file":
        (tmp_path / "example.py").write_text("".join(cells), encoding="utf-8")
        run_python(["example.py"], tmp_path)
    elif how == "input":
        run_python(["-"], tmp_path, "".join(cells))
    else:
        pytest.importorskip("IPython" if how == "ipython" else "nbclient")
        program = IN_IPYTHON if how == "ipython" else IN_NOTEBOOK
        run_python(["-c", program], tmp_path, json.dumps(cells))
