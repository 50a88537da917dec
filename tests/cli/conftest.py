"""What the tests of the command line share."""

from collections.abc import Callable

import pytest

from ludus.cli.main import run
from support.command_line import Result


@pytest.fixture
def ludus(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command line in this process."""

    def call(*arguments: str) -> Result:
        status = run(arguments)
        return Result(status, *capsys.readouterr())

    return call
