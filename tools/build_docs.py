"""Build the documentation site of `docs/` into `build/docs`, without network; warnings are errors.

    python tools/build_docs.py [--builder linkcheck] [--out DIR]

The pages of `docs/` and a few others are copied to `build/docs-source` with links adapted; pages
made from the code (`tools/site_pages.py`) are written beside them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from site_pages import (
    OTHER_PAGES,
    ROOT,
    adapt_links,
    find_homes,
    format_api_index,
    format_api_page,
    format_cli_pages,
    list_packages,
    list_public_names,
    write_papers,
)

SOURCE = ROOT / "build" / "docs-source"


def prepare() -> list[str]:
    """Write all sources; return the public names that are not documented."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE)
    pages = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        (SOURCE / page.removeprefix("docs/")).write_text(adapt_links(text, page), encoding="utf-8")
    for page, place in OTHER_PAGES.items():
        if place != "index.md":
            text = (ROOT / page).read_text(encoding="utf-8")
            (SOURCE / place).write_text(adapt_links(text, page), encoding="utf-8")
    missing = write_api(SOURCE / "api")
    (SOURCE / "cli").mkdir()
    for name, text in format_cli_pages().items():
        (SOURCE / "cli" / name).write_text(text, encoding="utf-8")
    (SOURCE / "papers").mkdir()
    print(f"{write_papers(SOURCE / 'papers')} experiments from stored results", flush=True)
    return missing


def write_api(folder: Path) -> list[str]:
    """Write the API reference, print the share of documented names, return the others."""
    folder.mkdir()
    packages, names = list_packages(), list_public_names()
    missing = [f"{each.package}.{each.name}" for each in names if not each.docstring]
    num_documented = len(names) - len(missing)
    share = f"{num_documented / len(names):.1%}"
    print(f"{num_documented} of {len(names)} public names are documented ({share})", flush=True)
    homes = find_homes(names)
    for package in packages:
        (folder / f"{package}.rst").write_text(format_api_page(package, homes), encoding="utf-8")
    index = format_api_index(packages, num_documented, len(names))
    (folder / "index.md").write_text(index, encoding="utf-8")
    return missing


def find_unlisted_names(out: Path) -> list[str]:
    """Return the public names that the built site's index of objects lacks."""
    from sphinx.util.inventory import InventoryFile

    with (out / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, path: path)
    listed = {name for kind in inventory for name in inventory[kind] if kind.startswith("py:")}
    homes = find_homes(list_public_names()).values()
    return [name for each in homes if (name := f"{each.package}.{each.name}") not in listed]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--builder", default="html", help="html, or linkcheck for other sites")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs", help="output folder")
    options = parser.parse_args()
    if missing := prepare():
        print(f"not documented: {', '.join(missing)}", file=sys.stderr)
        return 1
    shutil.rmtree(options.out, ignore_errors=True)
    # Notebooks run without a person's own IPython settings, and kernels report errors alone.
    profile = ROOT / "build" / "docs-ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
    environment = {
        **os.environ,
        "IPYTHONDIR": str(profile.parent),
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
    }
    # While one notebook runs, pages are read or another one runs.
    command = [sys.executable, "-m", "sphinx", "-b", options.builder, "-j2", "-W"]
    command += ["--keep-going", "-q"]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    command += ["-D", f"version={version}", "-D", f"release={version}"]
    if options.builder != "html":
        command += ["-D", "nb_execution_mode=off"]
    doctrees = ROOT / "build" / "docs-trees"
    shutil.rmtree(doctrees, ignore_errors=True)
    status = subprocess.run(
        [*command, "-d", str(doctrees), str(SOURCE), str(options.out)], env=environment, cwd=ROOT
    ).returncode
    if status or options.builder != "html":
        return status
    if unlisted := find_unlisted_names(options.out):
        print(f"not in the reference: {', '.join(unlisted)}", file=sys.stderr)
        return 1
    print(f"{options.out}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
