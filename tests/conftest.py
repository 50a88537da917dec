"""What all tests share: folders and an environment of their own, limits of time, and a summary that
says which tests were left out because this machine lacks something, and how to get it.
"""

import asyncio
import faulthandler
import functools
import gc
import os
import random
import signal
import socket
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests run side by side, and the threads of numpy and torch, one for each core in each process,
# would wait for each other: twenty times as long for networks of many small matrices. Sums would
# also depend on the number of cores. Both read this when they are loaded, so it stands here.
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests start hundreds of programs, each of which would be compiled anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Processes that are started from now on read and write UTF-8, whatever the user's language.
os.environ.setdefault("PYTHONUTF8", "1")

import debian_packages

from support import repetition
from support.facilities import DATA, FACILITIES, LEFT_OUT

SLOW_LIMIT = 4 * 60 * 60
"""Seconds that a test marked `slow` may take."""

WORKER_MEMORY = 1 << 30
"""Bytes that a worker of pytest-xdist and the programs that its tests start may take."""

LAST_RESORT = 2
"""A process in which a test takes this many times its limit is ended."""

collect_ignore_glob = ["conftest.py", "*/conftest.py"]
"""Not modules with examples; several of one name would stand in each other's way."""

PERSONAL = (
    *("CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR"),
    *("PY_COLORS", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "GITHUB_ACTIONS"),
    *("PYTHONIOENCODING", "PYTHONUNBUFFERED"),
    *("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
)
"""Variables of the user's, in capital or small letters, that change what a program prints and when,
or whom it asks for its own server."""

_terminal = pytest.StashKey[int]()
"""A file descriptor for what has to be said although pytest captures the output."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="repeat checks on random data more often"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: many tests wait for programs, servers and the browser.

    Fewer where memory is short.
    """
    num_cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(min(num_cores, 2), min(2 * num_cores, memory // WORKER_MEMORY))


def pytest_configure(config: pytest.Config) -> None:
    repetition.is_thorough = config.getoption("--thorough")
    # A shell that starts us in the background lets us ignore Ctrl-C, and our children with us;
    # tests that press it would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The same examples in every run, and none is too slow on a busy machine. To look for others:
    # pytest --hypothesis-profile exploring
    unhurried = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("repeatable", derandomize=True, **unhurried)
    settings.register_profile("exploring", print_blob=True, **unhurried)
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("repeatable")
    config.stash[_terminal] = os.dup(2)
    config.addinivalue_line(
        "markers",
        "needs_debian(package): needs a package of tools/debian-packages.txt; "
        "left out where it is missing, an error under CI=true",
    )
    config.addinivalue_line(
        "markers",
        "needs(facility): needs a facility of support/facilities.py; skipped where it is missing",
    )
    # Children inherit the limit.
    FACILITIES["open files"].is_there()
    # Debian's games are in a folder that root's PATH does not have.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if debian_packages.GAMES_FOLDER not in folders:
        os.environ["PATH"] = os.pathsep.join([*folders, debian_packages.GAMES_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    gc.unfreeze()
    os.close(config.stash[_terminal])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Leave modules and tests, which stay till the end, out of garbage collection.

    There are a million such objects, and each full collection would look at all of them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """End the process where pytest-timeout cannot: its signal waits for native code to return.

    The stacks of all threads are printed, and pytest-xdist says which test it was.
    """
    marker = item.get_closest_marker("timeout")
    has_limits = item.config.pluginmanager.hasplugin("timeout")
    limit = marker.args[0] if marker else item.config.getini("timeout") if has_limits else 300
    file = item.config.stash[_terminal]
    faulthandler.dump_traceback_later(LAST_RESORT * float(limit), exit=True, file=file)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor write what the user has solved, set or chosen."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("LUDUS_") or name.upper() in PERSONAL:
                patch.delenv(name)
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setattr(socket, "getaddrinfo", find_address)
        yield


_find_any_address = socket.getaddrinfo


def find_address(host: Any, *arguments: Any, **options: Any) -> Any:
    """No host is called `….invalid` (RFC 2606), but to find out may take a network and its time."""
    if isinstance(host, str) and host.endswith(".invalid"):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return _find_any_address(host, *arguments, **options)


@pytest.fixture(autouse=True)
def _no_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the browser's event loop, which stays in the process that has started it.

    Between two calls of its synchronous interface playwright's loop is suspended, but asyncio takes
    it to be running, and would refuse to run another one.
    """
    if "browser" in request.fixturenames:
        yield
        return
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


def seed_global_sources() -> None:
    """Seed the random generators of the process, so that the order of tests does not matter."""
    random.seed(1)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(1)
    if torch := sys.modules.get("torch"):
        # torch.manual_seed takes a hundred times as long: it looks for devices of all kinds.
        torch.default_generator.manual_seed(1)
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(1)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup() -> None:
    """Shared fixtures are made by the first test that needs them, which may be any test."""
    seed_global_sources()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    seed_global_sources()


known_packages = functools.cache(debian_packages.read)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    seed_global_sources()
    for marker in item.iter_markers("needs_debian"):
        packages = known_packages()
        for name in marker.args:
            if name not in packages:
                pytest.fail(f"{name} is not in tools/debian-packages.txt", pytrace=False)
            if packages[name].is_missing:
                leave_out(packages[name])
    for marker in item.iter_markers("needs"):
        for name in marker.args:
            if not FACILITIES[name].is_there():
                pytest.skip(f"{LEFT_OUT}{name}: {FACILITIES[name].advice}")
    for marker in item.iter_markers("external"):
        for name in marker.args:
            if DATA[name].folder() is None:
                pytest.skip(f"{LEFT_OUT}the data {name}: {DATA[name].advice}")


def leave_out(package: debian_packages.Package) -> None:
    """Skip the test that asked for the package, or fail it where nothing may be skipped."""
    reason = f"{LEFT_OUT}{package}: {debian_packages.install_line([package])}"
    if debian_packages.nothing_may_be_left_out():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line: how many tests were left out, what each group needs, and how to get it."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    left_out = [reason.partition(LEFT_OUT)[2] for reason in reasons if LEFT_OUT in reason]
    if left_out:
        terminalreporter.section("tests left out")
        groups = (f"{left_out.count(text)} × needs {text}" for text in sorted(set(left_out)))
        terminalreporter.line("; ".join(groups), yellow=True)
