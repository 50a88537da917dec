"""What all tests share: leaving out, loudly, those that need a program this machine lacks."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

# Tests run side by side, and numpy's threads, one for each core in each of them, would wait for
# each other: twenty times as long for networks of many small matrices. Numpy reads this when it is
# loaded, so it stands here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import debian_packages

LEFT_OUT = "left out: needs "

collect_ignore_glob = ["conftest.py", "*/conftest.py"]
"""Not modules with examples; several of one name would stand in each other's way."""


def pytest_configure(config: pytest.Config) -> None:
    # A shell that starts us in the background lets us ignore Ctrl-C, and our children with us;
    # tests that press it would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Hypothesis would call an example on a busy machine too slow.
    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")
    config.addinivalue_line(
        "markers",
        "needs_debian(package): needs a package of tools/debian-packages.txt; "
        "left out where it is missing, an error under CI=true",
    )
    # Debian's games are in a folder that root's PATH does not have.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if debian_packages.GAMES_FOLDER not in folders:
        os.environ["PATH"] = os.pathsep.join([*folders, debian_packages.GAMES_FOLDER])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # What drives the browser leaves an event loop running in its process; those who want one of
    # their own must have had it by then.
    items.sort(key=lambda item: "browser" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor write what the user has solved."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.delenv("LUDUS_ORACLE", raising=False)
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    packages = debian_packages.read()
    for marker in item.iter_markers("needs_debian"):
        for name in marker.args:
            if name not in packages:
                pytest.fail(f"{name} is not in tools/debian-packages.txt", pytrace=False)
            if packages[name].is_missing:
                leave_out(packages[name])


def leave_out(package: debian_packages.Package) -> None:
    """Skip the test that asked for the package, or fail it where nothing may be skipped."""
    reason = f"{LEFT_OUT}{package}: {debian_packages.install_line([package])}"
    if debian_packages.nothing_may_be_left_out():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    left_out = [reason for reason in reasons if LEFT_OUT in reason]
    if left_out:
        terminalreporter.section("tests left out")
        for reason in sorted(set(left_out)):
            text = reason.partition(LEFT_OUT)[2]
            terminalreporter.line(f"{left_out.count(reason)} × needs {text}", yellow=True)
